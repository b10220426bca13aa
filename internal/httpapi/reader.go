package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// The bounds of the page, in characters, fields and levels.
const (
	mostOfText   = 1500
	mostOfName   = 200
	mostOfFields = 100
	mostOfLevels = 4
	mostOfSample = 1200
	// mostOfParts of the schemas of one operation are looked at: a schema may mean itself in each
	// of its fields.
	mostOfParts = 4000
)

// reader makes of the document what is shown to people: cut where it is long, and with characters
// that would not be seen shown by their codes.
type reader struct {
	schemas map[string]any
	server  string
	// left is how many parts of the operation are still looked at, and words for how many it is
	// still said what they are.
	left, words int
}

// begin begins with another operation.
func (r *reader) begin() { r.left, r.words = mostOfParts, mostOfParts }

// spend counts a part; it is false where too many were looked at.
func (r *reader) spend() bool {
	r.left--
	return r.left > 0
}

// shownPage is the page.
type shownPage struct {
	Title, Version, Description, Revision string
	Document, YAML, Actions, Style        string
	Groups                                []shownGroup
	Streams                               []shownStream
}

// shownGroup are the operations of one service.
type shownGroup struct {
	ID, Name   string
	Operations []shownOperation
}

type shownOperation struct {
	ID, Method, Path, Summary, Description string
	// Tool has its marks, where it is one.
	Tool       *shownTool
	Parameters []shownField
	Body       *shownSchema
	Answers    []shownAnswer
	Curl       string
}

type shownTool struct{ Name, Risk, RiskWords, Powers, Takes string }

type shownAnswer struct {
	Status, Description string
	Schema              *shownSchema
}

type shownStream struct {
	ID, Path, Summary, Transport, Resume, Protocol, Curl string
	Message                                              *shownSchema
}

// shownSchema is what a value has to be.
type shownSchema struct {
	Type, Limits, Meaning string
	// Name of one of several choices.
	Name   string
	Fields []shownField
	// More is how many fields are left out.
	More int
	// Choices are what it may be, where there are several.
	Choices []*shownSchema
}

// shownField is a field of a value, or a parameter. Inner is what is in it, where that is more
// than its type says.
type shownField struct {
	Name, Place, Type, Limits, Meaning string
	Required                           bool
	Inner                              *shownSchema
}

func line(s string) string  { return visible.Cut(visible.Line(s), mostOfName) }
func block(s string) string { return cutWord(visible.Block(s), mostOfText) }

func (r *reader) page(m *made) shownPage {
	info := objectIn(m.document, "info")
	out := shownPage{
		Title: line(textIn(info, "title")), Version: line(textIn(info, "version")), Description: block(textIn(info, "description")), Revision: m.revision,
		Document: documentPath, YAML: documentPath + ".yaml", Actions: documentPath + "?profile=" + profileActions, Style: stylePath,
	}
	groups := map[string][]shownOperation{}
	eachOperation(objectIn(m.document, "paths"), func(path, method string, operation map[string]any) {
		group := "more"
		if tags, _ := operation["tags"].([]any); len(tags) > 0 {
			group = fmt.Sprint(tags[0])
		}
		if operation["x-tool"] != nil {
			group = callGroup
		}
		groups[group] = append(groups[group], r.operation(path, method, operation))
	})
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		list := groups[name]
		slices.SortFunc(list, func(a, b shownOperation) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
		})
		out.Groups = append(out.Groups, shownGroup{ID: "group-" + wireName(name), Name: line(name), Operations: list})
	}
	// What can be called is what people look for first.
	slices.SortStableFunc(out.Groups, func(a, b shownGroup) int {
		return cmp.Compare(bools(b.Name == callGroup), bools(a.Name == callGroup))
	})
	streams, _ := m.document["x-streams"].([]any)
	for i, one := range streams {
		stream, _ := one.(map[string]any)
		out.Streams = append(out.Streams, r.stream(i, stream))
	}
	return out
}

// callGroup is the group of the operations of the tools themselves.
const callGroup = "tools that can be called"

func bools(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *reader) operation(path, method string, o map[string]any) shownOperation {
	r.begin()
	out := shownOperation{
		ID: line(textIn(o, "operationId")), Method: strings.ToUpper(method), Path: line(path), Summary: line(textIn(o, "summary")), Description: block(textIn(o, "description")),
	}
	if name := textIn(o, "x-tool"); name != "" {
		out.Tool = toolOf(name, o)
	}
	parameters, _ := o["parameters"].([]any)
	for _, one := range parameters {
		p, _ := one.(map[string]any)
		field := r.field(textIn(p, "name"), p["schema"], p["required"] == true, 0)
		field.Place = line(textIn(p, "in"))
		if text := textIn(p, "description"); text != "" {
			field.Meaning = block(text)
		}
		out.Parameters = append(out.Parameters, field)
	}
	body := contentOf(objectIn(o, "requestBody"))
	if body != nil {
		shown := r.schema(body, 0)
		out.Body = &shown
	}
	responses := objectIn(o, "responses")
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		response := objectIn(responses, status)
		if response["$ref"] != nil || status == "default" {
			continue // what may be wrong is said once
		}
		answer := shownAnswer{Status: line(status), Description: block(textIn(response, "description"))}
		if schema := contentOf(response); schema != nil {
			shown := r.schema(schema, 0)
			answer.Schema = &shown
		}
		out.Answers = append(out.Answers, answer)
	}
	r.begin()
	out.Curl = r.curl(path, method, body)
	return out
}

// toolOf says in words what a tool may do.
func toolOf(name string, o map[string]any) *shownTool {
	risk := textIn(o, "x-risk")
	words := map[string]string{"R1": "low risk", "R2": "some risk", "R3": "high risk", "R4": "the highest risk: asked about every time"}
	var powers []string
	list, _ := o["x-powers"].([]any)
	for _, one := range list {
		if word := map[any]string{"read": "reads", "write": "writes", "outbound": "reaches the network"}[one]; word != "" {
			powers = append(powers, word)
		}
	}
	takes := map[string]string{
		"read-only": "changes nothing", "compensable": "what it did can be taken back", "irreversible": "what it did cannot be taken back",
	}
	return &shownTool{Name: line(name), Risk: line(risk), RiskWords: words[risk], Powers: strings.Join(powers, ", "), Takes: takes[textIn(o, "x-reversibility")]}
}

func contentOf(of map[string]any) any {
	for _, one := range objectIn(of, "content") {
		if media, ok := one.(map[string]any); ok {
			return media["schema"]
		}
	}
	return nil
}

func (r *reader) stream(i int, stream map[string]any) shownStream {
	r.begin()
	out := shownStream{
		ID: fmt.Sprintf("stream-%d", i), Path: line(textIn(stream, "path")), Summary: line(textIn(stream, "summary")),
		Transport: line(textIn(stream, "transport")), Resume: line(textIn(stream, "resume")), Protocol: line(textIn(stream, "subprotocol")),
	}
	if out.Transport == "text/event-stream" {
		out.Curl = "curl -N -H \"Authorization: Bearer $TOKEN\" " + quoted(r.server+textIn(stream, "path"))
	}
	if stream["message"] != nil {
		shown := r.schema(stream["message"], 0)
		out.Message = &shown
	}
	return out
}

// curl is an example of a request, for a shell.
func (r *reader) curl(path, method string, body any) string {
	text := "curl -H \"Authorization: Bearer $TOKEN\""
	if method != "get" {
		text += " -X " + strings.ToUpper(method)
	}
	if body != nil {
		sample, err := json.Marshal(r.sample(body, 0))
		if err != nil || len(sample) > mostOfSample {
			sample = []byte("{}")
		}
		text += " \\\n  -H 'Content-Type: application/json' -d " + quoted(visible.Line(string(sample)))
	}
	return text + " \\\n  " + quoted(r.server+visible.Line(path))
}

// quoted is one word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// sample is a value that looks like what a schema wants.
func (r *reader) sample(schema any, level int) any {
	if !r.spend() {
		return map[string]any{}
	}
	object := r.resolved(schema)
	if v, ok := object["default"]; ok {
		return v
	}
	if list, _ := object["enum"].([]any); len(list) > 0 {
		return list[0]
	}
	if v, ok := object["const"]; ok {
		return v
	}
	types := typesOf(object)
	switch {
	case slices.Contains(types, "object") || object["properties"] != nil:
		out := map[string]any{}
		for name, one := range objectIn(object, "properties") {
			if level < mostOfLevels && isRequired(object, name) {
				out[name] = r.sample(one, level+1)
			}
		}
		return out
	case slices.Contains(types, "array"):
		return []any{}
	case slices.Contains(types, "integer"), slices.Contains(types, "number"):
		if least, ok := object["minimum"].(json.Number); ok {
			return least
		}
		return value.Int(1)
	case slices.Contains(types, "boolean"):
		return true
	case slices.Contains(types, "string"):
		return "…"
	}
	return map[string]any{}
}

func isRequired(object map[string]any, name string) bool {
	list, _ := object["required"].([]any)
	return slices.Contains(list, any(name))
}
