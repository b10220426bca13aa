// Package check judges manifests: it applies every rule of the format, works out powers,
// risk and reversibility from the steps, and is the only maker of a Checked. What holds a
// Checked may rely on its manifest being right in every way that can be seen without
// running it.
//
// A check is pure and complete: the same text gives the same list, in the order of the
// text, and one fault never hides another that can be seen beside it.
package check
