package bench_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"toolsmith"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// fill keeps settled runs of 40 tasks each until there are as many tasks as asked for.
func fill(b *testing.B, folder string, tasks int) {
	b.Helper()
	ctx := context.Background()
	s, err := sqlite.Open(ctx, folder)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const perRun, perCommit = 40, 50
	now := time.Now()
	for at := 0; at < tasks; {
		err := s.Write(ctx, func(tx store.Tx) error {
			for range perCommit {
				if err := keepRun(ctx, tx, at, perRun, now); err != nil {
					return err
				}
				at += perRun
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// keepRun keeps one settled run: calls, each with its result.
func keepRun(ctx context.Context, tx store.Tx, number, tasks int, now time.Time) error {
	run := task.Run{ID: fmt.Sprintf("01FILL%020d", number), Title: "filled", Owner: "nobody", Status: task.RunRunning, CreatedAt: now}
	if err := tx.Graph().AddRun(ctx, run); err != nil {
		return err
	}
	if _, err := tx.Graph().Reserve(ctx, run.ID, run.Owner, tasks); err != nil {
		return err
	}
	placer := task.Placer{Now: now.UnixMilli()}
	chain := make([]task.Draft, tasks/2)
	for i := range chain {
		chain[i] = task.CallOf(task.Call{Name: "nothing", Arguments: map[string]any{"run": run.ID, "step": fmt.Sprint(i)}})
	}
	batch := placer.Place(task.Under{}, [][]task.Draft{chain})
	for i := range chain {
		batch.Executions[i].State = task.Done
		parent := batch.Tasks[i]
		batch.Add(placer.Place(task.Under{Parent: &parent}, [][]task.Draft{{task.ValueOf(run.ID)}}))
	}
	if err := tx.Graph().Append(ctx, run.ID, batch); err != nil {
		return err
	}
	run.Status, run.SettledAt, run.Tasks = task.RunSucceeded, &now, len(batch.Tasks)
	return tx.Graph().PutRun(ctx, run)
}

// BenchmarkStart measures from nothing to the end of a first call, what was left being taken
// up, and to closed again, over an empty store and over one with a million tasks; and one call
// of one step in each. STORE_BENCH_FULL="folder count" adds a store that BenchmarkFullStore of
// the driver has made.
func BenchmarkStart(b *testing.B) {
	folders := map[int]string{0: b.TempDir(), 1_000_000: b.TempDir()}
	for tasks, folder := range folders {
		fill(b, folder, tasks)
	}
	var full string
	var count int
	if _, err := fmt.Sscan(os.Getenv("STORE_BENCH_FULL"), &full, &count); err == nil {
		folders[count] = filepath.Join(full, strconv.Itoa(count))
	}
	for _, tasks := range slices.Sorted(maps.Keys(folders)) {
		folder := folders[tasks]
		b.Run(fmt.Sprintf("first call/tasks=%d", tasks), func(b *testing.B) {
			for b.Loop() {
				r := reopen(b, folder)
				serving, stop := context.WithCancel(context.Background())
				served := make(chan error)
				go func() { served <- r.Serve(serving) }()
				run(b, r, []tool.Chain{chainOf(1)})
				stop()
				<-served
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("call/tasks=%d", tasks), func(b *testing.B) {
			r := reopen(b, folder)
			defer r.Close()
			for b.Loop() {
				run(b, r, []tool.Chain{chainOf(1)})
			}
		})
	}
}

func reopen(b *testing.B, folder string) *toolsmith.Runtime {
	b.Helper()
	r, err := toolsmith.Open(context.Background(), toolsmith.Options{Data: folder})
	if err != nil {
		b.Fatal(err)
	}
	if err := r.Register(nothingTool()); err != nil {
		b.Fatal(err)
	}
	return r
}
