// Package tool holds the words that every part of Toolsmith shares: powers, risk,
// reversibility, the marks of a tool, the description of a capability, tasks and chains,
// and coded errors. It is also the SDK for tools written in Go: New makes a tool of a
// function, with the schemas of its arguments and result read from Go types, and Context
// is what a call may use of its host. Package tooltest runs such a tool in a test.
//
// It imports nothing of Toolsmith.
package tool
