package worker_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"toolsmith/internal/capability"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	builtins "toolsmith/internal/runner/native"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// permit sets what counts for a power or a tool.
func (h *house) permit(t testing.TB, kind, name string, permission consent.Permission) {
	t.Helper()
	err := h.desk.store.Store.Write(t.Context(), func(tx store.Tx) error {
		return tx.Consent().SetPermission(t.Context(), kind, name, permission)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// askAll has people asked for every power, as it is by default.
func (h *house) askAll(t testing.TB) {
	t.Helper()
	for _, power := range consent.Powers() {
		h.permit(t, consent.KindPower, string(power), consent.Ask)
	}
}

// answering answers each question, in a goroutine of its own; nil leaves all open.
func (p *process) answering(t testing.TB, answer *consent.Answer) func(worker.Event) {
	var mu sync.Mutex
	var under sync.WaitGroup
	t.Cleanup(under.Wait)
	known := map[string]bool{}
	return func(e worker.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Question == nil || answer == nil || known[e.Question.ID] {
			return
		}
		known[e.Question.ID] = true
		under.Go(func() {
			if _, _, err := p.Decide(context.Background(), e.Question.ID, *answer); err != nil && tool.Code(err) != consent.CodeAnswered { // another who was told has been first
				t.Errorf("the answer to %s: %v", e.Question.ID, err)
			}
		})
	}
}

// settle waits for the end of a run for longer than a question stays open.
func (p *process) settle(t testing.TB, id string) task.Run {
	t.Helper()
	waited, err := p.Wait(t.Context(), id, worker.WaitOptions{Timeout: 50 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if waited.Reason == worker.ReasonTimeout {
		t.Fatalf("the run does not end:\n%s", p.tree(t, id))
	}
	p.wantTidy(t, id)
	return waited.Run
}

// questions lists all questions, newest first.
func (p *process) questions(t testing.TB) []consent.Question {
	t.Helper()
	list, err := p.Engine.Questions(t.Context(), false, 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// counting is a host that counts what its capabilities carry out, "lab.send" of the highest
// risk among them. The first call fails where failFirst.
type counting struct {
	capability.Host
	catalogue *tool.Catalogue
	diary
	mu        sync.Mutex
	failFirst bool
}

func newCounting() *counting {
	all := append(slices.Clone(capability.Builtin().All()), tool.Capability{Name: "lab.send", Power: tool.Outbound, Risk: tool.R4, Idempotent: true})
	return &counting{Host: *capability.NewHost(), catalogue: tool.NewCatalogue(all...)}
}

func (c *counting) Catalogue() *tool.Catalogue { return c.catalogue }

func (c *counting) Call(ctx context.Context, book *local.Book, call capability.Call) (capability.Result, error) {
	c.mu.Lock()
	fail := c.failFirst
	c.failFirst = false
	c.mu.Unlock()
	c.add("%s", call.Name)
	switch {
	case fail:
		return capability.Result{}, &capability.Error{Public: "Once more."}
	case call.Name == "lab.send":
		return capability.Result{Value: "sent"}, nil
	}
	return c.Host.Call(ctx, book, call)
}

// kinds of tools that are called, with what each needs.
var kinds = map[string]struct {
	name   string
	powers []tool.Power
	risk   tool.Risk
	// arguments of a call, told apart by a number, and whether it can do without.
	arguments func(n int) map[string]any
	bare      bool
}{
	"native":        {"target", []tool.Power{tool.Write}, tool.R2, numbered, true},
	"native sender": {"target", []tool.Power{tool.Outbound}, tool.R4, numbered, true},
	"native reader": {"target", []tool.Power{tool.Read}, tool.R3, numbered, true},
	"pure":          {"target", nil, tool.R1, numbered, true},
	"reading":       {"notes.list", []tool.Power{tool.Read}, tool.R1, func(n int) map[string]any { return map[string]any{"query": fmt.Sprint(n)} }, true},
	"writing": {"notes.create", []tool.Power{tool.Write}, tool.R2, func(n int) map[string]any {
		return map[string]any{"title": fmt.Sprint(n), "content": "x"}
	}, false},
	"sending": {"lab.send", []tool.Power{tool.Outbound}, tool.R4, numbered, true},
	"flow":    {"dynamic:made-up", []tool.Power{tool.Write}, tool.R2, func(int) map[string]any { return map[string]any{} }, true},
	"flow out": {"dynamic:made-up", []tool.Power{tool.Outbound}, tool.R4, func(int) map[string]any {
		return map[string]any{}
	}, true},
}

func numbered(n int) map[string]any { return map[string]any{"v": n} }

// paths on which a call comes to be made.
var paths = []string{"direct", "chain", "subtask", "map", "reducer", "entry", "later", "resumed", "again", "attached", "retried"}

// situation is what a person has set and answers, and which call is made on which path.
type situation struct {
	kind, path string
	powers     map[tool.Power]consent.Permission
	own        consent.Permission // of the tool; "" for none
	grant      string             // "", or what becomes of one
	answer     *consent.Answer    // nil for none
}

func (s situation) String() string {
	return fmt.Sprintf("%s by %s, settings %v %q, grant %q, answer %+v", s.kind, s.path, s.powers, s.own, s.grant, s.answer)
}

func draw(t *rapid.T) situation {
	s := situation{kind: rapid.SampledFrom(slices.Sorted(maps.Keys(kinds))).Draw(t, "kind"), path: rapid.SampledFrom(paths).Draw(t, "path"), powers: map[tool.Power]consent.Permission{}}
	for _, power := range consent.Powers() {
		s.powers[power] = rapid.SampledFrom([]consent.Permission{consent.Ask, consent.Allow, consent.Deny}).Draw(t, string(power))
	}
	s.own = rapid.SampledFrom([]consent.Permission{"", "", consent.Ask, consent.Deny}).Draw(t, "of the tool")
	s.grant = rapid.SampledFrom([]string{"", "", "holds", "holds", "other version", "revoked", "over", "condition", "other run"}).Draw(t, "grant")
	s.answer = rapid.SampledFrom([]*consent.Answer{nil, {}, {Allow: true}, {Allow: true}}).Draw(t, "answer")
	switch kind := kinds[s.kind]; {
	case s.path == "entry" && !kind.bare, s.path == "later" && kind.name != "target", s.path == "retried" && !strings.HasPrefix(s.kind, "flow"):
		s.path = "direct"
	}
	return s
}

// expects says what the rules come to, in words of their own: whether a call of the target
// happens, and whether it has to be asked about.
func (s situation) expects() (happens, asked bool) {
	kind, ask := kinds[s.kind], s.own == consent.Ask
	if s.own == consent.Deny {
		return false, false
	}
	for _, power := range kind.powers {
		if s.powers[power] == consent.Deny {
			return false, false
		}
		ask = ask || s.powers[power] == consent.Ask
	}
	if kind.risk == tool.R4 || ask && s.grant != "holds" {
		return s.answer != nil && s.answer.Allow, true
	}
	return true, false
}

// TestNothingRunsWithoutTheGate: whatever is called, however the call comes about, and whatever
// a person has set: what is denied never happens, what has the highest risk happens only with
// an answer of its own, and each call that happened names what allowed it.
func TestNothingRunsWithoutTheGate(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		rapid.Check(bubbled{t}, func(rt *rapid.T) {
			s := draw(rt)
			if wrong := s.play(t, h); len(wrong) > 0 {
				rt.Fatalf("%s\n%s", s, strings.Join(wrong, "\n"))
			}
		})
	})
}

// bubbled hides that a test has a deadline, which one with a time of its own must not ask for.
type bubbled struct{ testing.TB }

// stage is what a situation is played with.
type stage struct {
	situation
	house  *house
	host   *counting
	ran    diary // the native target
	pauses *gate
	flow   engine.Request
	// key and grantID are of no other situation.
	key, grantID string
}

// play makes the call, and lists what is not as it has to be.
func (s situation) play(t *testing.T, h *house) (wrong []string) {
	st := &stage{situation: s, house: h, host: newCounting(), pauses: newGate("pause"), key: h.clock.newID(), grantID: h.clock.newID()}
	capabilityOf := map[string]string{"flow": "notes.create", "flow out": "lab.send"}[s.kind]
	input := map[string]string{"flow": `{"title": "x", "content": "y"}`, "flow out": `{}`}[s.kind]
	if capabilityOf != "" {
		st.flow = fileRunWith(t, st.host.catalogue, fmt.Sprintf(`{"id": "step", "type": "capability", "capability": %q, "input": %s, "target": "$.made",
			"retry": {"maxAttempts": 2, "backoffMs": 5}, "next": "end"}, {"id": "end", "type": "return", "value": 1}`, capabilityOf, input), map[string]any{})
	}
	for power, permission := range s.powers {
		h.permit(t, consent.KindPower, string(power), permission)
	}
	h.permit(t, consent.KindTool, kinds[s.kind].name, s.own)
	p := st.process(t)
	st.addGrant(t, p)
	p, ids := st.run(t, p)
	wrong = st.judge(t, p, ids)
	h.permit(t, consent.KindTool, kinds[s.kind].name, "")
	if err := p.store.Write(t.Context(), func(tx store.Tx) error {
		_, err := tx.Consent().RevokeGrant(t.Context(), st.grantID, time.Now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	return wrong
}

func (st *stage) process(t *testing.T) *process {
	t.Helper()
	kind := kinds[st.kind]
	powers, again := kind.powers, st.path == "later"
	target := tool.MustNew(tool.Spec{Name: "target", Description: "For a test.", Powers: powers, Risk: kind.risk}, func(ctx *tool.Context, in in) (any, error) {
		st.ran.add("target")
		if began, _ := ctx.Began(); again && time.Since(began) < time.Second {
			return nil, tool.Again(began.Add(time.Second))
		}
		return in.V, nil
	})
	split := native("split", func(ctx *tool.Context, _ any) (any, error) {
		return ctx.Subtasks(tool.Chain{tool.Call(kind.name, kind.arguments(1))}), nil
	})
	builtin, err := builtins.Builtin(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return st.house.processWith(t, worker.Options{Capabilities: st.host}, append(builtin, target, split, same, fails, st.pauses.Tool)...)
}

// addGrant keeps a grant for the target, and what becomes of it.
func (st *stage) addGrant(t *testing.T, p *process) {
	t.Helper()
	if st.grant == "" {
		return
	}
	name := kinds[st.kind].name
	found, err := p.Engine.Find(t.Context(), task.Run{Files: st.files()}, name)
	if err != nil {
		t.Fatal(err)
	}
	g := consent.Grant{ID: st.grantID, Tool: name, Version: found.Version, Who: "ada", At: time.Now()}
	over := time.Now().Add(-time.Second)
	switch st.grant {
	case "other version":
		g.Version = strings.Repeat("0", len(g.Version))
	case "revoked":
		g.RevokedAt = &over
	case "over":
		g.ExpiresAt = &over
	case "other run":
		g.Run = "ANOTHER"
	case "condition":
		g.Conditions = []consent.Condition{{Path: "v", Operator: consent.Equals, Value: "never"}}
	}
	if err := p.store.Write(t.Context(), func(tx store.Tx) error { return tx.Consent().AddGrant(t.Context(), g) }); err != nil {
		t.Fatal(err)
	}
}

func (st *stage) files() map[string][]byte {
	files := map[string][]byte{}
	for _, c := range st.flow.Files {
		files[c.Name()] = c.Text()
	}
	return files
}

// request is the run in which the call is made.
func (st *stage) request(t *testing.T) engine.Request {
	t.Helper()
	kind := kinds[st.kind]
	target := tool.Call(kind.name, kind.arguments(0))
	r := engine.Request{Files: st.flow.Files}
	switch st.path {
	case "chain":
		r.Chains = chains(t, tool.Chain{call("same", 1), target, call("same", 2)})
	case "subtask":
		r.Chains = chains(t, tool.Chain{call("split", nil)})
	case "map":
		items := []any{kind.arguments(0), kind.arguments(1), kind.arguments(2)}
		r.Chains = chains(t, tool.Chain{tool.Call("map", map[string]any{"tool": kind.name, "items": items})})
	case "reducer":
		r.Chains = chains(t, tool.Chain{call("fails", "x"), tool.Reducer(kind.name, kind.arguments(0))})
	case "entry":
		r.Chains, r.Entry = chains(t, tool.Chain{call("same", 1)}), kind.name
	case "resumed":
		r.Chains = chains(t, tool.Chain{call("pause", nil), target})
	case "attached":
		r.Key = st.key
		fallthrough
	default:
		r.Chains = chains(t, tool.Chain{target})
	}
	return r
}

// run makes the runs of a situation, and gives the process that has ended them.
func (st *stage) run(t *testing.T, p *process) (_ *process, ids []string) {
	t.Helper()
	st.host.failFirst = st.path == "retried"
	begin := func(r engine.Request) string {
		run, err := p.Begin(t.Context(), r, p.answering(t, st.answer))
		if err != nil {
			t.Fatal(err)
		}
		return run.ID
	}
	id := begin(st.request(t))
	switch st.path {
	case "resumed":
		<-st.pauses.begun
		p.die(t)
		close(st.pauses.open)
		p = st.process(t)
		if _, err := p.Resume(t.Context(), id, p.answering(t, st.answer)); err != nil {
			t.Fatal(err)
		}
	case "attached":
		if other := begin(st.request(t)); other != id {
			t.Errorf("the key made run %s beside %s", other, id)
		}
	}
	p.settle(t, id)
	ids = append(ids, id)
	if st.path == "again" {
		plan, err := p.Engine.Again(t.Context(), id, "")
		if err != nil {
			t.Fatal(err)
		}
		again := begin(plan.Request)
		p.settle(t, again)
		ids = append(ids, again)
	}
	return p, ids
}

// judge compares what has happened with what had to.
func (st *stage) judge(t *testing.T, p *process, ids []string) (wrong []string) {
	t.Helper()
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	happens, asked := st.expects()
	want := 0
	if happens {
		want = map[string]int{"map": 3, "later": 2, "again": 2, "retried": 2}[st.path]
		want = max(1, want)
	}
	if got := len(st.ran.all()) + len(st.host.all()); got != want {
		say("it was carried out %d times, want %d: %v %v", got, want, st.ran.all(), st.host.all())
	}
	questions := map[string]consent.Question{}
	for _, q := range p.questions(t) {
		if !slices.Contains(ids, q.Run) {
			continue
		}
		questions[q.ID] = q
		if q.State == consent.Open {
			say("%s is open although its run is over", q.ID)
		}
	}
	if (len(questions) > 0) != asked {
		say("%d questions", len(questions))
	}
	used := map[string]int{}
	for _, id := range ids {
		view := p.view(t, id)
		for seq, e := range view.Executions {
			one := view.Graph.Task(seq)
			if one.Name != kinds[st.kind].name || one.Step != "" {
				continue
			}
			wrong = append(wrong, st.judgeOne(e, errorOf(t, view, seq), happens, asked, questions)...)
			used[e.Granted]++
		}
	}
	for granted, n := range used {
		if kinds[st.kind].risk == tool.R4 && happens && n > 1 {
			say("%d calls of the highest risk have run with %q", n, granted)
		}
	}
	return wrong
}

func (st *stage) judgeOne(e task.Execution, failure *task.Failure, happens, asked bool, questions map[string]consent.Question) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !happens {
		code := consent.CodeDenied
		if asked && st.answer == nil {
			code = consent.CodeTimeout
		}
		if e.State != task.Failed || e.Granted != "" || e.StartedAt == nil || failure == nil || failure.Code != code {
			say("a call that may not run is kept as %s, granted %q, %v; want %s", e.State, e.Granted, failure, code)
		}
		return wrong
	}
	by, id, _ := strings.Cut(e.Granted, " ")
	switch {
	case e.State != task.Done:
		say("the call is %s, %v", e.State, failure)
	case asked && (by != "answer" || questions[id].State != consent.Answered || !questions[id].Answer.Allow):
		say("the call was granted by %q", e.Granted)
	case !asked && st.grant == "holds" && by != "grant" && by != "settings", !asked && st.grant != "holds" && by != "settings":
		say("the call was granted by %q", e.Granted)
	case by == "grant" && id != st.grantID:
		say("the call was granted by %q", e.Granted)
	}
	if got := value.Int(e.Attempts); st.path != "later" && got != "1" {
		say("it counts %s attempts", got)
	}
	return wrong
}
