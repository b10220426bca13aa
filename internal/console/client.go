package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// Errors of Run.
var (
	// ErrNoServer: no server holds the folder, and nothing was done.
	ErrNoServer = errors.New("no server holds the folder")
	// ErrLost: the server has gone in the middle of the command.
	ErrLost = errors.New("the server has gone in the middle of the command")
)

// Streams are those of the program in which a command was typed.
type Streams struct {
	In io.Reader
	// Hidden reads a line of the terminal without showing it.
	Hidden func() (string, error)
	// Out, Err and Question are written to; what they do with errors is theirs. Question is
	// where a person sees what is asked.
	Out, Err, Question io.Writer
}

// dialTime is how long a server may take to answer at all.
const dialTime = 2 * time.Second

func dial(ctx context.Context, folder string) (net.Conn, error) {
	path := filepath.Join(folder, socketFile)
	if len(path) > longest {
		return nil, ErrTooLong
	}
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	return conn, nil
}

// Run has the server that holds a data folder do a command, and gives its exit code. When ctx
// ends the command is interrupted, and its end is waited for, at most until abandon is closed;
// nil waits for as long as it takes. The error is ErrNoServer or ErrLost.
func Run(ctx context.Context, folder string, c Command, s Streams, abandon <-chan struct{}) (exit int, err error) {
	conn, err := dial(ctx, folder)
	if err != nil {
		return 0, ErrNoServer
	}
	defer conn.Close()
	l := newLine(conn)
	if err := l.send(message{Command: &c}); err != nil {
		return 0, ErrLost
	}
	var watching sync.WaitGroup
	ended := make(chan struct{})
	defer watching.Wait()
	defer close(ended)
	watching.Go(func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		_ = l.send(message{Interrupt: true}) // a server that is gone is seen where it is read from
		select {
		case <-abandon:
			_ = conn.Close()
		case <-ended:
		}
	})
	for {
		m, err := l.receive()
		switch {
		case err != nil:
			return 0, ErrLost
		case m.Exit != nil:
			return *m.Exit, nil
		case m.Output != nil:
			_, _ = s.stream(m.Output.Stream).Write(m.Output.Data) // the stream keeps its errors
		case m.Read != nil:
			go s.read(l, *m.Read) // it may take until long after the end
		}
	}
}

func (s Streams) stream(number int) io.Writer {
	switch number {
	case streamOut:
		return s.Out
	case streamQuestion:
		return s.Question
	}
	return s.Err
}

// read answers a read of the server.
func (s Streams) read(l *line, r reading) {
	var data []byte
	var err error
	if r.Hidden {
		var text string
		text, err = s.Hidden()
		data = []byte(text)
	} else {
		data = make([]byte, most)
		var n int
		n, err = s.In.Read(data)
		data = data[:n]
	}
	_ = l.send(message{Input: inputOf(data, err)}) // where it is gone nobody asks any more
}
