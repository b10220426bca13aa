package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/coded"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/tool"
)

// lab is a host with a way out of the machine.
var lab = tool.NewCatalogue(
	tool.Capability{Name: "lab.list", Power: tool.Read, Risk: tool.R1},
	tool.Capability{Name: "lab.find", Power: tool.Read, Risk: tool.R2},
	tool.Capability{Name: "lab.make", Power: tool.Write, Risk: tool.R2, Undo: "lab.unmake"},
	tool.Capability{Name: "lab.unmake", Power: tool.Write, Risk: tool.R2},
	tool.Capability{Name: "lab.keep", Power: tool.Write, Risk: tool.R3},
	tool.Capability{Name: "lab.fetch", Power: tool.Outbound, Risk: tool.R4},
)

// bare is a host that has lost all of it.
var bare = tool.NewCatalogue()

var dawn = time.Date(2026, 11, 27, 6, 30, 0, 0, time.UTC)

// shelf is a registry over a real store, with a clock that a minute passes on with every
// change.
type shelf struct {
	t     *testing.T
	store store.Store
	now   time.Time
	// The registry is made anew for each transaction, with these.
	catalogue *tool.Catalogue
	who       string
	maxTools  int
	names     []string
	// fail is asked before each operation of the store; nil never fails.
	fail func(operation string) error
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &shelf{t: t, store: s, now: dawn.Add(-time.Minute), catalogue: lab, who: "ada"}
}

// do changes the registry in one transaction.
func (s *shelf) do(fn func(ctx context.Context, r *registry.Registry) error) error {
	s.now = s.now.Add(time.Minute)
	return s.store.Write(s.t.Context(), func(tx store.Tx) error {
		return fn(s.t.Context(), &registry.Registry{
			Store: &watched{tx.Registry(), s.fail}, Catalogue: s.catalogue,
			Now: func() time.Time { return s.now }, Who: s.who, MaxTools: s.maxTools, Names: func() []string { return s.names },
		})
	})
}

func (s *shelf) install(text string) (done registry.Installed, err error) {
	s.t.Helper()
	c := s.check(text)
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		done, err = r.Install(ctx, c)
		return err
	})
	return done, err
}

// check checks a tool, which must pass on the full host.
func (s *shelf) check(text string) *check.Checked {
	s.t.Helper()
	result := check.Run([]byte(text), lab)
	if !result.OK() {
		s.t.Fatalf("the manifest does not pass the check: %v\n%s", result.Diagnostics, text)
	}
	return result.Tool
}

// installed installs tools that have to go in.
func (s *shelf) installed(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if _, err := s.install(text); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *shelf) get(id string) (e registry.Entry, err error) {
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		e, err = r.Get(ctx, id)
		return err
	})
	return e, err
}

func (s *shelf) enable(id string) (e registry.Entry, changed bool, err error) {
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		e, changed, err = r.Enable(ctx, id)
		return err
	})
	return e, changed, err
}

func (s *shelf) disable(id string) (e registry.Entry, changed bool, err error) {
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		e, changed, err = r.Disable(ctx, id)
		return err
	})
	return e, changed, err
}

func (s *shelf) rollback(id string, to int64) (e registry.Entry, from int64, err error) {
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		e, from, err = r.Rollback(ctx, id, to)
		return err
	})
	return e, from, err
}

func (s *shelf) remove(id string) (row registry.Tool, err error) {
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		row, err = r.Remove(ctx, id)
		return err
	})
	return row, err
}

func (s *shelf) list() (list []registry.Entry) {
	s.t.Helper()
	err := s.do(func(ctx context.Context, r *registry.Registry) (err error) {
		list, err = r.List(ctx)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// show writes the installed tools down: "made-up 2 on", "made-up 1 off broken".
func (s *shelf) show() []string {
	s.t.Helper()
	lines := []string{}
	for _, e := range s.list() {
		line := fmt.Sprintf("%s %d off", e.Tool.ID, e.Tool.Active)
		if e.Tool.Enabled {
			line = fmt.Sprintf("%s %d on", e.Tool.ID, e.Tool.Active)
		}
		if e.Checked == nil {
			line += " broken"
		}
		lines = append(lines, line)
	}
	return lines
}

// versions lists the kept versions of a tool.
func (s *shelf) versions(id string) (numbers []int64) {
	s.t.Helper()
	err := s.do(func(ctx context.Context, r *registry.Registry) error {
		list, err := r.Versions(ctx, id, 0)
		for _, v := range list {
			numbers = append(numbers, v.Version)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return numbers
}

// audit lists the audit, oldest first.
func (s *shelf) audit(id string) (lines []string) {
	s.t.Helper()
	err := s.do(func(ctx context.Context, r *registry.Registry) error {
		list, err := r.AuditLines(ctx, id, 0)
		for i := len(list) - 1; i >= 0; i-- {
			l := list[i]
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%d %s %s %s %s %d %s",
				l.Seq, l.At.Format("15:04"), l.Who, l.Action, l.ToolID, l.Version, l.Detail), " "))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return lines
}

// wantCode fails unless an error has a code ("" for no error at all) and says something.
func wantCode(t *testing.T, err error, code string, says ...string) {
	t.Helper()
	if tool.Code(err) != code || (err == nil) != (code == "") {
		t.Errorf("the error is %v; want %q", err, code)
	}
	if code == "" || err == nil {
		return
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q; it should say %q", err, part)
		}
	}
}

// watched is a store of which each operation may fail.
type watched struct {
	registry.Store
	fail func(operation string) error
}

func (w *watched) ask(operation string) error {
	if w.fail == nil {
		return nil
	}
	return w.fail(operation)
}

func (w *watched) Tool(ctx context.Context, id string) (registry.Tool, bool, error) {
	if err := w.ask("Tool"); err != nil {
		return registry.Tool{}, false, err
	}
	return w.Store.Tool(ctx, id)
}

func (w *watched) Tools(ctx context.Context) ([]registry.Tool, error) {
	if err := w.ask("Tools"); err != nil {
		return nil, err
	}
	return w.Store.Tools(ctx)
}

func (w *watched) PutTool(ctx context.Context, t registry.Tool) error {
	return errors.Join(w.ask("PutTool"), w.Store.PutTool(ctx, t))
}

func (w *watched) DeleteTool(ctx context.Context, id string) error {
	return errors.Join(w.ask("DeleteTool"), w.Store.DeleteTool(ctx, id))
}

func (w *watched) Versions(ctx context.Context, id string, only int64) ([]registry.Version, error) {
	if err := w.ask("Versions"); err != nil {
		return nil, err
	}
	return w.Store.Versions(ctx, id, only)
}

func (w *watched) PutVersion(ctx context.Context, v registry.Version) error {
	return errors.Join(w.ask("PutVersion"), w.Store.PutVersion(ctx, v))
}

func (w *watched) DropVersions(ctx context.Context, id string) error {
	return errors.Join(w.ask("DropVersions"), w.Store.DropVersions(ctx, id))
}

func (w *watched) AppendAudit(ctx context.Context, line registry.AuditLine) error {
	return errors.Join(w.ask("AppendAudit"), w.Store.AppendAudit(ctx, line))
}

// parts of a manifest that differ between the versions of a test.
type parts struct {
	id          string // "made-up" where empty
	version     int    // 1 where 0
	nodes       string // a return where empty
	title       string // "Made up" where empty
	network     string // forbidden where empty
	credentials string // "" for none
	extra       string // further fields, each with its comma
	transitions int    // 64 where 0
	entry       string // of the nodes; "end" where empty
}

const end = `{"id": "end", "type": "return", "value": null}`

func (p parts) text() string {
	set := func(to *string, otherwise string) {
		if *to == "" {
			*to = otherwise
		}
	}
	set(&p.id, "made-up")
	set(&p.nodes, end)
	set(&p.title, "Made up")
	set(&p.network, `{"mode": "forbidden", "domains": []}`)
	set(&p.entry, "end")
	return fmt.Sprintf(`{"schema": "talos.local-tool.v1", "id": %q, "version": %d, "title": %q, "description": "For a test.",
"createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
"network": %s, "credentialRequirements": [%s], %s"flow": {"entry": %q, "maxTransitions": %d, "nodes": [%s]}}`,
		p.id, max(1, p.version), p.title, p.network, p.credentials, p.extra, p.entry, max(p.transitions, 64), p.nodes)
}

// call is a step that calls a capability, and the end of the flow.
func call(capability string) string {
	return `{"id": "call", "type": "capability", "capability": "` + capability + `", "input": {}, "next": "end"}, ` + end
}

// inCode makes a coded tool; more stands behind the other fields of its declaration.
func inCode(name, source, more string) *check.Checked {
	result := check.Coded(coded.Tool{
		Name: name, File: name + ".ts", Source: []byte(source), Script: []byte("0"),
		Declaration: []byte(`{"name": "` + name + `", "description": "Made up.", "parameters": {"type": "object"}` + more + `}`),
	}, lab)
	if !result.OK() {
		panic(fmt.Sprint(result.Diagnostics))
	}
	return result.Tool
}

// keep installs checked tools.
func (s *shelf) keep(c *check.Checked) (done registry.Installed, err error) {
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		done, err = r.Install(ctx, c)
		return err
	})
	return done, err
}
