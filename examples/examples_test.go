// Package examples_test holds the examples to what their README says of them.
package examples_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

const (
	ending = ".talostool"
	// fewest examples, and cases of each.
	fewestExamples = 8
	fewestCases    = 4
)

func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*" + ending)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < fewestExamples {
		t.Errorf("there are %d examples, and there have to be %d", len(files), fewestExamples)
	}
	rows := readme(t)
	for id := range rows {
		if !slices.Contains(files, id+ending) {
			t.Errorf("README.md has the row %q, and there is no such example", id)
		}
	}
	for _, file := range files {
		id := strings.TrimSuffix(file, ending)
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			c := checked(t, id)
			if c.ID() != id {
				t.Errorf("%s holds the tool %q", file, c.ID())
			}
			runCases(t, c)
			row, ok := rows[id]
			if !ok {
				t.Fatalf("README.md has no row for %q", id)
			}
			row.compare(t, c)
		})
	}
}

// checked gives a tool in which a check finds nothing at all, not even to warn of.
func checked(t *testing.T, id string) *check.Checked {
	t.Helper()
	text, err := os.ReadFile(id + ending)
	if err != nil {
		t.Fatal(err)
	}
	result := check.Run(text, capability.Builtin())
	for _, d := range result.Diagnostics {
		t.Errorf("%s%s:%d:%d: %s %s %s: %s", id, ending, d.Line, d.Column, d.Level, d.Code, d.Path, d.Message)
	}
	if !result.OK() {
		t.FailNow()
	}
	return result.Tool
}

// runCases runs the cases of a tool, those without a script on an empty store.
func runCases(t *testing.T, c *check.Checked) {
	t.Helper()
	text, err := os.ReadFile(c.ID() + ".cases.json")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := worker.ParseCases(text)
	if err != nil {
		t.Fatalf("%s.cases.json: %v", c.ID(), err)
	}
	if len(cases) < fewestCases {
		t.Errorf("%s has %d cases, and there have to be %d", c.ID(), len(cases), fewestCases)
	}
	results, err := newDesk(t).worker.RunCases(t.Context(), c, cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !r.OK {
			t.Errorf("case %q: %s", r.Name, r.Message)
		}
	}
}

// row is what README.md says of one example.
type row struct{ powers, risk, input string }

// readme reads the rows of the table of manifests in README.md, by the id of the example:
//
//	| `id` | what it does | powers | risk | `input` |
func readme(t *testing.T) map[string]row {
	t.Helper()
	rows := allRows(t)
	maps.DeleteFunc(rows, func(id string, _ row) bool { return strings.HasSuffix(id, codeEnding) })
	return rows
}

// allRows reads the rows of all tables in README.md.
func allRows(t *testing.T) map[string]row {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| `") || len(cells) != 7 {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " `")
		}
		rows[cells[1]] = row{powers: cells[3], risk: cells[4], input: cells[5]}
	}
	return rows
}

func (r row) compare(t *testing.T, c *check.Checked) {
	t.Helper()
	if got := c.Marks().PowerNames(); got != r.powers {
		t.Errorf("README.md says that the powers are %q, and they are %q", r.powers, got)
	}
	if got := c.Marks().Risk.String(); got != r.risk {
		t.Errorf("README.md says that the risk is %s, and it is %s", r.risk, got)
	}
	if c.Marks().CanTransmit || c.Marks().Reversibility == tool.Irreversible {
		t.Errorf("README.md says that no example reaches the network or leaves what it cannot take back, and %s does", c.ID())
	}
	input, err := value.Decode([]byte(r.input))
	if err != nil {
		t.Fatalf("the input in README.md is no JSON: %v", err)
	}
	program, err := flow.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	if failure := program.Accepts(input); failure != nil {
		t.Errorf("the input in README.md is refused: %s", failure)
	}
}

func TestFridayReviewOnRealData(t *testing.T) {
	t.Parallel()
	d := newDesk(t)

	first := d.run(t, "friday-review", `{}`)

	wantOutput(t, first, `{"finished": 0, "doing": 0, "open": 0}`, "note")
	wantNote(t, d, first, "Friday review", "Finished: none\nIn hand: none\nOpen: none\nWritten: 2026-11-27T16:00:00.000Z")

	due := time.Date(2026, 12, 4, 17, 0, 0, 0, time.UTC)
	d.write(t, func(book *local.Book) error {
		for _, fresh := range []local.NewTask{
			{Title: "Pay rent", Status: local.Done},
			{Title: "Write report", Status: local.Doing, Priority: local.High, DueAt: &due},
			{Title: "Buy milk"},
			{Title: "Call Ada", Description: "About the tea."},
		} {
			if _, err := book.CreateTask(t.Context(), fresh); err != nil {
				return err
			}
		}
		return nil
	})

	second := d.run(t, "friday-review", `{"title": "Week 48"}`)

	wantOutput(t, second, `{"finished": 1, "doing": 1, "open": 2}`, "note")
	wantNote(t, d, second, "Week 48", `Finished
- Pay rent (done, normal)

In hand
- Write report (doing, high, due 2026-12-04)

Open
- Call Ada (todo, normal)
- Buy milk (todo, normal)

Written: 2026-11-27T16:00:00.000Z`)
}

func TestWhatFailsHalfWayLeavesNothing(t *testing.T) {
	t.Parallel()
	for id, input := range map[string]string{
		"bulk-capture":      `{"texts": ["Buy milk", "Call Ada", " "]}`,
		"start-project":     `{"name": "New kitchen", "goal": "Cook in it.", "steps": ["Measure", " "]}`,
		"remember-decision": `{"decision": "Buy the house", "reasons": "It is near.", "review": " "}`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)

			out := d.run(t, id, input)

			if out.Status != flow.Failed || out.Failure.Code != flow.CodeCapabilityFailed {
				t.Errorf("the run %s (%v), and it has to fail", out.Status, out.Failure)
			}
			if len(out.Created) == 0 {
				t.Error("the run made nothing before it failed")
			}
			for _, made := range out.Created {
				if !made.Undone {
					t.Errorf("the %s %q was not taken back", made.Kind, made.Title)
				}
			}
			if left := d.left(t); left != 0 {
				t.Errorf("%d records are left", left)
			}
		})
	}
}

func TestTheCounterRemembers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)

	wantOutput(t, d.run(t, "open-task-counter", `{}`), `{"trend": "first count", "open": 0, "doing": 0}`)
	d.run(t, "bulk-capture", `{"texts": ["Buy milk", "Call Ada"]}`)
	wantOutput(t, d.run(t, "open-task-counter", `{}`),
		`{"trend": "more than before", "open": 2, "doing": 0, "before": 0, "since": "2026-11-27T16:00:00.000Z"}`)
	wantOutput(t, d.run(t, "open-task-counter", `{}`),
		`{"trend": "as many as before", "open": 2, "doing": 0, "before": 2, "since": "2026-11-27T16:00:00.000Z"}`)
}

func TestTheStandupNoteIsRewritten(t *testing.T) {
	t.Parallel()
	d := newDesk(t)

	first := d.run(t, "standup-note", `{}`)
	d.run(t, "bulk-capture", `{"texts": ["Buy milk"]}`)
	second := d.run(t, "standup-note", `{"obstacles": "Waiting for Bo."}`)

	if len(first.Created) != 1 || len(second.Created) != 0 {
		t.Errorf("the runs made %d and %d notes, and they have to make 1 and none", len(first.Created), len(second.Created))
	}
	wantNote(t, d, second, "Daily standup", `Done lately: none
In hand: none

Next
- Buy milk (todo, normal)

Obstacles: Waiting for Bo.
Written: 2026-11-27T16:00:00.000Z`)
}

func TestClearedTasksAreListed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.write(t, func(book *local.Book) error {
		_, err := book.CreateTask(t.Context(), local.NewTask{Title: "Write report", Status: local.Doing})
		return err
	})

	wantOutput(t, d.run(t, "clear-finished", `{}`), `{"cleared": 0}`)
	wantOutput(t, d.run(t, "close-finished", `{"query": "REPORT"}`), `{"query": "REPORT", "closed": 1}`)
	cleared := d.run(t, "clear-finished", `{}`)

	wantOutput(t, cleared, `{"cleared": 1}`, "note")
	wantNote(t, d, cleared, "Finished tasks", "Cleared away: 2026-11-27T16:00:00.000Z\n\nFinished\n- Write report (done, normal)")
	if left := d.left(t); left != 1 { // the note
		t.Errorf("%d records are left", left)
	}
}

// desk is an empty store of its own, and a worker over it for which the time is always
// the same.
type desk struct {
	store  store.Store
	worker *worker.Worker
	clock  *flow.DryClock
	newID  func() string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	s, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d := desk{store: s, clock: flow.NewDryClock(time.Date(2026, 11, 27, 16, 0, 0, 0, time.UTC)), newID: local.NewIDs(time.Now)}
	box, err := engine.NewToolbox(capability.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Store: s, Catalogue: capability.Builtin(), Toolbox: box, Now: d.clock.Now, NewID: d.newID, Who: "somebody"})
	d.worker = worker.New(worker.Options{Store: s, Engine: e, Clock: d.clock, NewID: d.newID})
	t.Cleanup(func() { _ = d.worker.Close(context.Background()) })
	return d
}

// run runs an example for real, and says yes to what is asked.
func (d desk) run(t *testing.T, id, input string) worker.Outcome {
	t.Helper()
	out, _ := d.answering(t, id, input, consent.Answer{Allow: true})
	return out
}

// answering runs an example for real with one answer to all that is asked, and gives the
// questions.
func (d desk) answering(t *testing.T, id, input string, answer consent.Answer) (worker.Outcome, []consent.Question) {
	t.Helper()
	c := checked(t, id)
	in, err := value.Decode([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var answering sync.WaitGroup
	var questions []consent.Question
	out, err := d.worker.Run(t.Context(), worker.Job{Tool: c, Input: in, Observe: func(e worker.Event) {
		q := e.Question
		if q == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		questions = append(questions, *q)
		answering.Go(func() {
			if _, _, err := d.worker.Decide(t.Context(), q.ID, answer); err != nil {
				t.Errorf("the answer to %s: %v", q.ID, err)
			}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	answering.Wait()
	return out, questions
}

// TestWhatIsAsked counts the questions that a person is asked who runs each example with the
// input of README.md: one for the whole run, whatever its steps are, and none any more once
// they have said always.
func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	for id, row := range readme(t) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			for _, run := range []struct {
				answer    consent.Answer
				questions int
			}{
				{consent.Answer{Reason: "not today"}, 1},
				{consent.Answer{Allow: true}, 1},
				{consent.Answer{Allow: true, For: consent.Always}, 1},
				{consent.Answer{}, 0},
			} {
				out, questions := d.answering(t, id, row.input, run.answer)
				if len(questions) != run.questions {
					t.Errorf("%d questions after the answer %+v, want %d", len(questions), run.answer, run.questions)
				}
				denied := out.Failure != nil && out.Failure.Code == consent.CodeDenied
				if want := run.questions == 1 && !run.answer.Allow; denied != want {
					t.Errorf("the run is %s, %v after the answer %+v", out.Status, out.Failure, run.answer)
				}
				lacks := map[string]string{"digest-notes": "NO_NOTES", "search-and-file": "NOTHING_FOUND"}[id]
				if !denied && out.Status != flow.Succeeded && out.Failure.Code != lacks {
					t.Errorf("the run is %s, %v", out.Status, out.Failure)
				}
			}
		})
	}
}

// write changes the records of the store.
func (d desk) write(t *testing.T, change func(*local.Book) error) {
	t.Helper()
	err := d.store.Write(t.Context(), func(tx store.Tx) error {
		return change(local.NewBook(tx.Local(), d.clock.Now, d.newID))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read looks at the records of the store.
func (d desk) read(t *testing.T, look func(*local.Book) error) {
	t.Helper()
	err := d.store.Read(t.Context(), func(tx store.Tx) error {
		return look(local.NewBook(tx.Local(), d.clock.Now, d.newID))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// left counts what a person would find in the store.
func (d desk) left(t *testing.T) (records int) {
	t.Helper()
	d.read(t, func(book *local.Book) error {
		tasks, err := book.Tasks(t.Context(), local.List{})
		if err != nil {
			return err
		}
		notes, err := book.Notes(t.Context(), local.List{})
		if err != nil {
			return err
		}
		memories, err := book.Memories(t.Context(), local.List{})
		records = len(tasks.Records) + len(notes.Records) + len(memories.Records)
		return err
	})
	return records
}

// wantOutput checks the output of a run that succeeded, without the fields that are ids.
func wantOutput(t *testing.T, out worker.Outcome, want string, ids ...string) {
	t.Helper()
	if out.Status != flow.Succeeded {
		t.Fatalf("the run %s: %v", out.Status, out.Failure)
	}
	got := map[string]any{}
	for name, v := range out.Output.(map[string]any) {
		if !slices.Contains(ids, name) {
			got[name] = v
		}
	}
	wanted, err := value.Decode([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if !value.Equal(got, wanted) {
		t.Errorf("the output is %s, and it has to be %s", value.JSON(got), want)
	}
}

// wantNote checks the note that an output names.
func wantNote(t *testing.T, d desk, out worker.Outcome, title, content string) {
	t.Helper()
	output, _ := out.Output.(map[string]any)
	id, ok := output["note"].(string)
	if !ok {
		t.Fatalf("the run %s (%v), and its output names no note: %s", out.Status, out.Failure, value.JSON(out.Output))
	}
	d.read(t, func(book *local.Book) error {
		note, err := book.Note(t.Context(), id)
		if note.Title != title {
			t.Errorf("the title of the note is %q, and it has to be %q", note.Title, title)
		}
		if diff := cmp.Diff(content, note.Content); diff != "" {
			t.Errorf("the note (-want +got):\n%s", diff)
		}
		return err
	})
}
