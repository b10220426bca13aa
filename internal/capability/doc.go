// Package capability is the only door out: what a step of a flow can call, and the host
// that carries it out. Most of it works on the person's own notes, tasks and memories,
// within the transaction of the caller; http.get and http.post go through package web.
//
// On the way of a call it comes after the runner, which has resolved the input, measured
// it and checked it against the schema in the catalogue; below it is package local.
package capability
