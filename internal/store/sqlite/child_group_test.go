package sqlite

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

// writeInGroups writes from many goroutines, a note and a line of the audit each time, and
// says what is done.
func writeInGroups(ctx context.Context, s *Store) error {
	const writers = 32
	errs := make(chan error, writers)
	for writer := range writers {
		go func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), writer, n)
				err := s.Write(ctx, func(tx store.Tx) error {
					if err := tx.Local().Notes().Put(ctx, local.Note{ID: id}); err != nil {
						return err
					}
					if n%5 == 4 { // it fails, with others in its group
						return errStop
					}
					return tx.Registry().AppendAudit(ctx, registry.AuditLine{ToolID: id})
				})
				if err != nil && !errors.Is(err, errStop) {
					errs <- err
					return
				}
				if err == nil {
					_, _ = io.WriteString(os.Stdout, "done "+id+"\n")
				}
			}
		}()
	}
	return <-errs
}

var errStop = errors.New("stop")

// TestAKilledGroupKeepsWhatWasAcknowledged kills a process whose writes share commits.
func TestAKilledGroupKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	const kills = 6
	random := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	var done []string
	for range kills {
		done = append(done, killGroup(t, dir, 20+random.IntN(200), time.Duration(random.IntN(4000))*time.Microsecond)...)
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		var verdict string
		if err := s.writer.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
			t.Errorf("the database is not whole: %s, %v", verdict, err)
		}
		var notes, both int
		if err := s.writer.QueryRowContext(ctx, "SELECT count(*), (SELECT count(*) FROM notes JOIN audit ON audit.tool_id = notes.id) FROM notes").
			Scan(&notes, &both); err != nil || notes != both || notes < len(done) {
			t.Errorf("%d notes, %d of them in the audit; %d were done (%v)", notes, both, len(done), err)
		}
		kept, err := json.Marshal(done)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.writer.QueryRowContext(ctx, "SELECT count(*) FROM json_each(?) JOIN notes ON notes.id = value", string(kept)).
			Scan(&notes); err != nil || notes != len(done) {
			t.Errorf("of %d notes that were acknowledged %d are there (%v)", len(done), notes, err)
		}
		if found, sum := verified(t, s); slices.ContainsFunc(found, func(f string) bool { return f != "file 0–0?" }) || sum.Lines != int64(both) {
			t.Errorf("the audit has %v, and %d lines; want %d", found, sum.Lines, both)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killGroup kills a child a moment after it has said that so many writes are done, and gives
// all that it said. The moment only spreads the kills.
func killGroup(t *testing.T, dir string, after int, moment time.Duration) (done []string) {
	t.Helper()
	writer := child(t, roleGroup, dir)
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(output)
	for {
		line, err := said.ReadString('\n')
		if err != nil { // half a line was not said
			break
		}
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "done "); ok {
			done = append(done, id)
		}
		if after--; after == 0 {
			time.AfterFunc(moment, func() { _ = writer.Process.Kill() })
		}
	}
	if err := writer.Wait(); err == nil || after > 0 {
		t.Fatalf("the child ended before it was killed: %v", err)
	}
	return done
}

// leaseByHand takes a lease and says its id. It says each message that it gets, and sends
// what it reads: an owner and a message in each line.
func leaseByHand(ctx context.Context, s *Store) error {
	l, err := s.Lease(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "lease", l.ID())
	var group sync.WaitGroup
	group.Go(func() {
		for message := range l.Messages() {
			fmt.Fprintln(os.Stdout, "got", message)
		}
	})
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		owner, message, _ := strings.Cut(input.Text(), " ")
		if err := l.Notify(owner, message); err != nil {
			return err
		}
	}
	err = l.Close()
	group.Wait()
	return err
}

// worker is another process with a lease.
type worker struct {
	process *exec.Cmd
	input   io.WriteCloser
	said    *bufio.Scanner
	id      string
}

func startWorker(t *testing.T, dir string) *worker {
	t.Helper()
	w := &worker{process: child(t, roleLease, dir)}
	output, err := w.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if w.input, err = w.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := w.process.Start(); err != nil {
		t.Fatal(err)
	}
	w.said = bufio.NewScanner(output)
	w.id = w.hears(t, "lease")
	return w
}

// hears gives what the worker says after a word.
func (w *worker) hears(t *testing.T, word string) string {
	t.Helper()
	for w.said.Scan() {
		if rest, ok := strings.CutPrefix(w.said.Text(), word+" "); ok {
			return rest
		}
	}
	t.Fatalf("the process did not say %q", word)
	return ""
}

func leaseOf(t *testing.T, s *Store) store.Lease {
	t.Helper()
	l, err := s.Lease(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func wantAlive(t *testing.T, by store.Lease, owner string, want bool) {
	t.Helper()
	if alive, err := by.Alive(owner); alive != want || err != nil {
		t.Errorf("%s is alive: %v, %v; want %v", owner, alive, err, want)
	}
}

// workerFiles gives the names of the files of leases in a folder.
func workerFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasPrefix(file.Name(), filePrefix) {
			names = append(names, file.Name())
		}
	}
	return names
}

func TestProcessesNotifyEachOther(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"here":        t.TempDir(),
		"a long path": filepath.Join(t.TempDir(), strings.Repeat("long", 40)),
	} {
		s := open(t, dir)
		mine := leaseOf(t, s)
		other := startWorker(t, dir)
		wantAlive(t, mine, other.id, true)
		for n := range 100 {
			message := fmt.Sprint(name, n)
			if err := mine.Notify(other.id, message); err != nil {
				t.Fatal(err)
			}
			if got := other.hears(t, "got"); got != message {
				t.Errorf("it got %q; want %q", got, message)
			}
		}
		fmt.Fprintln(other.input, mine.ID(), "back")
		if got := <-mine.Messages(); got != "back" {
			t.Errorf("the answer is %q", got)
		}
		if err := other.input.Close(); err != nil {
			t.Error(err)
		}
		if err := other.process.Wait(); err != nil {
			t.Error(err)
		}
		wantAlive(t, mine, other.id, false)
		if files := workerFiles(t, dir); len(files) != 2 {
			t.Errorf("of one lease there are the files %v", files)
		}
	}
}

// TestAKillEndsALease kills processes that have a lease. It is the system that frees it.
func TestAKillEndsALease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	mine := leaseOf(t, s)
	ask := []func(id string){
		func(id string) { wantAlive(t, mine, id, false) },
		func(id string) {
			if err := mine.Notify(id, "x"); !errors.Is(err, store.ErrGone) {
				t.Errorf("a message to a process that was killed: %v", err)
			}
		},
	}
	for n := range 6 {
		other := startWorker(t, dir)
		wantAlive(t, mine, other.id, true)
		if err := other.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = other.process.Wait()
		ask[n%2](other.id)
		ask[1-n%2](other.id)
	}
	if files := workerFiles(t, dir); len(files) != 2 {
		t.Errorf("of one lease there are the files %v", files)
	}
}

// TestFilesThatWereLeftAreRemoved has a process die of which nobody asks any more.
func TestFilesThatWereLeftAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	for range 2 {
		other := startWorker(t, dir)
		if err := other.process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = other.process.Wait()
	}
	strange := filepath.Join(dir, filePrefix+"not-mine"+lockSuffix)
	if err := os.WriteFile(strange, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	young := leaseOf(t, s)
	if files := workerFiles(t, dir); len(files) != 7 {
		t.Errorf("files that may be of a lease that is being taken are gone: %v", files)
	}
	old := time.Now().Add(-2 * beingMade)
	for _, name := range workerFiles(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	leaseOf(t, s)
	if files := workerFiles(t, dir); len(files) != 5 {
		t.Errorf("of two leases and what is not ours there are the files %v", files)
	}
	wantAlive(t, young, young.ID(), true)
}
