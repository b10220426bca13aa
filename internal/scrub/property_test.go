package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writings are the ways of writing a text that are to be found. Those that write only a part
// of it in their way draw which.
func writings(t *rapid.T) map[string]func(string) string {
	some := func(escape func(b byte) string, must string) func(string) string {
		return func(text string) string {
			var out strings.Builder
			for i := range len(text) {
				if b := text[i]; strings.IndexByte(must, b) >= 0 || b < 0x80 && rapid.Bool().Draw(t, "escaped") {
					out.WriteString(escape(b))
				} else {
					out.WriteByte(b)
				}
			}
			return out.String()
		}
	}
	digits := func(b byte) string {
		text := hex.EncodeToString([]byte{b})
		if rapid.Bool().Draw(t, "upper") {
			return strings.ToUpper(text)
		}
		return text
	}
	within := func(encoding *base64.Encoding) func(string) string {
		return func(text string) string {
			around := rapid.SliceOfN(rapid.Byte(), 0, 5)
			return encoding.EncodeToString([]byte(string(around.Draw(t, "before")) + text + string(around.Draw(t, "after"))))
		}
	}
	return map[string]func(string) string{
		"as it is":  func(text string) string { return text },
		"hex":       func(text string) string { return hex.EncodeToString([]byte(text)) },
		"HEX":       func(text string) string { return strings.ToUpper(hex.EncodeToString([]byte(text))) },
		"query":     url.QueryEscape,
		"path":      url.PathEscape,
		"percent":   some(func(b byte) string { return "%" + digits(b) }, "%"),
		"JSON some": some(func(b byte) string { return `\u00` + digits(b) }, `\"`),
		"JSON":      func(text string) string { b, _ := json.Marshal(text); return string(b[1 : len(b)-1]) },
		"HTML":      html.EscapeString,
		"HTML some": some(func(b byte) string { return "&#x" + digits(b) + ";" }, "&"),
		"base64":    within(base64.StdEncoding),
		"base64raw": within(base64.RawStdEncoding),
		"base64url": within(base64.URLEncoding),
		"base64 in lines": func(text string) string {
			return wrap(within(base64.StdEncoding)(text), rapid.IntRange(4, 20).Draw(t, "columns"))
		},
	}
}

func drawSecret(t *rapid.T, name string) string {
	alphabet := rapid.RuneFrom([]rune(`abcxyzABC0189 %\/&;#+-_=."'<>éßΩ→😀`))
	return rapid.StringOfN(alphabet, 8, 24, -1).Draw(t, name)
}

// pieces passes a text through a writer in pieces that are drawn.
func pieces(t *rapid.T, s *Scrubber, text string) string {
	var out strings.Builder
	w := s.Writer(&out)
	for len(text) > 0 {
		n := rapid.IntRange(1, len(text)).Draw(t, "piece")
		if _, err := w.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestNoWritingComesThrough, whatever the secret, its writing, what stands around it, and
// the pieces in which it comes.
func TestNoWritingComesThrough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := drawSecret(t, "secret")
		all := writings(t)
		var names []string
		for name := range all {
			names = append(names, name)
		}
		name := rapid.SampledFrom(sorted(names)).Draw(t, "writing")
		written := all[name](secret)
		around := rapid.StringMatching(`[g-w \n{}:,]{0,12}`)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		s := New([]Secret{{"k", secret}, {"other", drawSecret(t, "other")}})
		text := before + written + after

		whole := s.Text(text)

		if strings.Contains(whole, secret) || strings.Contains(whole, written) || !strings.Contains(whole, "[secret ") {
			t.Fatalf("%s: %q became %q", name, text, whole)
		}
		if !strings.HasPrefix(whole, before) || !strings.HasSuffix(whole, after) {
			t.Fatalf("%s: what stands around it was changed: %q became %q", name, text, whole)
		}
		if got := pieces(t, s, text); got != whole {
			t.Fatalf("%s: in pieces %q became %q; as a whole %q", name, text, got, whole)
		}
	})
}

func sorted(names []string) []string {
	out := append([]string(nil), names...)
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// TestTextsWithoutItAreUnchanged: no text of other letters is.
func TestTextsWithoutItAreUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New([]Secret{{"k", rapid.StringMatching(`[a-f]{4}[0-9]{4,12}`).Draw(t, "secret")}})
		text := rapid.StringOf(rapid.RuneFrom([]rune("gh %\\/&;#+-_=.\"'<>u\r\nxé😀amp"))).Draw(t, "text")
		if got := s.Text(text); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if got := pieces(t, s, text); got != text {
			t.Fatalf("in pieces %q became %q", text, got)
		}
	})
}

// TestPiecesMakeNoDifference, even in texts that are made to confuse.
func TestPiecesMakeNoDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secrets := []Secret{{"a", "abababab"}, {"b", "babababa0"}, {"c", `\\u0061%25`}, {"d", "61616161"}}
		bits := rapid.SampledFrom([]string{
			"a", "b", "ab", "abab", "0", `\`, `\\`, `\u0061`, `\u00`, "u0061", "%", "%25", "%61", "61", "&", "&#97;", "&amp;", "#97;", "\n", "\r", "\r\n",
			"YWJhYmFi", "YWI=", "FiYWI", `\n`, "25", "6", "1", ";",
		})
		text := strings.Join(rapid.SliceOf(bits).Draw(t, "text"), "")
		s := New(secrets)
		whole := s.Text(text)
		if got := pieces(t, s, text); got != whole {
			t.Fatalf("in pieces %q became %q; as a whole %q", text, got, whole)
		}
		for _, secret := range secrets {
			if strings.Contains(whole, secret.Value) {
				t.Fatalf("%q became %q", text, whole)
			}
		}
	})
}
