// Package registry keeps the installed tools: their versions, whether they are on, and
// the audit of what was done to them. It decides; a Store keeps.
//
// On the way of a tool it comes after check: it takes a Checked in, off, and gives it out
// again only after checking once more what the store gave back.
package registry
