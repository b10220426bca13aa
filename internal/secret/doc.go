// Package secret keeps the secrets of tools: each sealed by itself, for a key that lies in the
// keyring of the system, or beside the store in a file that only its owner can read. A secret
// belongs to a namespace and is seen only there. A value is given to whoever asks with its
// namespace and name, and stands in nothing else: no list, no error, no log.
package secret
