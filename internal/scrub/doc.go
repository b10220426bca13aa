// Package scrub takes secrets out of what is shown, kept or sent on: as they are, and in the
// forms in which programs write them. It is pure, never fails and never holds anything up:
// what cannot be understood passes as it is.
//
// What it finds of a secret: the text itself; base64, standard or URL-safe, padded or not,
// also within something longer, and broken into lines; hex; percent-encoding, form encoding,
// JSON escapes and HTML entities, whole or in part, and two of these over each other.
package scrub
