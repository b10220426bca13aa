package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Command is a command as it was typed.
type Command struct {
	// Args are its arguments, without the name of the program.
	Args []string `json:"args"`
	// Folder in which it was typed; names of files mean files below it.
	Folder string `json:"folder"`
	// Version of the program that sends it.
	Version string `json:"version"`
	// In, Out and Err tell which of its streams are terminals, and Columns how wide they are; 0
	// where that is not known.
	In, Out, Err bool
	Columns      int
	// Zone is the time zone there by its name in the IANA database, "" where it is not known, and
	// ZoneShort and ZoneOffset how it is called now and how many seconds it is east of UTC.
	Zone, ZoneShort string
	ZoneOffset      int
	// Colour and Unicode tell what may be shown there.
	Colour, Unicode bool
}

// Location is the time zone of the command.
func (c Command) Location() *time.Location {
	if c.Zone != "" {
		if zone, err := time.LoadLocation(c.Zone); err == nil {
			return zone
		}
	}
	return time.FixedZone(c.ZoneShort, c.ZoneOffset)
}

// ZoneHere fills in the time zone of this process.
func (c *Command) ZoneHere() {
	if name, set := os.LookupEnv("TZ"); set {
		c.Zone = strings.TrimPrefix(name, ":")
		if name == "" {
			c.Zone = "UTC"
		}
	} else if target, err := os.Readlink("/etc/localtime"); err == nil {
		_, c.Zone, _ = strings.Cut(filepath.ToSlash(target), "zoneinfo/")
	}
	c.ZoneShort, c.ZoneOffset = time.Now().Zone()
}

// The streams of what a command writes.
const (
	streamOut = iota
	streamErr
	// streamQuestion is where a person sees a question although streamErr goes elsewhere.
	streamQuestion
)

// message is what the two sides send each other, one JSON object after the other. One field of
// it is set.
type message struct {
	// The side of the command.
	Command   *Command `json:"command,omitempty"` // the first message, and there once
	Input     *input   `json:"input,omitempty"`   // answers a read
	Interrupt bool     `json:"interrupt,omitempty"`
	// The side of the server.
	Output *output  `json:"output,omitempty"`
	Read   *reading `json:"read,omitempty"`
	Exit   *int     `json:"exit,omitempty"` // the last message
}

// input is what was read from standard input: as much as there was, and whether that was all.
type input struct {
	Data  []byte `json:"data,omitempty"`
	End   bool   `json:"end,omitempty"`
	Error string `json:"error,omitempty"`
}

// reading asks for input. It is asked for when it is needed, since what is taken from standard
// input is gone for the commands that come after this one.
type reading struct {
	// Hidden: a line that the terminal does not show.
	Hidden bool `json:"hidden,omitempty"`
}

type output struct {
	Stream int    `json:"stream"`
	Data   []byte `json:"data"`
}

// most is how many bytes are read, or sent, at once.
const most = 64 << 10

// line is one side of a connection.
type line struct {
	conn net.Conn
	in   *json.Decoder

	mu  sync.Mutex
	out *json.Encoder
}

func newLine(conn net.Conn) *line {
	return &line{conn: conn, in: json.NewDecoder(conn), out: json.NewEncoder(conn)}
}

func (l *line) send(m message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Encode(m); err != nil {
		return fmt.Errorf("send to the other side: %w", err)
	}
	return nil
}

func (l *line) receive() (m message, err error) {
	if err := l.in.Decode(&m); err != nil {
		return m, fmt.Errorf("receive from the other side: %w", err)
	}
	return m, nil
}

// inputOf is the answer to a read that gave so much.
func inputOf(data []byte, err error) *input {
	in := &input{Data: data, End: errors.Is(err, io.EOF)}
	if err != nil && !in.End {
		in.Error = err.Error()
	}
	return in
}
