// Package console carries a command to the server that holds its data folder, and its streams
// back, over a socket in that folder: whoever may use the folder may use the socket. What the
// command does, and whether it may, is for others.
package console
