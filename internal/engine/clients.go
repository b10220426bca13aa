package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/check"
	"toolsmith/internal/port"
	"toolsmith/internal/store"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// ClientTool is a tool that a program outside supplies through a port.
type ClientTool struct {
	port.Client
	// Closed: its port is not open now, so that calls of it fail with port.CodeClosed.
	Closed bool
}

// portPrefix begins the namespaces of tools of ports.
const portPrefix = "port:"

// mostClosed is how many tools a toolbox knows whose ports are closed: those that were closed
// first are forgotten, so that programs that come and go do not fill the memory.
const mostClosed = 1000

// RegisterClient adds a tool of a port, or puts another declaration in the place of one that
// the same holder, or a port that is closed by now, has supplied under the name. The error has
// CodeToolExists where another tool has the name, or one that is easily taken for it, and
// CodeToolInvalid where a schema cannot be used.
func (t *Toolbox) RegisterClient(c port.Client) error {
	d := c.Declaration
	call := &Callable{
		Name: d.Name, Title: d.Title, Kind: KindClient, Client: &ClientTool{Client: c},
		Version: c.Version, Namespace: portPrefix + c.Port + "/" + d.Name,
	}
	if call.Title == "" {
		call.Title = d.Name
	}
	if err := call.compileClient(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, other := range t.byName {
		if client := other.Client; client != nil && (client.Closed || client.Holder == c.Holder && name == d.Name) {
			continue
		}
		if name == d.Name || visible.Alike(name, d.Name) {
			return taken(d.Name, name)
		}
	}
	t.byName[d.Name] = call
	t.closed = slices.DeleteFunc(t.closed, func(name string) bool { return name == d.Name })
	t.change()
	return nil
}

// taken is the error for a name that another tool has, or one that is easily taken for it.
func taken(name, other string) error {
	if name == other {
		return &tool.Error{Code: CodeToolExists, Message: fmt.Sprintf("There is a tool %q already. Choose another name.", name)}
	}
	return &tool.Error{Code: CodeToolExists, Message: fmt.Sprintf(
		"%q reads like the tool %q: the two are easily taken for each other. Choose another name.", name, other)}
}

func (c *Callable) compileClient() (err error) {
	d := c.Client.Declaration
	if c.Parameters, err = compiled("parameters", d.Parameters); err != nil {
		return err
	}
	c.Result, err = compiled("result", d.Result)
	return err
}

// UnregisterClient says that the port of a tool is closed, unless another has the tool by now.
// What was known of the tool stays known.
func (t *Toolbox) UnregisterClient(holder, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	call, ok := t.byName[name]
	if !ok || call.Client == nil || call.Client.Holder != holder || call.Client.Closed {
		return
	}
	shut := *call // others have the callable, which never changes
	shut.Client = &ClientTool{Client: call.Client.Client, Closed: true}
	t.byName[name] = &shut
	if t.closed = append(t.closed, name); len(t.closed) > mostClosed {
		delete(t.byName, t.closed[0])
		t.closed = slices.Delete(t.closed, 0, 1)
	}
	t.change()
}

// Watch gives a number that grows with each change of what is in the toolbox, or of what is
// installed beside it, and a channel that is closed at the next change. It knows of what is done
// in this process.
func (t *Toolbox) Watch() (revision uint64, changed <-chan struct{}) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.revision, t.changed
}

// touch tells those who watch that what is installed has changed.
func (t *Toolbox) touch() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change()
}

// change tells those who watch. The caller holds mu.
func (t *Toolbox) change() {
	t.revision++
	close(t.changed)
	t.changed = make(chan struct{})
}

// List gives all that is in the toolbox, tools of closed ports included, sorted by name.
func (t *Toolbox) List() []*Callable {
	t.mu.RLock()
	defer t.mu.RUnlock()
	list := make([]*Callable, 0, len(t.byName))
	for _, call := range t.byName {
		list = append(list, call)
	}
	slices.SortFunc(list, func(a, b *Callable) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Closed reports whether the tool is one of a port that is not open now.
func (c *Callable) Closed() bool { return c.Client != nil && c.Client.Closed }

// clientMarks are those of every tool of a port, whatever it says: nobody here knows what it
// does. It reads none of the tasks, notes and memories that are kept here, but through calls
// that are marked themselves; were it marked as if it did, each of its calls would count as one
// that could send them away, and no grant would ever hold.
func clientMarks() tool.Marks {
	return tool.Marks{
		Powers: []tool.Power{tool.Outbound, tool.Read, tool.Write}, Risk: tool.R3, Reversibility: tool.Irreversible,
		ReadsUntrusted: true, CanTransmit: true,
	}
}

// RegisterClient adds a tool of a port to the toolbox (see Toolbox.RegisterClient), unless its
// name is easily taken for that of an installed tool.
func (e *Engine) RegisterClient(ctx context.Context, c port.Client) error {
	err := e.o.Store.Read(ctx, func(tx store.Tx) error {
		rows, err := tx.Registry().Tools(ctx)
		if err != nil {
			return fmt.Errorf("look for tools that read like %s: %w", c.Declaration.Name, err)
		}
		for _, row := range rows {
			if visible.Alike(check.BareName(row.ID), c.Declaration.Name) {
				return taken(c.Declaration.Name, check.ToolName(row.ID))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.o.Toolbox.RegisterClient(c)
}

// UnregisterClient says that the port of a tool is closed (see Toolbox.UnregisterClient).
func (e *Engine) UnregisterClient(holder, name string) { e.o.Toolbox.UnregisterClient(holder, name) }
