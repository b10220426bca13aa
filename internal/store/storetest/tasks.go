package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

func content(text string) task.Content { return task.NewContent(tool.TypeMessage, text) }

// node makes a task of a run, with the number in it, that has everything.
func node(run, seq int) task.Task {
	return task.Task{
		ID:      content(fmt.Sprint("task ", run, " ", seq)).ID,
		Content: content("text").ID, Prior: content("prior").ID, Parent: content("parent").ID,
		CreatedAt: noon.UnixMilli(), Role: tool.RoleTool, Type: tool.TypeTool,
		Seq: seq, Branch: 2, Depth: 3, Name: "a.tool", RunOn: tool.RunOnSettled, Step: "each[3].0",
	}
}

func execution(seq int) task.Execution {
	wake, started, finished := noon, noon.Add(time.Second), noon.Add(time.Minute)
	return task.Execution{
		Seq: seq, State: task.Waiting, Why: "why", Attempts: 4, WakeAt: &wake, StartedAt: &started, FinishedAt: &finished,
		Worker: "w1", Arguments: content("arguments").ID, Granted: "grant",
	}
}

func appendTo(n int, batch task.Batch) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Graph().Append(ctx, runID(n), batch) }
}

// graph is what a run consists of.
type graph struct {
	Tasks      []task.Task
	Executions []task.Execution
}

func expectGraph(t *testing.T, s store.Store, n int, want graph) {
	t.Helper()
	got := read(t, s, func(ctx context.Context, tx store.Tx) (got graph, err error) {
		got.Tasks, got.Executions, err = tx.Graph().Graph(ctx, runID(n))
		return got, err
	})
	if diff := difference(want, got); diff != "" {
		t.Errorf("run %d (-want +got):\n%s", n, diff)
	}
}

func tasksAreReserved(t *testing.T, s store.Store) {
	first := run(1, "w1")
	first.Tasks = 3
	write(t, s, addRuns(first, run(2, "w1")))
	for _, test := range []struct{ run, count, want int }{{1, 2, 3}, {1, 0, 5}, {1, 1, 5}, {1, 0, 6}, {2, 4, 0}, {1, 0, 6}} {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			got, err := reserve(test.run, "w1", test.count)(ctx, tx)
			if got != test.want {
				t.Errorf("%d of run %d begin at %d; want %d", test.count, test.run, got, test.want)
			}
			return err
		})
	}
	refused(t, s, errStop, func(ctx context.Context, tx store.Tx) error {
		if _, err := reserve(2, "w1", 10)(ctx, tx); err != nil {
			return err
		}
		return errStop
	})
	if first := read(t, s, reserve(2, "w1", 0)); first != 4 {
		t.Errorf("the next number is %d; want 4", first)
	}
}

func nodesAreKept(t *testing.T, s store.Store) {
	write(t, s, addRuns(run(1, "w1"), run(2, "w1")))
	bare := task.Task{ID: content("bare").ID, Content: content("text").ID, Role: tool.RoleUser, Type: tool.TypeMessage, Seq: 2}
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		if _, err := reserve(1, "w1", 3)(ctx, tx); err != nil {
			return err
		}
		return appendTo(1, task.Batch{
			Tasks:      []task.Task{bare, node(1, 0)},
			Executions: []task.Execution{{Seq: 1, State: task.Queued}, execution(0)},
		})(ctx, tx)
	})
	// Two runs in one transaction, and the first again.
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, one := range []struct{ run, seq int }{{2, 0}, {1, 1}} {
			if err := appendTo(one.run, task.Batch{Tasks: []task.Task{node(one.run, one.seq)}})(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	expectGraph(t, s, 1, graph{
		[]task.Task{node(1, 0), node(1, 1), bare},
		[]task.Execution{execution(0), {Seq: 1, State: task.Queued}},
	})
	expectGraph(t, s, 2, graph{Tasks: []task.Task{node(2, 0)}})
	expectGraph(t, s, 3, graph{})
}

func manyNodesAreKept(t *testing.T, s store.Store) {
	write(t, s, addRuns(run(1, "w1")))
	var want graph
	var contents []task.Content
	var ids []task.ID
	for n := range 450 {
		want.Tasks = append(want.Tasks, node(1, n))
		want.Executions = append(want.Executions, execution(n))
		contents = append(contents, content(fmt.Sprint(n)))
		ids = append(ids, contents[n].ID)
	}
	write(t, s, appendTo(1, task.Batch{Contents: contents, Tasks: want.Tasks, Executions: want.Executions}))
	expectGraph(t, s, 1, want)
	expectContents(t, s, 1, contents, append(ids, ids...))
}

func tasksAreUnique(t *testing.T, s store.Store) {
	write(t, s, addRuns(run(1, "w1"), run(2, "w1")))
	write(t, s, appendTo(1, task.Batch{Tasks: []task.Task{node(1, 0)}}))
	elsewhere, again := node(1, 0), node(1, 1)
	again.Seq = 0
	refused(t, s, task.ErrExists, appendTo(2, task.Batch{Tasks: []task.Task{node(2, 0), elsewhere}}))
	refused(t, s, task.ErrExists, appendTo(1, task.Batch{Tasks: []task.Task{again}}))
	expectGraph(t, s, 1, graph{Tasks: []task.Task{node(1, 0)}})
	expectGraph(t, s, 2, graph{})
}

func expectContents(t *testing.T, s store.Store, run int, want []task.Content, ids []task.ID) {
	t.Helper()
	got := read(t, s, func(ctx context.Context, tx store.Tx) ([]task.Content, error) {
		return tx.Graph().Contents(ctx, runID(run), ids)
	})
	byID := func(a, b task.Content) int { return bytes.Compare(a.ID[:], b.ID[:]) }
	want = slices.SortedFunc(slices.Values(want), byID)
	slices.SortFunc(got, byID)
	if diff := difference(want, got); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}

func contentsAreKept(t *testing.T, s store.Store) {
	first, second, third := content("first"), content("second"), task.NewContent(tool.TypeStructured, []any{})
	large, empty := content(strings.Repeat("large ", 100_000)), content("")
	write(t, s, addRuns(run(1, "w1"), run(2, "w1")))
	write(t, s, appendTo(1, task.Batch{Contents: []task.Content{first, large, second, first, large}}))
	for _, kept := range []task.Content{first, large} {
		kept.JSON = bytes.ReplaceAll(kept.JSON, []byte("r"), []byte("R")) // it is left as it is
		write(t, s, appendTo(1, task.Batch{Contents: []task.Content{kept, third}}))
	}
	write(t, s, appendTo(2, task.Batch{Contents: []task.Content{large, first, empty}}))
	expectContents(t, s, 1, []task.Content{first, large, third}, []task.ID{first.ID, content("none").ID, {}, large.ID, third.ID, first.ID})
	expectContents(t, s, 2, []task.Content{first, large, empty}, []task.ID{first.ID, large.ID, empty.ID})
	expectContents(t, s, 3, nil, []task.ID{first.ID}) // there is no such run
	expectContents(t, s, 1, nil, nil)
}

func executionsAreReplaced(t *testing.T, s store.Store) {
	put := func(n int, one task.Execution) func(context.Context, store.Tx) error {
		return func(ctx context.Context, tx store.Tx) error { return tx.Graph().PutExecution(ctx, runID(n), one) }
	}
	write(t, s, addRuns(run(1, "w1"), run(2, "w1")))
	write(t, s, appendTo(1, task.Batch{Executions: []task.Execution{{Seq: 0, State: task.Queued}, {Seq: 1, State: task.Queued}}}))
	write(t, s, put(1, execution(1)))
	write(t, s, put(2, execution(0)))
	expectGraph(t, s, 1, graph{Executions: []task.Execution{{Seq: 0, State: task.Queued}, execution(1)}})
	// The result of a call comes with its children.
	write(t, s, appendTo(1, task.Batch{Executions: []task.Execution{{Seq: 1, State: task.Done}, {Seq: 2, State: task.Queued}}}))
	expectGraph(t, s, 1, graph{Executions: []task.Execution{
		{Seq: 0, State: task.Queued}, {Seq: 1, State: task.Done}, {Seq: 2, State: task.Queued}}})
	expectGraph(t, s, 2, graph{Executions: []task.Execution{execution(0)}})
}

func tasksAreFound(t *testing.T, s store.Store) {
	write(t, s, addRuns(run(1, "w1"), run(2, "w1")))
	write(t, s, appendTo(2, task.Batch{Tasks: []task.Task{node(2, 0), node(2, 1)}}))
	type found struct {
		Task task.Task
		Run  string
		OK   bool
	}
	find := func(one task.Task) found {
		return read(t, s, func(ctx context.Context, tx store.Tx) (f found, err error) {
			f.Task, f.Run, f.OK, err = tx.Graph().Find(ctx, one.CreatedAt, one.ID)
			return f, err
		})
	}
	if diff := difference(found{node(2, 1), runID(2), true}, find(node(2, 1))); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if diff := difference(found{}, find(node(1, 1))); diff != "" {
		t.Errorf("a task that is not there (-want +got):\n%s", diff)
	}
}

func unknownRunsAreRefused(t *testing.T, s store.Store) {
	ctx := t.Context()
	for name, fn := range map[string]func(context.Context, store.Tx) error{
		"Append": appendTo(1, task.Batch{Tasks: []task.Task{node(1, 0)}}),
		"PutExecution": func(ctx context.Context, tx store.Tx) error {
			return tx.Graph().PutExecution(ctx, runID(1), execution(0))
		},
	} {
		if err := s.Write(ctx, func(tx store.Tx) error { return fn(ctx, tx) }); err == nil {
			t.Errorf("%s: a run that is not there was added to", name)
		}
	}
}

func failedBatchLeavesNothing(t *testing.T, s store.Store) {
	write(t, s, addRuns(run(1, "w1")))
	write(t, s, appendTo(1, task.Batch{Tasks: []task.Task{node(1, 0)}}))
	one := content("one")
	refused(t, s, task.ErrExists, appendTo(1, task.Batch{
		Contents: []task.Content{one}, Tasks: []task.Task{node(1, 1), node(1, 0)}, Executions: []task.Execution{execution(1)},
	}))
	expectContents(t, s, 1, nil, []task.ID{one.ID})
	expectGraph(t, s, 1, graph{Tasks: []task.Task{node(1, 0)}})
}
