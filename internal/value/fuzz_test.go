package value_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"toolsmith/internal/value"
)

// conformance gives every line of the conformance files, read.
func conformance(f *testing.F) []*value.Node {
	f.Helper()
	var lines []*value.Node
	for _, name := range []string{"check.jsonl", "try.jsonl"} {
		text, err := os.ReadFile("../../testdata/conformance/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			root, problems := value.Parse(line)
			if root == nil {
				f.Fatalf("%s: %v", name, problems)
			}
			lines = append(lines, root)
		}
	}
	if len(lines) == 0 {
		f.Fatal("there are no conformance cases")
	}
	return lines
}

// FuzzParse holds the grammar against jsontext, and what was read against what it reads
// back as.
func FuzzParse(f *testing.F) {
	const manySeeds = 4 << 10 // bytes; longer manifests only make the search slower
	for _, line := range conformance(f) {
		if text := value.JSON(line.Get("manifest").Value()); len(text) <= manySeeds {
			f.Add([]byte(text))
		}
	}
	for _, seed := range []string{
		"", " ", "null", "tru", "-0", "01", "1.", "1e400", "1e+5", "0e99999999", "12345678901234567890", "NaN", "-Infinity",
		"\xef\xbb\xbf{}", "{} {}", "{}}", "// c\n1", "['a']", "[“a”]", "[1,]", `{"a":1,}`, "[1 2]", `["a" "b"]`, `{"a" 1}`,
		"[\"a\nb\"]", "[\"\x00\"]", `["\x"]`, `["\u12"]`, `["`, `{"a`, "[", "{", nested(64), nested(65), "[\xff]",
		`{"a":1,"a":2}`, `{"":1,"":2}`, `{"a":{"b":1,"b":[1e400]},"a":0}`, "{\"\xff\":\"\xfe\",\"\xfe\":1}", "\"\xed\xa0\xbd\"",
		`["\ud83d\ude00","\ud83d","\ude00","\ud83dx","\ud83d\ud83d\ude00","\ud83d\u0041"]`, `{"\ud83d":1,"\ud83d":2}`,
		"{\"Name\":1,\"name\":2}", `{"method\u0000x":1}`, "\"\u2028\u202e\U000e0041\"", " [ 1 , { \"a\" : \"\\n\" } ]\r\n\t",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, problems := value.Parse(text)
		checkProblems(t, text, root, problems)
		if root == nil {
			if len(problems) > 0 && problems[len(problems)-1].Message == tooDeep {
				if strings.Count(string(text), "[")+strings.Count(string(text), "{") <= value.MaxDepth {
					t.Errorf("refused as too deep: %q", text)
				}
				return
			}
			if jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
				t.Errorf("refused %q, which is JSON: %v", text, problems)
			}
			return
		}
		if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("accepted %q, which is no JSON", text)
		}
		checkKinds(t, text, root, problems)
		checkPlaces(t, text, root)
		checkRoundTrip(t, root.Value())
	})
}

// checkProblems sees that problems stand in the order of the text, each with a place.
func checkProblems(t *testing.T, text []byte, root *value.Node, problems []value.Problem) {
	if root == nil && len(problems) == 0 {
		t.Errorf("%q has neither a tree nor a problem", text)
	}
	for i, p := range problems {
		if p.Offset < 0 || p.Offset > len(text) || !strings.HasPrefix(p.Path(), "$") || p.Message == "" {
			t.Errorf("%q: incomplete problem %+v", text, p)
		}
		if i > 0 && p.Offset < problems[i-1].Offset {
			t.Errorf("%q: problems out of order: %v", text, problems)
		}
		if p.Fatal != (root == nil && i == len(problems)-1) {
			t.Errorf("%q: fatal at the wrong place: %v", text, problems)
		}
	}
}

// checkKinds compares what is said of UTF-8 and of doubled names with jsontext, which
// counts a lone surrogate as invalid UTF-8.
func checkKinds(t *testing.T, text []byte, root *value.Node, problems []value.Problem) {
	whole, doubled := true, false
	for _, p := range problems {
		whole = whole && p.Message != notUTF8
		doubled = doubled || strings.HasSuffix(p.Message, "is given twice. Keep one.")
	}
	if whole = whole && wholeTexts(root); whole != jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) {
		t.Errorf("%q: whole texts: %v, and jsontext sees it otherwise", text, whole)
	} else if whole && doubled == jsontext.Value(text).IsValid() {
		t.Errorf("%q: doubled names: %v, and jsontext sees it otherwise", text, doubled)
	}
}

// wholeTexts reports whether there is no lone surrogate.
func wholeTexts(n *value.Node) bool {
	for kid := range n.Kids() {
		if !wholeTexts(kid) {
			return false
		}
		if !utf8.ValidString(kid.Name) {
			return false
		}
	}
	return utf8.ValidString(n.Text)
}

// checkPlaces sees that what stands at the place of a node is the node.
func checkPlaces(t *testing.T, text []byte, n *value.Node) {
	again, _ := value.Parse(text[n.Offset:n.End])
	if again == nil || !value.Equal(again.Value(), n.Value()) {
		t.Errorf("%q: at %s stands %q", text, n.Path(), text[n.Offset:n.End])
	}
	for kid := range n.Kids() {
		if kid := kid; kid.Parent() != n {
			t.Errorf("%q: %s has another parent", text, kid.Path())
		} else if len(text) < 200 { // reading every part of a long text again takes too long
			checkPlaces(t, text, kid)
		}
	}
}

func checkRoundTrip(t *testing.T, v any) {
	written := value.AppendJSON(nil, v)
	root, problems := value.Parse(written)
	for _, p := range problems {
		if p.Message != numberRangeMessage { // numbers are written as they were
			t.Errorf("%s: %v", written, problems)
		}
	}
	if root == nil || string(value.AppendJSON(nil, root.Value())) != string(written) {
		t.Errorf("%s reads back otherwise", written)
	} else if len(problems) == 0 && !value.Equal(v, root.Value()) {
		t.Errorf("%s reads back as another value", written)
	}
}

// FuzzParsePath sees that a path that is accepted keeps the rules, and that its text is
// read as the same path.
func FuzzParsePath(f *testing.F) {
	seen := map[string]bool{}
	var refs func(n *value.Node)
	refs = func(n *value.Node) {
		isRef := n.Name == "$ref" || n.Name == "target" || n.Name == "itemVar" || n.Name == "primaryRef"
		if isRef && n.Kind == value.String && len(n.Text) < 2000 && !seen[n.Text] {
			seen[n.Text] = true
			f.Add(n.Text)
		}
		for kid := range n.Kids() {
			refs(kid)
		}
	}
	for _, line := range conformance(f) {
		refs(line.Get("manifest"))
	}
	for _, seed := range []string{
		"", "$", "$.", ".", "..", "$..a..b", "$a", "$.$", "a.0.length", "a.01", "a.__proto__", "constructor.a", "größe", "a b", "a[0]", "\xff",
		strings.Repeat("a.", 16), strings.Repeat("a.", 17), strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat(".", 3000),
	} {
		f.Add(seed)
	}
	segment := regexp.MustCompile(`\A[A-Za-z0-9_-]{1,64}\z`)
	unsafe := regexp.MustCompile(`\A(__proto__|constructor|prototype|__(define|lookup)[GS]etter__)\z`)
	f.Fuzz(func(t *testing.T, text string) {
		path, err := value.ParsePath(text)
		if err != nil {
			if path != nil || err.Error() == "" {
				t.Errorf("%q: path %v, error %q", text, path, err)
			}
			return
		}
		if len(path) > 16 {
			t.Errorf("%q has %d segments", text, len(path))
		}
		for _, s := range path {
			if !segment.MatchString(s) || unsafe.MatchString(s) {
				t.Errorf("%q has the segment %q", text, s)
			}
		}
		again, err := value.ParsePath(path.String())
		if err != nil || strings.Join(again, ".") != strings.Join(path, ".") || len(again) != len(path) {
			t.Errorf("%q is %s, and that is read as %v, %v", text, path, again, err)
		}
	})
}

// FuzzNumber compares what is said of numbers with their grammar and with math/big.
func FuzzNumber(f *testing.F) {
	texts := []string{
		"0", "-0", "0.0", "1.0", "1e0", "1E+00", "-1.5e-7", "9007199254740993", "12345678901234567890", "9223372036854775807", "-9223372036854775808",
		"1e308", "1.8e308", "5e-324", "1e-400", "1e400", "0e9999", "0e99999999", "1e21", "123456789012345678901", "0.000001", "1e-7",
		"999999999999999", "1e19", "01", "1.", ".5", "-", "+1", "1e", "1e+", "0x1", "1_0", "NaN", "Infinity", "", "1 ", strings.Repeat("9", 400),
	}
	for i, text := range texts {
		f.Add(text, texts[len(texts)-1-i])
		f.Add(text, text)
	}
	grammar := regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\z`)
	inRange := func(t *testing.T, text string) bool {
		root, problems := value.Parse([]byte(text))
		isNumber := root != nil && root.Kind == value.Number && root.Text == text
		if isNumber != grammar.MatchString(text) {
			t.Errorf("%q is a number: %v; problems %v", text, isNumber, problems)
		}
		if isNumber && (len(problems) == 0) != (value.CheckNumber(text) == nil) {
			t.Errorf("%q: problems %v, and CheckNumber gives %v", text, problems, value.CheckNumber(text))
		}
		return isNumber && len(problems) == 0
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !inRange(t, a) || !inRange(t, b) {
			return
		}
		checkNumberLaws(t, json.Number(a))
		want := exact(t, json.Number(a)).Cmp(exact(t, json.Number(b)))
		if got := value.CompareNumbers(json.Number(a), json.Number(b)); got != want {
			t.Errorf("CompareNumbers(%s, %s) is %d, want %d", a, b, got, want)
		}
		if back := value.CompareNumbers(json.Number(b), json.Number(a)); back != -want {
			t.Errorf("CompareNumbers(%s, %s) is %d, want %d", b, a, back, -want)
		}
	})
}
