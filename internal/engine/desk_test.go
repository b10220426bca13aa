package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// office has a capability of each sort that the gate tells apart.
var office = tool.NewCatalogue(slices.Concat(lab.All(), []tool.Capability{
	{Name: "lab.read", Power: tool.Read, Risk: tool.R1, Private: true},
	{Name: "lab.web", Power: tool.Read, Risk: tool.R1, Untrusted: true},
	{Name: "lab.post", Power: tool.Outbound, Risk: tool.R2, Hosts: []string{"example.org"}},
	{Name: "lab.wipe", Power: tool.Write, Risk: tool.R3, Summary: "Wipes."},
	{Name: "lab.send", Power: tool.Outbound, Risk: tool.R4},
	{Name: "lab.strict", Power: tool.Write, Risk: tool.R2, Input: []byte(
		`{"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "number", "default": 7}}, "required": ["q", "n"], "additionalProperties": false}`)},
})...)

// wait is how long an answer is waited for at the desk.
const wait = time.Minute

// desk is where calls are asked about and answered, in a run that is under way.
type desk struct {
	*house
	run task.Run
	ids atomic.Int64
	seq int
	// waiting is a call that waits for an answer; open, forged and granted are the ids of
	// questions and of a grant, where a test has them.
	waiting               engine.Asking
	open, forged, granted string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{house: newHouse(t)}
	d.Engine = d.engine(func(*engine.Options) {})
	d.run = d.begun(t)
	return d
}

// engine makes a further one on the same store.
func (d *desk) engine(change func(*engine.Options)) *engine.Engine {
	box, err := engine.NewToolbox(office)
	if err != nil {
		panic(err)
	}
	o := engine.Options{
		Toolbox: box, Store: d.store, Catalogue: office, Now: func() time.Time { return d.now }, Who: "ada", From: "terminal", Wait: wait, MaxTools: 9,
		NewID: func() string { return fmt.Sprintf("01JF%022d", d.ids.Add(1)) },
	}
	change(&o)
	return engine.New(o)
}

// begun is a run that is under way.
func (d *desk) begun(t *testing.T) task.Run {
	t.Helper()
	return d.begin(t, engine.Request{Chains: chains(t, calls("lab.list")), Title: "tea", Caller: "kettle", Owner: "me"}).Run
}

// call is a further call of the run, with arguments as JSON.
func (d *desk) call(t testing.TB, name, arguments string) engine.Asking {
	t.Helper()
	found, err := d.Callable(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	d.seq++
	return engine.Asking{Run: d.run, Seq: d.seq, Call: found, Arguments: jsonOf(t, arguments)}
}

func jsonOf(t testing.TB, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// admits asks the gate.
func (d *desk) admits(t *testing.T, a engine.Asking) engine.Admission {
	t.Helper()
	out, err := d.Admit(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// asks is a call that has been asked about.
func (d *desk) asks(t *testing.T, name, arguments string) (engine.Asking, consent.Question) {
	t.Helper()
	a := d.call(t, name, arguments)
	q := d.asked(t, a)
	a.Asked = true
	return a, q
}

// asked gives the question that a call has to wait for.
func (d *desk) asked(t *testing.T, a engine.Asking) consent.Question {
	t.Helper()
	out := d.admits(t, a)
	if out.Question == nil || out.Failure != nil || out.Granted != "" {
		t.Fatalf("the call comes to %+v; it should be asked about", out)
	}
	return *out.Question
}

// wantAdmitted fails unless a call may begin, and gives what allows it.
func (d *desk) wantAdmitted(t *testing.T, a engine.Asking) engine.Admission {
	t.Helper()
	out := d.admits(t, a)
	if out.Granted == "" || out.Question != nil || out.Failure != nil {
		t.Errorf("the call comes to %+v; it should be admitted", out)
	}
	return out
}

// wantRefused fails unless a call is refused with a code and a message.
func (d *desk) wantRefused(t *testing.T, a engine.Asking, code, message string) {
	t.Helper()
	out := d.admits(t, a)
	if out.Failure == nil || out.Failure.Code != code || out.Failure.Message != message || out.Granted != "" || out.Question != nil {
		t.Errorf("the call comes to %+v, %+v; want %s: %s", out, out.Failure, code, message)
	}
}

// answers answers a question, which has to be taken.
func (d *desk) answers(t *testing.T, q consent.Question, a consent.Answer) consent.Question {
	t.Helper()
	q, err := d.Decide(t.Context(), q.ID, a)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// sets sets permissions: of a power, or "" of all three.
func (d *desk) sets(t *testing.T, power tool.Power, permission consent.Permission) {
	t.Helper()
	powers := []tool.Power{power}
	if power == "" {
		powers = consent.Powers()
	}
	for _, one := range powers {
		if err := d.SetPermission(t.Context(), consent.KindPower, string(one), permission); err != nil {
			t.Fatal(err)
		}
	}
}

// state of a question as it is kept.
func (d *desk) state(t *testing.T, q consent.Question) consent.State {
	t.Helper()
	kept, err := d.Question(t.Context(), q.ID)
	if err != nil {
		t.Fatal(err)
	}
	return kept.State
}

// places lists the audit with where each line is from, oldest first.
func (d *desk) places(t *testing.T) (lines []string) {
	t.Helper()
	list, err := d.Audit(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		lines = append(lines, fmt.Sprintf("%s %s: %s %s %d: %s", l.Who, l.From, l.Action, l.ToolID, l.Version, l.Detail))
	}
	return lines
}

// written gives how many writing transactions fn makes.
func (d *desk) written(fn func()) int {
	before := d.store.writes.Load()
	fn()
	return int(d.store.writes.Load() - before)
}

// brittleConsent is what people have set, of which a part may fail.
type brittleConsent struct {
	consent.Store
	fail string
}

func (t brittleTx) Consent() consent.Store { return brittleConsent{t.Tx.Consent(), t.fail} }

func (c brittleConsent) ask(operation string) error { return brittleRuns{fail: c.fail}.ask(operation) }

func (c brittleConsent) Revision(ctx context.Context) (int64, error) {
	revision, err := c.Store.Revision(ctx)
	return revision, errors.Join(c.ask("Revision"), err)
}

func (c brittleConsent) Policy(ctx context.Context) (consent.Policy, error) {
	policy, err := c.Store.Policy(ctx)
	return policy, errors.Join(c.ask("Policy"), err)
}

func (c brittleConsent) SetPermission(ctx context.Context, kind, name string, permission consent.Permission) error {
	return errors.Join(c.Store.SetPermission(ctx, kind, name, permission), c.ask("SetPermission"))
}

func (c brittleConsent) SetStopped(ctx context.Context, stop *consent.Stop) error {
	return errors.Join(c.Store.SetStopped(ctx, stop), c.ask("SetStopped"))
}

func (c brittleConsent) AddGrant(ctx context.Context, grant consent.Grant) error {
	return errors.Join(c.Store.AddGrant(ctx, grant), c.ask("AddGrant"))
}

func (c brittleConsent) ListGrants(ctx context.Context) ([]consent.Grant, error) {
	list, err := c.Store.ListGrants(ctx)
	return list, errors.Join(c.ask("ListGrants"), err)
}

func (c brittleConsent) RevokeGrant(ctx context.Context, id string, at time.Time) (bool, error) {
	ok, err := c.Store.RevokeGrant(ctx, id, at)
	return ok, errors.Join(c.ask("RevokeGrant"), err)
}

func (c brittleConsent) PutQuestion(ctx context.Context, q consent.Question) error {
	return errors.Join(c.Store.PutQuestion(ctx, q), c.ask("PutQuestion"))
}

func (c brittleConsent) Question(ctx context.Context, id string) (consent.Question, bool, error) {
	q, ok, err := c.Store.Question(ctx, id)
	return q, ok, errors.Join(c.ask("Question"), err)
}

func (c brittleConsent) OpenQuestion(ctx context.Context, run, shape string) (consent.Question, bool, error) {
	q, ok, err := c.Store.OpenQuestion(ctx, run, shape)
	return q, ok, errors.Join(c.ask("OpenQuestion"), err)
}

func (c brittleConsent) ListQuestions(ctx context.Context, open bool, limit int) ([]consent.Question, error) {
	list, err := c.Store.ListQuestions(ctx, open, limit)
	return list, errors.Join(c.ask("ListQuestions"), err)
}

func (c brittleConsent) PutAsked(ctx context.Context, asked consent.Asked) error {
	return errors.Join(c.Store.PutAsked(ctx, asked), c.ask("PutAsked"))
}

func (c brittleConsent) Asked(ctx context.Context, run string, seq int, key string) (consent.Asked, bool, error) {
	asked, ok, err := c.Store.Asked(ctx, run, seq, key)
	return asked, ok, errors.Join(c.ask("Asked"), err)
}

func (c brittleConsent) CloseQuestions(ctx context.Context, run string) error {
	return errors.Join(c.Store.CloseQuestions(ctx, run), c.ask("CloseQuestions"))
}

var _ store.Tx = brittleTx{}
