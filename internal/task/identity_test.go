package task_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// placed puts chains at the top of a run at a moment.
func placed(now int64, list [][]task.Draft) []task.Task {
	p := task.Placer{Now: now}
	return p.Place(task.Under{}, list).Tasks
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// TestIDsStay: ids are kept in stores, so they must never come out differently.
func TestIDsStay(t *testing.T) {
	t.Parallel()
	p := task.Placer{Now: 1_764_259_200_000}
	top := p.Place(task.Under{}, [][]task.Draft{{
		draft("m:hello"),
		task.CallOf(task.Call{Name: "lookup", Arguments: object{"q": "é", "n": number("1.0")}, RunOn: tool.RunOnSettled}),
	}})
	below := p.Place(task.Under{Parent: &top.Tasks[1]}, [][]task.Draft{{
		task.ValueOf(array{nil, true, number("9007199254740993")}),
		task.ErrorOf(&task.Failure{Code: "X", Message: "No.", Details: object{}}),
		draft("ret"),
	}})
	var got []string
	for _, one := range append(top.Tasks, below.Tasks...) {
		got = append(got, one.ID.String()+" "+one.Content.String())
	}
	want := []string{
		"zh1fAWLpU4vWe4GWlmJzrRuJTQy9OHMlmGzk8y6zh7A T2EZy7wQKBULOfodKZajtuxm9MpZ5wbO5ObW_2etBQI",
		"Lgieor9di3nSmcmjZkyvnXcOh_I8XLmJNX0hoxTNv2M N3m53UzzooMIR4mo8MdkA7kUMPsPbDuf2ymABek7-hU",
		"y_kMI4gCSWoV6ek1On8X5L5ZxV1MHSZ51KGFXZNXDHk hOh1YhwZJgFnOV8hl2O2noUXQP_S1m_yFMIIZF-VXAQ",
		"V1CB84fYxSFFTOSxtrDvKmYfdKZhPChXhBc9JPprCjw 3eu5H2h2PNkw6C2wXWZb6ZEJUqy_AnKA6yf3ZjDJx68",
		"_xP-u9JgjfQ-qVVyAYA0SczoPj591HBSQWpWO1tJSgs n8AFtyKOo-eoZmObfHZuHuuuLF0TK4Zy38FO6v914-k",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the ids are now\n%s", strings.Join(got, "\n"))
	}
}

// TestIDsAreHashesOfText spells out the texts behind ids, for whoever has to make them in
// another language.
func TestIDsAreHashesOfText(t *testing.T) {
	t.Parallel()
	p := task.Placer{Now: 5}
	batch := p.Place(task.Under{}, [][]task.Draft{{draft("m:hi"), task.CallOf(task.Call{Name: "a"})}})
	first, second := batch.Tasks[0], batch.Tasks[1]
	below := p.Place(task.Under{Parent: &second}, chains("ret")).Tasks[0]
	for _, c := range []struct{ name, got, text string }{
		{"a content", first.Content.String(), `{"data":"hi","type":"message"}`},
		{"the content of a call", second.Content.String(), `{"data":{"arguments":{},"name":"a"},"type":"tool"}`},
		{"a first task", first.ID.String(),
			`{"content":"` + first.Content.String() + `","createdAt":5,"parentID":null,"priorID":null,"role":"assistant"}`},
		{"a task after it", second.ID.String(),
			`{"content":"` + second.Content.String() + `","createdAt":5,"parentID":null,"priorID":"` + first.ID.String() + `","role":"tool"}`},
		{"a task below it", below.ID.String(),
			`{"content":"` + below.Content.String() + `","createdAt":5,"parentID":"` + second.ID.String() + `","priorID":null,"role":"system"}`},
	} {
		if c.got != sha(c.text) {
			t.Errorf("%s: %s is not the hash of %s", c.name, c.got, c.text)
		}
	}
}

func TestEveryFieldCounts(t *testing.T) {
	t.Parallel()
	base := placed(5, chains("m:hi a"))
	again := task.Placer{Now: 5, Seq: 70}
	for i, one := range again.Place(task.Under{Branches: 3}, chains("m:hi a")).Tasks {
		if one.ID != base[i].ID {
			t.Errorf("task %d has another id where its number and branch differ", i)
		}
	}
	user := draft("m:hi")
	user.Role = tool.RoleUser
	structured := draft("m:hi")
	structured.Type = tool.TypeStructured
	p := task.Placer{Now: 5}
	under := func(parent task.Task) task.Task { return p.Place(task.Under{Parent: &parent}, chains("m:hi")).Tasks[0] }
	seen := map[task.ID]string{base[0].ID: "it"}
	for name, other := range map[string]task.Task{
		"another role":            placed(5, [][]task.Draft{{user}})[0],
		"another type":            placed(5, [][]task.Draft{{structured}})[0],
		"another text":            placed(5, chains("m:ho"))[0],
		"another time":            placed(6, chains("m:hi"))[0],
		"a task before":           placed(5, chains("m:x m:hi"))[1],
		"another task before":     placed(5, chains("m:y m:hi"))[1],
		"a parent":                under(base[1]),
		"another parent":          under(placed(6, chains("m:hi a"))[1]),
		"arguments":               placed(5, [][]task.Draft{{task.CallOf(task.Call{Name: "a", Arguments: object{"x": nil}})}})[0],
		"no arguments":            placed(5, chains("a"))[0],
		"another tool":            placed(5, chains("b"))[0],
		"a call that always runs": placed(5, chains("a~"))[0],
		"a step":                  placed(5, [][]task.Draft{{task.CallOf(task.Call{Name: "a", Step: "s"})}})[0],
	} {
		if twin, ok := seen[other.ID]; ok {
			t.Errorf("%s and %s have one id", name, twin)
		}
		seen[other.ID] = name
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	id := placed(5, chains("a"))[0].ID
	text := id.String()
	if got, err := task.ParseID(text); err != nil || got != id || got.None() {
		t.Errorf("%s is read as %s, %v", text, got, err)
	}
	if (task.ID{}).String() != "" || !(task.ID{}).None() {
		t.Error("no id is written as something")
	}
	// The last letter holds four bits and two that have to be 0: its neighbour is no id.
	next := strings.Map(func(r rune) rune { return r + 1 }, text[42:])
	for _, wrong := range []string{
		"", "x", text[:42], text + "A", text + "=", text + "\n", "\n" + text, text[:20] + "\n" + text[20:], text[:42] + "\n",
		strings.Repeat("+", 43), strings.Repeat("é", 43), text[:42] + next, " " + text[:42],
	} {
		if got, err := task.ParseID(wrong); err == nil || !got.None() {
			t.Errorf("%q is read as %s", wrong, got)
		}
	}
}

func TestParseIDReadsWhatStringWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var id task.ID
		copy(id[:], rapid.SliceOfN(rapid.Byte(), len(id), len(id)).Draw(t, "id"))
		id[0] |= 1 // which makes it one
		if got, err := task.ParseID(id.String()); err != nil || got != id {
			t.Fatalf("%v is read as %v, %v", id[:], got, err)
		}
		text := rapid.StringMatching(`[A-Za-z0-9_-]{42}[A-Za-z0-9_\r\n=-]{1,2}`).Draw(t, "text")
		if got, err := task.ParseID(text); err == nil && !got.None() && got.String() != text {
			t.Fatalf("%q is another spelling of %s", text, got)
		}
	})
}

func TestEqualContents(t *testing.T) {
	t.Parallel()
	content := func(text string) task.Content { return task.NewContent(tool.TypeStructured, decode(text)) }
	for _, equal := range [][]string{
		{"1", "1.0", "1e0", "10e-1", "0.1E+1"},
		{"0", "-0", "0.00", "0e9"},
		{`{"a":1,"b":[1,2]}`, `{ "b": [1.0, 2], "a": 1 }`},
		{`"é"`, `"\u00e9"`},
		{"9007199254740993", "9007199254740993.0"},
	} {
		first := content(equal[0])
		for _, text := range equal[1:] {
			if other := content(text); other.ID != first.ID || string(other.JSON) != string(first.JSON) {
				t.Errorf("%s and %s are two contents", equal[0], text)
			}
		}
	}
	seen := map[task.ID]string{}
	for _, text := range []string{
		"9007199254740993", "9007199254740992", "1", `"1"`, "true", "null", "[]", "{}", `""`, "[1,2]", "[2,1]", `{"a":1}`, `{"a":[1]}`,
		"0.1", "0.10000000000000001", `"e\u0301"`, `"é"`,
	} {
		id := content(text).ID
		if twin, ok := seen[id]; ok {
			t.Errorf("%s and %s are one content", text, twin)
		}
		seen[id] = text
	}
	if task.NewContent(tool.TypeReturn, "x").ID == task.NewContent(tool.TypeMessage, "x").ID {
		t.Error("the type of a content does not count")
	}
}

func TestContentsAreByValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyValue.Draw(t, "a"), anyValue.Draw(t, "b")
		one, two := task.NewContent(tool.TypeReturn, a), task.NewContent(tool.TypeReturn, b)
		if (one.ID == two.ID) != value.Equal(a, b) {
			t.Fatalf("%s and %s", value.JSON(a), value.JSON(b))
		}
		back, err := one.Value()
		if err != nil || !value.Equal(back, a) || task.NewContent(tool.TypeReturn, back).ID != one.ID {
			t.Fatalf("%s comes back as %s, %v", value.JSON(a), value.JSON(back), err)
		}
	})
}

func TestContentThatIsBroken(t *testing.T) {
	t.Parallel()
	c := task.NewContent(tool.TypeReturn, "x")
	c.JSON = c.JSON[:2]
	if v, err := c.Value(); err == nil || !strings.Contains(err.Error(), c.ID.String()) {
		t.Errorf("%v, %v", v, err)
	}
}
