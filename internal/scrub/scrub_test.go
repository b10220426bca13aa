package scrub

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// canary has a character of every sort that some way of writing treats apart.
const canary = `k<3"y/é+z &\=Ω😀%41'q`

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func jsonText(t *testing.T, text string, html bool) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(html)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	return strings.Trim(strings.TrimSpace(out.String()), `"`)
}

// everyUnit writes each UTF-16 unit with an escape of its own.
func everyUnit(t *testing.T, text, format string) string {
	t.Helper()
	var out strings.Builder
	for _, r := range text {
		if r > 0xFFFF {
			r -= 0x10000
			out.WriteString(`\u` + hexDigits(0xD800+r>>10, format) + `\u` + hexDigits(0xDC00+r&0x3FF, format))
			continue
		}
		out.WriteString(`\u` + hexDigits(r, format))
	}
	return out.String()
}

func hexDigits(r rune, format string) string {
	digits := hex.EncodeToString([]byte{byte(r >> 8), byte(r)})
	if format == "upper" {
		return strings.ToUpper(digits)
	}
	return digits
}

func percentAll(text string, lower bool) string {
	var out strings.Builder
	for i := range len(text) {
		digits := hex.EncodeToString([]byte{text[i]})
		if !lower {
			digits = strings.ToUpper(digits)
		}
		out.WriteString("%" + digits)
	}
	return out.String()
}

// TestEveryWayOfWriting is found, and what stands beside it stays.
func TestEveryWayOfWriting(t *testing.T) {
	t.Parallel()
	s := New([]Secret{{"key", canary}})
	for name, written := range map[string]string{
		"as it is":             canary,
		"hex":                  hex.EncodeToString([]byte(canary)),
		"upper hex":            strings.ToUpper(hex.EncodeToString([]byte(canary))),
		"base64":               b64(canary),
		"base64, no padding":   base64.RawStdEncoding.EncodeToString([]byte(canary)),
		"base64url":            base64.URLEncoding.EncodeToString([]byte(canary)),
		"base64url no padding": base64.RawURLEncoding.EncodeToString([]byte(canary)),
		"query":                url.QueryEscape(canary),
		"path":                 url.PathEscape(canary),
		"all percent":          percentAll(canary, false),
		"all lower percent":    percentAll(canary, true),
		"some percent":         percentAll(canary[:5], true) + strings.ReplaceAll(canary[5:], "%", "%25"),
		"JSON":                 jsonText(t, canary, false),
		"JSON for HTML":        jsonText(t, canary, true),
		"JSON with slashes":    strings.ReplaceAll(jsonText(t, canary, false), "/", `\/`),
		"all JSON":             everyUnit(t, canary, ""),
		"all upper JSON":       everyUnit(t, canary, "upper"),
		"HTML":                 html.EscapeString(canary),
		"HTML names":           strings.ReplaceAll(strings.ReplaceAll(html.EscapeString(canary), "é", "&eacute;"), "Ω", "&Omega;"),
		"HTML numbers":         strings.ReplaceAll(strings.ReplaceAll(html.EscapeString(canary), "z", "&#122;"), "k", "&#x6B;"),
		"JSON in JSON":         jsonText(t, jsonText(t, canary, false), true),
		"query twice":          url.QueryEscape(url.QueryEscape(canary)),
		"query in JSON":        jsonText(t, percentAll(canary, false), false),
		"base64 in a query":    url.QueryEscape(b64(canary)),
		"wrapped base64":       b64(canary)[:9] + "\n" + b64(canary)[9:20] + "\r\n" + b64(canary)[20:],
		"wrapped in JSON":      jsonText(t, b64(canary)[:9]+"\n"+b64(canary)[9:], false),
	} {
		got := s.Text("before " + written + " after")
		if got != "before [secret key] after" {
			t.Errorf("%s: %q became %q", name, written, got)
		}
	}
}

// TestWithinBase64 of something longer it is found wherever it begins.
func TestWithinBase64(t *testing.T) {
	t.Parallel()
	s := New([]Secret{{"key", canary}})
	for before := range 7 {
		for after := range 5 {
			text := b64(strings.Repeat("u", before) + canary + strings.Repeat("v", after))
			got := s.Text(text)
			if !strings.Contains(got, "[secret key]") {
				t.Errorf("%d bytes before and %d after: %q became %q", before, after, text, got)
			}
			// Beside it, characters stay that it shares with what is around it.
			left := strings.ReplaceAll(got, "[secret key]", "")
			if want := len(b64(strings.Repeat("u", before))) + len(b64(strings.Repeat("v", after))) + 3; len(left) > want {
				t.Errorf("%d bytes before and %d after: %q is left of %q", before, after, left, text)
			}
		}
	}
	basic := "Authorization: Basic " + b64("user:"+canary)
	if got := s.Text(basic); !strings.HasPrefix(got, "Authorization: Basic dXNlcj") || !strings.Contains(got, "[secret key]") {
		t.Errorf("%q became %q", basic, got)
	}
	wrapped := wrap(b64(strings.Repeat("x", 100)+canary+strings.Repeat("y", 100)), 76)
	if got := s.Text(wrapped); !strings.Contains(got, "[secret key]") || strings.Count(got, "\r\n") != strings.Count(wrapped, "\r\n")-1 {
		t.Errorf("%q became %q", wrapped, got)
	}
}

func wrap(text string, columns int) string {
	var lines []string
	for len(text) > columns {
		lines, text = append(lines, text[:columns]), text[columns:]
	}
	return strings.Join(append(lines, text), "\r\n")
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		secrets          []Secret
	}{
		{"nothing to take out", "a text", "a text", nil},
		{"too short to take out", "ab true ab", "ab true ab", []Secret{{"x", "ab"}, {"y", ""}, {"z", "true"}}},
		{"a scheme and a key", "key abcdefgh1", "key [secret x]", []Secret{{"x", "Bearer abcdefgh1"}}},
		{"the scheme with it", "is bearer abcdefgh1", "is [secret x]", []Secret{{"x", "bearer abcdefgh1"}}},
		{"a scheme and too little", "key abc", "key abc", []Secret{{"x", "Bearer abc"}}},
		{"spaces around", "-abcdefgh-", "-[secret x]-", []Secret{{"x", " abcdefgh "}}},
		{"the longest first", "abcdefghij", "[secret long]", []Secret{{"short", "abcdefgh"}, {"long", "abcdefghij"}}},
		{"one within another", "0abcdefgh1", "[secret long]", []Secret{{"short", "abcdefgh"}, {"long", "0abcdefgh1"}}},
		{"two that overlap", "abcdefghijkl.", "[secret a].", []Secret{{"a", "abcdefgh"}, {"b", "efghijkl"}}},
		{"two that touch", "abcdefghabcdefgh", "[secret a][secret a]", []Secret{{"a", "abcdefgh"}}},
		{"it overlaps itself", "xaaaaaaaaaaax", "x[secret a]x", []Secret{{"a", "aaaaaaaa"}}},
		{"the same value twice", "abcdefgh", "[secret a]", []Secret{{"a", "abcdefgh"}, {"b", "abcdefgh"}}},
		{"a sign that would tell", "my secret k!", "my […]!", []Secret{{"k", "secret k"}}},
		{"broken over lines as it is", "abcd\nefgh", "abcd\nefgh", []Secret{{"a", "abcdefgh"}}},
		{"an empty line between", "6162636465\n\n666768", "6162636465\n\n666768", []Secret{{"a", "abcdefgh"}}},
		{"what only looks escaped", `100% & \ &; %zz \q \ud800 \ud800\u0041 &#0; &nothing; %4`, `100% & \ &; %zz \q \ud800 \ud800\u0041 &#0; &nothing; %4`, []Secret{{"a", "abcdefgh"}}},
		{"a secret that looks escaped", `x%41bcd\u0065&amp;x`, "x[secret a]x", []Secret{{"a", `%41bcd\u0065&amp;`}}},
		{"escapes of languages", `\x61bcdefg\'`, "[secret a]", []Secret{{"a", "abcdefg'"}}},
		{"a form", "k=ab+cd%26ef+gh&l=", "k=[secret a]&l=", []Secret{{"a", "ab cd&ef gh"}}},
	} {
		s := New(c.secrets)
		if got := s.Text(c.text); got != c.want {
			t.Errorf("%s: %q became %q; want %q", c.name, c.text, got, c.want)
		}
		if got := string(s.Bytes([]byte(c.text))); got != c.want {
			t.Errorf("%s: as bytes %q became %q; want %q", c.name, c.text, got, c.want)
		}
		for size := 1; size < len(c.text); size++ {
			if got := stream(t, s, c.text, size); got != c.want {
				t.Errorf("%s: in pieces of %d, %q became %q; want %q", c.name, size, c.text, got, c.want)
			}
		}
		read, err := io.ReadAll(s.Reader(iotest.OneByteReader(strings.NewReader(c.text))))
		if err != nil || string(read) != c.want {
			t.Errorf("%s: %q was read as %q, %v; want %q", c.name, c.text, read, err, c.want)
		}
	}
}

// stream passes a text through a writer in pieces of a size.
func stream(t testing.TB, s *Scrubber, text string, size int) string {
	t.Helper()
	var out strings.Builder
	w := s.Writer(&out)
	for len(text) > 0 {
		n := min(size, len(text))
		if wrote, err := io.WriteString(w, text[:n]); err != nil || wrote != n {
			t.Fatalf("wrote %d of %d: %v", wrote, n, err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestValues(t *testing.T) {
	t.Parallel()
	s := New([]Secret{{"key", "abcdefgh"}, {"pin", "12345678"}, {"other", "stuvwxyz"}})
	before := map[string]any{
		"list":         []any{"x abcdefgh", true, nil, json.Number("12345678"), []any{"y"}},
		"untouched":    map[string]any{"n": json.Number("123456789"), "m": json.Number("1")},
		"abcdefgh":     "first",
		"[secret key]": "was there",
		"YWJjZGVmZ2g":  map[string]any{"deep": []any{map[string]any{"stuvwxyz": "%61bcdefgh"}}},
	}
	kept := map[string]any{}
	raw, _ := json.Marshal(before)
	_ = json.Unmarshal(raw, &kept)
	want := map[string]any{
		"list":             []any{"x [secret key]", true, nil, "[secret pin]", []any{"y"}},
		"untouched":        map[string]any{"n": json.Number("123456789"), "m": json.Number("1")},
		"[secret key]":     "was there",
		"[secret key] (2)": map[string]any{"deep": []any{map[string]any{"[secret other]": "[secret key]"}}},
		"[secret key] (3)": "first",
	}
	if diff := cmp.Diff(want, s.Value(before)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again, _ := json.Marshal(before)
	if string(again) != string(raw) {
		t.Errorf("the value given was changed: %s", again)
	}
	for _, v := range []any{nil, true, "text", json.Number("1"), []any{}, map[string]any{"a": []any{"b"}}} {
		if diff := cmp.Diff(v, s.Value(v)); diff != "" {
			t.Errorf("%v was changed:\n%s", v, diff)
		}
	}
	none := New(nil)
	if none.Value("abcdefgh") != "abcdefgh" || string(none.Bytes([]byte("abcdefgh"))) != "abcdefgh" {
		t.Error("a scrubber of nothing changes something")
	}
	if got := stream(t, none, "abcdefgh", 3); got != "abcdefgh" {
		t.Errorf("a scrubber of nothing made it %q", got)
	}
}

// TestOnlyWhatMayBeASecretIsHeldBack says when a writer passes on what it was given.
func TestOnlyWhatMayBeASecretIsHeldBack(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := New([]Secret{{"key", "abcdefgh"}}).Writer(&out)
	for _, step := range []struct{ write, passed string }{
		{"hello", "hello"},
		{" ab", "hello "},
		{"cd", "hello "},
		{"x", "hello abcdx"},
		{"%6", "hello abcdx"},
		{"1b", "hello abcdx"},
		{"cdefgh", "hello abcdx[secret key]"},
		{"%6q", "hello abcdx[secret key]%6q"},
		{"abc", "hello abcdx[secret key]%6q"},
	} {
		if _, err := io.WriteString(w, step.write); err != nil {
			t.Fatal(err)
		}
		if out.String() != step.passed {
			t.Errorf("after %q there is %q; want %q", step.write, out.String(), step.passed)
		}
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); !strings.HasSuffix(got, "%6qabc") {
		t.Errorf("closed, there is %q", got)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, errClosed) {
		t.Errorf("writing to it gives %v", err)
	}
}

// broken fails from some write on.
type broken struct{ left int }

var errBroken = errors.New("broken")

func (b *broken) Write(data []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errBroken
	}
	return len(data), nil
}

func TestAWriterThatFails(t *testing.T) {
	t.Parallel()
	w := New([]Secret{{"key", "abcdefgh"}}).Writer(&broken{left: 1})
	if n, err := io.WriteString(w, "fine"); n != 4 || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	if n, err := io.WriteString(w, "not"); n != 0 || !errors.Is(err, errBroken) {
		t.Errorf("wrote %d, %v", n, err)
	}
	if _, err := io.WriteString(w, "nor"); !errors.Is(err, errBroken) {
		t.Errorf("the error is %v", err)
	}
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("closing gives %v", err)
	}
	w = New([]Secret{{"key", "abcdefgh"}}).Writer(&broken{})
	if _, err := io.WriteString(w, "abc"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, errBroken) {
		t.Errorf("closing gives %v", err)
	}
}

// TestAReaderThatFails gives what came before, and its error.
func TestAReaderThatFails(t *testing.T) {
	t.Parallel()
	r := New([]Secret{{"key", "abcdefgh"}}).Reader(io.MultiReader(strings.NewReader("x abcdefgh abc"), iotest.ErrReader(errBroken)))
	got, err := io.ReadAll(r)
	if string(got) != "x [secret key] abc" || !errors.Is(err, errBroken) {
		t.Errorf("read %q, %v", got, err)
	}
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("reading nothing gives %d, %v", n, err)
	}
}

// TestALongText is taken in pieces, over whose borders a secret is found too.
func TestALongText(t *testing.T) {
	t.Parallel()
	s := New([]Secret{{"key", canary}})
	for _, at := range []int{0, longText - 3, longText, 2*longText - 1} {
		fill := strings.Repeat("x", 2*longText+10)
		got := s.Text(fill[:at] + canary + fill[at:])
		if want := fill[:at] + "[secret key]" + fill[at:]; got != want {
			t.Errorf("at %d it is not taken out: %d bytes, not %d", at, len(got), len(want))
		}
	}
	if plain := strings.Repeat("x\n", longText); s.Text(plain) != plain {
		t.Error("a long text without it was changed")
	}
}
