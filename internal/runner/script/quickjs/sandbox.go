package quickjs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sandbox is one realm of JavaScript. It is used by one goroutine at a time.
type Sandbox struct {
	instance *instance
	host     Host
	budget   Budget
	// left is how long it may still compute.
	left time.Duration
	// entries and undefined are those of its image.
	entries   map[string]uint32
	undefined uint32
	// rejections are those of promises that nobody waits for, until report tells of them.
	rejections []rejection
	// spoiled says that the instance is not used again, and dead why the sandbox ended.
	spoiled bool
	dead    error
	closed  bool
	// asking says that a call of the host is being answered.
	asking bool

	// While it computes: for whom, and since when it has its turn.
	ctx   context.Context
	began time.Time
}

// Open gives a sandbox that is as the image was kept. It waits while too many are alive.
func (e *Engine) Open(ctx context.Context, image *Image, host Host, b Budget) (*Sandbox, error) {
	if image == nil {
		return nil, fmt.Errorf("%w: there is no image", ErrBroken)
	}
	return e.open(ctx, image, host, b)
}

func (e *Engine) open(ctx context.Context, image *Image, host Host, b Budget) (*Sandbox, error) {
	if image != nil && image.engine != e {
		return nil, fmt.Errorf("%w: the image is of another engine", ErrBroken)
	}
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	if err := e.live.take(ctx, e.closed); err != nil {
		return nil, err
	}
	s, err := e.prepare(image, host, b) //nolint:contextcheck // what is made here outlives the context
	if err != nil {
		e.live.give()
		return nil, err
	}
	return s, nil
}

func (e *Engine) prepare(image *Image, host Host, b Budget) (*Sandbox, error) {
	if err := e.enter(); err != nil {
		return nil, err
	}
	defer e.leave()
	if err := e.ready(); err != nil {
		return nil, err
	}
	i, err := e.obtain(image)
	if err != nil {
		return nil, err
	}
	if b.CPU <= 0 {
		b.CPU = DefaultCPU
	}
	s := &Sandbox{instance: i, host: host, budget: b, left: b.CPU}
	if image != nil {
		s.entries, s.undefined = image.entries, image.undefined
	}
	i.owner = s
	return s, nil
}

// Call calls an entry function with texts, drains all pending jobs, and gives String(result). The error
// is an *Exception, after which the sandbox can be called again, or what ended the sandbox.
func (s *Sandbox) Call(ctx context.Context, entry string, arguments ...string) (string, error) {
	var result string
	err := s.compute(ctx, func(g *guest) error {
		function, ok := s.entries[entry]
		if !ok {
			return &Exception{Name: "ReferenceError", Message: "there is no entry function " + entry}
		}
		v, err := g.apply(function, s.undefined, arguments)
		if err != nil {
			return err
		}
		if err := s.drain(g); err != nil {
			return err
		}
		if err := s.report(g); err != nil {
			return err
		}
		if result, err = g.text(v, 0); err != nil {
			return err
		}
		return g.drop(v)
	})
	if err != nil {
		return "", err
	}
	return result, nil
}

// Used is how long it has computed, waiting for its turn not counted.
func (s *Sandbox) Used() time.Duration { return s.budget.CPU - s.left }

// Close gives the sandbox back. Nothing of it is left in the one that is opened next.
func (s *Sandbox) Close() {
	if s.closed {
		return
	}
	s.closed = true
	i, e := s.instance, s.instance.engine
	s.instance, s.host = nil, nil
	defer e.live.give()
	if e.enter() != nil {
		return // the memory is gone already
	}
	defer e.leave()
	i.owner = nil
	if s.spoiled || i.image == nil || i.size() != i.before {
		i.discard()
		return
	}
	i.restore()
	e.putBack(i)
}

// compute does something in the sandbox when its turn has come. What is no exception ends it.
func (s *Sandbox) compute(ctx context.Context, do func(*guest) error) error {
	if s.closed {
		return fmt.Errorf("%w: it was closed", ErrBroken)
	}
	if s.dead != nil {
		return s.dead
	}
	if s.ctx != nil {
		return fmt.Errorf("%w: it was called while it computes", ErrBroken)
	}
	e := s.instance.engine
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	if err := e.running.take(ctx, e.closed); err != nil {
		return err
	}
	s.ctx, s.began = ctx, time.Now()
	defer s.pause()
	return s.reason(do(s.instance.outer))
}

// pause ends its turn, if it still has one.
func (s *Sandbox) pause() {
	if s.ctx = nil; s.began.IsZero() {
		return
	}
	s.left -= time.Since(s.began)
	s.instance.engine.running.give()
}

// reason tells an exception from what ends the sandbox.
func (s *Sandbox) reason(err error) error {
	var thrown *Exception
	switch {
	case s.dead != nil:
		return s.dead
	case err == nil, errors.As(err, &thrown):
		return err
	case errors.Is(err, ErrMemory), errors.Is(err, ErrBroken):
		return s.end(err)
	}
	text, _, _ := strings.Cut(err.Error(), "\n") // below is a stack of numbers
	return s.end(fmt.Errorf("%w: %s", ErrBroken, text))
}

// end marks the sandbox as one that cannot be used any more.
func (s *Sandbox) end(err error) error {
	s.spoiled = true
	if s.dead == nil {
		s.dead = err
	}
	return s.dead
}

// drain runs all pending jobs.
func (s *Sandbox) drain(g *guest) error {
	for n := 0; ; n++ {
		if n%16 == 0 {
			if err := s.check(); err != nil {
				return err
			}
		}
		switch did, err := g.do(doJob); {
		case err != nil:
			return err
		case int32(did) < 0:
			return g.exception()
		case did == 0:
			return nil
		}
	}
}

// look is check in the midst of the guest's code: what ends the sandbox goes as a panic through the
// engine, which gives it to whoever called.
func (s *Sandbox) look() {
	if err := s.check(); err != nil {
		panic(err)
	}
}

// check sees whether the guest may go on, and lets others have their turn.
func (s *Sandbox) check() error {
	if s.dead != nil {
		return s.dead
	}
	if s.ctx == nil {
		return nil // it is made ready, and no script runs
	}
	if s.ctx.Err() != nil {
		return s.end(stopped(s.ctx))
	}
	e := s.instance.engine
	if e.isClosed() {
		return s.end(errClosed)
	}
	took := time.Since(s.began)
	if took > s.left {
		return s.end(ErrCPU)
	}
	if took < slice || !e.running.wanted() {
		return nil
	}
	s.left -= took
	err := e.running.pass(s.ctx, e.closed)
	if err != nil {
		s.began = time.Time{} // its turn is gone
		return s.end(err)
	}
	s.began = time.Now()
	return nil
}
