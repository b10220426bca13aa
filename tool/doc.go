// Package tool holds the words that every part of Toolsmith shares: powers, risk,
// reversibility, the marks of a tool, the description of a capability, and coded
// errors. It imports nothing of Toolsmith.
package tool
