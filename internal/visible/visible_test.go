package visible_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/visible"
)

// shown is how a hidden character appears.
func shown(r rune) string { return fmt.Sprintf("⟨U+%04X⟩", r) }

func TestLineKeeps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "plain text, 1 < 2 & \"3\" \\ `x`", "<img src=x onerror=alert(1)>", "![](http://evil/beacon?x)",
		"größer, 日本語, עברית, العربية, हिन्दी", "e\u0301", "a\u00a0b\u3000c", "⟨U+001B⟩", "\uFFFD",
		"😀", "👩\u200d🚀", "👩🏽\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", "❤\ufe0f", "☺\ufe0f", "❤\ufe0f\u200d🔥", "🏳\ufe0f\u200d🌈", "🏴\u200d☠\ufe0f",
		"🇨🇭", "👍🏽", "1\ufe0f\u20e3", "#\ufe0f\u20e3", "©\ufe0f", "™\ufe0f", "‼\ufe0f", "㊗\ufe0f", "🧑\u200d🤝\u200d🧑", "↔\ufe0f",
	} {
		if got := visible.Line(text); got != text {
			t.Errorf("Line(%q) is %q", text, got)
		}
		if got := visible.Block(text); got != text {
			t.Errorf("Block(%q) is %q", text, got)
		}
	}
}

func TestLineEscapes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"clear line", "a\x1b[2Kb", "a⟨U+001B⟩[2Kb"},
		{"OSC 8 link", "\x1b]8;;http://evil\x07click\x1b]8;;\x07", "⟨U+001B⟩]8;;http://evil⟨U+0007⟩click⟨U+001B⟩]8;;⟨U+0007⟩"},
		{"OSC 52 clipboard", "\x1b]52;c;ZXZpbA==\x1b\\", "⟨U+001B⟩]52;c;ZXZpbA==⟨U+001B⟩\\"},
		{"OSC of one byte", "\u009d0;title\u009c", "⟨U+009D⟩0;title⟨U+009C⟩"},
		{"CSI of one byte", "\u009b2J", "⟨U+009B⟩2J"},
		{"carriage return", "safe\revil", "safe⟨U+000D⟩evil"},
		{"backspace", "ab\b\bcd", "ab⟨U+0008⟩⟨U+0008⟩cd"},
		{"NUL", "a\x00b", "a⟨U+0000⟩b"},
		{"delete", "a\x7fb", "a⟨U+007F⟩b"},
		{"next line", "a\u0085b", "a⟨U+0085⟩b"},
		{"line break", "a\nb", "a⏎b"},
		{"tab", "a\tb", "a b"},
		{"line separator", "a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"},
		{"soft hyphen", "pass\u00adword", "pass⟨U+00AD⟩word"},
		{"turned around", "user\u202egpj.exe", "user⟨U+202E⟩gpj.exe"},
		{"isolates", "\u2066a\u2067b\u2068c\u2069", "⟨U+2066⟩a⟨U+2067⟩b⟨U+2068⟩c⟨U+2069⟩"},
		{"Arabic letter mark", "a\u061cb", "a⟨U+061C⟩b"},
		{"marks of direction", "\u200ea\u200f", "⟨U+200E⟩a⟨U+200F⟩"},
		{"zero width", "a\u200bb\u200cc\u2060d", "a⟨U+200B⟩b⟨U+200C⟩c⟨U+2060⟩d"},
		{"byte order mark", "\ufeffa", "⟨U+FEFF⟩a"},
		{"tags", "a\U000e0041\U000e007f", "a⟨U+E0041⟩⟨U+E007F⟩"},
		{"a flag of tags", "🏴\U000e0067\U000e007f", "🏴⟨U+E0067⟩⟨U+E007F⟩"},
		{"private use", "\ue000\U0010fffd", "⟨U+E000⟩⟨U+10FFFD⟩"},
		{"filler", "\u3164\u115f\uffa0\u2800", "⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩⟨U+2800⟩"},
		{"combining joiner", "a\u034fb", "a⟨U+034F⟩b"},
		{"ignorable without a name", "a\u2065b\ufff0c", "a⟨U+2065⟩b⟨U+FFF0⟩c"},
		{"no characters", "a\ufffeb\U0001fffe", "a⟨U+FFFE⟩b⟨U+1FFFE⟩"},
		{"Mongolian selectors", "\u180b\u180c\u180d\u180e\u180f", "⟨U+180B⟩⟨U+180C⟩⟨U+180D⟩⟨U+180E⟩⟨U+180F⟩"},
		{"selectors of other characters", "☺\ufe0e☺\ufe00x\ufe0f\U000e0100", "☺⟨U+FE0E⟩☺⟨U+FE00⟩x⟨U+FE0F⟩⟨U+E0100⟩"},

		{"joiner between letters", "pay\u200dpal", "pay⟨U+200D⟩pal"},
		{"joiner between ideographs", "密\u200d码", "密⟨U+200D⟩码"},
		{"joiner at the start", "\u200d🚀", "⟨U+200D⟩🚀"},
		{"joiner at the end", "👩\u200d", "👩⟨U+200D⟩"},
		{"joiner before a letter", "👩\u200da", "👩⟨U+200D⟩a"},
		{"two joiners", "👩\u200d\u200d🚀", "👩⟨U+200D⟩⟨U+200D⟩🚀"},
		{"joiner after a tag", "\U000e0041\u200d🚀", "⟨U+E0041⟩⟨U+200D⟩🚀"},
		{"joiner after a filler", "\u3164\u200d\u3164", "⟨U+3164⟩⟨U+200D⟩⟨U+3164⟩"},
		{"selectors as a message", "❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f⟨U+FE0F⟩⟨U+FE0F⟩"},
		{"selector after an ideograph", "密\ufe0f码", "密⟨U+FE0F⟩码"},
		{"selector at the start", "\ufe0fa", "⟨U+FE0F⟩a"},

		{"lone surrogates", "a\xed\xa0\xbdb\xed\xb8\x80", "a⟨U+D83D⟩b⟨U+DE00⟩"},
		{"not UTF-8", "a\xffb\xc3", "a⟨U+FFFD⟩b⟨U+FFFD⟩"},
		{"half a surrogate", "a\xed\xa0", "a⟨U+FFFD⟩⟨U+FFFD⟩"},
		{"surrogate with a wrong end", "\xed\xa0x", "⟨U+FFFD⟩⟨U+FFFD⟩x"},
		{"surrogate with a wrong middle", "\xed\xc3\xa9", "⟨U+FFFD⟩é"},
	}
	for _, test := range tests {
		got := visible.Line(test.text)
		if got != test.want {
			t.Errorf("%s: Line(%q) is %q, want %q", test.name, test.text, got, test.want)
		}
		if again := visible.Line(got); again != got {
			t.Errorf("%s: Line of what Line gives, %q, is %q", test.name, got, again)
		}
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"line breaks", "a\nb\n\nc\n", "a\nb\n\nc\n"},
		{"line breaks of Windows", "a\r\nb\r\n", "a\nb\n"},
		{"carriage return alone", "safe\revil\r\r\nx", "safe⟨U+000D⟩evil⟨U+000D⟩\nx"},
		{"tabs", "a\n\tb", "a\n    b"},
		{"escapes", "a\n\x1b]8;;http://evil\x07b", "a\n⟨U+001B⟩]8;;http://evil⟨U+0007⟩b"},
		{"turned around", "a\u202e\nb", "a⟨U+202E⟩\nb"},
		{"other separators of lines", "a\u2028b\u0085c\vd\fe", "a⟨U+2028⟩b⟨U+0085⟩c⟨U+000B⟩d⟨U+000C⟩e"},
		{"emoji beside a line break", "👩\u200d\n🚀", "👩⟨U+200D⟩\n🚀"},
		{"lone surrogate", "\xed\xa0\x80\n", "⟨U+D800⟩\n"},
	}
	for _, test := range tests {
		if got := visible.Block(test.text); got != test.want {
			t.Errorf("%s: Block(%q) is %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

// TestNothingHiddenPasses goes through the planes that have characters: what Line and
// Block give holds nothing that is hidden, and everything else is what it was.
func TestNothingHiddenPasses(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= 0xE1000; r++ {
		if r >= 0xD800 && r <= 0xDFFF || r == '\n' || r == '\t' || r >= 0x40000 && r < 0xE0000 {
			continue
		}
		text := "a" + string(r) + "b"
		want := text
		if visible.Hidden(r) {
			want = "a" + shown(r) + "b"
		}
		if line, block := visible.Line(text), visible.Block(text); line != want || block != want {
			t.Fatalf("U+%04X: Line gives %q and Block %q, want %q", r, line, block, want)
		}
	}
}

func TestHidden(t *testing.T) {
	t.Parallel()
	hidden := [][2]rune{
		{0, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD}, {0x034F, 0x034F}, {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},
		{0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0x2800, 0x2800}, {0x3164, 0x3164}, {0xD800, 0xDFFF}, {0xE000, 0xF8FF},
		{0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x1D173, 0x1D17A},
		{0xE0000, 0xE0FFF}, {0xF0000, 0xFFFFF}, {0x100000, 0x10FFFF},
	}
	for _, span := range hidden {
		for r := span[0]; r <= span[1]; r++ {
			if !visible.Hidden(r) {
				t.Errorf("U+%04X is not hidden", r)
			}
		}
	}
	for _, r := range " ~\u00a0\u3000aä�\u0301ßЖעش語😀€⟨" {
		if visible.Hidden(r) {
			t.Errorf("U+%04X (%c) is hidden", r, r)
		}
	}
}

func TestDeceptive(t *testing.T) {
	t.Parallel()
	var got []string
	begin := rune(-1)
	for r := rune(0); r <= utf8.MaxRune+1; r++ {
		switch is := r <= utf8.MaxRune && visible.Deceptive(r); {
		case is && begin < 0:
			begin = r
		case !is && begin >= 0:
			got = append(got, fmt.Sprintf("%04X-%04X", begin, r-1))
			begin = -1
		}
	}
	want := []string{"061C-061C", "202A-202E", "2066-2069", "E0000-E007F"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deceptive characters (-want +got):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if r, index, ok := visible.Find("größe\u202e\u061c", visible.Deceptive); !ok || r != 0x202E || index != 5 {
		t.Errorf("found U+%04X at %d, %v, want U+202E at 5", r, index, ok)
	}
	if r, index, ok := visible.Find("\u200ba", visible.Hidden); !ok || r != 0x200B || index != 0 {
		t.Errorf("found U+%04X at %d, %v, want U+200B at 0", r, index, ok)
	}
	for _, text := range []string{"", "größe"} {
		if r, _, ok := visible.Find(text, visible.Hidden); ok {
			t.Errorf("found U+%04X in %q", r, text)
		}
	}
}

func TestMixedScripts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, word string
		scripts    []string
	}{
		{"pаypal", "pаypal", []string{"Latin", "Cyrillic"}},
		{"my pаypal tool", "pаypal", []string{"Latin", "Cyrillic"}},
		{"ok, αpple and pаypal", "αpple", []string{"Latin", "Greek"}},
		{"Αдам", "Αдам", []string{"Cyrillic", "Greek"}},
		{"օpen", "օpen", []string{"Latin", "Armenian"}},
		{"Ꭺpple", "Ꭺpple", []string{"Latin", "Cherokee"}},
		{"xаα", "xаα", []string{"Latin", "Cyrillic", "Greek"}},
	}
	for _, test := range tests {
		word, scripts, ok := visible.MixedScripts(test.text)
		if !ok || word != test.word || !slices.Equal(scripts, test.scripts) {
			t.Errorf("%q: %q, %v, %v, want %q, %v", test.text, word, scripts, ok, test.word, test.scripts)
		}
	}
	for _, text := range []string{
		"", "paypal", "привет мир", "read привет", "read-привет", "пример1test", "naïve größe", "日本語 text", "日本語abc", "Αθήνα", "123", "😀а",
	} {
		if word, scripts, ok := visible.MixedScripts(text); ok || word != "" || scripts != nil {
			t.Errorf("%q: %q mixes %v", text, word, scripts)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	const surrogate = "\xed\xa0\xbd"
	tests := []struct {
		text string
		most int
		want string
	}{
		{"", 5, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"a", 1, "a"},
		{"abcd", 0, ""}, {"abcd", -1, ""}, {"", 0, ""},
		{"größer", 6, "größer"}, {"größer", 5, "größ…"}, {"😀😀😀", 2, "😀…"},
		{"one two", 5, "one…"}, {"one  two", 6, "one…"}, {"   x", 3, "…"},
		{strings.Repeat(surrogate, 3), 3, strings.Repeat(surrogate, 3)}, {strings.Repeat(surrogate, 4), 3, surrogate + surrogate + "…"},
		{"a" + surrogate + "bc", 3, "a" + surrogate + "…"}, {"\xff\xff\xff", 2, "\xff…"},
	}
	for _, test := range tests {
		if got := visible.Cut(test.text, test.most); got != test.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", test.text, test.most, got, test.want)
		}
	}
}
