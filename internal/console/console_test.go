package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolsmith/internal/console"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve does commands in a folder until the test ends, or end is called.
func serve(t *testing.T, run func(ctx context.Context, s *console.Session) int) (folder string, end func()) {
	t.Helper()
	folder = t.TempDir()
	listener, err := console.Listen(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	server := console.NewServer(run)
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	end = sync.OnceFunc(func() {
		server.Close()
		serving.Wait()
	})
	t.Cleanup(end)
	return folder, end
}

// screen is what a command wrote.
type screen struct{ out, errOut, question bytes.Buffer }

func (s *screen) streams(in io.Reader) console.Streams {
	return console.Streams{In: in, Hidden: func() (string, error) { return "hush", nil }, Out: &s.out, Err: &s.errOut, Question: &s.question}
}

// TestACommand comes with all that was typed, and writes, reads and ends as if it were here.
func TestACommand(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100_000) // more than is sent at once, and cut within a letter
	sent := console.Command{
		Args: []string{"run", "--input", "-"}, Folder: "/here", Version: "1", In: true, Err: true, Columns: 60, Zone: "Europe/Rome", ZoneShort: "CET", ZoneOffset: 3600, Colour: true,
	}
	folder, _ := serve(t, func(_ context.Context, s *console.Session) int {
		if fmt.Sprintf("%+v", s.Command) != fmt.Sprintf("%+v", sent) || s.Location().String() != "Europe/Rome" {
			t.Errorf("it came as %+v", s.Command)
		}
		if !s.Input.IsTerminal() || s.Output.IsTerminal() || !s.Errors.IsTerminal() || !s.Question.IsTerminal() || s.Output.Columns() != 60 {
			t.Error("its streams are others")
		}
		hidden, err := s.Input.ReadHidden()
		if err != nil {
			t.Error(err)
		}
		read, err := io.ReadAll(s.Input)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprint(s.Question, "May it? ")
		fmt.Fprint(s.Errors, hidden)
		fmt.Fprint(s.Output, string(read))
		fmt.Fprint(s.Output, "end")
		return 3
	})
	var got screen
	exit, err := console.Run(t.Context(), folder, sent, got.streams(strings.NewReader(long)), nil)
	if exit != 3 || err != nil || got.out.String() != long+"end" || got.errOut.String() != "hush" || got.question.String() != "May it? " {
		t.Errorf("it ends with %d, %v: %d bytes, %q, %q", exit, err, got.out.Len(), &got.errOut, &got.question)
	}
	if _, err := console.Listen(t.Context(), folder); !errors.Is(err, console.ErrHeld) {
		t.Errorf("the folder does not seem to be held: %v", err)
	}
}

// TestInputIsLeft for what comes after a command that reads none.
func TestInputIsLeft(t *testing.T) {
	t.Parallel()
	folder, _ := serve(t, func(_ context.Context, s *console.Session) int {
		if len(s.Args) == 0 {
			return 0
		}
		b := make([]byte, 4)
		n, err := io.ReadFull(s.Input, b)
		fmt.Fprintf(s.Output, "%s %v", b[:n], err)
		return 0
	})
	in := strings.NewReader("one two")
	var got screen
	if _, err := console.Run(t.Context(), folder, console.Command{}, got.streams(in), nil); err != nil || in.Len() != 7 {
		t.Errorf("%d bytes are left, %v", in.Len(), err)
	}
	if _, err := console.Run(t.Context(), folder, console.Command{Args: []string{"read"}}, got.streams(in), nil); err != nil || got.out.String() != "one  <nil>" {
		t.Errorf("%q, %v", &got.out, err)
	}
}

// broken fails to be read.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestInputThatCannotBeRead(t *testing.T) {
	t.Parallel()
	folder, _ := serve(t, func(_ context.Context, s *console.Session) int {
		_, err := io.ReadAll(s.Input)
		_, hidden := s.Input.ReadHidden()
		fmt.Fprint(s.Output, err, "; ", hidden)
		return 0
	})
	var got screen
	streams := got.streams(broken{})
	streams.Hidden = func() (string, error) { return "", errors.New("no terminal") }
	if _, err := console.Run(t.Context(), folder, console.Command{}, streams, nil); err != nil || got.out.String() != "the disk is gone; no terminal" {
		t.Errorf("%q, %v", &got.out, err)
	}
}

// TestAnInterrupt ends the context of a command, whose end is waited for, unless somebody has
// enough of it.
func TestAnInterrupt(t *testing.T) {
	t.Parallel()
	begun, release := make(chan bool, 2), make(chan bool)
	folder, _ := serve(t, func(ctx context.Context, s *console.Session) int {
		begun <- true
		<-ctx.Done()
		fmt.Fprint(s.Output, "taken back")
		if len(s.Args) > 0 {
			<-release
		}
		return 1
	})
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-begun
		interrupt()
	}()
	var got screen
	if exit, err := console.Run(ctx, folder, console.Command{}, got.streams(nil), nil); exit != 1 || err != nil || got.out.String() != "taken back" {
		t.Errorf("it ends with %d, %v: %q", exit, err, &got.out)
	}
	abandon := make(chan struct{})
	close(abandon)
	ctx, interrupt = context.WithCancel(t.Context())
	go func() {
		<-begun
		interrupt()
	}()
	if _, err := console.Run(ctx, folder, console.Command{Args: []string{"hang"}}, got.streams(nil), abandon); !errors.Is(err, console.ErrLost) {
		t.Errorf("abandoned, it gives %v", err)
	}
	close(release)
}

// TestAnEnd of one side is seen by the other.
func TestAnEnd(t *testing.T) {
	t.Parallel()
	begun, gone := make(chan bool, 1), make(chan error, 2)
	folder, end := serve(t, func(ctx context.Context, s *console.Session) int {
		begun <- true
		_, err := s.Input.Read(make([]byte, 1))
		<-ctx.Done()
		gone <- err
		_, err = fmt.Fprint(s.Output, "nobody reads this")
		gone <- err
		return 0
	})
	conn, err := net.Dial("unix", filepath.Join(folder, "toolsmith.sock"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(conn, `{"command": {"args": []}}`); err != nil {
		t.Fatal(err)
	}
	<-begun
	conn.Close()
	for range 2 {
		if err := <-gone; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("without anybody a stream gives %v", err)
		}
	}
	// What is no command is not answered, and holds nothing up.
	for _, text := range []string{"", "x\n", "{}\n", `{"interrupt": true}` + "\n"} {
		conn, err := net.Dial("unix", filepath.Join(folder, "toolsmith.sock"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, text)
		if text != "" {
			if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("%q is answered", text)
			}
		}
		t.Cleanup(func() { conn.Close() })
	}
	reading, typing := io.Pipe() // nobody types
	defer typing.Close()
	lost := make(chan error, 1)
	go func() {
		var got screen
		exit, err := console.Run(t.Context(), folder, console.Command{}, got.streams(reading), nil)
		lost <- errors.Join(err, fmt.Errorf("exit %d", exit))
	}()
	<-begun
	end()
	<-gone
	<-gone
	if err := <-lost; !strings.Contains(err.Error(), "exit 0") { // it was told the end of the command
		t.Errorf("it ends with %v", err)
	}
	var got screen
	if _, err := console.Run(t.Context(), folder, console.Command{}, got.streams(nil), nil); !errors.Is(err, console.ErrNoServer) {
		t.Errorf("without a server it gives %v", err)
	}
	again, err := console.Listen(t.Context(), folder)
	if err != nil {
		t.Fatalf("the folder seems to be held: %v", err)
	}
	again.Close()
}

// stuck takes nothing until it is let go.
type stuck struct{ loose chan struct{} }

func (s stuck) Write(b []byte) (int, error) {
	<-s.loose
	return len(b), nil
}

// TestASlowReader does not hold up a command, and one that takes far too little ends it.
func TestASlowReader(t *testing.T) {
	t.Parallel()
	wrote := make(chan error, 1)
	folder, _ := serve(t, func(ctx context.Context, s *console.Session) int {
		megabyte := make([]byte, 1<<20)
		for range 4 { // far more than a socket holds
			if _, err := s.Output.Write(megabyte); err != nil {
				wrote <- err
				return 1
			}
		}
		wrote <- nil
		if len(s.Args) == 0 {
			return 0
		}
		for {
			if _, err := s.Output.Write(megabyte); err != nil {
				wrote <- err
				<-ctx.Done()
				return 1
			}
		}
	})
	for _, flood := range []bool{false, true} {
		var got screen
		streams, slow := got.streams(nil), stuck{make(chan struct{})}
		streams.Out = slow
		var args []string
		if flood {
			args = []string{"flood"}
		}
		ended := make(chan error, 1)
		go func() {
			_, err := console.Run(t.Context(), folder, console.Command{Args: args}, streams, nil)
			ended <- err
		}()
		if err := <-wrote; err != nil {
			t.Errorf("nobody reads, and writing gives %v", err)
		}
		if flood {
			if err := <-wrote; !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("without end, writing gives %v", err)
			}
		}
		close(slow.loose)
		if err := <-ended; flood != errors.Is(err, console.ErrLost) {
			t.Errorf("flood %v: it ends with %v", flood, err)
		}
	}
}

// TestListen holds a folder once, alone, and in place of a server that was killed.
func TestListen(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "toolsmith.sock")})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	listener, err := console.Listen(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if info, err := os.Stat(filepath.Join(folder, "toolsmith.sock")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := console.Listen(t.Context(), folder); !errors.Is(err, console.ErrHeld) {
		t.Errorf("held twice, it gives %v", err)
	}
	if _, err := console.Listen(t.Context(), filepath.Join(folder, strings.Repeat("x", 120))); !errors.Is(err, console.ErrTooLong) {
		t.Errorf("a long path gives %v", err)
	}
	if _, err := console.Run(t.Context(), filepath.Join(folder, strings.Repeat("x", 120)), console.Command{}, console.Streams{}, nil); !errors.Is(err, console.ErrNoServer) {
		t.Errorf("a long path gives %v", err)
	}
	if _, err := console.Listen(t.Context(), filepath.Join(folder, "nowhere")); err == nil {
		t.Error("a folder that is not there can be held")
	}
	// A folder in the way of the socket.
	inWay := t.TempDir()
	if err := os.MkdirAll(filepath.Join(inWay, "toolsmith.sock", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := console.Listen(t.Context(), inWay); err == nil {
		t.Error("a folder in the way is not seen")
	}
	// A server that is closed already takes nothing up.
	closed := console.NewServer(nil)
	closed.Close()
	other, err := console.Listen(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	closed.Serve(other)
	if _, err := other.Accept(); err == nil {
		t.Error("it takes up a command after its end")
	}
}

func TestLocation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command console.Command
		want    string
	}{
		"by its name":      {console.Command{Zone: "America/New_York", ZoneShort: "EST", ZoneOffset: -5 * 3600}, "2026-07-01 08:00 EDT"},
		"without a name":   {console.Command{ZoneShort: "EST", ZoneOffset: -5 * 3600}, "2026-07-01 07:00 EST"},
		"of another world": {console.Command{Zone: "Mars/North", ZoneShort: "MST", ZoneOffset: 60}, "2026-07-01 12:01 MST"},
		"a path":           {console.Command{Zone: "../etc/passwd", ZoneShort: "UTC"}, "2026-07-01 12:00 UTC"},
	} {
		at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC).In(c.command.Location())
		if got := at.Format("2006-01-02 15:04 MST"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	var here console.Command
	here.ZoneHere()
	if short, offset := time.Now().Zone(); here.ZoneShort != short || here.ZoneOffset != offset {
		t.Errorf("here is %+v", here)
	}
}
