package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
)

// TestTheReadablePage shows what can be called, and whatever tools say of themselves as text.
func TestTheReadablePage(t *testing.T) {
	t.Parallel()
	s := serve(t)
	parameters, err := value.Decode([]byte(`{"type": "object", "required": ["leaf"], "properties": {"leaf": {"$ref": "#/$defs/leaf"}, "inner": {"type": "array", "items": {"$ref": "#/$defs/leaf"}}},
		"$defs": {"leaf": {"type": "object", "required": ["kind", "size"], "properties": {"next": {"$ref": "#/$defs/leaf"},
			"size": {"type": "integer", "minimum": 3, "maximum": 9, "description": "How large."}, "kind": {"type": "string", "enum": ["oak", "elm"], "description": "<b>Which</b>."}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.engine.RegisterClient(t.Context(), port.Client{Holder: "p", Port: "desk", Version: "1", Declaration: port.Declaration{
		Name: "evil", Title: "<script>alert(1)</script>\u202eevil", Parameters: parameters,
		Description: "See <img src=x onerror=alert(1)>\x1b[2K " + strings.Repeat("and more ", 1000) + "end of it",
	}}); err != nil {
		t.Fatal(err)
	}
	status, page := s.raw(t, personToken, "GET", "/docs", "")
	text := string(page)
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, want := range []string{
		"&lt;script&gt;alert(1)&lt;/script&gt;⟨U&#43;202E⟩evil", "&lt;img src=x", "⟨U&#43;001B⟩", "R3, high risk", "reaches the network, reads, writes", "what it did cannot be taken back",
		"&lt;b&gt;Which&lt;/b&gt;.", "one of oak, elm", "at least 3; at most 9", "How large.", "list of object",
		`curl -H &#34;Authorization: Bearer $TOKEN&#34; -X POST`, `{&#34;leaf&#34;:{&#34;kind&#34;:&#34;oak&#34;,&#34;size&#34;:3}}`, s.address + "/v1/tools/evil/call",
		"/resources/peers/local/api.yaml", s.revision(t, personToken), "/v1/events", "Last-Event-ID", "/v1/port", "toolsmith.port.v1", "<code>hello</code>", "<code>fromHost</code>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, no := range []string{"<script", "<img", "\u202e", "\x1b", "end of it", "style="} {
		if strings.Contains(text, no) {
			t.Errorf("the page has %q", no)
		}
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, links, seen := map[string]int{}, map[string]bool{}, map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		seen[n.Data]++
		for _, a := range n.Attr {
			if a.Key == "id" {
				ids[a.Val]++
			}
			if to, ok := strings.CutPrefix(a.Val, "#"); a.Key == "href" && ok {
				links[to] = true
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the id %s is there %d times", id, n)
		}
	}
	for to := range links {
		if ids[to] == 0 {
			t.Errorf("nothing is at #%s", to)
		}
	}
	if seen["h1"] != 1 || seen["main"] != 1 || seen["nav"] != 1 || seen["header"] != 1 || seen["details"] < 30 {
		t.Errorf("the page has %v", seen)
	}
	if _, page := s.raw(t, "editor", "GET", "/docs", ""); strings.Contains(string(page), "evil") || !strings.Contains(string(page), "/v1/tools/notes.create/call") {
		t.Error("a program sees what it may not call, or not what it may")
	}
}

// TestAPageOfASchemaThatMeansItself in each of its fields is bounded.
func TestAPageOfASchemaThatMeansItself(t *testing.T) {
	t.Parallel()
	s := serve(t)
	properties, required, either := map[string]any{}, []any{}, []any{}
	for i := range 300 {
		name := fmt.Sprintf("field%d", i)
		properties[name], required, either = map[string]any{"$ref": "#"}, append(required, name), append(either, map[string]any{"$ref": "#"})
	}
	parameters := map[string]any{"properties": properties, "required": required, "anyOf": either}
	if err := s.engine.RegisterClient(t.Context(), port.Client{Holder: "p", Port: "desk", Version: "1", Declaration: port.Declaration{Name: "wide", Parameters: parameters}}); err != nil {
		t.Fatal(err)
	}
	status, page := s.raw(t, personToken, "GET", "/docs", "")
	const most = 10 << 20
	if status != 200 || len(page) > most || !strings.Contains(string(page), "/v1/tools/wide/call") || !strings.Contains(string(page), "and 299 more") {
		t.Errorf("%d, a page of %d bytes", status, len(page))
	}
}
