package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// A step here is what a run keeps when a call has ended: two contents, two tasks, and two
// executions, in three statements; our own also reserves the numbers of the tasks.

// steps makes the steps of one run.
type steps struct {
	run   string
	total *atomic.Int64 // of all runs, so that no two steps have the same content
	seq   int
}

func (s *steps) next() task.Batch {
	n := s.total.Add(1)
	batch := task.Batch{}
	for i := range 2 {
		content := task.NewContent(tool.TypeToolResult, fmt.Sprintf("result %d of step %d, as long as many are", i, n))
		one := task.Task{
			Content: content.ID, CreatedAt: n, Role: tool.RoleTool, Type: tool.TypeToolResult,
			Seq: s.seq + i, Name: "notes.list", RunOn: tool.RunOnSuccess,
		}
		one.ID = task.NewContent(tool.TypeMessage, fmt.Sprint("task ", i, n)).ID
		one.Prior, one.Parent = one.ID, content.ID
		batch.Contents = append(batch.Contents, content)
		batch.Tasks = append(batch.Tasks, one)
		at := time.UnixMicro(n)
		batch.Executions = append(batch.Executions, task.Execution{
			Seq: s.seq + i, State: task.Done, Attempts: 1, StartedAt: &at, FinishedAt: &at, Worker: s.run,
		})
	}
	s.seq += 2
	return batch
}

func addRun(ctx context.Context, tb testing.TB, s store.Store, id string) {
	tb.Helper()
	if err := s.Write(ctx, func(tx store.Tx) error {
		return tx.Graph().AddRun(ctx, task.Run{ID: id, Owner: "bench", Status: task.RunRunning})
	}); err != nil {
		tb.Fatal(err)
	}
}

// perSecond reports how many steps there were.
func perSecond(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkWrite measures steps of the store by 1, 16 and 128 runs at once.
func BenchmarkWrite(b *testing.B) {
	for _, writers := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s, err := Open(b.Context(), b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			writeSteps(b, s, writers)
		})
	}
}

func writeSteps(b *testing.B, s *Store, writers int) {
	b.Helper()
	ctx := b.Context()
	var total atomic.Int64
	total.Store(time.Now().UnixMicro()) // other steps than those of an earlier round
	var left atomic.Int64
	left.Store(int64(b.N))
	var group sync.WaitGroup
	all := make([]*steps, writers)
	for i := range all {
		all[i] = &steps{run: fmt.Sprintf("run-%d-%d", total.Load(), i), total: &total}
		addRun(ctx, b, s, all[i].run)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for _, one := range all {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				batch := one.next()
				if err := s.Write(ctx, func(tx store.Tx) error {
					if _, err := tx.Graph().Reserve(ctx, one.run, "bench", 2); err != nil {
						return err
					}
					return tx.Graph().Append(ctx, one.run, batch)
				}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	perSecond(b)
}

// BenchmarkDriver measures the same rows by the driver alone: one connection, prepared
// statements, no function in between, and 1, 16 or 128 steps in one commit.
func BenchmarkDriver(b *testing.B) {
	for _, size := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("group=%d", size), func(b *testing.B) {
			s, err := Open(b.Context(), b.TempDir()) // for its tables
			if err != nil {
				b.Fatal(err)
			}
			path := s.path
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			driveSteps(b, path, size)
		})
	}
}

func driveSteps(b *testing.B, path string, size int) {
	b.Helper()
	ctx := b.Context()
	db, err := sql.Open("sqlite", "file:"+path+"?"+settings(true).Encode())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	var prepared []*sql.Stmt
	defer func() {
		for _, one := range prepared {
			one.Close()
		}
	}()
	for _, each := range []bulk{addContents(), addTasks(), putExecutions()} {
		one, err := conn.PrepareContext(ctx, each.text(2)) //nolint:sqlclosecheck // all are closed at the end
		if err != nil {
			b.Fatal(err)
		}
		prepared = append(prepared, one)
	}
	var total atomic.Int64
	all := make([]*steps, size)
	for i := range all {
		all[i] = &steps{run: strconv.Itoa(i), total: &total}
	}
	background := context.Background()
	must := func(_ sql.Result, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += size {
		must(conn.ExecContext(background, "BEGIN IMMEDIATE"))
		for i := range min(size, b.N-n) {
			batch := all[i].next()
			must(prepared[0].ExecContext(background, flatten(batch.Contents, contentValues(int64(i)))...))
			must(prepared[1].ExecContext(background, flatten(batch.Tasks, taskValues(int64(i)))...))
			must(prepared[2].ExecContext(background, flatten(batch.Executions, executionValues(int64(i)))...))
		}
		must(conn.ExecContext(background, "COMMIT"))
	}
	perSecond(b)
}

func flatten[T any](items []T, values func([]any, *T) []any) (all []any) {
	for i := range items {
		all = values(all, &items[i])
	}
	return all
}

// fullVariable names a folder that keeps a store with as many tasks as its second word says:
// it takes minutes to make, so that it is kept. Without it there is nothing to measure.
const fullVariable = "STORE_BENCH_FULL"

// BenchmarkFullStore measures steps in a store that has many tasks already, by a file that
// is made once.
func BenchmarkFullStore(b *testing.B) {
	var dir string
	var count int
	if _, err := fmt.Sscan(os.Getenv(fullVariable), &dir, &count); err != nil {
		b.Skipf("set %s=\"folder 10000000\"", fullVariable)
	}
	s, err := Open(b.Context(), filepath.Join(dir, strconv.Itoa(count)))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	fill(b, s, count)
	for _, writers := range []int{1, 128} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) { writeSteps(b, s, writers) })
	}
}

// fill makes runs of 100 tasks each until there are as many as wanted. Of nine tenths the
// indexes are made at once, which is quick; the rest is added one by one, so that the pages
// of the indexes are about as full as they are when all of them were.
func fill(b *testing.B, s *Store, count int) {
	b.Helper()
	ctx := b.Context()
	var there int
	if err := s.writer.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&there); err != nil {
		b.Fatal(err)
	}
	if there*100 >= count {
		return
	}
	do := func(text string, args ...any) {
		if _, err := s.writer.ExecContext(ctx, text, args...); err != nil {
			b.Fatalf("%s: %v", text, err)
		}
	}
	const from, to = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2 - 1) ", " FROM n"
	add := func(first, next int) {
		do(from+`INSERT INTO runs (id, title, caller, call_key, digest, entry, pin, files, limits, owner, status,
			created_at, settled_at, tasks, errors)
			SELECT printf('01%024d', i), 'a title', 'cli', '', '', '', 0, 0, '{}', 'bench', 'succeeded', i, i, 100, 0`+to,
			first/100, next/100)
		do(from+`INSERT INTO run_tasks SELECT 1 + i / 100, i % 100, randomblob(32), randomblob(32), randomblob(32), randomblob(32), i,
			'tool', 'toolresult', 0, 1, 'notes.list', 'success', ''`+to, first, next)
		do(from+`INSERT INTO run_executions SELECT 1 + i / 100, i % 100, 'done', '', 1, NULL, i, i,
			'01JDXXXXXXXXXXXXXXXXXXXXXX', NULL, ''`+to, first, next)
		do(from+`INSERT INTO run_contents
			SELECT 1 + i / 100, randomblob(32), 'toolresult', CAST('"result of a step, as long as many are"' AS BLOB)`+to, first, next)
	}
	do("PRAGMA cache_size = -4000000")
	do("DROP INDEX run_tasks_by_time")
	add(0, count/1000*900)
	do("CREATE UNIQUE INDEX run_tasks_by_time ON run_tasks (created_at, id)")
	add(count/1000*900, count)
	do("PRAGMA wal_checkpoint(TRUNCATE)")
	do(fmt.Sprint("PRAGMA cache_size = ", -cacheKiB))
}
