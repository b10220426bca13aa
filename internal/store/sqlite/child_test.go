package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

// The test binary runs itself as a child where a test needs another process. What the
// child is to do, and in which folder, it reads from its environment.
const (
	roleVariable   = "STORE_TEST_ROLE"
	folderVariable = "STORE_TEST_FOLDER"

	roleOpen  = "open"  // opens the store and adds one note
	roleWrite = "write" // writes until it is killed
	roleGroup = "group" // writes from many goroutines until it is killed
	roleAudit = "audit" // appends some lines to the audit
	roleLease = "lease" // takes a lease, and says and hears what it is told to
)

func child(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary)
	command.Env = append(os.Environ(), roleVariable+"="+role, folderVariable+"="+dir)
	command.Stderr = os.Stderr
	return command
}

// runChild gives the exit code of the child.
func runChild(role string) int {
	ctx, dir := context.Background(), os.Getenv(folderVariable)
	prepareChild()
	fmt.Fprintln(os.Stdout, "opening")
	s, err := Open(ctx, dir)
	if err == nil {
		switch role {
		case roleOpen:
			err = putNote(ctx, s, strconv.Itoa(os.Getpid()))
			fmt.Fprintln(os.Stdout, "written")
			// The files beside the database are there until it is closed.
			_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
			err = errors.Join(err, s.Close())
		case roleWrite:
			err = writeForEver(ctx, s)
		case roleGroup:
			err = writeInGroups(ctx, s)
		case roleAudit:
			_, err = appendTogether(ctx, s, "child")
			err = errors.Join(err, s.Close())
		case roleLease:
			err = errors.Join(leaseByHand(ctx, s), s.Close())
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n", err, errors.Unwrap(err))
		return 1
	}
	return 0
}

// writeForEver installs tools and writes notes, one number after the other, and says
// before and after each what it does.
func writeForEver(ctx context.Context, s *Store) error {
	for n := 1; ; n++ {
		var last int
		if err := s.Read(ctx, func(tx store.Tx) (err error) {
			last, err = lastInstalled(ctx, tx)
			return err
		}); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, "begin", last+1)
		if err := s.Write(ctx, func(tx store.Tx) error { return install(ctx, tx, last+1) }); err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, "done", last+1)
	}
}

// install writes what belongs to number n: a tool with its version and audit line, and
// a note with its history.
func install(ctx context.Context, tx store.Tx, n int) error {
	name, at := toolName(n), time.Unix(int64(n), 0)
	if err := tx.Registry().PutVersion(ctx, registry.Version{
		ToolID: name, Version: 1, Text: []byte(strings.Repeat(name, 500)), InstalledAt: at,
	}); err != nil {
		return err
	}
	if err := tx.Registry().PutTool(ctx, registry.Tool{ID: name, Active: 1, NameKey: name, ChangedAt: at}); err != nil {
		return err
	}
	if err := tx.Registry().AppendAudit(ctx, registry.AuditLine{At: at, Action: "install", ToolID: name, Version: 1}); err != nil {
		return err
	}
	book := local.NewBook(tx.Local(), func() time.Time { return at }, func() string { return noteID(n) })
	if _, err := book.CreateNote(ctx, local.NewNote{Title: name, Content: name}); err != nil {
		return err
	}
	_, err := book.CreateMemory(ctx, local.NewMemory{Title: name, Content: "tea"})
	return err
}

func toolName(n int) string { return fmt.Sprintf("tool-%06d", n) }
func noteID(n int) string   { return fmt.Sprintf("01JD%022d", n) }

func lastInstalled(ctx context.Context, tx store.Tx) (int, error) {
	tools, err := tx.Registry().Tools(ctx)
	return len(tools), err
}

func TestManyProcessesCanOpenANewStore(t *testing.T) {
	t.Parallel()
	openByMany(t, filepath.Join(t.TempDir(), "data"))
}

func TestManyProcessesCanBringAStoreUpToDate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := connect(filepath.Join(dir, FileName), settings(true), 1)
	if err != nil {
		t.Fatal(err)
	}
	migrations, err := migrationsOf(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.UpTo(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openByMany(t, dir)
}

// openByMany has many processes open a store and write a note each, all at once.
func openByMany(t *testing.T, dir string) {
	t.Helper()
	const processes = 6
	var children []*exec.Cmd
	for range processes {
		one := child(t, roleOpen, dir)
		if err := one.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, one)
	}
	for _, one := range children {
		if err := one.Wait(); err != nil {
			t.Errorf("a process failed: %v", err)
		}
	}
	if count := countNotes(t, open(t, dir)); count != processes {
		t.Errorf("%d notes; want %d", count, processes)
	}
}

// TestAKilledWriterLeavesAllOrNothing kills a process that writes, again and again, and
// looks each time at what it left.
func TestAKilledWriterLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	const kills = 40
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for range kills {
		begun, done := killAfter(t, dir, "begin", 1+random.IntN(12), time.Duration(random.IntN(4000))*time.Microsecond)
		checkLeft(t, dir, begun, done)
		if t.Failed() {
			return
		}
	}
}

// TestAKillWhileANewStoreIsMade kills a process while it makes the database.
func TestAKillWhileANewStoreIsMade(t *testing.T) {
	t.Parallel()
	const kills = 10
	random := rand.New(rand.NewPCG(3, 4))
	for range kills {
		dir := filepath.Join(t.TempDir(), "data")
		begun, done := killAfter(t, dir, "opening", 1, time.Duration(random.IntN(30))*time.Millisecond)
		checkLeft(t, dir, begun, done)
		if t.Failed() {
			return
		}
	}
}

// killAfter runs a child that writes, and kills it a moment after it has said a word the
// given number of times. Nothing waits for that moment: it only spreads the kills over
// what the child does next. It gives the last number that the child said to begin, and to have
// done; 0 for none.
func killAfter(t *testing.T, dir, word string, times int, moment time.Duration) (begun, done int) {
	t.Helper()
	writer := child(t, roleWrite, dir)
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(output)
	for said.Scan() {
		what, number, _ := strings.Cut(said.Text(), " ")
		n, _ := strconv.Atoi(number)
		switch what {
		case "begin":
			begun = n
		case "done":
			done = n
		}
		if what != word {
			continue
		}
		if times--; times == 0 {
			<-time.After(moment)
			if err := writer.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := writer.Wait(); err == nil || times > 0 {
		t.Fatalf("the child ended before it was killed: %v", err)
	}
	return begun, done
}

// checkLeft opens a store that its writer left behind and checks that it is whole: all
// that the writer was told to be done is there, and of what it had begun all or nothing.
func checkLeft(t *testing.T, dir string, begun, done int) {
	t.Helper()
	ctx := t.Context()
	s, err := Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var verdict string
	if err := s.writer.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("the database is not whole: %s, %v", verdict, err)
	}
	counts := map[string]int{}
	for _, table := range []string{"tools", "versions", "audit", "notes", "memories", "history", "memory_words"} {
		var count int
		if err := s.writer.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&count); err != nil {
			t.Error(err)
		}
		counts[table] = count
	}
	left := counts["tools"]
	counts["history"] /= 2 // one of the note, one of the memory
	for table, count := range counts {
		if count != left {
			t.Errorf("%d tools, but %d in %s", left, count, table)
		}
	}
	if left < done || left > max(begun, done) && begun > 0 {
		t.Errorf("%d are left; %d were done and %d begun", left, done, begun)
	}
}
