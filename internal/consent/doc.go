// Package consent decides whether a call may run, must be asked about, or is refused: from
// what a person has set, what was allowed before, and what the call may do. It is pure, and
// how well a model behaves plays no part in it.
//
// On the way of a call it comes after the arguments are known and before the tool runs.
package consent
