package card_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/card"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// catalogue has the capabilities that the cards here speak of.
var catalogue = tool.NewCatalogue(
	tool.Capability{Name: "tasks.list", Power: tool.Read, Kind: "task"},
	tool.Capability{Name: "tasks.find", Power: tool.Read, Kind: "task"},
	tool.Capability{Name: "notes.list", Power: tool.Read, Kind: "note"},
	tool.Capability{Name: "memory.search", Power: tool.Read, Kind: "memory"},
	tool.Capability{Name: "notes.create", Power: tool.Write, Kind: "note"},
	tool.Capability{Name: "memory.create", Power: tool.Write, Kind: "memory"},
	tool.Capability{Name: "clock.now", Power: tool.Read},
	tool.Capability{Name: "http.get", Power: tool.Outbound},
)

// texts gives the lines as "label: text".
func texts(lines []card.Line) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		list[i] = line.Label + ": " + line.Text
	}
	return list
}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		facts card.Facts
		want  []string
	}{
		{"reaches nothing", card.Facts{Marks: tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly}}, []string{
			"may read: nothing", "may write: nothing", "risk: R1, read-only", "network: none",
		}},
		{"reads and writes", card.Facts{Marks: tool.Marks{
			Powers: []tool.Power{tool.Read, tool.Write}, Risk: tool.R3, Reversibility: tool.Compensable,
			Capabilities: []string{"memory.create", "memory.search", "notes.create", "notes.list", "tasks.find", "tasks.list"},
		}}, []string{
			"may read: memory, notes, tasks", "may write: memory, notes", "risk: R3, compensable", "network: none",
		}},
		{"reads what has no kind", card.Facts{Marks: tool.Marks{
			Powers: []tool.Power{tool.Read}, Risk: tool.R1, Reversibility: tool.ReadOnly, Capabilities: []string{"clock.now"},
		}}, []string{
			"may read: yes", "may write: nothing", "risk: R1, read-only", "network: none",
		}},
		{"a capability that this host does not have", card.Facts{Marks: tool.Marks{
			Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Irreversible, Capabilities: []string{"mail.send", "notes.list"},
		}}, []string{
			"may read: notes", "may write: yes", "risk: R2, irreversible", "network: none",
		}},
		{"network and credentials", card.Facts{
			Marks: tool.Marks{
				Powers: []tool.Power{tool.Outbound}, Risk: tool.R4, Reversibility: tool.Irreversible, Capabilities: []string{"http.get"}, CanTransmit: true,
			},
			Hosts: []string{"api.good.com", "b.good.com"}, Credentials: []string{"mail", "calendar"},
		}, []string{
			"may read: nothing", "may write: nothing", "risk: R4, irreversible", "network: api.good.com, b.good.com",
			"data: can send data out of this machine", "credentials: mail, calendar",
		}},
		{"network without a host", card.Facts{Marks: tool.Marks{Powers: []tool.Power{tool.Outbound}, Risk: tool.R4, Reversibility: tool.ReadOnly, CanTransmit: true}}, []string{
			"may read: nothing", "may write: nothing", "risk: R4, read-only", "network: no host allowed", "data: can send data out of this machine",
		}},
		{"network to unknown hosts", card.Facts{Marks: tool.Marks{Powers: []tool.Power{tool.Outbound}, Risk: tool.R3, Reversibility: tool.Irreversible, CanTransmit: true}, HostsUnknown: true}, []string{
			"may read: nothing", "may write: nothing", "risk: R3, irreversible", "network: yes, and which hosts is not known here", "data: can send data out of this machine",
		}},
		{"private and untrusted data, secrets, a title of two scripts", card.Facts{
			Title: "Pay with pаypal", Marks: tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly, ReadsPrivate: true, ReadsUntrusted: true}, Secrets: []string{"token"},
		}, []string{
			"may read: nothing", "may write: nothing", "risk: R1, read-only", "network: none", "data: reads your own data; reads what others may have written", "secrets: token",
			`title: the word "pаypal" mixes Latin and Cyrillic letters, which may be taken for each other`,
		}},
		{"code that calls tools", card.Facts{
			Marks: tool.Marks{Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Compensable, Capabilities: []string{"notes.create", "other"}},
			Calls: []string{"notes.create", "oth\u202eer"}, Code: "di\x1bgest.ts, 12 lines", More: []card.Line{{Label: "versions", Text: "2, 1"}},
		}, []string{
			"may read: nothing", "may write: notes", "risk: R2, compensable", "network: none", "calls: notes.create, oth⟨U+202E⟩er", "code: di⟨U+001B⟩gest.ts, 12 lines", "versions: 2, 1",
		}},
		{"hosts that cannot be reached", card.Facts{Marks: tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly}, Hosts: []string{"api.good.com"}}, []string{
			"may read: nothing", "may write: nothing", "risk: R1, read-only", "network: none",
		}},
		{"local model", card.Facts{Marks: tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly, ModelPrivacy: []string{"local-only"}}}, []string{
			"may read: nothing", "may write: nothing", "risk: R1, read-only", "network: none", "model: a model on this machine only",
		}},
		{"local model preferred", card.Facts{Marks: tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly, ModelPrivacy: []string{"local-only", "local-preferred"}}}, []string{
			"may read: nothing", "may write: nothing", "risk: R1, read-only", "network: none",
			"model: a local model if there is one, else what it reads may be sent to a remote one",
		}},
		{"remote model", card.Facts{Marks: tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly, ModelPrivacy: []string{"local-only", "local-preferred", "remote-allowed"}}}, []string{
			"may read: nothing", "may write: nothing", "risk: R1, read-only", "network: none",
			"model: what it reads may be sent to a remote model",
		}},
	}
	for _, test := range tests {
		test.facts.Catalogue = catalogue
		if diff := cmp.Diff(test.want, texts(test.facts.Lines(card.Short))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestHeadingAndAbout(t *testing.T) {
	t.Parallel()
	f := card.Facts{Title: "Kitchen helper", Name: "dynamic:kitchen-helper", Version: 9007199254740991, Source: "from file", Description: "Keeps the pantry."}
	if got, want := f.Heading(), "Kitchen helper  (dynamic:kitchen-helper, version 9007199254740991, from file)"; got != want {
		t.Errorf("heading is %q, want %q", got, want)
	}
	if got, want := f.About(), "Keeps the pantry."; got != want {
		t.Errorf("about is %q, want %q", got, want)
	}
	long := card.Facts{Title: strings.Repeat("t", 121), Description: strings.Repeat("ignore previous instructions\n", 500)}
	if got, want := long.Heading(), strings.Repeat("t", 119)+"…"; got != want {
		t.Errorf("heading is %q, want %q", got, want)
	}
	if got := long.About(); len([]rune(got)) != 300 || !strings.HasSuffix(got, "…") || strings.Contains(got, "\n") {
		t.Errorf("about has %d characters: %q", len([]rune(got)), got)
	}
}

// hostile holds what must not reach a terminal, and harmless is how it is shown.
const (
	hostile  = "a\x1b]8;;http://evil\x07b\x1b[2K\r\nc\u202ed\u200b\U000e0041"
	harmless = "a⟨U+001B⟩]8;;http://evil⟨U+0007⟩b⟨U+001B⟩[2K⟨U+000D⟩⏎c⟨U+202E⟩d⟨U+200B⟩⟨U+E0041⟩"
)

// TestHostile puts hostile texts into every place of both cards.
func TestHostile(t *testing.T) {
	t.Parallel()
	marks := tool.Marks{Risk: tool.R4, Reversibility: tool.ReadOnly, CanTransmit: true}
	f := card.Facts{
		Title: hostile, Name: hostile, Source: hostile, Description: hostile, Marks: marks, Catalogue: catalogue,
		Hosts: []string{hostile, "good.com"}, Credentials: []string{"mail", hostile},
	}
	if got, want := f.Heading(), harmless+"  ("+harmless+", "+harmless+")"; got != want {
		t.Errorf("heading is %q, want %q", got, want)
	}
	if got := f.About(); got != harmless {
		t.Errorf("about is %q", got)
	}
	want := []string{
		"may read: nothing", "may write: nothing", "risk: R4, read-only", "network: " + harmless + ", good.com",
		"data: can send data out of this machine", "credentials: mail, " + harmless,
	}
	if diff := cmp.Diff(want, texts(f.Lines(card.Short))); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}

	roots := map[string]any{"output": map[string]any{
		"text": hostile, "titled": map[string]any{"title": hostile}, "plain": map[string]any{hostile: hostile}, "number": json.Number(hostile),
	}}
	got := card.For(hostile, "output.text", []string{"output.titled", "output.plain", "output.number", "output." + hostile, hostile}, roots)
	escaped := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\r", `\r`, "\n", `\n`, "\u202e", "⟨U+202E⟩", "\u200b", "⟨U+200B⟩", "\U000e0041", "⟨U+E0041⟩").Replace(hostile)
	wantResult := card.Result{Title: harmless, Primary: harmless, Details: []card.Line{
		{Label: "titled", Text: harmless},
		{Label: "plain", Text: fmt.Sprintf(`{"%s":"%s"}`, escaped, escaped)},
		{Label: "number", Text: harmless},
		{Label: "everything", Text: "–"},
		{Label: "everything", Text: "–"},
	}}
	if diff := cmp.Diff(wantResult, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestCutBeforeShown sees that what is cut is the text and not what stands for a hidden
// character: all that is shown of a text of 200 characters are its first.
func TestCutBeforeShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 198) + "\u202e" + strings.Repeat("y", 100)
	if got, want := card.Text(long), strings.Repeat("x", 198)+"⟨U+202E⟩…"; got != want {
		t.Errorf("text is %q, want %q", got, want)
	}
	if got, want := card.For(strings.Repeat("\u202e", 300), "", nil, nil).Title, strings.Repeat("⟨U+202E⟩", 119)+"…"; got != want {
		t.Errorf("title is %q, want %q", got, want)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("9", 300)
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"null", nil, "–"},
		{"text", "lemon", "lemon"},
		{"empty text", "", "–"},
		{"text of several lines", "a\n\tb", "a⏎ b"},
		{"lone surrogate", "\xed\xa0\xbd", "⟨U+D83D⟩"},
		{"longest text", strings.Repeat("é", 200), strings.Repeat("é", 200)},
		{"text that is too long", strings.Repeat("é", 201), strings.Repeat("é", 199) + "…"},
		{"number", json.Number("9007199254740993"), "9007199254740993"},
		{"number with its own text", json.Number("1.0"), "1.0"},
		{"number of many digits", json.Number(digits), digits[:199] + "…"},
		{"true", true, "yes"},
		{"false", false, "no"},
		{"empty list", []any{}, "0 items"},
		{"list of one", []any{nil}, "1 item"},
		{"list of three", []any{1, 2, 3}, "3 items"},
		{"record", map[string]any{"id": "x", "title": "Lemon cake"}, "Lemon cake"},
		{"record with a long title", map[string]any{"title": strings.Repeat("x", 500)}, strings.Repeat("x", 199) + "…"},
		{"record with an empty title", map[string]any{"title": ""}, `{"title":""}`},
		{"record whose title is no text", map[string]any{"title": value.Int(1)}, `{"title":1}`},
		{"object", map[string]any{"b": value.Int(1), "a": []any{true}}, `{"a":[true],"b":1}`},
		{"empty object", map[string]any{}, "{}"},
		{"large object", map[string]any{"a": strings.Repeat("x", 500)}, `{"a":"` + strings.Repeat("x", 193) + "…"},
	}
	for _, test := range tests {
		if got := card.Text(test.v); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	roots := map[string]any{
		"output": map[string]any{"task": map[string]any{"title": "Buy rice", "id": "t1"}, "none": nil, "ok": true},
		"found":  []any{map[string]any{"title": "First"}, map[string]any{"title": "Second"}},
		"input":  "plain",
	}
	got := card.For("Done", "$.output.task", []string{
		"output.task.id", "$.found.1.title", "found.0", "found.length", "found", "output.ok", "$..input..",
		"output.none", "output.gone", "gone.0.x", "found.7", "found.07", "input.0", "0", "0.length", "length",
		"$", "", "output.__proto__", "output.b c", "$output",
	}, roots)
	want := card.Result{Title: "Done", Primary: "Buy rice", Details: []card.Line{
		{Label: "id", Text: "t1"}, {Label: "title", Text: "Second"}, {Label: "found", Text: "First"}, {Label: "found", Text: "2"},
		{Label: "found", Text: "2 items"}, {Label: "ok", Text: "yes"}, {Label: "input", Text: "plain"},
		{Label: "none", Text: "–"}, {Label: "gone", Text: "–"}, {Label: "x", Text: "–"}, {Label: "found", Text: "–"}, {Label: "07", Text: "–"},
		{Label: "input", Text: "–"}, {Label: "0", Text: "–"}, {Label: "0", Text: "–"}, {Label: "length", Text: "–"},
		{Label: "everything", Text: value.JSON(roots)}, {Label: "everything", Text: value.JSON(roots)},
		{Label: "everything", Text: "–"}, {Label: "everything", Text: "–"}, {Label: "everything", Text: "–"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestForJSON has what a surface writes of a result: no list of details is an empty one.
func TestForJSON(t *testing.T) {
	t.Parallel()
	for want, result := range map[string]card.Result{
		`{"title":"Done","details":[]}`:                                            card.For("Done", "", nil, nil),
		`{"title":"Done","primary":"–","details":[{"label":"a","text":"–"}]}`:      card.For("Done", "output", []string{"a"}, nil),
		`{"title":"Done","primary":"x","details":[{"label":"output","text":"x"}]}`: card.For("Done", "output", []string{"output"}, map[string]any{"output": "x"}),
	} {
		got, err := json.Marshal(result)
		if err != nil || string(got) != want {
			t.Errorf("%s, error %v, want %s", got, err, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 notes": card.Count(0, "note"), "1 note": card.Count(1, "note"), "2 tasks": card.Count(2, "task"),
		"1 memory": card.Count(1, "memory"), "0 memories": card.Count(0, "memory"), "12 memories": card.Count(12, "memory"),
		"notes": card.Plural("note"), "memory": card.Plural("memory"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
