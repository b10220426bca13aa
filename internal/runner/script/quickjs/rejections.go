package quickjs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero/api"
)

// reportEntry is the entry function that is told of rejections which nobody handled, with what was
// thrown; an image need not have it.
const reportEntry = "unhandled"

// mostRejections is how many of them are told of for one call.
const mostRejections = 100

// rejection is a promise that was rejected while nobody waited for it, and why: values of the guest, and
// identity is what the promise is known by.
type rejection struct {
	identity        uint64
	promise, reason uint32
}

// hostRejection hears that a promise was rejected while nobody waited for it, or that somebody does now.
func hostRejection(ctx context.Context, _ api.Module, stack []uint64) {
	i := instanceOf(ctx)
	if i == nil || i.owner == nil {
		return
	}
	s := i.owner
	if err := s.rejected(uint32(stack[0]), uint32(stack[1]), uint32(stack[2]) != 0); err != nil {
		panic(s.end(err))
	}
}

func (s *Sandbox) rejected(promise, reason uint32, handled bool) error {
	if promise == 0 || reason == 0 {
		return ErrMemory
	}
	identity, ok := s.instance.memory.ReadUint64Le(promise)
	if !ok {
		return fmt.Errorf("%w: a promise is outside of its memory", ErrBroken)
	}
	drop := []uint32{promise, reason}
	at := slices.IndexFunc(s.rejections, func(r rejection) bool { return r.identity == identity })
	switch {
	case handled && at >= 0:
		drop = append(drop, s.rejections[at].promise, s.rejections[at].reason)
		s.rejections = slices.Delete(s.rejections, at, at+1)
	case !handled && at < 0 && len(s.rejections) < mostRejections:
		s.rejections = append(s.rejections, rejection{identity: identity, promise: promise, reason: reason})
		return nil
	}
	if s.asking {
		return nil // the functions of the inner guest are in use; what is not dropped goes with the sandbox
	}
	for _, v := range drop {
		if err := s.instance.inner.drop(v); err != nil {
			return err
		}
	}
	return nil
}

// report tells the guest of the rejections that nobody has handled after all jobs.
func (s *Sandbox) report(g *guest) error {
	for len(s.rejections) > 0 {
		r := s.rejections[0]
		s.rejections = slices.Delete(s.rejections, 0, 1)
		if entry, ok := s.entries[reportEntry]; ok {
			if err := g.tell(entry, s.undefined, r.reason); err != nil {
				return err
			}
		}
		for _, v := range []uint32{r.promise, r.reason} {
			if err := g.drop(v); err != nil {
				return err
			}
		}
		if err := s.drain(g); err != nil {
			return err
		}
	}
	return nil
}

// tell calls a function with one value. What it gives or throws is not heard.
func (g *guest) tell(function, this, v uint32) error {
	list, err := g.make(doMalloc, 4)
	if err != nil {
		return err
	}
	var at [4]byte
	binary.LittleEndian.PutUint32(at[:], v)
	if !g.memory.Write(list, at[:]) {
		return fmt.Errorf("%w: its memory ends too early", ErrBroken)
	}
	result, err := g.value(doCall, uint64(function), uint64(this), 1, uint64(list))
	var thrown *Exception
	switch {
	case err == nil:
		err = g.drop(result)
	case errors.As(err, &thrown):
		err = nil
	}
	if err != nil {
		return err
	}
	return g.release(list)
}
