package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

func graphTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"a run is kept with all that it has":       runsAreKept,
		"what may change of a run changes":         runsChange,
		"a run is changed by its owner only":       runsBelongToOwners,
		"a run and a key are there once":           runsAreUnique,
		"runs are listed newest first, in pages":   runsAreListed,
		"runs go from one owner to another":        runsAreTaken,
		"a run is asked to stop once":              runsAreAskedToStop,
		"numbers of tasks are given out once":      tasksAreReserved,
		"tasks are kept in their order":            nodesAreKept,
		"any number of tasks is added at once":     manyNodesAreKept,
		"a task is there once":                     tasksAreUnique,
		"a content is kept once":                   contentsAreKept,
		"an execution replaces the one before":     executionsAreReplaced,
		"a task is found with its run":             tasksAreFound,
		"nothing is added to a run that is not":    unknownRunsAreRefused,
		"a batch that fails leaves nothing behind": failedBatchLeavesNothing,
	}
}

func runID(n int) string { return fmt.Sprintf("01JE%022d", n) }

// run makes a run of an owner that has nothing but what it must.
func run(n int, owner string) task.Run {
	return task.Run{ID: runID(n), Owner: owner, Status: task.RunRunning, CreatedAt: noon}
}

// fullRun makes a run that has everything.
func fullRun(n int) task.Run {
	settled, cancelled := noon.Add(time.Second), noon.Add(2*time.Second)
	return task.Run{
		ID: runID(n), Title: "title", Caller: "cli", Key: fmt.Sprint("key", n), Digest: "digest", Entry: "assistant", Pin: 7,
		Files:  map[string][]byte{"a": []byte("manifest\x00"), "b": {}, "c": []byte("manifest\x00")},
		Limits: task.Limits{Tasks: 1, Depth: 2, ResultTasks: 3, Errors: 4, Time: 5, CallTime: time.Hour, Arguments: 7, Result: 8},
		Owner:  "w1", Status: task.RunFailed,
		Failure: &task.Failure{Code: "CODE", Message: "message", Details: map[string]any{
			"list": []any{json.Number("12345678901234567890.5"), nil, true, "\u00e9"}}},
		CreatedAt: noon, SettledAt: &settled, CancelledAt: &cancelled, Tasks: 9, Errors: 3,
		From: task.NewContent(tool.TypeMessage, "from").ID,
	}
}

func addRuns(runs ...task.Run) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		for _, one := range runs {
			if err := tx.Graph().AddRun(ctx, one); err != nil {
				return err
			}
		}
		return nil
	}
}

func putRun(run task.Run) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Graph().PutRun(ctx, run) }
}

func found1[T any](value T, ok bool, err error) (T, error) {
	if err == nil && !ok {
		err = fmt.Errorf("it is missing")
	}
	return value, err
}

func expectRun(t *testing.T, s store.Store, want task.Run) {
	t.Helper()
	got := read(t, s, func(ctx context.Context, tx store.Tx) (task.Run, error) { return found1(tx.Graph().Run(ctx, want.ID)) })
	if diff := difference(want, got); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
}

func runsAreKept(t *testing.T, s store.Store) {
	plain, full, other := run(1, "w1"), fullRun(2), fullRun(3)
	other.Failure = &task.Failure{Message: "without details"}
	write(t, s, addRuns(plain, full, other))
	expectRun(t, s, plain)
	expectRun(t, s, full)
	expectRun(t, s, other)
	byKey := read(t, s, func(ctx context.Context, tx store.Tx) (task.Run, error) {
		return found1(tx.Graph().RunByKey(ctx, "cli", "key2"))
	})
	if diff := difference(full, byKey); diff != "" {
		t.Errorf("run by its key (-want +got):\n%s", diff)
	}
	for _, none := range []func(context.Context, store.Tx) (bool, error){
		func(ctx context.Context, tx store.Tx) (bool, error) { return missing(tx.Graph().Run(ctx, runID(9))) },
		func(ctx context.Context, tx store.Tx) (bool, error) {
			return missing(tx.Graph().RunByKey(ctx, "go", "key2"))
		},
		func(ctx context.Context, tx store.Tx) (bool, error) { return missing(tx.Graph().RunByKey(ctx, "", "")) },
	} {
		if !read(t, s, none) {
			t.Error("a run was found that is not there")
		}
	}
}

func runsChange(t *testing.T, s store.Store) {
	first := run(1, "w1")
	write(t, s, addRuns(first))
	changed := fullRun(1)
	write(t, s, putRun(changed))
	want := first
	want.Status, want.Failure, want.SettledAt, want.CancelledAt = changed.Status, changed.Failure, changed.SettledAt, changed.CancelledAt
	want.Tasks, want.Errors = changed.Tasks, changed.Errors
	expectRun(t, s, want)

	changed.Failure, changed.SettledAt, changed.Status, changed.Errors = nil, nil, task.RunWaiting, 0
	write(t, s, putRun(changed))
	want.Failure, want.SettledAt, want.Status, want.Errors = nil, nil, task.RunWaiting, 0
	expectRun(t, s, want)

	// What its owner may not know of yet stays: that it is to stop, and that numbers were given out.
	changed.CancelledAt, changed.Tasks = nil, 2
	write(t, s, putRun(changed))
	expectRun(t, s, want)
}

func reserve(n int, owner string, count int) func(context.Context, store.Tx) (int, error) {
	return func(ctx context.Context, tx store.Tx) (int, error) {
		return tx.Graph().Reserve(ctx, runID(n), owner, count)
	}
}

func runsBelongToOwners(t *testing.T, s store.Store) {
	first := run(1, "w1")
	write(t, s, addRuns(first))
	other := first
	other.Owner, other.Status = "w2", task.RunSucceeded
	refused(t, s, task.ErrNotOwner, putRun(other))
	refused(t, s, task.ErrNotOwner, putRun(run(2, "w1")))
	for _, count := range []int{0, 1} {
		for _, to := range []func(context.Context, store.Tx) (int, error){reserve(1, "w2", count), reserve(2, "w1", count)} {
			refused(t, s, task.ErrNotOwner, func(ctx context.Context, tx store.Tx) error { return failed(to(ctx, tx)) })
		}
	}
	expectRun(t, s, first)
}

func runsAreUnique(t *testing.T, s store.Store) {
	first, second := run(1, "w1"), run(2, "w1")
	first.Caller, first.Key = "cli", "key"
	second.Caller, second.Key = "cli", "key"
	write(t, s, addRuns(first))
	refused(t, s, task.ErrExists, addRuns(run(1, "w2")))
	refused(t, s, task.ErrExists, addRuns(second))
	second.Caller = "go"
	third, fourth := run(3, "w1"), run(4, "w1")
	third.Caller, fourth.Caller = "cli", "cli"
	write(t, s, addRuns(second, third, fourth))
	expectRun(t, s, second)
}

func runsAreListed(t *testing.T, s store.Store) {
	settled := noon
	for n := 1; n <= 6; n++ {
		one := run(n, fmt.Sprint("w", n%2))
		if n <= 2 {
			one.SettledAt, one.Status = &settled, task.RunSucceeded
		}
		if n%3 == 0 {
			one.Caller = "program"
		}
		if n == 5 {
			one.Files = map[string][]byte{"a": []byte("x")}
		}
		write(t, s, addRuns(one))
	}
	other := run(7, "w1")
	other.ID = "01JF" + other.ID[4:]
	write(t, s, addRuns(other))
	for name, test := range map[string]struct {
		filter task.Filter
		want   []int
	}{
		"all":                   {task.Filter{}, []int{7, 6, 5, 4, 3, 2, 1}},
		"cut":                   {task.Filter{Limit: 2}, []int{7, 6}},
		"the next page":         {task.Filter{Limit: 2, Before: runID(6)}, []int{5, 4}},
		"unsettled":             {task.Filter{Unsettled: true}, []int{7, 6, 5, 4, 3}},
		"unsettled, cut":        {task.Filter{Unsettled: true, Limit: 2, Before: runID(6)}, []int{5, 4}},
		"of an owner":           {task.Filter{Owner: "w1"}, []int{7, 5, 3, 1}},
		"unsettled of an owner": {task.Filter{Owner: "w1", Unsettled: true}, []int{7, 5, 3}},
		"and cut":               {task.Filter{Owner: "w1", Unsettled: true, Limit: 1, Before: other.ID}, []int{5}},
		"of nobody":             {task.Filter{Owner: "w3"}, nil},
		"of a caller":           {task.Filter{Caller: "program"}, []int{6, 3}},
		"of a caller, cut":      {task.Filter{Caller: "program", Limit: 1, Before: runID(6)}, []int{3}},
		"unsettled of a caller": {task.Filter{Caller: "program", Unsettled: true, Limit: 1}, []int{6}},
		"of both":               {task.Filter{Caller: "program", Owner: "w1", Unsettled: true}, []int{3}},
		"of both, settled":      {task.Filter{Caller: "program", Owner: "w0"}, []int{6}},
		"of no caller":          {task.Filter{Caller: "other"}, nil},
		"with a prefix":         {task.Filter{Prefix: "01JF"}, []int{7}},
		"a whole id":            {task.Filter{Prefix: runID(4)}, []int{4}},
		"prefix and unsettled":  {task.Filter{Prefix: "01JE", Unsettled: true, Owner: "w0"}, []int{6, 4}},
		"prefix and before":     {task.Filter{Prefix: "01JE", Before: runID(3)}, []int{2, 1}},
		"nothing before it":     {task.Filter{Prefix: "01JF", Before: runID(3)}, nil},
	} {
		runs := read(t, s, func(ctx context.Context, tx store.Tx) ([]task.Run, error) {
			return tx.Graph().ListRuns(ctx, test.filter)
		})
		var got []int
		for _, one := range runs {
			var n int
			if _, err := fmt.Sscanf(one.ID[4:], "%d", &n); err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
			if (n == 5) != (len(one.Files) == 1) {
				t.Errorf("%s: run %d has the files %v", name, n, one.Files)
			}
		}
		if diff := difference(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func owners(ctx context.Context, tx store.Tx) ([]string, error) { return tx.Graph().Owners(ctx) }

func runsAreTaken(t *testing.T, s store.Store) {
	settled := run(2, "w1")
	settled.SettledAt = &settled.CreatedAt
	write(t, s, addRuns(run(4, "w1"), run(1, "w1"), settled, run(3, "w2"), run(5, "w1")))
	if diff := difference([]string{"w1", "w2"}, sorted(read(t, s, owners))); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	take := func(from, to string, want ...string) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			got, err := tx.Graph().TakeRuns(ctx, from, to)
			if diff := difference(want, got); diff != "" {
				t.Errorf("from %s to %s (-want +got):\n%s", from, to, diff)
			}
			return err
		})
	}
	take("w1", "w3", runID(1), runID(4), runID(5))
	take("w1", "w3")
	take("w2", "w3", runID(3))
	if diff := difference([]string{"w3"}, read(t, s, owners)); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	expectRun(t, s, settled)
	expectRun(t, s, run(3, "w3"))
	refused(t, s, task.ErrNotOwner, putRun(run(4, "w1")))
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}

func runsAreAskedToStop(t *testing.T, s store.Store) {
	first, other := run(1, "w1"), run(2, "w1")
	write(t, s, addRuns(first, other))
	for _, at := range []time.Time{noon, noon.Add(time.Hour)} {
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Graph().AskCancel(ctx, first.ID, at) })
	}
	write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Graph().AskCancel(ctx, runID(9), noon) })
	first.CancelledAt = &first.CreatedAt
	expectRun(t, s, first)
	expectRun(t, s, other)
}
