package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
)

// wire is a host that answers requests without a network.
type wire struct {
	*capability.Host
	mu   sync.Mutex
	sent []string
	// during is called while a request is under way; nil for nothing.
	during func(ctx context.Context, r capability.Request) error
	// body is that of the n-th answer, counted from 1; nil for one that names the address.
	body func(n int, r capability.Request) string
}

func newWire() *wire { return &wire{Host: capability.NewHost()} }

// Fetch answers with what it was asked.
func (w *wire) Fetch(ctx context.Context, r capability.Request, _ string) (capability.Response, error) {
	w.mu.Lock()
	w.sent = append(w.sent, r.Method+" "+r.URL+" "+string(r.Body))
	during, body := w.during, "body of "+r.URL
	if w.body != nil {
		body = w.body(len(w.sent), r)
	}
	w.mu.Unlock()
	if during != nil {
		if err := during(ctx, r); err != nil {
			return capability.Response{}, err
		}
	}
	return capability.Response{Status: http.StatusOK, Header: http.Header{}, Body: []byte(body), URL: r.URL}, nil
}

func (w *wire) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.sent...)
}

// coded makes a request for a run of a coded tool from a file.
func codedRun(t testing.TB, p *process, declared, body string) engine.Request {
	t.Helper()
	c := inCode(t, p.Scripts, capability.Builtin(), "carry", declared, body)
	return engine.Request{ID: "R", Files: []*check.Checked{c}, Chains: [][]task.Draft{{task.CallOf(task.Call{Name: "carry", Arguments: map[string]any{}})}}}
}

// reads asks three times and sends once; the answers and what is random and the time are in the result.
const reads = `const a = await (await fetch('https://api.example.com/a')).text()
	const random = Math.random(), now = Date.now()
	const [b, c] = await Promise.all(['b', 'c'].map(async (n) => (await fetch('https://api.example.com/' + n)).text()))
	let d = 'lost'
	try { d = await (await fetch('https://api.example.com/d', { method: 'POST', body: [a, b, c, random].join() })).text() } catch (e) { d = e.code }
	console.log(d)
	return [a, b, c, d, random === Math.random(), now > 0]`

// yes answers each question of a process with a yes, as it is asked.
func (p *process) yes(t testing.TB) func(worker.Event) {
	t.Helper()
	return p.answering(t, &consent.Answer{Allow: true})
}

// TestACodedToolIsCarriedOn after the process has died: what was answered is not asked again, and what
// was sent is sent again by nobody but a person.
func TestACodedToolIsCarriedOn(t *testing.T) {
	for name, c := range map[string]struct {
		at     string // the path at whose request the process dies
		answer worker.Answer
		want   string // what the run comes to
		again  []string
	}{
		"while it reads": {"/b", "", `["body of https://api.example.com/a","body of https://api.example.com/b","body of https://api.example.com/c","body of https://api.example.com/d",false,true]`, []string{"/b", "/d"}},
		"it happened":    {"/d", worker.AnswerDone, `["body of https://api.example.com/a","body of https://api.example.com/b","body of https://api.example.com/c","SCRIPT_ANSWER_LOST",false,true]`, nil},
		"it did not":     {"/d", worker.AnswerNotDone, `["body of https://api.example.com/a","body of https://api.example.com/b","body of https://api.example.com/c","body of https://api.example.com/d",false,true]`, []string{"/d"}},
		"take it back":   {"/d", worker.AnswerCompensate, `["body of https://api.example.com/a","body of https://api.example.com/b","body of https://api.example.com/c","STEP_UNKNOWN",false,true]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				before, after := newWire(), newWire()
				p := h.processWith(t, worker.Options{Capabilities: before, Scripts: newSandbox(t)})
				before.during = func(ctx context.Context, r capability.Request) error {
					if strings.HasSuffix(r.URL, c.at) {
						p.store.kill()
						<-ctx.Done()
						return ctx.Err()
					}
					return nil
				}
				run, err := p.Begin(t.Context(), codedRun(t, p, `network: ['api.example.com'], `, reads), p.yes(t))
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				p.die(t)
				first := before.all()
				q := h.processWith(t, worker.Options{Capabilities: after, Scripts: newSandbox(t)})
				if _, err := q.Resume(t.Context(), run.ID, q.yes(t)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if c.answer != "" {
					view := q.view(t, run.ID)
					if view.Run.Status != task.RunUnknown {
						t.Fatalf("the run is %s:\n%s", view.Run.Status, q.tree(t, run.ID))
					}
					if err := q.Answer(t.Context(), run.ID, "", c.answer); err != nil {
						t.Fatal(err)
					}
					if _, err := q.Resume(t.Context(), run.ID, q.yes(t)); err != nil {
						t.Fatal(err)
					}
				}
				over := q.finish(t, run.ID)
				if got := q.result(t, run.ID); got != c.want {
					t.Errorf("the run came to %s, %v; want %s\n%s", got, over.Failure, c.want, q.tree(t, run.ID))
				}
				again := after.all()
				var paths []string
				for _, one := range again {
					if path := strings.TrimPrefix(strings.Fields(one)[1], "https://api.example.com"); path != "/c" { // beside /b, it may have been answered or not
						paths = append(paths, path)
					}
				}
				if diff := cmp.Diff(c.again, paths); diff != "" {
					t.Errorf("sent again: %q; want %q (first %q)", again, c.again, first)
				}
				if c.answer == worker.AnswerNotDone && again[0] != first[len(first)-1] {
					t.Errorf("what is sent again is another: %q, %q", again[0], first[len(first)-1])
				}
			})
		})
	}
}

// TestACodedToolThatDiverges from what it has sent before is not carried on: what it has read was too
// large to be kept, and is another when it is read again.
func TestACodedToolThatDiverges(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		code string
		sent int
	}{"small": {1 << 10, "", 3}, "large": {300 << 10, "SCRIPT_DIVERGED", 3}} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				body := `const big = await (await fetch('https://api.example.com/big')).text()
					await fetch('https://api.example.com/d', { method: 'POST', body: big.slice(0, 9) })
					await context.interaction({ title: 'Go on?' })
					await fetch('https://api.example.com/e', { method: 'POST', body: 'x' })`
				host := newWire()
				host.body = func(n int, _ capability.Request) string { return fmt.Sprintf("%09d", n) + strings.Repeat("x", c.size) }
				p := h.processWith(t, worker.Options{Capabilities: host, Scripts: newSandbox(t)})
				run, err := p.Begin(t.Context(), codedRun(t, p, `network: ['api.example.com'], `, body), p.yes(t))
				if err != nil {
					t.Fatal(err)
				}
				over := p.settle(t, run.ID)
				code := ""
				if over.Failure != nil {
					code = over.Failure.Code
				}
				if code != c.code || len(host.all()) != c.sent {
					t.Errorf("the run is %s, %v; sent %q\n%s", over.Status, over.Failure, host.all(), p.tree(t, run.ID))
				}
			})
		})
	}
}

// TestACodedToolAsksThePerson in the middle of its work, which is not done again.
func TestACodedToolAsksThePerson(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		body := `await fetch('https://api.example.com/d', { method: 'POST', body: 'x' })
			const eggs = await context.interaction({ title: 'Eggs', schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } })
			await context.popup('https://example.org/in')
			try { await context.interaction({ title: 'Sure?' }) } catch (e) { return [eggs.n, e.code] }`
		host := newWire()
		p := h.processWith(t, worker.Options{Capabilities: host, Scripts: newSandbox(t)})
		run, err := p.Begin(t.Context(), codedRun(t, p, `network: ['api.example.com'], `, body), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range []consent.Answer{
			{Allow: true}, {Allow: true, HasValue: true, Value: map[string]any{"n": json.Number("3")}}, {Allow: true}, {},
		} {
			synctest.Wait()
			open := p.open(t)
			if len(open) != 1 {
				t.Fatalf("%d questions are open:\n%s", len(open), p.tree(t, run.ID))
			}
			p.decide(t, open[0].ID, answer)
		}
		over := p.finish(t, run.ID)
		if got := p.result(t, run.ID); over.Status != task.RunSucceeded || got != `[3,"INTERACTION_REFUSED"]` {
			t.Errorf("the run is %s and came to %s, %v\n%s", over.Status, got, over.Failure, p.tree(t, run.ID))
		}
		if sent := host.all(); len(sent) != 1 {
			t.Errorf("sent %q", sent)
		}
	})
}

// TestACodedToolIsCancelled while it waits for a host, and sees it.
func TestACodedToolIsCancelled(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		host := newWire()
		host.during = func(ctx context.Context, _ capability.Request) error { <-ctx.Done(); return ctx.Err() }
		p := h.processWith(t, worker.Options{Capabilities: host, Scripts: newSandbox(t)})
		run, err := p.Begin(t.Context(), codedRun(t, p, `network: ['api.example.com'], `, `await fetch('https://api.example.com/d', { method: 'POST', body: 'x' })`), p.yes(t))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(host.all()); n != 1 {
			t.Fatalf("%d requests are under way:\n%s", n, p.tree(t, run.ID))
		}
		p.stop(t, run.ID)
		wantRun(t, p.finish(t, run.ID), task.RunCancelled, "ABORTED")
	})
}
