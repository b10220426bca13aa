package script

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// FuzzEnding reads what a guest says of the end of a call, which a tool may have tampered with.
func FuzzEnding(f *testing.F) {
	for _, text := range []string{
		``, `null`, `5`, `"x"`, `{"a":[1]}`, `[[{"role":"tool"}]]`, `{"a":1,"a":2}`, `{`, strings.Repeat("[", 100), `"\ud800"`, `1e400`,
		`{"name":"TypeError","message":"x","stack":"    at f (tool.js:1:2)\n    at tool.js:3:4","code":"A_1","field":"$.a","details":{"b":[]},"causes":[{"name":"Error","message":"y"}]}`,
		`{"name":5,"message":[],"stack":{},"code":null,"causes":[5,{"message":5}],"worded":true}`, `{"name":"InternalError","message":"out of memory"}`,
		`{"stack":"at (tool.js:99999999999999999999:1)\n at x (tool.js:1:99999999999999999999)\nat <anonymous> (tool.js:1)"}`,
	} {
		for _, kind := range []string{"value", "subtasks", "error", "other"} {
			f.Add(kind, text)
		}
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		e := &ending{kind: kind, text: text}
		result, err := e.result(Result{}, 1000, &places{sourceMap: []byte(`{"version":3,"sources":["t.ts"],"names":[],"mappings":"AAAA;AACA"}`)})
		if err == nil {
			if kind != "value" && kind != "subtasks" || kind == "value" == (result.Subtasks != nil) {
				t.Fatalf("%s %q gave %#v", kind, text, result)
			}
			if len(text) > 1000 {
				t.Fatalf("%d bytes are let through", len(text))
			}
			return
		}
		var coded *tool.Error
		if !errors.As(err, &coded) || coded.Code == "" || coded.Message == "" || len(coded.Message) > mostMessage+10 || !codeShape.MatchString(coded.Code) {
			t.Fatalf("%s %q failed with %#v", kind, text, err)
		}
		if utf8.ValidString(text) && !utf8.ValidString(coded.Message) {
			t.Fatalf("the message %q is no UTF-8", coded.Message)
		}
	})
}

// FuzzPlaces reads source maps and stacks.
func FuzzPlaces(f *testing.F) {
	f.Add(`{"version":3,"sources":["t.ts"],"names":[],"mappings":"AAAA;AACA"}`, "    at f (tool.js:1:2)")
	f.Add(`{"version":3,"sources":[],"names":[],"mappings":"AAMI"}`, "    at tool.js:1:1")
	f.Add(`{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sources":["x"],"mappings":"A"}}]}`, "at (tool.js:1:1)")
	f.Add(`{"version":3,"sources":[""],"sourceRoot":"http://x/%","mappings":",,;;AAAAA"}`, "at a (b (tool.js:2:0)")
	f.Fuzz(func(t *testing.T, sourceMap, stack string) {
		if lines := strings.Count((&places{sourceMap: []byte(sourceMap)}).of(stack), "\n    at "); lines > mostFrames {
			t.Fatalf("%d lines are shown", lines)
		}
	})
}

// FuzzDeclared reads what a guest says of the tools of a file.
func FuzzDeclared(f *testing.F) {
	for _, text := range []string{`[]`, `[{"name":"t","declaration":{"b":1,"a":2},"hasFunction":true}]`, `[5]`, `{}`, `[{"name":5}]`, `[`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		declared, err := readDeclared(text)
		if err != nil {
			return
		}
		for _, one := range declared {
			if _, err := value.Decode(one.Declaration); err != nil {
				t.Fatalf("%q gives the declaration %q: %v", text, one.Declaration, err)
			}
		}
	})
}

// FuzzAddress asks for addresses, and parts of them that are set.
func FuzzAddress(f *testing.F) {
	f.Add("https://a.b/c?d#e", "", "hash", "x")
	f.Add("../x", "https://a.b/c/d", "host", "[::1]:5")
	f.Add("blob:https://a.b/c", "", "protocol", "mailto")
	f.Add("https://ä.de", "", "port", "99999")
	f.Add("file:///C|/x/../y", "", "search", "\u0000%zz")
	f.Fuzz(func(t *testing.T, input, base, part, text string) {
		for _, arguments := range [][]string{{"parse", input}, {"parse", input, base}, {"set", input, part, text}, {input, base}, {}} {
			answer := address(arguments)
			if answer == "" {
				continue
			}
			v, err := value.Decode([]byte(answer))
			if err != nil {
				if utf8.ValidString(input + base + text) {
					t.Fatalf("%q gives %q: %v", arguments, answer, err)
				}
				continue
			}
			href, _ := v.(map[string]any)["href"].(string)
			if again := address([]string{"parse", href}); again == "" && len(href) <= mostAddress {
				t.Fatalf("%q gives %q, which is no address", arguments, href)
			}
		}
	})
}
