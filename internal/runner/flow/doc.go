// Package flow runs the steps of a forged tool. It computes; whatever reaches outside
// goes through four ports that the caller supplies: the host's capabilities, a model, a
// journal and a clock. The same code therefore runs dry, scripted, in tests and for real.
//
// Every capability and model step has a path ("collect", "each[3].0") under which the
// journal is asked first: a recorded answer is used instead of calling, so that a run
// that is taken up again does nothing twice. Steps that only compute are recomputed.
package flow
