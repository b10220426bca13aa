// Package manifest reads the text of a forged tool (talos.local-tool.v1) into a
// Manifest in which every value keeps its place. It is the first station of a call's
// way: text comes in, and what goes on to package check is either typed or reported.
//
// Only the structure is judged here: fields that are missing, unknown or of the wrong
// kind. Whatever is wrong is reported, not the first thing only, and what is right is
// still filled in, so that one look shows a person everything.
package manifest
