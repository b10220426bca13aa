// Package worker runs pinned tools: it gives the flow its ports over the store, and keeps
// what a run leaves. Engine decides whether a tool may run, worker decides when and with
// what, runner knows how.
package worker
