package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/tool"
)

var lab = tool.NewCatalogue(
	tool.Capability{Name: "lab.list", Power: tool.Read, Risk: tool.R1},
	tool.Capability{Name: "lab.make", Power: tool.Write, Risk: tool.R2},
)

var dawn = time.Date(2026, 11, 27, 6, 30, 0, 0, time.UTC)

// house is an engine over a real store.
type house struct {
	*engine.Engine
	store *brittle
	now   time.Time
	ids   int
	most  int // tools that may be installed
}

func newHouse(t *testing.T) *house {
	t.Helper()
	inner, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	h := &house{store: &brittle{Store: inner}, now: dawn, most: 4}
	h.Engine = h.as("ada", lab)
	return h
}

// as is the engine of another person, or with the capabilities of another host.
func (h *house) as(who string, catalogue *tool.Catalogue) *engine.Engine {
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		panic(err)
	}
	return engine.New(engine.Options{
		Toolbox: box, Store: h.store, Catalogue: catalogue, Now: func() time.Time { return h.now }, Who: who, MaxTools: h.most,
		NewID: func() string { h.ids++; return fmt.Sprintf("ID%024d", h.ids) },
	})
}

func (h *house) installed(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := installed(t.Context(), h, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

// audit lists the audit, oldest first: "install made-up 1 new".
func (h *house) audit(t *testing.T) (lines []string) {
	t.Helper()
	list, err := h.Audit(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s %s %s %d %s", l.Who, l.Action, l.ToolID, l.Version, l.Detail), " "))
	}
	return lines
}

var errDisk = errors.New("disk I/O error")

// brittle is a store in which what runs leave may fail.
type brittle struct {
	store.Store
	mu   sync.Mutex
	fail string
	// reads and writes are how many transactions there were.
	reads, writes atomic.Int32
}

// set makes one operation fail from now on; "" none.
func (b *brittle) set(operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = operation
}

func (b *brittle) wrap(fn func(store.Tx) error) func(store.Tx) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	fail := b.fail
	return func(tx store.Tx) error { return fn(brittleTx{tx, fail}) }
}

func (b *brittle) Read(ctx context.Context, fn func(store.Tx) error) error {
	b.reads.Add(1)
	return b.Store.Read(ctx, b.wrap(fn))
}

func (b *brittle) Write(ctx context.Context, fn func(store.Tx) error) error {
	b.writes.Add(1)
	return b.Store.Write(ctx, b.wrap(fn))
}

type brittleTx struct {
	store.Tx
	fail string
}

func (t brittleTx) Runs() store.RunMemory { return brittleRuns{t.Tx.Runs(), t.fail} }

func (t brittleTx) Registry() registry.Store { return brittleTools{t.Tx.Registry(), t.fail} }

func (t brittleTx) Secrets() store.Secrets { return brittleSecrets{t.Tx.Secrets(), t.fail} }

type brittleSecrets struct {
	store.Secrets
	fail string
}

func (s brittleSecrets) List(ctx context.Context, namespace string) ([]store.Secret, error) {
	list, err := s.Secrets.List(ctx, namespace)
	return list, errors.Join(brittleRuns{fail: s.fail}.ask("SecretsList"), err)
}

func (s brittleSecrets) DeleteNamespace(ctx context.Context, namespace string) (int, error) {
	deleted, err := s.Secrets.DeleteNamespace(ctx, namespace)
	return deleted, errors.Join(brittleRuns{fail: s.fail}.ask("DeleteNamespace"), err)
}

type brittleRuns struct {
	store.RunMemory
	fail string
}

func (r brittleRuns) ask(operation string) error {
	if r.fail == operation {
		return errDisk
	}
	return nil
}

func (r brittleRuns) DropState(ctx context.Context, id string) error {
	return errors.Join(r.ask("DropState"), r.RunMemory.DropState(ctx, id))
}

func (r brittleRuns) DropBreakers(ctx context.Context, id string) error {
	return errors.Join(r.ask("DropBreakers"), r.RunMemory.DropBreakers(ctx, id))
}

type brittleTools struct {
	registry.Store
	fail string
}

func (r brittleTools) ask(operation string) error { return brittleRuns{fail: r.fail}.ask(operation) }

func (r brittleTools) Tool(ctx context.Context, id string) (registry.Tool, bool, error) {
	t, ok, err := r.Store.Tool(ctx, id)
	return t, ok, errors.Join(r.ask("Tool"), err)
}

func (r brittleTools) Tools(ctx context.Context) ([]registry.Tool, error) {
	list, err := r.Store.Tools(ctx)
	return list, errors.Join(r.ask("Tools"), err)
}

func (r brittleTools) Versions(ctx context.Context, id string, only int64) ([]registry.Version, error) {
	list, err := r.Store.Versions(ctx, id, only)
	return list, errors.Join(r.ask("Versions"), err)
}

func (r brittleTools) AppendAudit(ctx context.Context, line registry.AuditLine) error {
	return errors.Join(r.ask("AppendAudit"), r.Store.AppendAudit(ctx, line))
}

func (r brittleTools) AuditLines(ctx context.Context, id string, limit int) ([]registry.AuditLine, error) {
	lines, err := r.Store.AuditLines(ctx, id, limit)
	return lines, errors.Join(r.ask("AuditLines"), err)
}

func (r brittleTools) AuditBefore(ctx context.Context, id string, before int64, limit int) ([]registry.AuditLine, error) {
	lines, err := r.Store.AuditBefore(ctx, id, before, limit)
	return lines, errors.Join(r.ask("AuditBefore"), err)
}

// wantCode fails unless an error has a code ("" for no error at all) and says something.
func wantCode(t *testing.T, err error, code string, says ...string) {
	t.Helper()
	if tool.Code(err) != code || (err == nil) != (code == "") {
		t.Errorf("the error is %v; want %q", err, code)
	}
	for _, part := range says {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q; it should say %q", err, part)
		}
	}
}

const end = `{"id": "end", "type": "return", "value": null}`

// text is the manifest of a version of a tool; nodes "" for one that does nothing.
func text(id string, version int, nodes string, extra ...string) string {
	entry := "call"
	if nodes == "" {
		nodes, entry = end, "end"
	}
	credentials := `"credentialRequirements": [], `
	if len(extra) > 0 && strings.Contains(extra[0], "credentialRequirements") {
		credentials = ""
	}
	return fmt.Sprintf(`{"schema": "talos.local-tool.v1", "id": %q, "version": %d, "title": "Made up", "description": "For a test.",
"createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
"network": {"mode": "forbidden", "domains": []}, %s%s"flow": {"entry": %q, "maxTransitions": 64, "nodes": [%s]}}`,
		id, version, credentials, strings.Join(append(extra, ""), ", "), entry, nodes)
}

func call(capability string) string {
	return `{"id": "call", "type": "capability", "capability": "` + capability + `", "input": {}, "next": "end"}, ` + end
}

// installer installs tools; *engine.Engine is one.
type installer interface {
	Checked(ctx context.Context, file string, text []byte) ([]*check.Checked, []manifest.Diagnostic, error)
	Install(ctx context.Context, tools ...*check.Checked) ([]registry.Installed, error)
}

// installed installs a manifest.
func installed(ctx context.Context, e installer, text []byte) (registry.Installed, error) {
	tools, _, err := e.Checked(ctx, "", text)
	if err != nil {
		return registry.Installed{}, err
	}
	done, err := e.Install(ctx, tools...)
	if err != nil {
		return registry.Installed{}, err
	}
	return done[0], nil
}
