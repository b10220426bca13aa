package httpapi

import (
	"cmp"
	"slices"
	"strings"

	"toolsmith/internal/engine"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// profileActions is the view of the document for the actions of a GPT.
const profileActions = "gpt-actions"

// What the actions of a GPT take at most.
const (
	mostOperations = 30
	// mostSaid is for the summary and the description of an operation, in characters, and
	// mostOfParameter for what is said of a parameter or a field.
	mostSaid        = 300
	mostOfParameter = 700
	// mostWait is for how many seconds a call is waited for: such an action ends after 45.
	mostWait = 40
)

// beside are the operations by which an action looks at a call that goes on.
func beside() []string { return []string{"getRun", "waitRun"} }

// actions makes the view of a document that the actions of a GPT can use: the tools, and what is
// needed to look at a call that goes on. Where there are more tools than fit, those that the
// person has turned on come first, then those of other programs, then what is part of Toolsmith.
func (a *API) actions(m *made, who Who, server string) (*made, error) {
	v, err := value.Decode(m.text) // a copy, to be changed
	if err != nil {
		return nil, err //nolint:wrapcheck // it was written here
	}
	whole, _ := v.(map[string]any)
	from, paths := objectIn(whole, "paths"), map[string]any{}
	take := func(path, method string, operation map[string]any) {
		shorten(operation)
		paths[path] = map[string]any{method: operation}
	}
	eachOperation(from, func(path, method string, operation map[string]any) {
		if slices.Contains(beside(), textIn(operation, "operationId")) {
			take(path, method, operation)
		}
	})
	tools := slices.DeleteFunc(slices.Clone(m.offer.Tools), func(c *engine.Callable) bool { return !who.MayCall(c.Name) })
	slices.SortStableFunc(tools, func(a, b *engine.Callable) int {
		return cmp.Or(cmp.Compare(rankOf(a.Kind), rankOf(b.Kind)), strings.Compare(a.Name, b.Name))
	})
	fit := min(len(tools), mostOperations-len(paths))
	for _, c := range tools[:fit] {
		operation := objectIn(objectIn(from, pathOf(c.Name)), "post")
		operation["x-openai-isConsequential"] = consequential(c.Marks())
		take(pathOf(c.Name), "post", operation)
	}
	info := objectIn(whole, "info")
	info["description"] = cutWord(textIn(info, "description"), mostSaid)
	all := objectIn(whole, "components")
	view := map[string]any{
		"openapi": whole["openapi"], "info": info, "servers": []any{map[string]any{"url": server}}, "security": whole["security"],
		"paths": paths, "components": map[string]any{"schemas": reached(paths, objectIn(all, "schemas")), "securitySchemes": all["securitySchemes"]},
		"x-left-out": value.Int(len(tools) - fit),
	}
	return madeOf(m.offer, view), nil
}

// rankOf says which tools come first.
func rankOf(kind engine.Kind) int {
	return slices.Index([]engine.Kind{engine.KindFlow, engine.KindClient, engine.KindNative, engine.KindCapability}, kind)
}

// consequential reports whether the person should be asked each time by the GPT too: whatever
// changes something, sends something, or may do more than look.
func consequential(m tool.Marks) bool {
	return m.Reversibility != tool.ReadOnly || m.Has(tool.Write) || m.Has(tool.Outbound) || m.Risk > tool.R2
}

// shorten takes out of an operation what an action does not understand, and cuts what is too long.
func shorten(operation map[string]any) {
	for name := range operation {
		if strings.HasPrefix(name, "x-") && name != "x-openai-isConsequential" {
			delete(operation, name)
		}
	}
	said(operation, "summary", mostSaid)
	said(operation, "description", mostSaid)
	parameters, _ := operation["parameters"].([]any)
	for _, one := range parameters {
		parameter, _ := one.(map[string]any)
		said(parameter, "description", mostOfParameter)
		schema, _ := portable(parameter["schema"]).(map[string]any)
		if parameter["name"] == "wait" && parameter["in"] == "query" && schema != nil {
			// The server itself waits for 30 where nothing is said, so something has to be.
			schema["maximum"], schema["default"], parameter["required"] = value.Int(mostWait), value.Int(mostWait), true
		}
		parameter["schema"] = schema
	}
	body := objectIn(operation, "requestBody")
	said(body, "description", mostSaid)
	shortenContent(body)
	responses := objectIn(operation, "responses")
	for status, one := range responses {
		response, _ := one.(map[string]any)
		if response["$ref"] != nil { // that something is wrong is said by the default
			delete(responses, status)
			continue
		}
		said(response, "description", mostSaid)
		shortenContent(response)
	}
}

func shortenContent(of map[string]any) {
	for _, one := range objectIn(of, "content") {
		if media, ok := one.(map[string]any); ok && media["schema"] != nil {
			media["schema"] = portable(media["schema"])
		}
	}
}

// said cuts a text of an object, and shows what would not be seen in it.
func said(of map[string]any, name string, most int) {
	if text, ok := of[name].(string); ok {
		of[name] = cutWord(visible.Block(text), most)
	}
}

// portable writes a schema with what all programs understand, and lets the same values pass.
func portable(schema any) any {
	switch schema := schema.(type) {
	case bool:
		if schema {
			return map[string]any{}
		}
		return map[string]any{"not": map[string]any{}}
	case map[string]any:
		said(schema, "description", mostOfParameter)
		eachPart(schema, portable)
		oneType(schema)
		return schema
	}
	return schema
}

// oneType has a schema that allows several types say so without a list.
func oneType(schema map[string]any) {
	types, ok := schema["type"].([]any)
	if !ok {
		return
	}
	delete(schema, "type")
	switch len(types) {
	case 0:
		return
	case 1:
		schema["type"] = types[0]
		return
	}
	either := make([]any, len(types))
	for i, one := range types {
		either[i] = map[string]any{"type": one}
	}
	if _, has := schema["anyOf"]; !has {
		schema["anyOf"] = either
		return
	}
	all, _ := schema["allOf"].([]any)
	schema["allOf"] = append(all, map[string]any{"anyOf": either})
}

// reached gives the schemas that are referred to, from paths or from one another.
func reached(paths map[string]any, schemas map[string]any) map[string]any {
	out := map[string]any{}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				look(one)
			}
		case map[string]any:
			for _, one := range v {
				look(one)
			}
			to, _ := v["$ref"].(string)
			name, ok := strings.CutPrefix(to, schemasAt)
			name, _, _ = strings.Cut(name, "/") // it may be a part of one
			if schema, known := schemas[name]; ok && known && out[name] == nil {
				out[name] = portable(schema)
				look(out[name])
			}
		}
	}
	look(paths)
	return out
}

// cutWord cuts a text to at most some characters, after a word where there is one, and marks that
// it was cut.
func cutWord(text string, most int) string {
	short := visible.Cut(text, most)
	if short == text {
		return text
	}
	short = strings.TrimSuffix(short, "…")
	if !strings.ContainsAny(text[len(short):][:1], " \n\t") {
		const least = 2 // a text without words is cut anywhere
		if at := strings.LastIndexAny(short, " \n\t"); at >= len(short)/least {
			short = short[:at]
		}
	}
	return strings.TrimRight(short, " \n\t,;:") + "…"
}
