// Package local holds the person's own notes, tasks (to-dos) and memories: what a
// record is, what may be written into it, and the verbs over it. A Book works over a
// Shelf, which a store gives within one of its transactions; it never opens one itself.
//
// Every change keeps the state before it, so that the last change of a record can be
// taken back exactly, a deletion included.
package local
