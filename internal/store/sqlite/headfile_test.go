package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/audit"
	"toolsmith/internal/store"
)

// headCase is a store with lines and a file, and how to look at them.
type headCase struct {
	*testing.T
	dir string
	*Store
}

// newHeadCase opens the store once more after the lines are there, so that nothing writes the
// file by itself before the next line.
func newHeadCase(t *testing.T) *headCase {
	t.Helper()
	c := &headCase{T: t, dir: t.TempDir()}
	before, err := Open(t.Context(), c.dir)
	if err != nil {
		t.Fatal(err)
	}
	appendLines(t, before, 3, "ada")
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	c.Store = open(t, c.dir)
	return c
}

func (c *headCase) keep(anew bool) {
	c.Helper()
	if err := c.KeepAuditFile(c.Context(), anew); err != nil {
		c.Error(err)
	}
}

func (c *headCase) write(text string) {
	c.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, HeadFile), []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

func (c *headCase) text() string {
	text, _ := os.ReadFile(filepath.Join(c.dir, HeadFile))
	return string(text)
}

// TestTheFileKeepsWhatItKnows has files that the chain has not passed through: they stay as
// they are until somebody asks for another.
func TestTheFileKeepsWhatItKnows(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"another hash": "2:" + strings.Repeat("0f", 32) + "\n",
		"ahead":        "9:" + strings.Repeat("0f", 32) + "\n",
		"of no lines":  "0:" + strings.Repeat("00", 32) + "\n",
		"no head":      "no head\n",
		"empty":        "",
		"endless":      strings.Repeat("1", 1<<20),
		"two lines":    "2:" + strings.Repeat("0f", 32) + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newHeadCase(t)
			c.write(text)
			appendLines(t, c.Store, 2, "ada")
			c.keep(false)
			if got := c.text(); got != text {
				t.Errorf("it was replaced by %q", got)
			}
			found, sum := verified(t, c.Store)
			if name == "of no lines" { // which every chain has passed through
				found, sum.Faults = append(found, "file"), 1
			}
			if len(found) != 1 || !strings.HasPrefix(found[0], "file") || sum.OK() {
				t.Errorf("what is found is %v", found)
			}
			c.keep(true)
			if got, want := c.text(), headOf(t, c.Store).String()+"\n"; got != want {
				t.Errorf("it is %q; want %q", got, want)
			}
			wantFound(t, c.Store)
		})
	}
}

func TestAFileThatIsGone(t *testing.T) {
	t.Parallel()
	c := newHeadCase(t)
	if err := os.Remove(filepath.Join(c.dir, HeadFile)); err != nil {
		t.Fatal(err)
	}
	appendLines(t, c.Store, 2, "ada")
	c.keep(false)
	if got := c.text(); got != "" {
		t.Errorf("it is back: %q", got)
	}
	wantFound(t, c.Store, "file 0–0")
	c.keep(true)
	wantFound(t, c.Store)
}

// TestAFileThatWasNeverWritten is a store whose process was killed before it could.
func TestAFileThatWasNeverWritten(t *testing.T) {
	t.Parallel()
	c := newHeadCase(t)
	if err := os.Remove(filepath.Join(c.dir, HeadFile)); err != nil {
		t.Fatal(err)
	}
	forget(t, c.Store)
	execute(t, c.Store, "UPDATE audit_head SET filed = 0")
	wantFound(t, c.Store, "file 0–0?")
	if c.text() == "" || !headOf(t, c.Store).Filed {
		t.Error("verifying wrote no file")
	}
	wantFound(t, c.Store)
}

// TestAFileThatIsEarlier is what a crash leaves between a commit and the file.
func TestAFileThatIsEarlier(t *testing.T) {
	t.Parallel()
	c := newHeadCase(t)
	earlier := c.text()
	appendLines(t, c.Store, 4, "ada")
	c.keep(false)
	c.write(earlier)
	wantFound(t, c.Store)
	if got, want := c.text(), headOf(t, c.Store).String()+"\n"; got != want {
		t.Errorf("it is %q; want %q", got, want)
	}
	c.write(strings.ToUpper(earlier)[:len(earlier)-1]) // as somebody may have typed it
	appendLines(t, c.Store, 1, "ada")
	c.keep(false)
	wantFound(t, c.Store)
}

// TestTheFileIsWrittenByItself waits until it is.
func TestTheFileIsWrittenByItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	appendLines(t, s, 1, "ada")
	for deadline := time.After(time.Minute); ReadHead(dir).Head == nil; {
		select {
		case <-deadline:
			t.Fatal("there is no file after a minute")
		case <-time.After(time.Millisecond):
		}
	}
	// What is done while the file has its pause is there once the store is closed.
	appendLines(t, s, 1, "ada")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if file := ReadHead(dir); file.Head == nil || file.Head.Count != 2 {
		t.Errorf("the file is %+v", file)
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	nowhere := func(s *Store) *Store {
		s.heads.path = filepath.Join(filepath.Dir(s.path), "nowhere", HeadFile)
		return s
	}
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	appendLines(t, nowhere(s), 1, "ada") // the line is kept all the same
	wantCode(t, s.KeepAuditFile(t.Context(), false), store.CodeUnavailable)
	wantCode(t, s.Close(), store.CodeUnavailable)
	wantCode(t, s.Close(), "")

	c := newHeadCase(t)
	path := filepath.Join(c.dir, HeadFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	appendLines(t, c.Store, 1, "ada")
	c.keep(false)
	wantFound(t, c.Store, "file 0–0")
	wantCode(t, c.KeepAuditFile(t.Context(), true), store.CodeUnavailable)
	if drafts, _ := filepath.Glob(path + draftSuffix + "*"); len(drafts) > 0 {
		t.Errorf("there are still %v", drafts)
	}
}

func TestDraftsThatWereLeftAreRemoved(t *testing.T) {
	t.Parallel()
	c := newHeadCase(t)
	old, young := filepath.Join(c.dir, HeadFile+draftSuffix+"1"), filepath.Join(c.dir, HeadFile+draftSuffix+"2")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * draftLife)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	c.keep(true) // which has nothing to do
	appendLines(t, c.Store, 1, "ada")
	c.keep(false)
	_, oldErr := os.Stat(old)
	_, youngErr := os.Stat(young)
	if !os.IsNotExist(oldErr) || youngErr != nil {
		t.Errorf("the old one: %v; the young one: %v", oldErr, youngErr)
	}
}

func TestReadHead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if file := ReadHead(dir); file != (audit.File{Path: filepath.Join(dir, HeadFile)}) {
		t.Errorf("without a file: %+v", file)
	}
	if file := ReadHead("no\x00path"); file.Head != nil || file.Fault == "" {
		t.Errorf("of a path that cannot be: %+v", file)
	}
	want := audit.Head{Count: 7, Hash: audit.Digest{1}}
	if err := writeHead(filepath.Join(dir, HeadFile), want); err != nil {
		t.Fatal(err)
	}
	if file := ReadHead(dir); file.Head == nil || *file.Head != want {
		t.Errorf("the file is %+v; want %s", file, want)
	}
}
