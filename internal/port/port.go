// Package port is how programs outside supply tools: the messages of the protocol
// toolsmith.port.v1, and the hub that holds the ports that are open. It knows nothing of what
// carries the messages, a WebSocket or a channel in memory, and nothing of how a tool that is
// called comes to be allowed: whoever calls Hub.Call has seen to that.
package port

import (
	"context"
	"time"
)

// Protocol is the version of the protocol, Subprotocol its name on a WebSocket, and Path where
// a server listens for ports.
const (
	Protocol    = 1
	Subprotocol = "toolsmith.port.v1"
	Path        = "/v1/port"
)

// The bounds of the protocol.
const (
	// MaxMessage is how large one message may be, in bytes.
	MaxMessage = 1 << 20
	// MaxTools is how many tools a port may supply.
	MaxTools = 200
	// MaxPorts is how many ports may be open.
	MaxPorts = 64
	// MaxCalls is how many calls a port has to carry out at once; further ones wait.
	MaxCalls = 64
	// MaxRequests is how many calls and context requests of a host may be open at once.
	MaxRequests = 256
	// MaxSchema is how large the parameters of a tool may be, and its result and its render
	// options, in bytes of JSON.
	MaxSchema = 64 << 10
	// MaxWaiting is how many messages of a port may wait to be handled, and maxWaitingBytes
	// how large they may be together: nothing is read meanwhile.
	MaxWaiting      = 256
	maxWaitingBytes = 4 << 20
	// DefaultTimeout is how long a call of a tool may take that says nothing of it.
	DefaultTimeout = 30 * time.Second
	// DefaultGrace is how long calls wait for a port that was dropped.
	DefaultGrace = 2 * time.Second
	// helloTime is how long the first message may take, and slowTime how long a host may leave
	// unread what waits for it.
	helloTime, slowTime = 10 * time.Second, 10 * time.Second
	// lastTime is how long what is still to be said may take at the end.
	lastTime = time.Second
	// checkEvery is how often it is looked whether a host may still go on.
	checkEvery = time.Second
)

// Codes of what can go wrong with a port.
const (
	// CodeClosed: the port of the tool is not there.
	CodeClosed = "PORT_CLOSED"
	// CodeMessage: a message cannot be understood.
	CodeMessage = "PORT_MESSAGE_INVALID"
	// CodeRefused: the hello of a host was not accepted.
	CodeRefused = "PORT_REFUSED"
	// CodeLimit: there is more of something than a port or the server takes.
	CodeLimit = "PORT_LIMIT_EXCEEDED"
	// CodeTime: a call took longer than it may.
	CodeTime = "CALL_TIME_EXCEEDED"
	// codeExists: another tool has the name.
	codeExists = "TOOL_EXISTS"
	// codeToolInvalid: the declaration of a tool cannot be accepted.
	codeToolInvalid = "TOOL_INVALID"
	// codeAborted: a call was cancelled.
	codeAborted = "ABORTED"
	// codeArgumentsLarge and codeResultLarge: a message would be too large for the port.
	codeArgumentsLarge, codeResultLarge = "ARGUMENTS_TOO_LARGE", "RESULT_TOO_LARGE"
)

// Codes with which a port is closed, as RFC 6455 has them.
const (
	CloseNormal  = 1000
	CloseAway    = 1001 // the server ends
	CloseSilent  = 1005 // the other side gave no code
	CloseInvalid = 1007 // a message was no JSON object
	ClosePolicy  = 1008 // the hello or the token was not accepted, or the host is too slow
	CloseLarge   = 1009 // a message was too large
	CloseLater   = 1013 // as many ports are open as may be, or a token cannot be looked up now
)

// Conn carries the messages of one port, each a whole text. Read and Write are each called by
// one goroutine at a time. Close may be called at any time, ends what is under way in both, and
// may be called again.
type Conn interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, text []byte) error
	Close(code int, reason string) error
}

// Clock passes time. After calls f once a time has passed, in a goroutine of its own, unless
// it is stopped before.
type Clock interface {
	After(d time.Duration, f func()) (stop func())
}

type systemClock struct{}

func (systemClock) After(d time.Duration, f func()) func() {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// SystemClock is the real one.
func SystemClock() Clock { return systemClock{} }
