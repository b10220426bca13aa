package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/capability"
	"toolsmith/internal/local"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
)

// typed runs a command in this process, as it is typed after "toolsmith data".
func typed(t *testing.T, folder string, args ...string) (exit int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	exit = run(t.Context(), append([]string{"--data", folder, "data"}, args...), strings.NewReader(""), &stdout, &stderr)
	return exit, stdout.String(), stderr.String()
}

// typedJSON runs a command that must print one JSON document and nothing else.
func typedJSON(t *testing.T, folder string, args ...string) map[string]any {
	t.Helper()
	exit, out, errOut := typed(t, folder, append(args, "--json")...)
	document, err := value.Decode([]byte(out))
	object, ok := document.(map[string]any)
	if exit != exitDone || errOut != "" || err != nil || !ok {
		t.Fatalf("%q: exit code %d, %v, standard error %q, standard output %q", args, exit, err, errOut, out)
	}
	return object
}

// inBook does something with the records of a data folder.
func inBook(t *testing.T, folder string, do func(*local.Book) error) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// A clock that stands still makes ids that differ at their end only, as those of
	// records that a tool makes at once.
	still := func() time.Time { return time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC) }
	newID := local.NewIDs(still)
	err = s.Write(t.Context(), func(tx store.Tx) error { return do(local.NewBook(tx.Local(), still, newID)) })
	if err != nil {
		t.Fatal(err)
	}
}

// TestDataValues holds the records against those that the capabilities give.
func TestDataValues(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	typedJSON(t, folder, "notes", "add", "Shopping", "Milk\n\"bread\"")
	typedJSON(t, folder, "tasks", "add", "Buy milk", "--due", "2026-11-27T17:00:00.5+01:00")
	typedJSON(t, folder, "tasks", "add", "Rest")
	typedJSON(t, folder, "memory", "add", "Coffee", "Black", "--kind", "preference")
	for _, one := range []struct {
		capability string
		input      map[string]any
		args       []string
		name       string
	}{
		{"notes.list", map[string]any{}, []string{"notes"}, "notes"},
		{"tasks.list", map[string]any{}, []string{"tasks", "list"}, "tasks"},
		{"tasks.list", map[string]any{"query": "milk"}, []string{"tasks", "search", "milk"}, "tasks"},
		{"memory.search", map[string]any{"query": "coffee"}, []string{"memory"}, "memory"},
		{"memory.search", map[string]any{"query": "black"}, []string{"memory", "search", "black"}, "memory"},
	} {
		got := typedJSON(t, folder, one.args...)
		var want any
		inBook(t, folder, func(b *local.Book) error {
			result, err := capability.NewHost().Call(t.Context(), b, capability.Call{Name: one.capability, Input: one.input})
			want = result.Value
			return err
		})
		if !reflect.DeepEqual(got[one.name], want) {
			t.Errorf("%q gives\n%s\nbut %s\n%s", one.args, value.IndentedJSON(got[one.name]), one.capability, value.IndentedJSON(want))
		}
	}
}

// TestDataVerbsJSON holds the document of every verb against what it should be.
func TestDataVerbsJSON(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		word, name string
		add, edit  []string
	}{
		{"notes", "note", []string{"add", "One", "text"}, []string{"--title", "Two"}},
		{"tasks", "task", []string{"add", "One"}, []string{"--title", "Two"}},
		{"memory", "memory", []string{"add", "One", "text"}, []string{"--title", "Two"}},
	} {
		folder := t.TempDir()
		verb := func(args ...string) (one, document map[string]any) {
			document = typedJSON(t, folder, append([]string{kind.word}, args...)...)
			one, _ = document[kind.name].(map[string]any)
			return one, document
		}
		added, _ := verb(kind.add...)
		id, _ := added["id"].(string)
		shown, _ := verb("show", strings.ToLower(id[:8]))
		if !reflect.DeepEqual(added, shown) {
			t.Errorf("%s: added %v, shown %v", kind.word, added, shown)
		}
		edited, _ := verb(append([]string{"edit", id}, kind.edit...)...)
		if edited["title"] != "Two" || edited["revision"] != value.Int(2) {
			t.Errorf("%s: edited %v", kind.word, edited)
		}
		back, document := verb("undo", id)
		undone, _ := document["undone"].(map[string]any)
		if !reflect.DeepEqual(back, added) || undone["action"] != "update" || undone["gone"] != false {
			t.Errorf("%s: undo gives %v", kind.word, document)
		}
		deleted, _ := verb("delete", id)
		if deleted["id"] != id {
			t.Errorf("%s: deleted %v", kind.word, deleted)
		}
		if back, _ = verb("undo", id); !reflect.DeepEqual(back, added) {
			t.Errorf("%s: undo of the deletion gives %v", kind.word, back)
		}
		gone, document := verb("undo", id)
		undone, _ = document["undone"].(map[string]any)
		if gone != nil || undone["gone"] != true || undone["title"] != "One" {
			t.Errorf("%s: undo of the making gives %v", kind.word, document)
		}
		if _, document = verb(); !reflect.DeepEqual(document, map[string]any{kind.word: []any{}, "total": value.Int(0)}) {
			t.Errorf("%s: an empty list is %v", kind.word, document)
		}
	}
}

// TestDataFits lists records with awkward texts: no line is wider than a screen, and
// every id that is shown finds its record.
func TestDataFits(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	wide := strings.Repeat("日本語", 20)
	titles := []string{"Short", strings.Repeat("long ", 40), wide, "e\u0301\u0301\u0301", "\x1b[2J" + strings.Repeat("\u202e", 40), "👩‍👩‍👧‍👧" + wide}
	inBook(t, folder, func(b *local.Book) error {
		for i, title := range titles {
			if _, err := b.CreateNote(t.Context(), local.NewNote{Title: title, Content: strings.Repeat(titles[len(titles)-1-i]+"\n\t", 50)}); err != nil {
				return err
			}
			due := time.Date(2026, 11, 27, 12, i, 0, 0, time.UTC)
			if _, err := b.CreateTask(t.Context(), local.NewTask{Title: title, Status: local.Doing, DueAt: &due}); err != nil {
				return err
			}
			if _, err := b.CreateMemory(t.Context(), local.NewMemory{Title: title, Content: title, Kind: wide[:40*3]}); err != nil {
				return err
			}
		}
		return nil
	})
	for _, word := range []string{"notes", "tasks", "memory"} {
		exit, out, errOut := typed(t, folder, word, "list")
		lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
		if exit != exitDone || errOut != "" || len(lines) != len(titles)+1 {
			t.Fatalf("%s: exit code %d, standard error %q, standard output:\n%s", word, exit, errOut, out)
		}
		for _, line := range lines {
			if width(line) > screen {
				t.Errorf("%s: %d columns: %q", word, width(line), line)
			}
			if strings.ContainsAny(line, "\x1b\u202e") {
				t.Errorf("%s: %q", word, line)
			}
		}
		for _, line := range lines[1:] {
			id, _, _ := strings.Cut(line, " ")
			if exit, _, errOut := typed(t, folder, word, "show", id); exit != exitDone {
				t.Errorf("%s: show %s: exit code %d, %s", word, id, exit, errOut)
			}
		}
	}
}

func TestDataShortIDs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	inBook(t, folder, func(b *local.Book) error {
		_, err := b.CreateNote(t.Context(), local.NewNote{Title: "Alone"})
		return err
	})
	if _, out, _ := typed(t, folder, "notes"); !regexp.MustCompile(`(?m)^[0-9A-Z]{10}  .*Alone$`).MatchString(out) {
		t.Errorf("the id is not short:\n%s", out)
	}
}

func TestDataTooLong(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	long := strings.Repeat("x", local.MaxText+1)
	file := filepath.Join(folder, "long.txt")
	if err := os.WriteFile(file, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		args []string
		says string
	}{
		{[]string{"notes", "add", "Title", long}, "INVALID CONTENT: At most 32768 bytes"},
		{[]string{"notes", "add", "Title", "--content", long}, "INVALID --content: At most 32768 bytes"},
		{[]string{"notes", "add", "Title", "--content", "@" + file}, "FILE_TOO_LARGE: "},
		{[]string{"notes", "add", strings.Repeat("x", 201)}, "INVALID TITLE: At most 200 characters"},
		{[]string{"tasks", "add", "Title", "--description", long}, "INVALID --description: At most 32768 bytes"},
		{[]string{"memory", "add", "Title", "text", "--kind", long}, "INVALID --kind: At most 40 characters"},
		{[]string{"notes", "search", long}, "INVALID QUERY: At most 1024 characters"},
		{[]string{"notes", "--query", long}, "INVALID --query: At most 1024 characters"},
		{[]string{"notes", "add", "a\xff"}, "INVALID TITLE: This text is not valid Unicode."},
		{[]string{"tasks", "add", "Title", "--due", long}, "INVALID --due: "},
		{[]string{"tasks", "add", "Title", "--status", long}, "INVALID --status: "},
	} {
		exit, out, errOut := typed(t, folder, one.args...)
		if exit != exitUsage || out != "" || !strings.HasPrefix(errOut, "error "+one.says) || len(errOut) > 400 {
			t.Errorf("%.60q: exit code %d, standard output %q, standard error %q", one.args, exit, out, errOut)
		}
	}
}

// TestDataEnded shows that a command stops when it is interrupted, and says so.
func TestDataEnded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	typedJSON(t, folder, "notes", "add", "One")
	ended, end := context.WithCancel(t.Context())
	end()
	for _, args := range [][]string{{"notes"}, {"notes", "show", "01AB"}, {"notes", "add", "Two"}, {"notes", "undo", "01AB"}, {"notes", "delete", "01AB"}} {
		var out, errOut bytes.Buffer
		exit := run(ended, append([]string{"--data", folder, "data"}, args...), strings.NewReader(""), &out, &errOut)
		if exit != exitFailed || out.Len() > 0 || errOut.Len() == 0 {
			t.Errorf("%q: exit code %d, standard output %q, standard error %q", args, exit, &out, &errOut)
		}
	}
	if got := typedJSON(t, folder, "notes")["total"]; got != value.Int(1) {
		t.Errorf("%v notes", got)
	}
}

func TestParseDue(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*60*60)
	for _, one := range []struct{ text, want, shown string }{
		{"2026-11-27", "2026-11-27T23:59:59+02:00", "2026-11-27"},
		{" 2026-11-27 17:00 ", "2026-11-27T17:00:00+02:00", "2026-11-27 17:00"},
		{"2026-11-27T17:00", "2026-11-27T17:00:00+02:00", "2026-11-27 17:00"},
		{"2026-11-27 17:00:30", "2026-11-27T17:00:30+02:00", "2026-11-27 17:00"},
		{"2026-11-27T17:00:30", "2026-11-27T17:00:30+02:00", "2026-11-27 17:00"},
		{"2026-11-27T17:00:00Z", "2026-11-27T17:00:00Z", "2026-11-27 19:00"},
		{"2026-11-27T23:30:00-05:00", "2026-11-27T23:30:00-05:00", "2026-11-28 06:30"},
		{"2026-11-27T21:59:59Z", "2026-11-27T21:59:59Z", "2026-11-27"},
	} {
		got, err := parseDue(one.text, zone)
		if err != nil || got.Format(time.RFC3339) != one.want || showDue(got.In(zone)) != one.shown {
			t.Errorf("%q: %s, shown %s, %v", one.text, got.Format(time.RFC3339), showDue(got.In(zone)), err)
		}
	}
	if got, err := parseDue("none", zone); err != nil || !got.IsZero() {
		t.Errorf("none: %s, %v", got, err)
	}
	for _, text := range []string{"", "tomorrow", "2026-13-01", "2026-02-30", "27.11.2026", "2026-11-27 25:00", "17:00", "0001-01-01T00:00:00Z", "99999-01-01"} {
		if got, err := parseDue(text, zone); err == nil {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	const id = "01KB9Z6TQ6M3V5V0Y4Z8ZC0Z3M"
	for _, one := range []struct{ typed, want string }{
		{"", id}, {"01KB", id}, {"01kb", "01kb" + id[4:]}, {id, id},
		{"02", ""}, {id + "0", ""}, {"ı", ""}, {"ſſſſ", ""},
	} {
		got, ok := completion(id, one.typed)
		if got != one.want || ok != (one.want != "") {
			t.Errorf("%q: %q, %t", one.typed, got, ok)
		}
	}
}

// TestDataHelp looks at the help of every command below data.
func TestDataHelp(t *testing.T) {
	t.Parallel()
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Short == "" || !strings.Contains(cmd.Example, path) {
			t.Errorf("%s: the help lacks a short description, or an example of it:\n%s", path, cmd.Example)
		}
		usage := cmd.LocalFlags().FlagUsages()
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example + "\n" + usage) {
			if line = strings.TrimSuffix(line, "\n"); width(line) > 88 || strings.TrimRight(line, " ") != line {
				t.Errorf("%s: %q", path, line)
			}
		}
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	a := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	root := &cobra.Command{Use: "toolsmith"}
	root.AddCommand(a.dataCommand())
	visit(root.Commands()[0])
}

// TestDataHint holds the words at the end of a list that is cut against its size.
func TestDataHint(t *testing.T) {
	t.Parallel()
	r := records[local.Memory]{app: newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}), kind: local.KindMemory}
	for _, one := range []struct {
		shown, total int
		ranked       bool
		want         string
	}{
		{2, 3, false, "2 of 3 memories. For the next ones add: --cursor 01KB"},
		{2, 3, true, "2 of 3 memories. For more add: --limit 3"},
		{100, 501, true, "100 of 501 memories. For more add: --limit 500"},
		{500, 501, true, "500 of 501 memories. Search for more words to see the others."},
	} {
		list := listed{ranked: one.ranked, total: one.total, cut: true, records: make([]record, one.shown)}
		list.records[one.shown-1].handle = "01KB"
		if got := r.cutWords(list); got != one.want {
			t.Errorf("%d of %d: %s", one.shown, one.total, got)
		}
	}
}
