package quickjs

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

const (
	// pageSize is the piece of memory that an image keeps or shares as a whole, in bytes.
	pageSize = 4 << 10
	// slack is how much larger than an image an instance may be that is to hold it, in bytes.
	slack = 4 << 20
)

// page is one piece of memory.
type page [pageSize]byte

// zeroPage is what memory that was never written holds.
var zeroPage page //nolint:gochecknoglobals // nobody writes to it

// Image is the memory of a sandbox after scripts ran. It never changes and may be shared.
type Image struct {
	engine *Engine
	// size of the memory, in bytes.
	size uint32
	// pages are the memory; nil is a page of zeroes. Those that are as in the base are the base's own.
	pages []*page
	// kept is how many of them are this image's own.
	kept int
	// stack is where the stack of the module begins.
	stack uint64
	// entries are the functions that can be called, and undefined is the value of that name.
	entries   map[string]uint32
	undefined uint32
}

// Size gives the bytes that are kept for it: what differs from its base, and the table of pages.
func (m *Image) Size() int { return m.kept*pageSize + len(m.pages)*8 }

// Script is a text to be evaluated.
type Script struct {
	// Name is what stacks call it.
	Name, Text string
}

// Image boots a sandbox, from base or from nothing for nil, evaluates scripts in order, drains
// the jobs that are pending, and keeps its memory. Where there is no base, the functions of the object
// globalThis.__entry become what Sandbox.Call calls, and the object is taken away.
//
// QuickJS seeds Math.random when it boots, by the clock of the budget: all sandboxes of an image,
// and of those that are based on it, give the same numbers.
func (e *Engine) Image(ctx context.Context, base *Image, host Host, b Budget, scripts ...Script) (*Image, error) {
	s, err := e.open(ctx, base, host, b)
	if err != nil {
		return nil, err
	}
	defer s.Close() //nolint:contextcheck // giving memory back takes no time
	var image *Image
	err = s.compute(ctx, func(g *guest) error {
		if base == nil {
			if err := s.boot(g); err != nil {
				return err
			}
		}
		for _, script := range scripts {
			v, err := g.run(script.Name, script.Text)
			if err != nil {
				return err
			}
			if err := g.drop(v); err != nil {
				return err
			}
			if err := s.drain(g); err != nil {
				return err
			}
			if err := s.report(g); err != nil {
				return err
			}
		}
		if base == nil {
			if err := s.takeEntries(g); err != nil {
				return err
			}
		}
		image, err = s.instance.keep(base, s.entries, s.undefined)
		return err
	})
	if err != nil {
		return nil, err
	}
	return image, nil
}

// boot makes a runtime with its limits and the function of the host.
func (s *Sandbox) boot(g *guest) error {
	if _, err := g.do(doInitialize); err != nil {
		return err
	}
	if failed, err := g.do(doCreate); err != nil || failed != 0 {
		if err == nil {
			err = fmt.Errorf("%w: QuickJS does not start", ErrBroken)
		}
		return err
	}
	o := s.instance.engine.options
	if _, err := g.do(doLimitMemory, uint64(o.Memory)); err != nil {
		return err
	}
	if _, err := g.do(doLimitStack, uint64(o.Stack)); err != nil {
		return err
	}
	if _, err := g.do(doTrackRejections, 1); err != nil {
		return err
	}
	name, err := g.put(hostFunction)
	if err != nil {
		return err
	}
	function, err := g.value(doNewHostFunction, uint64(name), uint64(len(hostFunction)), 1)
	if err != nil {
		return err
	}
	global, err := g.value(doGlobal)
	if err != nil {
		return err
	}
	if err := g.release(name); err != nil {
		return err
	}
	if err := g.set(global, hostFunction, function); err != nil {
		return err
	}
	if err := g.drop(global); err != nil {
		return err
	}
	s.undefined, err = g.make(doUndefined)
	return err
}

// takeEntries takes globalThis.__entry.
func (s *Sandbox) takeEntries(g *guest) error {
	const keys = `typeof __entry === "object" && __entry ? Object.keys(__entry).filter(k => typeof __entry[k] === "function").join("\n") : ""`
	v, err := g.run("entry", keys)
	if err != nil {
		return err
	}
	names, err := g.text(v, 0)
	if err != nil {
		return err
	}
	if err := g.drop(v); err != nil {
		return err
	}
	if names == "" {
		return nil
	}
	entry, err := g.run("entry", "__entry")
	if err != nil {
		return err
	}
	s.entries = map[string]uint32{}
	for name := range strings.SplitSeq(names, "\n") {
		if s.entries[name], err = g.get(entry, name); err != nil {
			return err
		}
	}
	if err := g.drop(entry); err != nil {
		return err
	}
	if v, err = g.run("entry", "delete globalThis.__entry"); err != nil {
		return err
	}
	return g.drop(v)
}

// keep makes an image of an instance in which nothing runs, and which holds it from then on.
func (i *instance) keep(base *Image, entries map[string]uint32, undefined uint32) (*Image, error) {
	g := i.outer
	if _, err := g.do(doCollect); err != nil {
		return nil, err
	}
	size := i.size()
	if base != nil && size == i.before {
		size = base.size // the instance may have more memory than anybody asked for
	}
	m := &Image{engine: i.engine, size: size, stack: i.stackPointer.Get(), entries: entries, undefined: undefined}
	memory, _ := i.memory.Read(0, m.size)
	clear(memory[:m.stack]) // what is below the stack is what calls left
	m.pages = make([]*page, m.size/pageSize)
	var own []int
	for k := range m.pages {
		now := memory[k*pageSize : (k+1)*pageSize]
		if bytes.Equal(now, zeroPage[:]) {
			continue
		}
		if before := base.page(k); before != nil && bytes.Equal(now, before[:]) {
			m.pages[k] = before
			continue
		}
		own = append(own, k)
	}
	m.kept = len(own)
	kept := make([]page, len(own))
	for n, k := range own {
		copy(kept[n][:], memory[k*pageSize:])
		m.pages[k] = &kept[n]
	}
	i.image, i.before = m, i.size()
	return m, nil
}

// page gives a piece of an image, and nil where it has none or only zeroes.
func (m *Image) page(k int) *page {
	if m == nil || k >= len(m.pages) {
		return nil
	}
	return m.pages[k]
}
