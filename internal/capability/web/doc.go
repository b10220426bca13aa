// Package web is the client through which a tool reaches the network: only the hosts that
// the tool has declared, only over the scheme and port that it has declared, and only at
// public addresses unless a person said otherwise. What it refuses is an error with a code
// before anything is sent.
//
// A host is judged where it is written, and its address where the socket is opened, for
// every hop of a redirect. Proxies and cookies do not exist here. Answers are bounded in
// headers, body and time.
package web
