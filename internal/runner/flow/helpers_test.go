package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"toolsmith/internal/check"
	"toolsmith/internal/model"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// lab has what the built-in capabilities do not: one that cannot be undone, one without
// any schema or limit, and true inverses of both kinds.
var lab = tool.NewCatalogue(
	tool.Capability{
		Name: "lab.list", Power: tool.Read, Risk: tool.R1, MaxInput: 256, Kind: "item",
		Input: []byte(`{"type":"object","properties":{"query":{"type":"string"}},"additionalProperties":false}`),
	},
	tool.Capability{
		Name: "lab.make", Power: tool.Write, Risk: tool.R2, MaxInput: 1024, Kind: "item", Creates: true, Undo: "lab.unmake",
		Input: []byte(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`),
	},
	tool.Capability{
		Name: "lab.unmake", Power: tool.Write, Risk: tool.R2, MaxInput: 1024, Kind: "item",
		Input: []byte(`{"type":"object","required":["id"]}`),
	},
	tool.Capability{Name: "lab.change", Power: tool.Write, Risk: tool.R2, MaxInput: 1024, Undo: "lab.unchange"},
	tool.Capability{Name: "lab.unchange", Power: tool.Write, Risk: tool.R2, MaxInput: 1024},
	tool.Capability{Name: "lab.send", Power: tool.Write, Risk: tool.R4, MaxInput: 1024, Irreversible: true},
	tool.Capability{Name: "lab.any", Power: tool.Read, Risk: tool.R1},
)

// spec is a tool for a test: its steps, of which the first is the entry, and whatever else
// its manifest is to have.
type spec struct {
	nodes         string
	transitions   int    // 256 where 0
	input, output string // schemas
	state         string
	defaults      string // modelDefaults
	catalogue     *tool.Catalogue
}

func (s spec) text() string {
	var extra strings.Builder
	for _, field := range []struct{ name, value string }{
		{"inputSchema", s.input}, {"outputSchema", s.output}, {"state", s.state}, {"modelDefaults", s.defaults},
	} {
		if field.value != "" {
			fmt.Fprintf(&extra, "%q: %s, ", field.name, field.value)
		}
	}
	transitions := s.transitions
	if transitions == 0 {
		transitions = 256
	}
	return fmt.Sprintf(`{"schema": "talos.local-tool.v1", "id": "made-up", "version": 7, "title": "Made up",
"description": "For a test.", "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null,
"execution": "declarative-flow", "installScope": "device", "network": {"mode": "forbidden", "domains": []},
"credentialRequirements": [], %s"flow": {"entry": %q, "maxTransitions": %d, "nodes": [%s]}}`,
		extra.String(), firstID(s.nodes), transitions, s.nodes)
}

// firstID gives the id of the first step.
func firstID(nodes string) string {
	_, rest, _ := strings.Cut(nodes, `"id": "`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// program compiles a tool, which must pass the check.
func program(t rapid.TB, s spec) *flow.Program {
	t.Helper()
	catalogue := s.catalogue
	if catalogue == nil {
		catalogue = lab
	}
	checked := check.Run([]byte(s.text()), catalogue)
	if !checked.OK() {
		t.Fatalf("the manifest does not pass the check: %v\n%s", checked.Diagnostics, s.text())
	}
	p, err := flow.Compile(checked.Tool)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs a tool once with an empty input.
func run(t testing.TB, s spec, o flow.Options) flow.Result {
	t.Helper()
	return program(t, s).Run(t.Context(), map[string]any{}, o)
}

// host is a fake host that keeps what it was asked. answer may be nil: then every call
// makes a record that is named after its step.
type host struct {
	answer func(ctx context.Context, c flow.Call) (flow.Answer, error)

	mu    sync.Mutex
	calls []flow.Call
}

func (h *host) Call(ctx context.Context, c flow.Call) (flow.Answer, error) {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if h.answer == nil {
		return madeRecord(c), nil
	}
	return h.answer(ctx, c)
}

func madeRecord(c flow.Call) flow.Answer {
	return flow.Answer{Value: map[string]any{"id": "id-" + c.Step, "title": "Made by " + c.Step}}
}

// steps lists what was called, such as "make lab.make" or "make lab.make (2)".
func (h *host) steps() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return calledSteps(h.calls)
}

func calledSteps(calls []flow.Call) []string {
	list := []string{}
	for _, c := range calls {
		line := c.Step + " " + c.Capability
		if c.Attempt > 1 {
			line += fmt.Sprintf(" (%d)", c.Attempt)
		}
		list = append(list, line)
	}
	return list
}

// failing answers like a host of which some steps fail.
func failing(with error, steps ...string) func(context.Context, flow.Call) (flow.Answer, error) {
	return func(_ context.Context, c flow.Call) (flow.Answer, error) {
		if slices.Contains(steps, c.Step) {
			return flow.Answer{}, with
		}
		return madeRecord(c), nil
	}
}

// gives answers every call with one value.
func gives(v any) *host {
	return &host{answer: func(context.Context, flow.Call) (flow.Answer, error) { return flow.Answer{Value: v}, nil }}
}

// errStore is the kind of error that must never be shown.
var errStore = errors.New("disk I/O error in /home/ada/.local/share/toolsmith.db")

// clock stands still, and keeps what it was asked to wait.
type clock struct {
	waits   []time.Duration
	onSleep func()
}

func (c *clock) Now() time.Time { return dawn }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.waits = append(c.waits, d)
	if c.onSleep != nil {
		c.onSleep()
	}
	return ctx.Err()
}

var dawn = time.Date(2026, 11, 27, 6, 30, 0, 123_000_000, time.UTC)

// mind is a fake model that keeps what it was asked, and gives its answers in turn; the
// last one repeats. An error among them is given as one.
type mind struct {
	facts   model.Facts
	answers []any
	asked   []model.Request
}

func (m *mind) Facts() model.Facts { return m.facts }

func (m *mind) Ask(_ context.Context, r model.Request) (any, error) {
	answer := m.answers[min(len(m.asked), len(m.answers)-1)]
	m.asked = append(m.asked, r)
	if err, failed := answer.(error); failed {
		return nil, err
	}
	return answer, nil
}

// notebook is a journal in memory.
type notebook struct {
	records map[string]flow.Record
	order   []string
	// onRecord is asked before a record is kept; its error is that of the journal.
	onRecord func(step string, r flow.Record) error
}

func newNotebook() *notebook { return &notebook{records: map[string]flow.Record{}} }

func (n *notebook) Recorded(step string) (flow.Record, bool) {
	r, ok := n.records[step]
	return r, ok
}

func (n *notebook) Record(step string, r flow.Record) error {
	if n.onRecord != nil {
		if err := n.onRecord(step, r); err != nil {
			return err
		}
	}
	if _, ok := n.records[step]; !ok {
		n.order = append(n.order, step)
	}
	n.records[step] = r
	return nil
}

// traceLines writes a trace so that it can be compared at a glance.
func traceLines(trace []flow.Event) []string {
	list := []string{}
	for _, e := range trace {
		line := e.Step + " " + e.Kind
		if e.Attempt > 0 {
			line += fmt.Sprintf(" #%d", e.Attempt)
		}
		if e.Failure != nil {
			line += " " + e.Failure.Code
		}
		if e.Note != "" {
			line += " (" + e.Note + ")"
		}
		if e.OK != (e.Failure == nil) {
			line += " OK and failure contradict each other"
		}
		list = append(list, line)
	}
	return list
}

// decode reads a JSON value of a test.
func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// wantStatus fails unless a run ended as it should; code is "" for no failure.
func wantStatus(t testing.TB, r flow.Result, status flow.Status, code string) {
	t.Helper()
	got := ""
	if r.Failure != nil {
		got = r.Failure.Code
	}
	if r.Status != status || got != code {
		t.Errorf("the run ended as %s %s (%v); want %s %s", r.Status, got, r.Failure, status, code)
	}
}

// wantOutput fails unless a run succeeded with an output, given as JSON.
func wantOutput(t testing.TB, r flow.Result, want string) {
	t.Helper()
	wantStatus(t, r, flow.Succeeded, "")
	if got := value.JSON(r.Output); got != want {
		t.Errorf("output is %s; want %s", got, want)
	}
}
