package scrub

import (
	"bytes"
	"errors"
	"io"
)

// Writer gives a writer that takes the secrets out of what passes to w, also where one is
// split over several writes. It holds back only what may be the beginning of a secret, until
// more comes or it is closed. Closing it does not close w. Errors are those of w.
func (s *Scrubber) Writer(w io.Writer) io.WriteCloser { return &writer{scrubber: s, to: w} }

type writer struct {
	scrubber *Scrubber
	to       io.Writer
	held     []byte
	// covered is how many of the held bytes belong to a secret whose sign was written.
	covered int
	failed  error
}

func (w *writer) Write(data []byte) (int, error) {
	if w.failed != nil {
		return 0, w.failed
	}
	if w.scrubber == nil {
		return w.to.Write(data) //nolint:wrapcheck // its errors are ours
	}
	w.held = append(w.held, data...)
	if w.failed = w.pass(false); w.failed != nil {
		return 0, w.failed
	}
	return len(data), nil
}

// errClosed is for who writes to a closed writer.
var errClosed = errors.New("the writer is closed")

func (w *writer) Close() error {
	if w.failed != nil {
		if errors.Is(w.failed, errClosed) {
			return nil
		}
		return w.failed
	}
	err := w.pass(true)
	w.failed, w.held = errClosed, nil
	return err
}

// pass writes what is sure, and with whole all that is held.
func (w *writer) pass(whole bool) error {
	if len(w.held) == 0 {
		return nil
	}
	spans, sure := w.scrubber.find(w.held, whole)
	var out bytes.Buffer
	at := w.covered
	for _, s := range spans {
		if s.from >= sure {
			break
		}
		if s.from >= at { // else it overlaps one that has its sign
			out.Write(w.held[at:s.from])
			out.WriteString(w.scrubber.signs[s.secret])
		}
		at = max(at, s.to)
	}
	if at < sure {
		out.Write(w.held[at:sure])
	}
	w.covered = max(0, at-sure)
	w.held = append(w.held[:0], w.held[sure:]...)
	if out.Len() == 0 {
		return nil
	}
	_, err := w.to.Write(out.Bytes())
	return err //nolint:wrapcheck // its errors are ours
}

// pieces passes a long text through a writer that cannot fail.
func (s *Scrubber) pieces(to io.Writer, text []byte) {
	w := s.Writer(to)
	for len(text) > 0 {
		n := min(len(text), longText)
		_, _ = w.Write(text[:n]) // a buffer takes everything
		text = text[n:]
	}
	_ = w.Close()
}

// Reader gives a reader that takes the secrets out of what is read from r, as Writer does.
func (s *Scrubber) Reader(r io.Reader) io.Reader {
	out := &bytes.Buffer{}
	return &reader{from: r, through: s.Writer(out), out: out}
}

type reader struct {
	from    io.Reader
	through io.WriteCloser
	out     *bytes.Buffer
	chunk   [4 << 10]byte
	ended   error
}

func (r *reader) Read(into []byte) (int, error) {
	for r.out.Len() == 0 && len(into) > 0 {
		if r.ended != nil {
			return 0, r.ended
		}
		n, err := r.from.Read(r.chunk[:])
		_, _ = r.through.Write(r.chunk[:n]) // a buffer takes everything
		if err != nil {
			r.ended = err
			_ = r.through.Close()
		}
	}
	n, _ := r.out.Read(into) // there is something, or nothing was asked for
	return n, nil
}
