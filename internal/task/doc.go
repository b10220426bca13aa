// Package task is what happens in a run, as a graph of tasks: chains that run strictly one
// after the other, and branches that run side by side. It gives tasks their identity, puts
// drafts in their places, and says what is ready and what is settled. All of it is pure: a
// worker carries tasks out, and a store keeps them.
//
// The machine is drawn in docs/state-machine.md.
package task
