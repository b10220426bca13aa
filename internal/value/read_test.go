package value_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/value"
)

// Messages that several cases share.
const (
	bomMessage         = `The text begins with a byte order mark. Save it as UTF-8 without one (in some editors: "UTF-8", not "UTF-8 with BOM").`
	emptyMessage       = "The text is empty. It has to hold one JSON document."
	secondMessage      = "Something follows the end of the JSON document. One file holds one document."
	commentMessage     = "JSON has no comments. Take this one out."
	singleQuotes       = `Texts and names stand in double quotes ("), not in single ones.`
	typographicQuotes  = `These are typographic quotes. JSON wants the plain double quote (").`
	commaMissing       = "A comma is missing before this."
	nanMessage         = "JSON has no NaN and no Infinity."
	capitalMessage     = "JSON writes true, false and null, in small letters."
	leadingZeros       = "A number has no leading zeros. Write it as a text if it has to keep them."
	digitsMissing      = "This number is not complete: digits are missing."
	escapeMessage      = `A backslash in a text begins an escape: \" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits.`
	openQuote          = "The text ends inside quotes: a quote is not closed."
	openBracket        = "The text ends too early: a bracket or a brace is not closed."
	tooDeep            = "Lists and objects are nested deeper than 64."
	notUTF8            = "This text holds bytes that are not UTF-8. Save the file as UTF-8."
	numberRangeMessage = "This number is outside what JSON programs can hold (about 1e-308 to 1.8e308 in size). Write it as a text if it has to be kept."
)

func has(wanted, got string) string {
	return "This has to be " + wanted + ", and it is " + got + "."
}

// TestParseRefuses has every message of a text that cannot be read on, and its place.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const (
		aValue       = "a value"
		aName        = "a name in double quotes"
		commaBracket = `"," or "]"`
		commaBrace   = `"," or "}"`
	)
	tests := []struct {
		name, text string
		offset     int
		message    string
	}{
		{"empty", "", 0, emptyMessage},
		{"white space only", " \r\n\t", 4, emptyMessage},
		{"byte order mark", "\xef\xbb\xbf{}", 0, bomMessage},
		{"UTF-16, the low byte first", "\xff\xfe{\x00}\x00", 0, "The text is UTF-16. Save it as UTF-8."},
		{"UTF-16, the high byte first", "\xfe\xff\x00{\x00}", 0, "The text is UTF-16. Save it as UTF-8."},
		{"byte order mark inside", "[\xef\xbb\xbf]", 1, has(aValue, "the character U+FEFF")},
		{"second document", "{} {}", 3, secondMessage},
		{"brace too many", "{}}", 2, secondMessage},
		{"bracket too many", "[]]", 2, secondMessage},
		{"hexadecimal number", "0x10", 1, secondMessage},
		{"letter after null", "nulll", 4, secondMessage},

		{"comment first", "// why\n{}", 0, commentMessage},
		{"comment in an object", "{/* why */}", 1, commentMessage},
		{"comment in a list", "[1 // why\n]", 3, commentMessage},
		{"comment after a name", `{"a" /* why */: 1}`, 5, commentMessage},
		{"single quotes around a name", "{'a':1}", 1, singleQuotes},
		{"single quotes around a text", "['a']", 1, singleQuotes},
		{"typographic quotes around a name", "{“a”:1}", 1, typographicQuotes},
		{"typographic quotes around a text", "[”a”]", 1, typographicQuotes},
		{"low quotes", "[„a“]", 1, typographicQuotes},
		{"single typographic quotes", "[‘a’]", 1, typographicQuotes},
		{"guillemets", "[«a»]", 1, typographicQuotes},

		{"comma at the end of a list", "[1,]", 3, `There is a comma before this ']'. Take the comma out.`},
		{"comma at the end of an object", "{\"a\":1,\n}", 8, `There is a comma before this '}'. Take the comma out.`},
		{"comma, then the wrong brace", "[1,}", 3, `There is a comma before this '}'. Take the comma out.`},
		{"comma alone in a list", "[,]", 1, has(aValue, `","`)},
		{"comma alone in an object", "{,}", 1, has(aName, `","`)},
		{"two commas", "[1,,2]", 3, has(aValue, `","`)},
		{"missing comma between texts", `["a" "b"]`, 5, commaMissing},
		{"missing comma between members", "{\"a\":1\n\"b\":2}", 7, commaMissing},
		{"missing comma between numbers", "[1 2]", 3, has(commaBracket, `"2"`)},
		{"semicolon", "[1;2]", 2, has(commaBracket, `";"`)},
		{"list closed with a brace", "[1}", 2, has(commaBracket, `"}"`)},
		{"object closed with a bracket", `{"a":1]`, 6, has(commaBrace, `"]"`)},
		{"missing colon", `{"a" 1}`, 5, has(`":"`, `"1"`)},
		{"name without value", `{"a"}`, 4, has(`":"`, `"}"`)},
		{"name without quotes", "{a:1}", 1, has(aName, `"a"`)},
		{"number as a name", "{1:2}", 1, has(aName, `"1"`)},

		{"NaN", "[NaN]", 1, nanMessage},
		{"Infinity", "Infinity", 0, nanMessage},
		{"negative Infinity", "[-Infinity]", 1, nanMessage},
		{"True", "[True]", 1, capitalMessage},
		{"False", "False", 0, capitalMessage},
		{"None", `{"a":None}`, 5, capitalMessage},
		{"undefined", "[undefined]", 1, has(aValue, `"u"`)},
		{"half a word", "nul", 0, has(aValue, `"n"`)},
		{"word too long", "[truee]", 5, has(commaBracket, `"e"`)},

		{"leading zero", "[01]", 1, leadingZeros},
		{"negative leading zero", "-01", 0, leadingZeros},
		{"zeros", "[0, 00]", 4, leadingZeros},
		{"no digits after the point", "[1.]", 1, digitsMissing},
		{"no digits after e", "[1e]", 1, digitsMissing},
		{"no digits after e and sign", "[1e+]", 1, digitsMissing},
		{"minus alone", "-", 0, digitsMissing},
		{"minus and a letter", "[-x]", 1, digitsMissing},
		{"no digit before the point", "[.5]", 1, has(aValue, `"."`)},
		{"plus", "+1", 0, has(aValue, `"+"`)},

		{"line break in a text", "[\"a\nb\"]", 3, `A text ends in the line in which it begins. Close the quote, or write the line break as \n.`},
		{"NUL in a text", "[\"\x00\"]", 2, `A control character (U+0000) stands inside a text. Write it as \u0000, or close the quote.`},
		{"escape character in a name", "{\"\x1b\":1}", 2, `A control character (U+001B) stands inside a text. Write it as \u001b, or close the quote.`},
		{"unknown escape", `["a\x"]`, 3, escapeMessage},
		{"escape of a control character", "[\"\\\n\"]", 2, escapeMessage},
		{"bad hexadecimal digit", `["\u12g4"]`, 2, escapeMessage},
		{"short hexadecimal escape", `["\u12"]`, 2, escapeMessage},
		{"text ends in an escape", `["\u12`, 2, escapeMessage},
		{"text ends after a backslash", `["\`, 2, escapeMessage},

		{"open text", `["abc`, 5, openQuote},
		{"open text with an escaped quote", `["abc\"`, 7, openQuote},
		{"open name", `{"a`, 3, openQuote},
		{"end after a name", `{"a"`, 4, openBracket},
		{"end after a colon", `{"a":`, 5, openBracket},
		{"end after a value", `{"a":1`, 6, openBracket},
		{"end after a comma in an object", `{"a":1,`, 7, openBracket},
		{"end after a brace", "{", 1, openBracket},
		{"end after a bracket", "[ ", 2, openBracket},
		{"end after an item", "[1", 2, openBracket},
		{"end after a comma in a list", "[1,", 3, openBracket},

		{"NUL", "\x00", 0, has(aValue, "the character U+0000")},
		{"delete character", "[\x7f]", 1, has(aValue, "the character U+007F")},
		{"no-break space", "[\u00a01]", 1, has(aValue, "the character U+00A0")},
		{"text turned around", "[\u202e]", 1, has(aValue, "the character U+202E")},
		{"not UTF-8 outside a text", "[\xff]", 1, has(aValue, "the byte 0xFF")},
		{"letter beyond ASCII", "[é]", 1, has(aValue, `"é"`)},
		{"one level too many", nested(65), 64, tooDeep},
		{"10,001 open brackets", strings.Repeat("[", 10_001), 64, tooDeep},
		{"10,001 open objects", strings.Repeat(`{"a":`, 10_001), 64 * 5, tooDeep},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, problems := value.Parse([]byte(test.text))
			if root != nil {
				t.Errorf("the tree is %v, want none", root)
			}
			want := []problem{{Offset: test.offset, Path: "$", Message: test.message, Fatal: true}}
			if diff := cmp.Diff(want, shown(problems)); diff != "" {
				t.Errorf("problems of %q (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

// problem is a value.Problem with its path written out.
type problem struct {
	Offset        int
	Path, Message string
	Fatal         bool
}

func shown(problems []value.Problem) []problem {
	var list []problem
	for _, p := range problems {
		list = append(list, problem{p.Offset, p.Path(), p.Message, p.Fatal})
	}
	return list
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestParseDepth(t *testing.T) {
	t.Parallel()
	objects := strings.Repeat(`{"a":`, value.MaxDepth) + "1" + strings.Repeat("}", value.MaxDepth)
	for _, text := range []string{nested(value.MaxDepth), objects, "[" + nested(63) + "," + nested(63) + "]"} {
		root, problems := value.Parse([]byte(text))
		if root == nil || len(problems) > 0 {
			t.Errorf("%.20s… at depth %d: problems %v", text, value.MaxDepth, problems)
		}
	}
}

// TestParsePasses has the problems that do not stop the reading.
func TestParsePasses(t *testing.T) {
	t.Parallel()
	const twice = "This field is given twice. Keep one."
	tests := []struct {
		name, text string
		want       []problem
	}{
		{"doubled at the top", `{"name":"a","name":"b"}`, []problem{
			{Offset: 12, Path: "$.name", Message: twice},
		}},
		{"doubled three times", `{"a":1,"a":2,"b":3,"a":4}`, []problem{
			{Offset: 7, Path: "$.a", Message: twice},
			{Offset: 19, Path: "$.a", Message: twice},
		}},
		{"doubled in different spelling", `{"a":1,"\u0061":2}`, []problem{
			{Offset: 7, Path: "$.a", Message: twice},
		}},
		{"doubled and empty", `{"":1,"":2}`, []problem{
			{Offset: 6, Path: `$[""]`, Message: twice},
		}},
		{"doubled deep in objects", `{"a":{"b":{"c":{"d":{"x":1,"x":2}}}}}`, []problem{
			{Offset: 27, Path: "$.a.b.c.d.x", Message: twice},
		}},
		{"doubled deep in lists", `[0,[1,[{"x":1,"y":{},"x":2}]]]`, []problem{
			{Offset: 21, Path: "$[1][1][0].x", Message: twice},
		}},
		{"doubled at several depths, in the order of the text", `{"a":{"b":1,"b":2},"a":[{"c d":1,"c d":2}]}`, []problem{
			{Offset: 12, Path: "$.a.b", Message: twice},
			{Offset: 19, Path: "$.a", Message: twice},
			{Offset: 33, Path: `$.a[0]["c d"]`, Message: twice},
		}},
		{"doubled before a problem of its value", `{"b":1,"b":1e400}`, []problem{
			{Offset: 7, Path: "$.b", Message: twice},
			{Offset: 11, Path: "$.b", Message: numberRangeMessage},
		}},
		{"names that differ in case", `{"Name":1,"name":2,"NAME":3}`, nil},

		{"bytes that are not UTF-8 in a value", "{\"a\":\"x\xff\xfe\"}", []problem{
			{Offset: 5, Path: "$.a", Message: notUTF8},
		}},
		{"bytes that are not UTF-8 in a name", "[{\"x\xff\":1}]", []problem{
			{Offset: 2, Path: `$[0]["x` + "\uFFFD" + `"]`, Message: notUTF8},
		}},
		{"bytes that are not UTF-8 twice", "[\"\xff\",\"ok\",\"\xc3\"]", []problem{
			{Offset: 1, Path: "$[0]", Message: notUTF8},
			{Offset: 10, Path: "$[2]", Message: notUTF8},
		}},
		{"a surrogate written as bytes", "\"\xed\xa0\xbd\"", []problem{
			{Offset: 0, Path: "$", Message: notUTF8},
		}},
		{"number too large", `1e400`, []problem{{Offset: 0, Path: "$", Message: numberRangeMessage}}},
		{"numbers in a list", `[1, 1e400, -1e-400]`, []problem{
			{Offset: 4, Path: "$[1]", Message: numberRangeMessage},
			{Offset: 11, Path: "$[2]", Message: numberRangeMessage},
		}},
		{"number with a name like a position", `{"0":[{"1":1e400}]}`, []problem{
			{Offset: 11, Path: "$.0[0].1", Message: numberRangeMessage},
		}},
		{"problems before the end of the reading", `{"x":{"a":1,"a":2},"y":[1e400,?]}`, []problem{
			{Offset: 12, Path: "$", Message: twice},
			{Offset: 24, Path: "$", Message: numberRangeMessage},
			{Offset: 30, Path: "$", Message: has("a value", `"?"`), Fatal: true},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, problems := value.Parse([]byte(test.text))
			if diff := cmp.Diff(test.want, shown(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			fatal := len(problems) > 0 && problems[len(problems)-1].Fatal
			if (root == nil) != fatal {
				t.Errorf("the tree is %v though fatal is %v", root, fatal)
			}
		})
	}
}

// TestParseDoubledAmongMany sees that a large object is held to the same rule as a small one.
func TestParseDoubledAmongMany(t *testing.T) {
	t.Parallel()
	for _, members := range []int{2, 15, 16, 17, 400} {
		var b strings.Builder
		b.WriteString("{")
		for i := range members - 1 {
			fmt.Fprintf(&b, `"m%d":0,`, i)
		}
		offset := b.Len()
		b.WriteString(`"m0":1}`)
		root, problems := value.Parse([]byte(b.String()))
		want := []problem{{Offset: offset, Path: "$.m0", Message: "This field is given twice. Keep one."}}
		if diff := cmp.Diff(want, shown(problems)); diff != "" {
			t.Errorf("%d members (-want +got):\n%s", members, diff)
		}
		if got := value.JSON(root.Get("m0").Value()); got != "0" {
			t.Errorf("%d members: m0 is %s, and the first has to count", members, got)
		}
		if got := len(root.Value().(map[string]any)); got != members-1 {
			t.Errorf("%d members: the value has %d", members, got)
		}
	}
}

// TestParseManyProblems holds the work for a text that is full of problems to what grows
// with its length: at 100,000 problems, work that grows with the square would run for minutes.
func TestParseManyProblems(t *testing.T) {
	t.Parallel()
	const count = 100_000
	_, problems := value.Parse([]byte("[" + strings.Repeat("\"\xff\",", count) + "0]"))
	if len(problems) != count {
		t.Fatalf("%d problems, want %d", len(problems), count)
	}
	if got, want := problems[count-1].Path(), fmt.Sprintf("$[%d]", count-1); got != want {
		t.Errorf("the last path is %s, want %s", got, want)
	}
}

func TestParseTree(t *testing.T) {
	t.Parallel()
	const text = ` {"a" : [1, -2.5e+3, "x\n"], "empty": {}, "none": [], "t": true, "f": false, "n": null } `
	root, problems := value.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	type place struct {
		Path, Written, Text string
		Kind                value.Kind
		Kids                int
	}
	var places []place
	var walk func(n *value.Node)
	walk = func(n *value.Node) {
		places = append(places, place{n.Path(), text[n.Offset:n.End], n.Text, n.Kind, n.Len()})
		for kid := range n.Kids() {
			if kid.Parent() != n {
				t.Errorf("%s does not know its parent", kid.Path())
			}
			if n.Kind == value.Object && !strings.HasPrefix(text[kid.NameOffset:], value.JSON(kid.Name)) {
				t.Errorf("the name of %s is not at %d", kid.Path(), kid.NameOffset)
			}
			walk(kid)
		}
	}
	walk(root)
	want := []place{
		{"$", strings.TrimSpace(text), "", value.Object, 6},
		{"$.a", `[1, -2.5e+3, "x\n"]`, "", value.Array, 3},
		{"$.a[0]", "1", "1", value.Number, 0},
		{"$.a[1]", "-2.5e+3", "-2.5e+3", value.Number, 0},
		{"$.a[2]", `"x\n"`, "x\n", value.String, 0},
		{"$.empty", "{}", "", value.Object, 0},
		{"$.none", "[]", "", value.Array, 0},
		{"$.t", "true", "true", value.Bool, 0},
		{"$.f", "false", "false", value.Bool, 0},
		{"$.n", "null", "", value.Null, 0},
	}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if root.Parent() != nil {
		t.Error("the root has a parent")
	}
}

func TestNodeGet(t *testing.T) {
	t.Parallel()
	root, _ := value.Parse([]byte(`{"a":{"b":1},"":2,"list":[3]}`))
	if got := root.Get("a").Get("b").Text; got != "1" {
		t.Errorf("a.b is %q", got)
	}
	if got := root.Get("").Text; got != "2" {
		t.Errorf(`"" is %q`, got)
	}
	for name, n := range map[string]*value.Node{
		"an absent name":   root.Get("A"),
		"a list":           root.Get("list").Get(""),
		"a name in a list": root.Get("list").Get("0"),
	} {
		if n != nil {
			t.Errorf("%s gives %s", name, n.Path())
		}
	}
}

func TestNodePath(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"plain", "$.plain"},
		{"with-dash_and$", "$.with-dash_and$"},
		{"0", "$.0"},
		{"", `$[""]`},
		{"a b", `$["a b"]`},
		{"a.b", `$["a.b"]`},
		{"a[0]", `$["a[0]"]`},
		{`say "hi"\`, `$["say \"hi\"\\"]`},
		{"line\nbreak\x1b", `$["line\nbreak\u001b"]`},
		{"name\x00", `$["name\u0000"]`},
		{"größe", `$["größe"]`},
		{"param\u017f", "$[\"param\u017f\"]"},
		{"\u212aey", "$[\"\u212aey\"]"},
		{"\xed\xa0\xbd", `$["\ud83d"]`},
		{"__proto__", "$.__proto__"},
	}
	for _, test := range tests {
		if got := value.MemberPath("$", test.name); got != test.want {
			t.Errorf("MemberPath of %q is %s, want %s", test.name, got, test.want)
		}
		text := value.JSON(map[string]any{test.name: []any{nil, map[string]any{test.name: nil}}})
		root, problems := value.Parse([]byte(text))
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		want := test.want + "[1]" + strings.TrimPrefix(test.want, "$")
		if got := slices.Collect(root.Get(test.name).Kids())[1].Get(test.name).Path(); got != want {
			t.Errorf("Path is %s, want %s", got, want)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"é😀\": 1,\r\n\t\"x\": 2\n}"
	tests := []struct{ offset, line, column int }{
		{-5, 1, 1},
		{0, 1, 1},
		{1, 1, 2},
		{2, 2, 1},
		{4, 2, 3},
		{strings.Index(text, ":"), 2, 7}, // two spaces, two quotes, two characters of six bytes
		{strings.Index(text, "\t"), 3, 1},
		{strings.Index(text, "2"), 3, 7},
		{len(text), 4, 2},
		{len(text) + 9, 4, 2},
	}
	for _, test := range tests {
		line, column := value.Position([]byte(text), test.offset)
		if line != test.line || column != test.column {
			t.Errorf("offset %d is at %d:%d, want %d:%d", test.offset, line, column, test.line, test.column)
		}
	}
	if line, column := value.Position([]byte("\"\xff\xff\" "), 4); line != 1 || column != 5 {
		t.Errorf("after bytes that are not UTF-8: %d:%d, want 1:5", line, column)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	got, err := value.Decode([]byte(`{"a":[1.0,"x",null,true],"b":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if text := value.JSON(got); text != `{"a":[1.0,"x",null,true],"b":{}}` {
		t.Errorf("value is %s", text)
	}
	tests := []struct{ name, text, want string }{
		{"fatal", "{\n  \"é\": tru\n}", `line 2, column 8: This has to be a value, and it is "t".`},
		{"passable", `{"a":1,"a":2}`, `line 1, column 8: This field is given twice. Keep one.`},
		{"the first in the text", `{"b":1,"b":1e400}`, `line 1, column 8: This field is given twice. Keep one.`},
		{"passable before fatal", `[1e400,`, "line 1, column 2: " + numberRangeMessage},
	}
	for _, test := range tests {
		v, err := value.Decode([]byte(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error is %v, want %s", test.name, err, test.want)
		}
		if v != nil {
			t.Errorf("%s: there is a value besides the error: %v", test.name, v)
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"null": "null", "true": "true or false", "1": "a number", `"x"`: "a text", "[]": "a list", "{}": "an object",
	} {
		root, problems := value.Parse([]byte(text))
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		if got := root.Kind.String(); got != want {
			t.Errorf("the kind of the node %s is %q, want %q", text, got, want)
		}
		if got := value.KindOf(root.Value()); got != root.Kind {
			t.Errorf("the kind of the value %s is %v, want %v", text, got, root.Kind)
		}
	}
}
