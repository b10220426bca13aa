package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"toolsmith/internal/card"
	"toolsmith/internal/consent"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// field is one thing that a form asks for. What is said of it comes from the tool.
type field struct {
	// name of the property; "" where the answer as a whole is asked for.
	name string
	// kind is the JSON type that it has to have; "" for any, which is typed as JSON.
	kind     string
	about    string
	choices  []any
	standard any // taken where nothing is typed; nil for nothing
	needed   bool
	// nullable: it may be null, which nothing typed is where it is needed.
	nullable bool
}

// mostFields is how many fields are asked for one after the other; an answer with more is typed as
// JSON at once.
const mostFields = 40

// fieldsOf gives what a schema asks for: first what is needed, as the schema lists it, then the
// rest by their names.
func fieldsOf(raw any) []field {
	root, _ := raw.(map[string]any)
	properties, _ := root["properties"].(map[string]any)
	if kind, _ := kindOf(root); kind != "object" && kind != "" || len(properties) == 0 || len(properties) > mostFields {
		whole := fieldOf("", root)
		whole.needed = true
		return []field{whole}
	}
	var names []string
	required, _ := root["required"].([]any)
	for _, item := range required {
		if name, isText := item.(string); isText && properties[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	needed := len(names)
	for _, name := range value.SortedNames(properties) {
		if !slices.Contains(names[:needed], name) {
			names = append(names, name)
		}
	}
	list := make([]field, len(names))
	for i, name := range names {
		property, _ := properties[name].(map[string]any)
		list[i] = fieldOf(name, property)
		list[i].needed = i < needed
	}
	return list
}

func fieldOf(name string, of map[string]any) field {
	f := field{name: name, standard: of["default"]}
	f.kind, f.nullable = kindOf(of)
	f.about, _ = of["description"].(string)
	if title, _ := of["title"].(string); f.about == "" {
		f.about = title
	}
	f.choices, _ = of["enum"].([]any)
	if only, has := of["const"]; has && f.choices == nil {
		f.choices = []any{only}
	}
	return f
}

// kindOf gives the one type of a schema besides null; "" where there are several, or none is said.
func kindOf(of map[string]any) (kind string, nullable bool) {
	switch t := of["type"].(type) {
	case string:
		return t, t == "null"
	case []any:
		var kinds []string
		for _, item := range t {
			if text, _ := item.(string); text == "null" {
				nullable = true
			} else {
				kinds = append(kinds, text)
			}
		}
		if len(kinds) == 1 {
			kind = kinds[0]
		}
	}
	return kind, nullable
}

// label names a field on one line.
func (f field) label() string {
	if f.name == "" {
		return "answer"
	}
	return visible.Line(visible.Cut(f.name, 60))
}

// says is what has to be typed, in words.
func (f field) says() string {
	what := map[string]string{
		"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "yes or no",
		"array": "a list, as JSON", "object": "an object, as JSON",
	}[f.kind]
	switch {
	case f.choices != nil:
		what = "one of these"
	case what == "":
		what = "any value, as JSON"
	}
	if !f.needed && f.standard == nil {
		what += ", may be left out"
	}
	if f.standard != nil {
		what += ", else " + visible.Line(visible.Cut(value.JSON(f.standard), 60))
	}
	return what
}

// card shows a field on a card.
func (f field) card() card.Line {
	text := f.says()
	if f.choices != nil {
		text = strings.Replace(text, "one of these", "one of "+visible.Line(visible.Cut(value.JSON(f.choices), 200)), 1)
	}
	if f.about != "" {
		text += ": " + visible.Line(visible.Cut(f.about, 300))
	}
	return card.Line{Label: f.label(), Text: text}
}

// mostChoices is how many choices are listed.
const mostChoices = 40

// show tells what is asked for before it is typed.
func (f field) show(out io.Writer) {
	fmt.Fprintf(out, "\n%s\n", wrap(f.label()+": "+f.says(), ""))
	if f.about != "" {
		fmt.Fprintf(out, "%s\n", wrap(visible.Line(visible.Cut(f.about, 300)), "  | "))
	}
	for i, choice := range f.choices {
		if i == mostChoices {
			fmt.Fprintf(out, "  … and %d more\n", len(f.choices)-i)
			break
		}
		fmt.Fprintf(out, "  [%d] %s\n", i+1, visible.Line(visible.Cut(plainText(choice), 70)))
	}
	fmt.Fprint(out, "> ")
}

// plainText shows a text as it is, and everything else as JSON.
func plainText(v any) string {
	if text, isText := v.(string); isText {
		return text
	}
	return value.JSON(v)
}

// read reads what was typed. given is false for nothing; problem says why it is no answer.
func (f field) read(text string) (v any, given bool, problem string) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" && f.standard != nil:
		return nil, false, "" // it is filled in
	case trimmed == "" && f.needed && f.nullable:
		return nil, true, ""
	case trimmed == "" && f.needed && f.kind == "string":
		return nil, false, `It is needed. An empty text is typed as "".`
	case trimmed == "" && f.needed:
		return nil, false, "It is needed."
	case trimmed == "":
		return nil, false, ""
	case f.choices != nil:
		return f.choose(trimmed)
	}
	switch f.kind {
	case "string":
		if trimmed == `""` {
			return "", true, ""
		}
		return text, true, ""
	case "boolean":
		switch strings.ToLower(trimmed) {
		case "y", "yes", "true":
			return true, true, ""
		case "n", "no", "false":
			return false, true, ""
		}
		return nil, false, "Type yes or no."
	}
	v, err := value.Decode([]byte(trimmed))
	if _, isNumber := v.(json.Number); (f.kind == "number" || f.kind == "integer") && !isNumber {
		return nil, false, "Type a number, such as 3 or 2.5."
	}
	if err != nil {
		return nil, false, fmt.Sprintf("That is no JSON: %s Texts stand in double quotes.", visible.Line(err.Error()))
	}
	return v, true, ""
}

// choose takes a choice by its number, or by what it is.
func (f field) choose(text string) (v any, given bool, problem string) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1], true, ""
	}
	for _, choice := range f.choices {
		if choice == text {
			return choice, true, ""
		}
	}
	return nil, false, fmt.Sprintf("Type a number from 1 to %d.", len(f.choices))
}

// typist gives one line after the other: ended is true at the end of what is typed, ok false where
// the question has been settled elsewhere.
type typist func() (text string, ended, ok bool)

// fillIn asks for the fields of a form until they fit. said is false where the person typed no
// answer to its end, and ok where the question has been settled elsewhere.
func fillIn(out io.Writer, raw any, next typist) (answer any, said, ok bool, err error) {
	fields, err := schema.Compile(raw)
	if err != nil {
		return nil, false, true, fmt.Errorf("read the form: %w", err)
	}
	list := fieldsOf(raw)
	whole := list[0].name == ""
	for {
		object := map[string]any{}
		answer = list[0].standard // of the whole; else there are fields
		for _, f := range list {
			v, given, said, ok := fillOne(out, f, fields, object, next)
			switch {
			case !ok || !said:
				return nil, false, ok, nil
			case given && whole:
				answer = v
			case given:
				object[f.name] = v
			}
		}
		if !whole {
			answer = object
		}
		violations := fields.Validate(fields.Fill(answer))
		if len(violations) == 0 {
			return answer, true, true, nil
		}
		fmt.Fprintf(out, "\nThat does not fit yet, so it is asked again:\n")
		tell(out, violations)
	}
}

// fillOne asks for one field until it fits by itself, beside what is there of the others.
func fillOne(out io.Writer, f field, fields *schema.Schema, object map[string]any, next typist) (v any, given, said, ok bool) {
	for {
		f.show(out)
		text, ended, ok := next()
		if ended || !ok {
			return nil, false, false, ok
		}
		v, given, problem := f.read(text)
		if problem != "" {
			fmt.Fprintln(out, problem)
			continue
		}
		if !given {
			return nil, false, true, true
		}
		if f.name == "" {
			return v, true, true, true // it is looked at as a whole
		}
		object[f.name] = v
		violations := slices.DeleteFunc(fields.Validate(object), func(one schema.Violation) bool { return !within(one.Path, value.MemberPath("$", f.name)) })
		delete(object, f.name)
		if len(violations) == 0 {
			return v, true, true, true
		}
		tell(out, violations)
	}
}

// within reports whether a path is a place, or leads into it.
func within(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// mostTold is how many violations are told at once.
const mostTold = 10

func tell(out io.Writer, violations []schema.Violation) {
	for i, one := range violations {
		if i == mostTold {
			fmt.Fprintf(out, "  … and %d more\n", len(violations)-i)
			return
		}
		fmt.Fprintf(out, "  %s\n", visible.Line(visible.Cut(one.String(), 300)))
	}
}

// fill shows what a tool asks for and takes the answer; ok is false where the question was settled
// elsewhere.
func (k *asker) fill(q consent.Question) (answer consent.Answer, ok bool) {
	out, done := k.question()
	defer done()
	k.showQuestion(out, k.questionCard(q))
	next := func() (string, bool, bool) {
		settled, stop := k.settled(q.ID)
		defer stop()
		return k.rawLine(k.ctx, settled, out)
	}
	ask := map[bool]string{true: "Have you done what is to be done there?  [Enter] yes  [n] no: ", false: "Answer it?  [Enter] yes  [n] no: "}[q.Form.URL != ""]
	if q.Form.URL == "" && q.Form.Schema == nil {
		ask = "[y] yes  [n] no  [d] do not answer: "
	}
	for {
		fmt.Fprint(out, "\n"+ask)
		text, ended, ok := next()
		if !ok {
			k.tellSettled(q.ID)
			return answer, false
		}
		answer, more, understood := begun(*q.Form, strings.ToLower(strings.TrimSpace(text)), ended)
		switch {
		case understood && !more:
			return answer, true
		case understood:
			return k.fields(out, q, next)
		}
		fmt.Fprintln(out, "That is no answer that can be given here.")
	}
}

// begun reads what was typed before any field: an answer, or that there is more to ask.
func begun(f consent.Form, text string, ended bool) (answer consent.Answer, more, understood bool) {
	yesOrNo := f.URL == "" && f.Schema == nil
	switch {
	case ended, yesOrNo && text == "d", !yesOrNo && (text == "n" || text == "no"):
		return consent.Answer{}, false, true
	case yesOrNo && (text == "n" || text == "no"):
		return consent.Answer{Allow: true, HasValue: true, Value: false}, false, true
	case text == "y", text == "yes", text == "" && !yesOrNo:
		return consent.Answer{Allow: true, HasValue: yesOrNo, Value: map[bool]any{true: true}[yesOrNo]}, f.Schema != nil, true
	}
	return consent.Answer{}, false, false
}

// fields takes the fields of a form.
func (k *asker) fields(out io.Writer, q consent.Question, next typist) (consent.Answer, bool) {
	fmt.Fprintln(out, "Nothing typed leaves a field out, or takes its default; Ctrl-D says no.")
	v, said, ok, err := fillIn(out, q.Form.Schema, next)
	switch {
	case !ok:
		k.tellSettled(q.ID)
		return consent.Answer{}, false
	case err != nil:
		k.report(err)
		return consent.Answer{}, false
	}
	return consent.Answer{Allow: said, HasValue: said, Value: v}, true
}

// formCard shows a form on a card; nil for none.
func formCard(f *consent.Form) *card.Form {
	if f == nil {
		return nil
	}
	out := &card.Form{Title: f.Title, Text: f.Text, URL: f.URL}
	if f.Schema == nil {
		return out
	}
	for _, one := range fieldsOf(f.Schema) {
		out.Fields = append(out.Fields, one.card())
	}
	return out
}
