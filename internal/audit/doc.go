// Package audit is the log of what was done and decided: its lines, the chain of hashes that
// ties each line to all before it, and what is wrong with a chain that somebody changed. It
// is pure: a store keeps the lines, and whoever appends one asks here for its hash.
package audit
