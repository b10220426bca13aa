package logs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/logs"
	"toolsmith/internal/scrub"
)

const canary = "canary-0123456789"

type named struct{ text string }

func (n named) String() string { return n.text }

type marshalled struct {
	text string
	err  error
}

func (m marshalled) MarshalText() ([]byte, error) { return []byte(m.text), m.err }

type late struct{}

func (late) LogValue() slog.Value { return slog.GroupValue(slog.String("in", canary)) }

type plain struct {
	Field string
	Bytes []byte
}

// TestNoSecretIsLogged, wherever in a record it stands, and whichever handler writes it.
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	scrubber := scrub.New([]scrub.Secret{{Name: "key", Value: canary}, {Name: "pin", Value: "8765432187654321"}})
	for name, to := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(out *bytes.Buffer) slog.Handler { return slog.NewTextHandler(out, nil) },
		"json": func(out *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(out, nil) },
	} {
		for where, log := range map[string]func(*slog.Logger){
			"message":       func(l *slog.Logger) { l.Info("got " + canary) },
			"key":           func(l *slog.Logger) { l.Info("", canary, 1) },
			"text":          func(l *slog.Logger) { l.Info("", "a", "%63anary-0123456789") },
			"error":         func(l *slog.Logger) { l.Info("", "a", fmt.Errorf("no %w", errors.New(canary))) },
			"group":         func(l *slog.Logger) { l.Info("", slog.Group("g", slog.Group("h", "a", canary))) },
			"late":          func(l *slog.Logger) { l.Info("", "a", late{}) },
			"bytes":         func(l *slog.Logger) { l.Info("", "a", []byte(canary)) },
			"named":         func(l *slog.Logger) { l.Info("", "a", named{canary}) },
			"marshalled":    func(l *slog.Logger) { l.Info("", "a", marshalled{text: canary}) },
			"not a text":    func(l *slog.Logger) { l.Info("", "a", marshalled{canary, errors.New("no")}) },
			"struct":        func(l *slog.Logger) { l.Info("", "a", plain{Field: canary}) },
			"deep":          func(l *slog.Logger) { l.Info("", "a", map[string]any{"x": []plain{{Bytes: []byte(canary)}}}) },
			"raw":           func(l *slog.Logger) { l.Info("", "a", json.RawMessage(`"`+canary+`"`)) },
			"number":        func(l *slog.Logger) { l.Info("", "a", 8765432187654321) },
			"with":          func(l *slog.Logger) { l.With("a", canary).Info("") },
			"with group":    func(l *slog.Logger) { l.WithGroup(canary).Info("", "a", 1) },
			"with in group": func(l *slog.Logger) { l.WithGroup("g").With("a", canary).WithGroup("").Info("", "b", 1) },
		} {
			var out bytes.Buffer
			log(slog.New(logs.Handler(to(&out), func() *scrub.Scrubber { return scrubber })))
			if text := out.String(); scrubber.Text(text) != text || !strings.Contains(text, "[secret ") {
				t.Errorf("%s, %s: %s", name, where, text)
			}
		}
	}
}

// TestWhatIsLogged is else as it was, in its groups and its order.
func TestWhatIsLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	drop := func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	to := slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: drop})
	log := slog.New(logs.Handler(to, nil)).With("a", 1).WithGroup("g").With("b", true)
	log.Debug("not logged")
	log.Info("a\nb\x1b[31m\u202e", "c", "x\ty", "d", time.Second, "e", plain{Field: "f"}, slog.Group("h", "i", 1.5), "n", nil)
	want := map[string]any{
		"level": "INFO", "msg": "a⏎b⟨U+001B⟩[31m⟨U+202E⟩", "a": 1.0,
		"g": map[string]any{
			"b": true, "c": "x y", "d": 1e9, "e": map[string]any{"Field": "f", "Bytes": nil}, "h": map[string]any{"i": 1.5}, "n": nil,
		},
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

type fragile struct{ text string }

func (f *fragile) Error() string { return f.text }

// TestAValueThatPanics is logged as that.
func TestAValueThatPanics(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	slog.New(logs.Handler(slog.NewTextHandler(&out, nil), nil)).Info("", "a", (*fragile)(nil), "b", 1)
	if text := out.String(); !strings.Contains(text, `a="!PANIC: `) || !strings.Contains(text, "b=1") {
		t.Errorf("logged is %q", text)
	}
}

// TestASecretThatBecomesKnownLater is taken out of what the logger was given before.
func TestASecretThatBecomesKnownLater(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var known *scrub.Scrubber
	log := slog.New(logs.Handler(slog.NewTextHandler(&out, nil), func() *scrub.Scrubber { return known })).With("a", canary)
	known = scrub.New([]scrub.Secret{{Name: "key", Value: canary}})
	log.Info("now")
	if strings.Contains(out.String(), canary) {
		t.Errorf("it stands in the log: %s", out.String())
	}
}

// TestHandlerKeepsTheRules runs the suite that every handler of the standard library passes.
func TestHandlerKeepsTheRules(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := slogtest.TestHandler(logs.Handler(slog.NewJSONHandler(&out, nil), nil), func() []map[string]any {
		var list []map[string]any
		for line := range strings.Lines(out.String()) {
			var record map[string]any
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatal(err)
			}
			list = append(list, record)
		}
		return list
	})
	if err != nil {
		t.Error(err)
	}
}
