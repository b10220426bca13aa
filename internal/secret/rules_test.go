package secret_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/secret"
)

// TestValues says which are kept, as what, and with which notes.
func TestValues(t *testing.T) {
	t.Parallel()
	bearer, none := secret.Bearer(), secret.Attributes{}
	for _, c := range []struct {
		name, given string
		as          secret.Attributes
		kept        string
		notes       []string
		code, says  string
	}{
		{name: "a key", given: "kanari-1", as: bearer, kept: "kanari-1"},
		{name: "a line", given: "\r\nkanari-1\n\n", as: bearer, kept: "kanari-1", notes: []string{"Line breaks"}},
		{name: "spaces around", given: " kanari-1", as: bearer, kept: " kanari-1", notes: []string{"a space"}},
		{name: "the longest", given: strings.Repeat("kanarie8", secret.MaxLength/8), as: bearer, kept: strings.Repeat("kanarie8", secret.MaxLength/8)},
		{name: "not ASCII, in no header", given: "kanarié-", as: none, kept: "kanarié-"},
		{name: "a common word", given: "Password", as: bearer, kept: "Password", notes: []string{"a common word"}},
		{name: "one with digits", given: "true1234", as: bearer, kept: "true1234", notes: []string{"a common word"}},
		{name: "one character", given: "********", as: bearer, kept: "********", notes: []string{"a common word"}},
		{name: "digits in a row", given: "12345678", as: bearer, kept: "12345678", notes: []string{"a common word"}},
		{name: "empty", given: "", as: bearer, code: secret.CodeValue, says: "empty"},
		{name: "an empty line", given: "\r\n", as: bearer, code: secret.CodeValue, says: "empty"},
		{name: "only spaces", given: "         ", as: bearer, code: secret.CodeValue, says: "empty"},
		{name: "two letters", given: "an", as: bearer, code: secret.CodeTooShort, says: "has 2 characters"},
		{name: "a word", given: "true", as: bearer, code: secret.CodeTooShort, says: "at least 8"},
		{name: "a line that is too short", given: "anari\n", as: bearer, code: secret.CodeTooShort, says: "has 5 characters"},
		{name: "seven characters of more bytes", given: "kanarié", as: none, code: secret.CodeTooShort, says: "has 7 characters"},
		{name: "one byte too long", given: "y" + strings.Repeat("kanari78", secret.MaxLength/8), as: bearer, code: secret.CodeTooLong, says: "more than 16384 bytes"},
		{name: "a megabyte", given: strings.Repeat("k", 1<<20), as: bearer, code: secret.CodeTooLong},
		{name: "another header", given: "kanari\r\nX: y", as: bearer, code: secret.CodeValue, says: "line break"},
		{name: "a line break, in no header", given: "kanari\nkanari", as: none, code: secret.CodeValue, says: "line break"},
		{name: "a tab", given: "kanari\tkanari", as: bearer, code: secret.CodeValue, says: "control character"},
		{name: "NUL", given: "kanari\x00kanari", as: bearer, code: secret.CodeValue, says: "control character"},
		{name: "DEL", given: "kanari\x7fkanari", as: bearer, code: secret.CodeValue, says: "control character"},
		{name: "one of the second set of control characters", given: "kanari\u0085kanari", as: none, code: secret.CodeValue, says: "control character"},
		{name: "not ASCII", given: "kanarié-kanarié", as: bearer, code: secret.CodeValue, says: "not ASCII"},
		{name: "not UTF-8", given: "kanari\xff\xfe", as: none, code: secret.CodeValue, says: "not UTF-8"},
	} {
		h := newHouse(t, secret.InMemory())
		notes, err := h.Set(t.Context(), space, "key", c.given, c.as)
		wantCode(t, err, c.code, c.says)
		got, err := h.again().Get(t.Context(), space, "key")
		if c.code != "" {
			wantCode(t, err, secret.CodeMissing)
			continue
		}
		if err != nil || got.Value != c.kept || got.Attributes != c.as {
			t.Errorf("%s: kept is %q with %v, %v", c.name, got.Value, got.Attributes, err)
		}
		if len(notes) != len(c.notes) {
			t.Errorf("%s: the notes are %q", c.name, notes)
			continue
		}
		for i, note := range notes {
			if !strings.Contains(note, c.notes[i]) || strings.Contains(note, c.kept) {
				t.Errorf("%s: the note is %q; want %q", c.name, note, c.notes[i])
			}
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t, secret.InMemory())
	for name, code := range map[string]string{
		"k": "", "mail.Key_2-b": "", "-": "", strings.Repeat("k", 64): "",
		"": secret.CodeName, strings.Repeat("k", 65): secret.CodeName, "kanari key": secret.CodeName, "kanari/key": secret.CodeName,
		"kanarié": secret.CodeName, "kanari\n": secret.CodeName, "kanari\x00": secret.CodeName, "kanari#": secret.CodeName,
	} {
		_, err := h.Set(t.Context(), space, name, canary, secret.Bearer())
		wantCode(t, err, code)
		if code != "" {
			_, err = h.Get(t.Context(), space, name)
			wantCode(t, err, secret.CodeMissing)
			wantCode(t, h.Delete(t.Context(), space, name), secret.CodeMissing)
		}
	}
	_, err := h.Set(t.Context(), "", "key", canary, secret.Bearer())
	wantCode(t, err, secret.CodeName, "belongs to a tool")
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, secret.InMemory())
	for _, c := range []struct {
		as   secret.Attributes
		code string
	}{
		{secret.Attributes{}, ""},
		{secret.Attributes{Header: "X-Api-Key"}, ""},
		{secret.Attributes{Header: "Cookie", Prefix: "session="}, ""},
		{secret.Attributes{Header: strings.Repeat("X", 64), Prefix: strings.Repeat("y", 64)}, ""},
		{secret.Attributes{Prefix: "Bearer "}, secret.CodeHeader},
		{secret.Attributes{Header: "X Key"}, secret.CodeHeader},
		{secret.Attributes{Header: "X-Key:"}, secret.CodeHeader},
		{secret.Attributes{Header: "X-Key\r\nY"}, secret.CodeHeader},
		{secret.Attributes{Header: "X-Clé"}, secret.CodeHeader},
		{secret.Attributes{Header: strings.Repeat("X", 65)}, secret.CodeHeader},
		{secret.Attributes{Header: "HOST"}, secret.CodeHeader},
		{secret.Attributes{Header: "Content-Length"}, secret.CodeHeader},
		{secret.Attributes{Header: "proxy-Authorization"}, secret.CodeHeader},
		{secret.Attributes{Header: "X-Key", Prefix: "a\nb"}, secret.CodeHeader},
		{secret.Attributes{Header: "X-Key", Prefix: "é"}, secret.CodeHeader},
		{secret.Attributes{Header: "X-Key", Prefix: strings.Repeat("y", 65)}, secret.CodeHeader},
	} {
		_, err := h.Set(t.Context(), space, "key", canary, c.as)
		wantCode(t, err, c.code)
		header, line, ok := c.as.Attach(canary)
		if c.code == "" && (ok != (c.as.Header != "") || header != c.as.Header || line != c.as.Prefix+canary) {
			t.Errorf("%v is attached as %q, %q, %v", c.as, header, line, ok)
		}
	}
}

// TestWhatIsKeptIsSafe: whatever is given as a value, nothing that is refused is shown, and
// what is kept comes back and fits into a header.
func TestWhatIsKeptIsSafe(t *testing.T) {
	t.Parallel()
	h := newHouse(t, secret.InMemory())
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ019 \t\r\n\x00\x7f\"%é😀\u202e")), 0, 24, -1).Draw(t, "value")
		_, err := h.Set(ctx, space, "key", given, secret.Bearer())
		core := strings.TrimSpace(given)
		if err != nil {
			if len(core) > 3 && strings.Contains(err.Error(), core) {
				t.Fatalf("the error shows %q: %v", given, err)
			}
			return
		}
		got, err := h.Get(ctx, space, "key")
		if err != nil || got.Value != strings.Trim(given, "\r\n") {
			t.Fatalf("%q was kept as %q, %v", given, got.Value, err)
		}
		if strings.ContainsFunc(got.Value, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("%q does not fit into a header", got.Value)
		}
	})
}
