package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite/dbsqlc"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// counter counts the statements of a transaction.
type counter struct {
	dbsqlc.DBTX
	texts []string
}

func (c *counter) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	c.texts = append(c.texts, text)
	return c.DBTX.ExecContext(ctx, text, args...)
}

func (c *counter) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	c.texts = append(c.texts, text)
	return c.DBTX.QueryContext(ctx, text, args...)
}

func (c *counter) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	c.texts = append(c.texts, text)
	return c.DBTX.QueryRowContext(ctx, text, args...)
}

// counted gives the names of the statements that fn needs.
func counted(t *testing.T, s *Store, fn func(tx store.Tx) error) (names []string) {
	t.Helper()
	count := &counter{}
	if err := s.Write(t.Context(), func(given store.Tx) error {
		inner := given.(tx)
		count.DBTX = inner.db
		inner.db, inner.query = count, dbsqlc.New(count)
		return fn(inner)
	}); err != nil {
		t.Fatal(err)
	}
	for _, text := range count.texts {
		names = append(names, strings.Fields(strings.TrimPrefix(text, named))[0])
	}
	return names
}

func TestAStepNeedsFewStatements(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	addRun(ctx, t, s, "run")
	expect := func(doing string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s needs %v; want %v", doing, got, want)
		}
	}
	var batch task.Batch
	for n := range 2 {
		content := task.NewContent(tool.TypeMessage, fmt.Sprint(n))
		batch.Contents = append(batch.Contents, content)
		batch.Tasks = append(batch.Tasks, task.Task{ID: content.ID, Seq: n})
	}
	batch.Executions = []task.Execution{{Seq: 0}}

	expect("a step", counted(t, s, func(tx store.Tx) error {
		if _, err := tx.Graph().Reserve(ctx, "run", "bench", 2); err != nil {
			return err
		}
		return tx.Graph().Append(ctx, "run", batch)
	}), "ReserveTasks", "AddContents", "AddTasks", "PutExecutions")
	expect("a change of two executions", counted(t, s, func(tx store.Tx) error {
		if _, err := tx.Graph().Reserve(ctx, "run", "bench", 0); err != nil {
			return err
		}
		return errors.Join(
			tx.Graph().PutExecution(ctx, "run", task.Execution{Seq: 0}),
			tx.Graph().PutExecution(ctx, "run", task.Execution{Seq: 1}))
	}), "OwnedRun", "PutExecutions", "PutExecutions")
	expect("what was not reserved", counted(t, s, func(tx store.Tx) error {
		return tx.Graph().PutExecution(ctx, "run", task.Execution{Seq: 1})
	}), "RunNumber", "PutExecutions")
	expect("the list of runs", counted(t, s, func(tx store.Tx) error {
		_, err := tx.Graph().ListRuns(ctx, task.Filter{Unsettled: true})
		return err
	}), "ListUnsettledRuns")
}

// heldUp gives a function that queues a write behind those before it, and one that lets all
// of them happen.
func heldUp(t *testing.T, s *Store) (add func(func(store.Tx) error, func(error)), goOn func()) {
	t.Helper()
	s.committer.longest = time.Hour // how busy the machine is must not split a group
	begun, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	var once sync.Once
	group.Go(func() {
		if err := s.Write(t.Context(), func(store.Tx) error {
			once.Do(func() { close(begun) })
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-begun
	add = func(fn func(store.Tx) error, told func(error)) {
		in := &asked{Context: t.Context(), waits: make(chan struct{})}
		group.Go(func() { told(s.Write(in, fn)) })
		<-in.waits
	}
	return add, func() {
		close(release)
		group.Wait()
	}
}

// asked is a context that tells when somebody waits for its end.
type asked struct {
	context.Context
	once  sync.Once
	waits chan struct{}
}

func (a *asked) Done() <-chan struct{} {
	a.once.Do(func() { close(a.waits) })
	return a.Context.Done()
}

func addNote(ctx context.Context, id, content string) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.Local().Notes().Put(ctx, local.Note{ID: id, Content: content}) }
}

// TestAFullDiskHurtsOnlyWhatIsTooLarge has one write of a group fail in a way in which SQLite
// may roll back all of them.
func TestAFullDiskHurtsOnlyWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, hidden := range []bool{false, true} {
		s := open(t, t.TempDir())
		var pages int
		if err := s.writer.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
			t.Fatal(err)
		}
		execute(t, s, fmt.Sprint("PRAGMA max_page_count = ", pages+8))
		add, goOn := heldUp(t, s)
		for n := range 5 {
			if n != 2 {
				add(addNote(ctx, fmt.Sprint(n), "small"), func(err error) {
					if err != nil {
						t.Errorf("note %d: %v", n, err)
					}
				})
				continue
			}
			add(func(tx store.Tx) error {
				err := addNote(ctx, "large", strings.Repeat("x", 1<<20))(tx)
				if hidden {
					_ = addNote(ctx, "after", "it must not be committed by itself")(tx)
					return nil
				}
				return err
			}, func(err error) { wantCode(t, err, store.CodeUnavailable) })
		}
		goOn()
		if count := countNotes(t, s); count != 4 {
			t.Errorf("%d notes; want 4", count)
		}
	}
}

// TestAGroupThatIsLostIsRunAgain ends the transaction under a group, as an error of the disk
// would.
func TestAGroupThatIsLostIsRunAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, within := range []int{0, 1, 2} {
		s := open(t, t.TempDir())
		add, goOn := heldUp(t, s)
		for n := range 3 {
			times := 0
			add(func(given store.Tx) error {
				times++
				if times == 1 && n == within {
					if _, err := given.(tx).db.ExecContext(ctx, "ROLLBACK"); err != nil {
						return err
					}
				}
				return addNote(ctx, fmt.Sprint(n), "x")(given)
			}, func(err error) {
				if err != nil {
					t.Errorf("with a loss in %d, write %d: %v", within, n, err)
				}
			})
		}
		goOn()
		if count := countNotes(t, s); count != 3 {
			t.Errorf("with a loss in %d: %d notes; want 3", within, count)
		}
	}
}

// TestAProcessThatIsWaitedFor has another one hold the store while writes are queued.
func TestAProcessThatIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	held, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if err := other.Write(t.Context(), func(store.Tx) error {
			close(held)
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-held
	// Nobody waits any more once its context has ended, not even Close.
	ctx, cancel := context.WithCancel(t.Context())
	in := &asked{Context: ctx, waits: make(chan struct{})}
	group.Go(func() {
		if err := putNote(in, s, "01"); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
	<-in.waits
	cancel()
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("closing waited %v for another process", took)
	}
	close(release)
	group.Wait()
}

func TestAConnectionKeepsItsStatements(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	kept := func() (count int) {
		conn, err := s.writer.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.Raw(func(driver any) error {
			count = len(driver.(*connection).kept)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return count
	}
	for range 3 {
		if err := putNote(ctx, s, "01"); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept(); got != 3 { // BEGIN, COMMIT and the note
		t.Errorf("%d statements are kept; want 3", got)
	}
	execute(t, s, "PRAGMA user_version = 1")
	for n := range 2 * mostKept {
		execute(t, s, named+fmt.Sprintf("S%d\nSELECT %d", n, n))
	}
	if got := kept(); got != mostKept {
		t.Errorf("%d statements are kept; want %d", got, mostKept)
	}

	// A statement can be begun again while its rows are read.
	tx, err := s.reader.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	var count func(depth int) int
	count = func(depth int) (all int) {
		rows, err := tx.QueryContext(ctx, named+"Some\nSELECT 1 UNION SELECT 2")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			all++
			if depth > 1 {
				all += count(depth - 1)
			}
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
		return all
	}
	for range 2 {
		if got := count(3); got != 14 {
			t.Errorf("%d rows; want 14", got)
		}
	}
}
