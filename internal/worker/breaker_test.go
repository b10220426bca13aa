package worker_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/local"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/worker"
)

const (
	window = 10 * time.Minute
	rest   = 30 * time.Minute
)

// calls is a tool that makes one call.
func calls(t testing.TB, capability, input string) *check.Checked {
	t.Helper()
	return checked(t, `{"id": "call", "type": "capability", "capability": "`+capability+`", "input": `+input+`, "target": "$.x", "next": "end"}, `+end)
}

// breakerStory runs a tool over and over, each time on a worker of its own.
type breakerStory struct {
	*desk
	t    *testing.T
	tool *check.Checked
}

func newStory(t *testing.T) *breakerStory {
	t.Helper()
	return &breakerStory{newDesk(t), t, calls(t, "notes.list", `{}`)}
}

// run runs the tool with the store failing or not, and says how it ended: "ok", "failed",
// "open" without a call, or "refused" for good.
func (s *breakerStory) run(broken bool) string {
	s.t.Helper()
	return s.runAs(s.tool, false, broken)
}

func (s *breakerStory) runAs(c *check.Checked, installed, broken bool) string {
	s.t.Helper()
	s.store.set(nil, nil, nil)
	if broken {
		s.store.set(errDisk, nil, nil)
	}
	out := runWith(s.t, s.another(nil), worker.Job{Tool: c, Input: map[string]any{}, Installed: installed})
	switch {
	case out.Status == flow.Succeeded:
		return "ok"
	case out.Failure.Code == flow.CodeCircuitOpen && len(out.Calls) == 0:
		return "open"
	case out.Failure.Code == flow.CodeCapabilityFailed && strings.Contains(out.Failure.Message, "log id"):
		return "failed"
	case out.Failure.Code == flow.CodeCapabilityFailed:
		return "refused"
	}
	return out.Failure.Error()
}

// want runs the tool once for each word, and compares.
func (s *breakerStory) want(broken bool, words string) {
	s.t.Helper()
	for i, want := range strings.Fields(words) {
		if got := s.run(broken); got != want {
			s.t.Fatalf("run %d of %q: %s", i+1, words, got)
		}
	}
}

func TestThreeFailuresOpenTheBreaker(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed open open")
	s.want(false, "open") // although it would work again

	s.clock.pass(rest - time.Second)
	s.want(false, "open")
	s.clock.pass(time.Second)
	s.want(false, "ok ok") // the trial closes it
	s.want(true, "failed failed failed open")
}

func TestATrialThatFailsOpensTheBreakerAgain(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed open")
	s.clock.pass(rest)
	s.want(true, "failed open") // one trial, and no more
	s.clock.pass(rest - time.Second)
	s.want(false, "open")
	s.clock.pass(time.Second)
	s.want(true, "failed open")
	s.clock.pass(rest)
	s.want(false, "ok ok")
}

// TestFailuresThatLieApart do not add up: a failure counts for less than ten minutes.
func TestFailuresThatLieApart(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	for range 4 {
		s.want(true, "failed")
		s.clock.pass(window / 2)
	}
	// Three within the window, the oldest one second inside it.
	s = newStory(t)
	s.want(true, "failed")
	s.clock.pass(window - time.Second)
	s.want(true, "failed failed open")
	// The oldest just outside.
	s = newStory(t)
	s.want(true, "failed")
	s.clock.pass(window)
	s.want(true, "failed failed")
	s.want(false, "ok")
}

// TestASuccessBetweenFailures forgets none of them: three within ten minutes open it.
func TestASuccessBetweenFailures(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed")
	s.want(false, "ok")
	s.want(true, "failed open")
	s.clock.pass(rest)
	s.want(false, "ok") // the trial forgets them all
	s.want(true, "failed failed failed open")
}

// TestEachCapabilityOfEachToolHasItsOwnBreaker.
func TestEachCapabilityOfEachToolHasItsOwnBreaker(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed open")
	s.store.set(nil, nil, nil)
	s.install(t, s.tool)
	another := checkedText(t, capability.Builtin(), strings.Replace(string(s.tool.Text()), `"id": "made-up"`, `"id": "another"`, 1))
	for name, c := range map[string]struct {
		tool      *check.Checked
		installed bool
		want      string
	}{
		"the same file":          {s.tool, false, "open"},
		"another capability":     {calls(t, "tasks.list", `{}`), false, "ok"},
		"the same one installed": {s.tool, true, "ok"},
		"a file of another tool": {another, false, "ok"},
	} {
		if got := s.runAs(c.tool, c.installed, false); got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// TestWhatIsRefusedForGoodDoesNotCount: neither towards opening, nor as the trial.
func TestWhatIsRefusedForGoodDoesNotCount(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	good := calls(t, "notes.update", `{"id": {"$ref": "$.input.id"}, "title": "x"}`)
	var id string
	s.change(t, func(ctx context.Context, book *local.Book) error {
		note, err := book.CreateNote(ctx, local.NewNote{Title: "x", Content: "y"})
		id = note.ID
		return err
	})
	bad := calls(t, "notes.update", `{"id": "NONE", "title": "x"}`)
	s.tool = bad
	s.want(false, "refused refused refused refused refused")
	s.want(true, "failed failed")
	s.want(false, "refused")
	s.want(true, "failed open")
	s.clock.pass(rest)
	s.want(false, "refused refused") // still the trial
	s.want(true, "failed open")
	s.clock.pass(rest)
	s.store.set(nil, nil, nil)
	out := runWith(t, s.another(nil), worker.Job{Tool: good, Input: map[string]any{"id": id}})
	wantStatus(t, out.Result, flow.Succeeded, "")
	s.want(false, "refused")
	s.want(true, "failed failed failed open")
}

// TestATrialThatIsCancelled says nothing, so the next call tries.
func TestATrialThatIsCancelled(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed open")
	s.clock.pass(rest)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.store.set(errDisk, nil, nil)
	s.store.afterReadingData(cancel)
	out, err := s.another(nil).Run(ctx, worker.Job{Tool: s.tool, Input: map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, out.Result, flow.Cancelled, flow.CodeAborted)
	s.want(false, "ok ok")
}

// TestASuccessAfterACancel counts: what a call has shown is known.
func TestASuccessAfterACancel(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed open")
	s.clock.pass(rest)
	s.store.set(nil, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, err := s.another(nil).Run(ctx, worker.Job{Tool: s.tool, Input: map[string]any{}, Steps: func(flow.Event) { cancel() }})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, out.Result, flow.Cancelled, flow.CodeAborted)
	s.want(false, "ok ok")
}

// TestTwoRunsWantTheTrial: both see that the rest is over, before either has taken the
// trial. Only one may call.
func TestTwoRunsWantTheTrial(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed open")
	s.clock.pass(rest)
	s.store.set(errDisk, nil, nil)
	var both sync.WaitGroup
	both.Add(2)
	var first sync.Map
	s.store.onReadBreaker = func(w any) { // the first look of each run waits for that of the other
		if _, seen := first.LoadOrStore(w, true); !seen {
			both.Done()
			both.Wait()
		}
	}
	got := make(chan string)
	for i := range 2 {
		ctx := context.WithValue(t.Context(), runKey{}, i)
		w := s.another(nil)
		go func() {
			out, err := w.Run(ctx, worker.Job{Tool: s.tool, Input: map[string]any{}})
			if err != nil {
				t.Error(err)
			}
			got <- out.Failure.Code
		}()
	}
	codes := map[string]int{}
	for range 2 {
		codes[<-got]++
	}
	if diff := cmp.Diff(map[string]int{flow.CodeCapabilityFailed: 1, flow.CodeCircuitOpen: 1}, codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

// TestRunsAtOnceCountTogether: no failure is lost when several are reported at once.
func TestRunsAtOnceCountTogether(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.store.set(errDisk, nil, nil)
	done := make(chan error)
	for range 3 {
		w := s.another(nil)
		go func() {
			_, err := w.Run(t.Context(), worker.Job{Tool: s.tool, Input: map[string]any{}})
			done <- err
		}()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.want(false, "open")
}

// TestTheMessageSaysUntilWhen.
func TestTheMessageSaysUntilWhen(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.want(true, "failed failed failed")
	out := s.desk.run(t, s.tool)
	wantStatus(t, out.Result, flow.Failed, flow.CodeCircuitOpen)
	want := `"notes.list" has failed 3 times within 10 minutes, so it is left alone until ` + dawn.Add(rest).Local().Format("15:04")
	if out.Failure.Message != want {
		t.Errorf("says %q; want %q", out.Failure.Message, want)
	}
}

// TestABreakerThatCannotBeKept stops no run that could succeed.
func TestABreakerThatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.store.set(errDisk, errDisk, nil)
	for range 5 {
		wantStatus(t, s.desk.run(t, s.tool).Result, flow.Failed, flow.CodeCapabilityFailed)
	}
	s.store.set(nil, errDisk, nil)
	wantStatus(t, s.desk.run(t, s.tool).Result, flow.Succeeded, "")
}

// TestACompensationPassesAnOpenBreaker: it is made once, whatever is known.
func TestACompensationPassesAnOpenBreaker(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	err := s.store.Write(t.Context(), func(tx store.Tx) error {
		now := s.clock.Now()
		return tx.Runs().PutBreaker(t.Context(), "file:made-up", "tasks.delete", store.Breaker{OpenedAt: &now})
	})
	if err != nil {
		t.Fatal(err)
	}
	out := s.desk.run(t, checked(t, `{"id": "task", "type": "capability", "capability": "tasks.create", "input": {"title": "Buy milk"}, "target": "$.task",
		"compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.task.id"}}}, "next": "stop"}, `+stop))
	wantStatus(t, out.Result, flow.Failed, "STOP")
	if got := s.records(t); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

// TestABreakerThatIsWellIsNotWritten: as long as its capability is well, a run writes no more
// than the tasks that it has. TestHowOftenARunWrites counts those.
func TestABreakerThatIsWellIsNotWritten(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	count := func(broken bool, want string) int {
		s.clock.pass(time.Second) // or the ids of the run's tasks would be those of the one before
		s.store.count(nil)
		s.want(broken, want)
		return s.store.writes
	}
	well := count(false, "ok")
	if again := count(false, "ok"); again != well {
		t.Errorf("%d transactions wrote at first, and then %d", well, again)
	}
	if failed := count(true, "failed"); failed != well+1 { // and the failure
		t.Errorf("a run that failed wrote %d times; one that was well %d times", failed, well)
	}
	if again := count(false, "ok"); again != well {
		t.Errorf("after a failure %d transactions wrote; before it %d", again, well)
	}
}

// TestATrialThatIsOvertaken ends without telling anything, after another run has found out
// more: that stays.
func TestATrialThatIsOvertaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opened time.Duration // after the trial began; 0 for closed
		want   string
	}{"closed": {0, "refused refused"}, "opened again": {time.Minute, "open open"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.tool = calls(t, "tasks.list", `{}`)
			s.want(true, "failed failed failed open")
			s.tool = calls(t, "tasks.list", `{"cursor": "!"}`) // is refused for good
			s.clock.pass(rest)
			found := store.Breaker{}
			if c.opened > 0 {
				at := s.clock.Now().Add(c.opened)
				found.OpenedAt = &at
			}
			s.store.set(nil, nil, nil)
			s.store.afterReadingData(func() {
				err := s.store.Store.Write(t.Context(), func(tx store.Tx) error {
					return tx.Runs().PutBreaker(t.Context(), "file:made-up", "tasks.list", found)
				})
				if err != nil {
					t.Error(err)
				}
			})
			out := s.desk.run(t, s.tool)
			wantStatus(t, out.Result, flow.Failed, flow.CodeCapabilityFailed)
			s.want(false, c.want)
		})
	}
}
