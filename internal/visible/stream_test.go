package visible_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/visible"
)

func TestScreen(t *testing.T) {
	t.Parallel()
	const red, plain = "\x1b[31m", "\x1b[0m"
	tests := []struct{ text, want string }{
		{"", ""},
		{"a\tb\n", "a\tb\n"},
		{"größer 👩\u200d🚀", "größer 👩\u200d🚀"},
		{red + "bad" + plain + "\n", red + "bad" + plain + "\n"},
		{"\x1b[2K" + red + "x" + plain, "⟨U+001B⟩[2K" + red + "x" + plain},
		{"\x1b", "⟨U+001B⟩"},
		{"\x1b\x1b[31m", "⟨U+001B⟩" + red},
		{"\x1b[31", "⟨U+001B⟩[31"},
		{"\x1b[32m", "⟨U+001B⟩[32m"},
		{"a\rb\u202ec\u009b2J\u200b\U000e0041", "a⟨U+000D⟩b⟨U+202E⟩c⟨U+009B⟩2J⟨U+200B⟩⟨U+E0041⟩"},
		{"\xff" + red + "\xed\xa0\xbd", "⟨U+FFFD⟩" + red + "⟨U+D83D⟩"},
	}
	for _, test := range tests {
		if got := visible.Screen(test.text, red, plain, ""); got != test.want {
			t.Errorf("Screen(%q) is %q, want %q", test.text, got, test.want)
		}
	}
	if got, want := visible.Screen(red+"x"), "⟨U+001B⟩[31mx"; got != want {
		t.Errorf("without sequences of its own: %q, want %q", got, want)
	}
}

// someText draws texts in which hidden characters are frequent.
func someText() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOf(rapid.OneOf(
		rapid.StringN(0, 5, -1),
		rapid.SampledFrom([]string{"\x1b[31m", "\x1b[0m", "\x1b", "\u202e", "\u200b", "\U000e0041", "\n", "\t", "\r", "\u0085", "👩\u200d🚀", "\xff", "\xed\xa0\xbd", "❤\ufe0f"}),
	)), func(parts []string) string { return strings.Join(parts, "") })
}

// TestScreenProperty: what Screen gives has nothing hidden in it beside its own sequences,
// and it says of its own output that nothing is to be done.
func TestScreenProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := someText().Draw(t, "text")
		got := visible.Screen(text, "\x1b[31m", "\x1b[0m")
		rest := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(got)
		if r, at, ok := visible.Unseen(rest); ok && r != 0x200D && r != 0xFE0F {
			t.Fatalf("U+%04X at %d is left in %q", r, at, got)
		}
		if again := visible.Screen(got, "\x1b[31m", "\x1b[0m"); again != got {
			t.Fatalf("%q became %q", got, again)
		}
	})
}

// TestUnseenAgrees: Unseen finds something exactly where Line changes a text that has no
// line breaks and tabs.
func TestUnseenAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.NewReplacer("\n", "", "\t", "").Replace(someText().Draw(t, "text"))
		r, index, ok := visible.Unseen(text)
		if changed := visible.Line(text) != text; ok != changed {
			t.Fatalf("Unseen of %q says %v, and Line changed it: %v", text, ok, changed)
		}
		if ok && utf8.ValidString(text) && []rune(text)[index] != r {
			t.Fatalf("character %d of %q is not U+%04X", index, text, r)
		}
	})
	if _, _, ok := visible.Unseen("a\n\tb"); ok {
		t.Error("line breaks and tabs count as unseen")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`{"a":"plain é 日本 😀"}`, `{"a":"plain é 日本 😀"}`},
		{"{\n  \"a\": \"x\u202ey\"\n}", "{\n  \"a\": \"x\\u202ey\"\n}"},
		{"\"\x7f\u009b\u200b\u2028\"", `"\u007f\u009b\u200b\u2028"`},
		{"\"\U000e0041\"", `"\udb40\udc41"`},
		{"{\"\u2066\":1}", `{"\u2066":1}`},
	}
	for _, test := range tests {
		if got := visible.JSON(test.text); got != test.want {
			t.Errorf("JSON(%q) is %q, want %q", test.text, got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		before, err := json.Marshal(map[string]any{rapid.String().Draw(t, "name"): rapid.String().Draw(t, "value") + "\u202e"})
		if err != nil {
			t.Fatal(err)
		}
		shown := visible.JSON(string(before))
		if _, _, ok := visible.Find(shown, visible.Hidden); ok {
			t.Fatalf("something is hidden in %q", shown)
		}
		var was, is any
		if err := errors.Join(json.Unmarshal(before, &was), json.Unmarshal([]byte(shown), &is)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(was, is); diff != "" {
			t.Fatalf("the value changed (-was +is):\n%s", diff)
		}
	})
}

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"paypal", "paypa1"}, {"mail", "ma1l"}, {"mail", "mai1"}, {"notes", "n0tes"}, {"modern", "modem"}, {"wave", "vvave"},
		{"read-file", "read_file"}, {"read.file", "read--file"}, {"Read_File", "read_file"}, {"bilI", "bi1l"}, {"tasks.create", "tasks-create"},
		{"todo", "t0d0"}, {"a/b c", "a_b:c"}, {"same", "same"}, {"", ""}, {"1", "l"}, {"1", "i"}, {"rnaln", "maln"},
	} {
		if !visible.Alike(pair[0], pair[1]) || !visible.Alike(pair[1], pair[0]) {
			t.Errorf("%q and %q are not alike", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{"mail", "mall"}, {"clock", "dock"}, {"readfile", "read-file"}, {"notes", "note"}, {"paypal", "paypol"}, {"a1", "a2"},
		{"", "a"}, {"-", ""}, {"size", "5ize"}, {"naïve", "naive"},
	} {
		if visible.Alike(pair[0], pair[1]) || visible.Alike(pair[1], pair[0]) {
			t.Errorf("%q and %q are alike", pair[0], pair[1])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-qstuw-zA-QSTUW-Z0-9._-]{0,12}`).Draw(t, "name")
		other := strings.NewReplacer("o", "0", "l", "1", "m", "rn", "w", "vv", ".", "-", "_", ".").Replace(name)
		if !visible.Alike(name, name) || !visible.Alike(name, other) || !visible.Alike(other, name) {
			t.Fatalf("%q and %q are not alike", name, other)
		}
	})
}
