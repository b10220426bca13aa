package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// socketFile is the name of the socket in the data folder.
const socketFile = "toolsmith.sock"

// longest is how long the path of a socket may be; systems allow 104 bytes or a little more.
const longest = 100

// Errors of Listen.
var (
	// ErrHeld: a server holds the folder already.
	ErrHeld = errors.New("a server holds the folder already")
	// ErrTooLong: the path of the folder is too long for a socket.
	ErrTooLong = errors.New("the path of the folder is too long for a socket")
)

// Listen makes the socket in a data folder, in place of one that a server left that was killed.
// Only the owner may use it. The error is ErrHeld or ErrTooLong where it is one of these.
func Listen(ctx context.Context, folder string) (net.Listener, error) {
	path := filepath.Join(folder, socketFile)
	if len(path) > longest {
		return nil, ErrTooLong
	}
	if conn, err := dial(ctx, folder); err == nil {
		_ = conn.Close()
		return nil, ErrHeld
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("take the socket of a server that is gone away: %w", err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("make a socket for commands: %w", err)
	}
	const onlyOwner = 0o600
	if err := os.Chmod(path, onlyOwner); err != nil { // the folder lets nobody else in either
		return nil, errors.Join(fmt.Errorf("make a socket for commands: %w", err), listener.Close())
	}
	return listener, nil
}

// Server takes up commands.
type Server struct {
	run func(ctx context.Context, s *Session) (exit int)

	ctx    context.Context
	cancel context.CancelFunc
	under  sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	listeners []net.Listener
}

// NewServer makes a server that has run do each command and gives what it returns as the exit
// code. The context of run ends when whoever typed the command interrupts it or has gone, and
// when the server is closed.
func NewServer(run func(ctx context.Context, s *Session) (exit int)) *Server {
	s := &Server{run: run}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Serve takes up what comes over a listener until that, or the server, is closed.
func (s *Server) Serve(listener net.Listener) {
	s.mu.Lock()
	s.listeners = append(s.listeners, listener)
	closed := s.closed
	s.mu.Unlock()
	if closed {
		_ = listener.Close()
		return
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = conn.Close()
			return
		}
		s.under.Add(1)
		s.mu.Unlock()
		go func() {
			defer s.under.Done()
			defer conn.Close()
			s.one(newLine(conn))
		}()
	}
}

// Close takes up nothing more, ends the commands under way and waits for them.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for _, listener := range s.listeners {
		_ = listener.Close() // it takes its socket away
	}
	s.mu.Unlock()
	s.cancel()
	s.under.Wait()
}

// one carries one command out.
func (s *Server) one(l *line) {
	stop := context.AfterFunc(s.ctx, func() { _ = l.conn.Close() }) // one that says nothing is not waited for
	first, err := l.receive()
	stop()
	if err != nil || first.Command == nil {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	session := newSession(ctx, *first.Command, l, cancel)
	exit := s.run(ctx, session)
	stop = context.AfterFunc(s.ctx, func() { // at the end of the server whoever takes nothing is not waited for
		_ = l.conn.SetWriteDeadline(time.Now().Add(lastWait))
	})
	defer stop()
	session.end(exit)
}

// lastWait is how long a closing server waits for whoever reads what commands wrote.
const lastWait = time.Second

// Session is one command, with its streams.
type Session struct {
	Command
	// Input is its standard input.
	Input *Input
	// Output, Errors and Question are where it writes to; Question is where a person sees what is
	// asked, also where Errors goes elsewhere. Writing never waits for whoever reads.
	Output, Errors, Question *Output

	line   *line
	cancel context.CancelFunc
	ended  chan struct{} // closed at the end of the command
	// interrupted is closed when nothing is to be waited for any more.
	interrupted <-chan struct{}
	inputs      chan *input // answers to reads; closed with the connection

	mu     sync.Mutex
	queue  []output
	queued int // bytes in queue
	broken bool
	last   *int
	more   *sync.Cond
	sent   chan struct{} // closed once all has been sent
}

func newSession(ctx context.Context, c Command, l *line, cancel context.CancelFunc) *Session {
	s := &Session{Command: c, line: l, cancel: cancel, interrupted: ctx.Done(), ended: make(chan struct{}), inputs: make(chan *input), sent: make(chan struct{})}
	s.more = sync.NewCond(&s.mu)
	s.Input = &Input{session: s, asking: make(chan struct{}, 1)}
	s.Output, s.Errors, s.Question = &Output{s, streamOut, c.Out}, &Output{s, streamErr, c.Err}, &Output{s, streamQuestion, true}
	go s.listen()
	go s.write()
	return s
}

// listen takes what whoever typed the command sends.
func (s *Session) listen() {
	defer close(s.inputs)
	for {
		m, err := s.line.receive()
		switch {
		case err != nil:
			s.fail()
			return
		case m.Interrupt:
			s.cancel()
		case m.Input != nil:
			select {
			case s.inputs <- m.Input:
			case <-s.ended:
			}
		}
	}
}

// fail notes that there is nobody any more, which ends the command.
func (s *Session) fail() {
	s.mu.Lock()
	s.broken, s.queue = true, nil
	s.more.Signal()
	s.mu.Unlock()
	s.cancel()
}

// mostQueued is how many bytes may wait for a reader before it counts as gone.
const mostQueued = 64 << 20

// put has something written. What is written in the middle of a run must not hold it up.
func (s *Session) put(o output) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken || s.last != nil {
		return io.ErrClosedPipe
	}
	if s.queued += len(o.Data); s.queued > mostQueued {
		s.broken, s.queue = true, nil
		s.more.Signal()
		s.cancel()
		return io.ErrClosedPipe
	}
	s.queue = append(s.queue, o)
	s.more.Signal()
	return nil
}

// write sends what is queued, and at last the exit code.
func (s *Session) write() {
	defer close(s.sent)
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && s.last == nil && !s.broken {
			s.more.Wait()
		}
		queue, last, broken := s.queue, s.last, s.broken
		s.queue, s.queued = nil, 0
		s.mu.Unlock()
		for i := range queue {
			if broken = broken || s.line.send(message{Output: &queue[i]}) != nil; broken {
				break
			}
		}
		switch {
		case broken:
			s.fail()
			return
		case last != nil:
			_ = s.line.send(message{Exit: last}) // whoever is gone needs none
			return
		}
	}
}

// end sends the exit code after all that was written, and lets go of the connection.
func (s *Session) end(exit int) {
	close(s.ended)
	s.mu.Lock()
	s.last = &exit
	s.more.Signal()
	s.mu.Unlock()
	<-s.sent
}

// Output is a stream that a command writes to.
type Output struct {
	session  *Session
	stream   int
	terminal bool
}

// Write queues a text. It fails once whoever typed the command has gone.
func (o *Output) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		part := rest[:min(len(rest), most)]
		rest = rest[len(part):]
		if err := o.session.put(output{o.stream, append([]byte(nil), part...)}); err != nil {
			return len(b) - len(rest) - len(part), err
		}
	}
	return len(b), nil
}

// IsTerminal reports whether it is a terminal.
func (o *Output) IsTerminal() bool { return o.terminal }

// Columns is how wide it is; 0 where that is not known.
func (o *Output) Columns() int { return o.session.Columns }

// Input is the standard input of a command.
type Input struct {
	session *Session
	asking  chan struct{} // holds one while something is read
	left    []byte
	end     error
}

// IsTerminal reports whether it is a terminal.
func (i *Input) IsTerminal() bool { return i.session.In }

// Read reads as much as there is. It ends, with io.ErrClosedPipe, with the command and when that
// is interrupted.
func (i *Input) Read(b []byte) (int, error) {
	i.asking <- struct{}{}
	defer func() { <-i.asking }()
	if len(i.left) == 0 && i.end == nil {
		i.left, i.end = i.ask(reading{})
	}
	n := copy(b, i.left)
	i.left = i.left[n:]
	if n == 0 && len(b) > 0 {
		return 0, i.end
	}
	return n, nil
}

// ReadHidden reads a line of a terminal that does not show it.
func (i *Input) ReadHidden() (string, error) {
	i.asking <- struct{}{}
	defer func() { <-i.asking }()
	text, err := i.ask(reading{Hidden: true})
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return string(text), nil
}

func (i *Input) ask(r reading) ([]byte, error) {
	if err := i.session.line.send(message{Read: &r}); err != nil {
		return nil, io.ErrClosedPipe
	}
	select {
	case got, ok := <-i.session.inputs:
		switch {
		case !ok:
			return nil, io.ErrClosedPipe
		case got.Error != "":
			return got.Data, errors.New(got.Error)
		case got.End:
			return got.Data, io.EOF
		}
		return got.Data, nil
	case <-i.session.interrupted:
		return nil, io.ErrClosedPipe
	case <-i.session.ended:
		return nil, io.ErrClosedPipe
	}
}
