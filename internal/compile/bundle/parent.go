package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// request is what the child is given, as one JSON value. Its standard input stays open after
// it, and ends when the parent does.
type request struct {
	File   string `json:"file"`
	Source []byte `json:"source"`
	// Seconds of CPU that the child may use at all, and bytes of memory.
	Seconds int   `json:"seconds"`
	Memory  int64 `json:"memory"`
	// Compute is how long it may compute until it ends itself, in nanoseconds; 0 for no bound.
	Compute time.Duration `json:"compute,omitempty"`
}

// answer is what the child says, as one JSON value.
type answer struct {
	// Protocol is the constant protocol: another program at the place of the child is found out.
	Protocol int       `json:"protocol"`
	Script   []byte    `json:"script,omitempty"`
	Map      []byte    `json:"map,omitempty"`
	Errors   []Problem `json:"errors,omitempty"`
	Warnings []Problem `json:"warnings,omitempty"`
}

const protocol = 1

const (
	maxAnswer = 16 << 20 // bytes on the standard output of a child
	maxNoise  = 16 << 10 // bytes of its standard error that are looked at
	idle      = 5        // times as long as it may compute a child may take
	// afterKill is how long the pipes of a killed child are waited for.
	afterKill = 5 * time.Second
)

// Why a child was ended.
var (
	errTimeout = errors.New("the translation took too long")
	errFlood   = errors.New("the translation is too large")
)

// translate runs one child. The problem is that of a child that did not answer.
func (b *Bundler) translate(ctx context.Context, file string, source []byte) (answer, *Problem, error) {
	if ctx.Err() != nil {
		return answer{}, nil, ended(ctx, file)
	}
	text, err := json.Marshal(request{
		File: file, Source: source, Seconds: 1 + 2*int((b.options.Timeout+time.Second-1)/time.Second), Memory: b.options.Memory, Compute: b.options.Timeout,
	})
	if err != nil {
		return answer{}, nil, fmt.Errorf("translate %q: %w", file, err)
	}
	during, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	late := time.AfterFunc(idle*b.options.Timeout, func() { stop(errTimeout) })
	defer late.Stop()

	out := &bounded{most: maxAnswer, over: func() { stop(errFlood) }}
	noise := &bounded{most: maxNoise, over: func() {}}
	err = b.runChild(during, text, out, noise)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return answer{}, nil, ended(ctx, file)
	case during.Err() != nil:
		return answer{}, b.limit(context.Cause(during)), nil
	case errors.As(err, &exit):
		return answer{}, b.died(exit.ExitCode(), noise.kept.String()), nil
	case err != nil:
		return answer{}, nil, fmt.Errorf("translate %q: %w", file, err)
	}
	var a answer
	if err := json.Unmarshal(out.kept.Bytes(), &a); err != nil || a.Protocol != protocol {
		return answer{}, limited("The program that translates files gave no answer that can be read. If Toolsmith was replaced by another version, start it again."), nil
	}
	return a, nil, nil
}

// runChild runs one child to its end, in an empty folder and without an environment.
func (b *Bundler) runChild(ctx context.Context, text []byte, out, noise *bounded) error {
	if len(b.options.Command) == 0 {
		return errors.New("no program is given that translates files")
	}
	dir, err := os.MkdirTemp("", "toolsmith-")
	if err != nil {
		return fmt.Errorf("make an empty folder: %w", err)
	}
	defer os.Remove(dir)
	cmd := exec.CommandContext(ctx, b.options.Command[0], b.options.Command[1:]...)
	cmd.Dir, cmd.Env = dir, []string{}
	cmd.Stdout, cmd.Stderr = out, noise
	cmd.WaitDelay = afterKill
	apart(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %q: %w", b.options.Command[0], err)
	}
	// Where the system allows it, nothing is left in the folder to be found, nor can be put
	// there; elsewhere it goes when the child has ended.
	_ = os.Remove(dir)
	written := make(chan struct{})
	go func() {
		defer close(written)
		// A child that ends early breaks the pipe; its end tells why.
		_, _ = in.Write(text)
	}()
	// The pipe stays open until now: when this process dies, the child sees it end.
	err = cmd.Wait()
	<-written
	return err //nolint:wrapcheck // what kind of end it was is asked by the caller
}

func limited(message string) *Problem { return &Problem{Code: CodeLimit, Message: message} }

// limit says why a child was ended.
func (b *Bundler) limit(cause error) *Problem {
	if errors.Is(cause, errFlood) {
		return tooMuch()
	}
	return limited(fmt.Sprintf("Translating the file takes longer than %s, so it was stopped. Something in it nests or repeats too much: write it simpler.", b.options.Timeout))
}

func tooMuch() *Problem {
	return limited("What the file translates to is too large. Something in it grows when it is worked out, such as a text in an enum: write it simpler.")
}

// died says why a child ended by itself without an answer.
func (b *Bundler) died(code int, noise string) *Problem {
	switch {
	case code == exitTime:
		return b.limit(errTimeout)
	case code == exitMemory, strings.Contains(noise, "out of memory"), strings.Contains(noise, "cannot allocate memory"):
		return limited(fmt.Sprintf("Translating the file takes more than %d MiB of memory, so it was stopped. Something in it nests or repeats too much: write it simpler.", b.options.Memory>>20))
	case strings.Contains(noise, "stack overflow"):
		return limited("The file nests too deeply to be translated: write it flatter.")
	}
	return limited("The program that translates files ended before it answered, so something in this one may be too large or nest too deeply: write it simpler.")
}

// bounded keeps what is written to it, up to most bytes, and calls over when there is more. The
// buffer is not embedded: io.Copy would read into it past Write.
type bounded struct {
	kept bytes.Buffer
	most int
	over func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.kept.Len(); len(p) > room {
		b.kept.Write(p[:room])
		b.over()
	} else {
		b.kept.Write(p)
	}
	return len(p), nil
}
