package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/consent"
)

// questionKills is how often somebody is killed who asks, answers or goes on.
const questionKills = 60

// askingChain asks before it makes one note.
const askingChain = `{"content": {"type": "tool", "data": {"name": "map", "arguments": {"tool": "notes.create", "items": [{"title": "%s note", "content": "x"}]}}}}`

// inquiry is a store with a question in it, and those who work on it until they are killed.
type inquiry struct {
	*testing.T
	path, data string
	// title of the run, and the file of its chain.
	title, file string
	kills       int
}

// attempt runs a command and kills it after a while. dead is true where the kill came in time.
func (i *inquiry) attempt(after time.Duration, args ...string) (exit int, out string, dead bool) {
	i.Helper()
	ctx, cancel := context.WithTimeout(i.Context(), after)
	defer cancel()
	cmd := exec.CommandContext(ctx, i.path, args...)
	cmd.Env = append(os.Environ(), "TOOLSMITH_DATA="+i.data, "TOOLSMITH_KEYRING=off")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if ctx.Err() != nil {
		i.kills++
		return 0, output.String(), true
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		i.Fatalf("%v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), output.String(), false
}

// whole runs a command to its end.
func (i *inquiry) whole(want int, args ...string) string {
	i.Helper()
	exit, out, dead := i.attempt(time.Minute, args...)
	if dead || exit != want {
		i.Fatalf("%s: %v ended with %d, want %d:\n%s", i.title, args, exit, want, out)
	}
	return out
}

// asked gives the questions of the run in a state; "" for all.
func (i *inquiry) asked(state consent.State) (ids []string) {
	i.Helper()
	args := []string{"consents", "--all", "--limit", "1000", "--json"}
	if state == consent.Open {
		args = []string{"consents", "--json"}
	}
	var out struct{ Consents []consent.Question }
	if err := json.Unmarshal([]byte(i.whole(exitDone, args...)), &out); err != nil {
		i.Fatal(err)
	}
	for _, q := range out.Consents {
		if q.RunTitle == i.title && (state == "" || q.State == state) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

func (i *inquiry) run() []string {
	return []string{"run", "--chain", i.file, "--key", i.title, "--title", i.title}
}

// ask has the run begun and taken up, and killed each time, until it has asked; and once more,
// when it is still the same question that is open.
func (i *inquiry) ask(span time.Duration) (id string) {
	i.Helper()
	for id == "" {
		i.attempt(instant(span), i.run()...)
		switch ids := i.asked(consent.Open); len(ids) {
		case 0:
			span += span / 20
		case 1:
			id = ids[0]
		default:
			i.Fatalf("%s: %d questions are open", i.title, len(ids))
		}
	}
	i.attempt(instant(span), "resume")
	if ids := i.asked(consent.Open); len(ids) != 1 || ids[0] != id {
		i.Fatalf("%s: the questions %v are open, not %s", i.title, ids, id)
	}
	return id
}

// answer has the question answered by processes that are killed, until one comes to its end.
func (i *inquiry) answer(span time.Duration, yes bool, id string) {
	i.Helper()
	word, other := "deny", "allow"
	if yes {
		word, other = other, word
	}
	for {
		exit, out, dead := i.attempt(instant(span), word, id)
		if !dead {
			if exit != exitDone && !strings.Contains(out, consent.CodeAnswered) { // one that was killed may have been heard
				i.Fatalf("%s: %s ended with %d:\n%s", i.title, word, exit, out)
			}
			break
		}
		span += span / 20
	}
	for _, again := range []string{word, other} {
		if out := i.whole(exitFailed, again, id); !strings.Contains(out, consent.CodeAnswered) {
			i.Fatalf("%s: a second answer gives %s", i.title, out)
		}
	}
}

// goOn has the run taken up by processes that are killed, until it is over.
func (i *inquiry) goOn(span time.Duration) {
	i.Helper()
	for {
		if _, _, dead := i.attempt(instant(span), "resume"); !dead {
			break
		}
		span += span / 20
	}
	for _, unsettled := range []string{"runs", "consents"} {
		args := map[string][]string{"runs": {"runs", "--unsettled"}, "consents": {"consents"}}[unsettled]
		if out := i.whole(exitDone, args...); strings.Contains(out, i.title) {
			i.Fatalf("%s is left:\n%s", i.title, out)
		}
	}
}

// TestKilledQuestion kills who asks, who answers, and who goes on, at random instants. The
// question stays open until it is answered, is one, and is answered once; after a yes the
// effect has happened exactly once, and after a no never.
func TestKilledQuestion(t *testing.T) {
	t.Parallel()
	i := &inquiry{T: t, path: buildCommand(t), data: t.TempDir()}
	folder := t.TempDir()
	began := time.Now()
	i.whole(exitDone, "consents")
	span := 4 * time.Since(began)
	for round := 0; i.kills < questionKills; round++ {
		i.title = fmt.Sprintf("round %d", round)
		i.file = filepath.Join(folder, fmt.Sprintf("%d.json", round))
		if err := os.WriteFile(i.file, fmt.Appendf(nil, askingChain, i.title), 0o600); err != nil {
			t.Fatal(err)
		}
		yes := round%3 != 2
		id := i.ask(span)
		if round%2 == 0 { // the run is carried out while it is answered
			done := make(chan struct{})
			carried := &inquiry{T: t, path: i.path, data: i.data}
			go func() {
				defer close(done)
				carried.attempt(instant(2*span), "resume")
			}()
			i.answer(span, yes, id)
			<-done
			i.kills += carried.kills
		} else {
			i.answer(span, yes, id)
		}
		i.goOn(span)
		if ids := i.asked(""); len(ids) != 1 {
			t.Fatalf("%s was asked about in %v", i.title, ids)
		}
		s := requireSound(t, i.data)
		want := map[string]int{}
		if yes {
			want[i.title+" note"] = 1
		}
		if got := notesOf(t.Context(), t, s, i.title); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s left %v, want %v", i.title, got, want)
		}
		_ = s.Close()
	}
	t.Logf("%d kills", i.kills)
}
