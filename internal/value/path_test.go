package value_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("x", value.MaxSegmentLength)
	sixteen := strings.TrimSuffix(strings.Repeat("a.", value.MaxSegments), ".")
	tests := []struct {
		text string
		want value.Path
	}{
		{"$", value.Path{}},
		{"", value.Path{}},
		{"$.", value.Path{}},
		{".", value.Path{}},
		{"...", value.Path{}},
		{"$.input.item", value.Path{"input", "item"}},
		{"input.item", value.Path{"input", "item"}},
		{"$.found.0.title", value.Path{"found", "0", "title"}},
		{"a", value.Path{"a"}},
		{"0", value.Path{"0"}},
		{"$.A_b-9", value.Path{"A_b-9"}},
		{"$.01.-1._", value.Path{"01", "-1", "_"}},
		{"$..a..b.", value.Path{"a", "b"}},
		{".a.", value.Path{"a"}},
		{"toString.hasOwnProperty", value.Path{"toString", "hasOwnProperty"}},
		{"$." + longest, value.Path{longest}},
		{"$." + sixteen, strings.Split(sixteen, ".")},
		{strings.Repeat(".", 100) + sixteen, strings.Split(sixteen, ".")},
		{"$." + strings.TrimSuffix(strings.Repeat(longest+".", 16), "."), strings.Split(strings.TrimSuffix(strings.Repeat(longest+".", 16), "."), ".")},
	}
	for _, test := range tests {
		got, err := value.ParsePath(test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	t.Parallel()
	const letters = `a segment is made of letters, digits, "_" and "-", with a dot between segments: "$.found.0.title"`
	const long = "a segment of a path has at most 64 characters"
	seventeen := strings.TrimSuffix(strings.Repeat("a.", value.MaxSegments+1), ".")
	tests := []struct{ text, want string }{
		{"$a", letters}, {"$.$", letters}, {"$$", letters}, {"$.a.$", letters}, {" $.a", letters}, {"$.a b", letters},
		{"a[0]", letters}, {"a/b", letters}, {"a\x00", letters}, {"a\n", letters}, {"größe", letters}, {"a\u200b", letters},
		{"\xff", letters}, {"a:b", letters}, {"a.*", letters}, {"{{a}}", letters}, {"a.\"b\"", letters},
		{"$." + strings.Repeat("x", 65), long}, {"a." + strings.Repeat("1", 65) + ".b", long},
		{"$." + seventeen, "a path has at most 16 segments; this has 17"},
		{strings.Repeat("a.", 500), "a path has at most 16 segments; this has 500"},
		{strings.Repeat(".", 2081), "a path has at most 16 segments of at most 64 characters"},
		{strings.Repeat("a.", 1<<20), "a path has at most 16 segments of at most 64 characters"},
	}
	for _, unsafe := range []string{
		"__proto__", "constructor", "prototype", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
	} {
		want := fmt.Sprintf("the name %q is not allowed in a path", unsafe)
		for _, text := range []string{unsafe, "$." + unsafe, "a." + unsafe, "$." + unsafe + ".a", "a.." + unsafe + "..b"} {
			tests = append(tests, struct{ text, want string }{text, want})
		}
	}
	for _, test := range tests {
		path, err := value.ParsePath(test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("%.40q: error is %v, want %s", test.text, err, test.want)
		}
		if path != nil {
			t.Errorf("%.40q: there is a path besides the error: %v", test.text, path)
		}
	}
}

func TestPathString(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]value.Path{
		"$": {}, "$.a": {"a"}, "$.a.0.b-c": {"a", "0", "b-c"},
	} {
		if got := path.String(); got != text {
			t.Errorf("%q is written as %s", []string(path), got)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"0": 0, "7": 7, "10": 10, "999999999": 999_999_999} {
		if got, ok := value.Index(text); !ok || got != want {
			t.Errorf("Index(%s) is %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "00", "01", "-1", "+1", "1.0", "1e0", "1 ", "x", "1x", "1000000000", "99999999999999999999", "٣"} {
		if got, ok := value.Index(text); ok {
			t.Errorf("%q is read as the position %d", text, got)
		}
	}
}

// decode reads a value that a test wrote.
func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestGet(t *testing.T) {
	t.Parallel()
	const text = `{"n":5,"nil":null,"s":"lemon","list":["a",[10,11],{"k":1,"length":9}],"empty":[],
		"obj":{"0":"zero","01":"zero-one","length":"own","list":[1]},"deep":{"a":{"b":[{"c":"x"}]}}}`
	tests := []struct{ path, want string }{
		{"n", "5"}, {"nil", "null"}, {"list.0", `"a"`}, {"list.1.1", "11"}, {"list.2.k", "1"}, {"deep.a.b.0.c", `"x"`},
		{"list.length", "3"}, {"list.1.length", "2"}, {"empty.length", "0"}, {"list.2.length", "9"}, {"obj.length", `"own"`},
		{"obj.0", `"zero"`}, {"obj.01", `"zero-one"`}, {"obj.list", "[1]"},
	}
	root := decode(t, text)
	before := value.JSON(root)
	for _, test := range tests {
		got, ok := value.Get(root, strings.Split(test.path, "."))
		if !ok || value.JSON(got) != test.want {
			t.Errorf("%s is %s, %v, want %s", test.path, value.JSON(got), ok, test.want)
		}
	}
	for _, absent := range []string{
		"x", "n.x", "n.length", "nil.x", "s.0", "s.length", "list.3", "list.-1", "list.00", "list.01", "list.x", "list.1.2", "list.999999999",
		"list.length.x", "list.length.length", "empty.0", "obj.00", "deep.a.b.c", "N", "list.9999999999",
	} {
		if got, ok := value.Get(root, strings.Split(absent, ".")); ok || got != nil {
			t.Errorf("%s is %s, and nothing is there", absent, value.JSON(got))
		}
	}
	for _, v := range []any{root, nil, "text"} {
		if got, ok := value.Get(v, nil); !ok || !value.Equal(got, v) {
			t.Errorf("the empty path of %s leads to %s, %v", value.JSON(v), value.JSON(got), ok)
		}
	}
	if got := value.JSON(root); got != before {
		t.Errorf("reading made %s of %s", got, before)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, v, path, leaf, want string }{
		{"new field", `{"a":1}`, "b", "2", `{"a":1,"b":2}`},
		{"known field", `{"a":1,"b":1}`, "b", "[2]", `{"a":1,"b":[2]}`},
		{"into nothing", `null`, "a.b.c", "1", `{"a":{"b":{"c":1}}}`},
		{"deep, the rest stays", `{"a":{"x":1,"b":{"y":2}},"z":3}`, "a.b.c", "4", `{"a":{"b":{"c":4,"y":2},"x":1},"z":3}`},
		{"through a number", `{"a":5}`, "a.b", "1", `{"a":{"b":1}}`},
		{"through a text", `{"a":"x"}`, "a.0", "1", `{"a":{"0":1}}`},
		{"through true", `{"a":true}`, "a.b.c", "1", `{"a":{"b":{"c":1}}}`},
		{"through null", `{"a":null}`, "a.b", "1", `{"a":{"b":1}}`},
		{"through a list by a name", `{"a":[1,2]}`, "a.b", "1", `{"a":{"b":1}}`},
		{"the length of a list", `{"a":[1,2]}`, "a.length", "9", `{"a":{"length":9}}`},
		{"a list by what is no position", `{"a":[1,2]}`, "a.00", "9", `{"a":{"00":9}}`},
		{"through the length of a list", `{"a":[1,2]}`, "a.length.b", "9", `{"a":{"length":{"b":9}}}`},
		{"a number as the name of a field", `{"a":{"0":1}}`, "a.0", "2", `{"a":{"0":2}}`},
		{"through a scalar at the top", `"x"`, "a", "1", `{"a":1}`},
		{"a null", `{"a":1}`, "a", "null", `{"a":null}`},

		{"absent field", `{"a":1,"b":2}`, "b", "", `{"a":1}`},
		{"absent where nothing was", `{"a":1}`, "b", "", `{"a":1}`},
		{"absent below nothing", `{"a":1}`, "b.c", "", `{"a":1,"b":{}}`},
		{"absent below a number", `{"a":1}`, "a.c", "", `{"a":{}}`},

		{"position of a list", `{"a":[1,2]}`, "a.0", "9", ""},
		{"position beyond a list", `{"a":[]}`, "a.7", "9", ""},
		{"through a position of a list", `{"a":[{"b":1}]}`, "a.0.b", "9", ""},
		{"absent position of a list", `{"a":[1]}`, "a.0", "", ""},
		{"list at the top", `[1]`, "0", "9", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := decode(t, test.v)
			var leaf any
			present := test.leaf != ""
			if present {
				leaf = decode(t, test.leaf)
			}
			got, err := value.With(v, strings.Split(test.path, "."), leaf, present)
			switch {
			case test.want == "":
				if !errors.Is(err, value.ErrIntoList) || got != nil {
					t.Errorf("value %s, error %v, want ErrIntoList", value.JSON(got), err)
				}
			case err != nil:
				t.Error(err)
			case value.JSON(got) != test.want:
				t.Errorf("value is %s, want %s", value.JSON(got), test.want)
			}
			if now := value.JSON(v); now != value.JSON(decode(t, test.v)) {
				t.Errorf("the value it began with is now %s", now)
			}
		})
	}
}

// paths draws paths of names that values often have.
var paths = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "0", "1", "00", "length", "constructor"}), 1, 4),
	func(segments []string) value.Path { return segments })

// TestWithLaws sees that a write is what is read afterwards, that nothing beside it has
// changed, and that the value it began with is what it was.
func TestWithLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue.Draw(t, "v")
		if rapid.Bool().Draw(t, "wrapped") { // or most writes meet no list
			v = map[string]any{"a": v, "b": map[string]any{"a": v}}
		}
		path := paths.Draw(t, "path")
		leaf := anyValue.Draw(t, "leaf")
		present := rapid.Bool().Draw(t, "present")
		before := copied(v)
		got, err := value.With(v, path, leaf, present)
		if diff := cmp.Diff(before, v); diff != "" {
			t.Fatalf("the value it began with has changed (-was +is):\n%s", diff)
		}
		if into := intoList(v, path); errors.Is(err, value.ErrIntoList) != into || (err != nil) != into {
			t.Fatalf("error is %v, and it writes into a list: %v", err, into)
		}
		if err != nil {
			return
		}
		read, ok := value.Get(got, path)
		if ok != present || present && !value.Equal(read, leaf) {
			t.Errorf("at %s is %s, %v after writing", path, value.JSON(read), ok)
		}
		other := paths.Draw(t, "other")
		if overlaps(path, other) || !objectsOnly(v, path) {
			return
		}
		was, wasThere := value.Get(v, other)
		is, isThere := value.Get(got, other)
		if wasThere != isThere || !value.Equal(was, is) {
			t.Errorf("writing %s made %s of %s at %s", path, value.JSON(is), value.JSON(was), other)
		}
	})
}

// intoList reports whether a write meets a list at one of its positions.
func intoList(v any, path value.Path) bool {
	for i, segment := range path {
		at, ok := value.Get(v, path[:i])
		if _, isList := at.([]any); !ok || !isList {
			continue
		}
		// Index of the package is under test elsewhere; this is the rule in other words.
		if n, err := strconv.Atoi(segment); err == nil && strconv.Itoa(n) == segment {
			return true
		}
		return false
	}
	return false
}

// objectsOnly reports whether a write replaces nothing on its way.
func objectsOnly(v any, path value.Path) bool {
	for i := range path {
		at, ok := value.Get(v, path[:i])
		if _, isObject := at.(map[string]any); ok && !isObject {
			return false
		}
	}
	return true
}

// overlaps reports whether one path leads through the other.
func overlaps(a, b value.Path) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPathLaws reads back what is written of a path.
func TestPathLaws(t *testing.T) {
	t.Parallel()
	segment := rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`).Filter(func(s string) bool {
		_, err := value.ParsePath(s)
		return err == nil
	})
	rapid.Check(t, func(t *rapid.T) {
		path := value.Path(rapid.SliceOfN(segment, 0, value.MaxSegments).Draw(t, "path"))
		for _, text := range []string{path.String(), strings.Join(path, "."), strings.Join(path, "..") + "."} {
			got, err := value.ParsePath(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if strings.Join(got, ".") != strings.Join(path, ".") {
				t.Errorf("%s is read as %s", text, got)
			}
		}
	})
}
