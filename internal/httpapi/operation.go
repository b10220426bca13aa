package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"toolsmith/internal/engine"
	"toolsmith/internal/value"
)

// callsBegin the ids of the operations of tools.
const callsBegin = "call_"

// pathOf is where a tool is called.
func pathOf(name string) string { return "/v1/tools/" + url.PathEscape(name) + "/call" }

// addTools adds an operation for each tool, with an id that no other operation has.
func addTools(document map[string]any, tools []*engine.Callable) {
	paths, schemas := objectIn(document, "paths"), objectIn(objectIn(document, "components"), "schemas")
	taken, names := map[string]bool{}, make([]string, len(tools))
	eachOperation(paths, func(_, _ string, operation map[string]any) {
		taken[textIn(operation, "operationId")] = true
	})
	for i, c := range tools {
		names[i] = c.Name
	}
	ids := wireNames(callsBegin, names, func(id string) bool { return taken[id] })
	for _, c := range tools {
		paths[pathOf(c.Name)] = map[string]any{"post": operationOf(c, ids[c.Name], schemas)}
	}
}

// operationOf describes a tool as an operation of its own.
func operationOf(c *engine.Callable, id string, schemas map[string]any) map[string]any {
	parameters, result := c.Schemas()
	wire := strings.TrimPrefix(id, callsBegin)
	came := map[string]any{"allOf": []any{
		map[string]any{"$ref": schemasAt + "CallAnswer"},
		map[string]any{"type": "object", "properties": map[string]any{"value": schemaOf(schemas, wire+".result", result)}},
	}}
	answer := func(description string, schema any) map[string]any {
		return map[string]any{"description": description, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
	}
	marks := c.Marks()
	powers := make([]any, len(marks.Powers))
	for i, power := range marks.Powers {
		powers[i] = string(power)
	}
	return map[string]any{
		"operationId": id, "summary": c.Title, "description": c.Description(), "tags": []any{"tools"},
		"x-tool": c.Name, "x-version": c.Version, "x-risk": marks.Risk.String(), "x-powers": powers, "x-reversibility": string(marks.Reversibility),
		"parameters": []any{
			map[string]any{"name": "wait", "in": "query", "description": "For how many seconds to wait for the end.", "schema": map[string]any{
				"type": "integer", "minimum": value.Int(0), "maximum": value.Int(300), "default": value.Int(30),
			}},
			map[string]any{"name": "Idempotency-Key", "in": "header", "description": "A second call with the same key attaches to the first.", "schema": map[string]any{
				"type": "string", "maxLength": value.Int(200),
			}},
		},
		"requestBody": map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schemaOf(schemas, wire+".parameters", parameters)}}},
		"responses": map[string]any{
			"200": answer("The call is over, whatever it came to.", came),
			"202": answer("The call goes on.", came), // so that what it comes to has one type
			"default": map[string]any{"description": "Error", "content": map[string]any{
				"application/problem+json": map[string]any{"schema": map[string]any{"$ref": schemasAt + "Problem"}},
			}},
		},
	}
}

// addProblems lists with which statuses each operation may answer that something is wrong.
func addProblems(document map[string]any) {
	responses := map[string]any{}
	eachOperation(objectIn(document, "paths"), func(path, method string, operation map[string]any) {
		own := objectIn(operation, "responses")
		for _, status := range problemsOf(path, method, operation) {
			code, name := strconv.Itoa(status), strings.ReplaceAll(http.StatusText(status), " ", "")
			if _, has := own[code]; has {
				continue
			}
			own[code] = map[string]any{"$ref": "#/components/responses/" + name}
			responses[name] = map[string]any{"description": http.StatusText(status), "content": map[string]any{
				"application/problem+json": map[string]any{"schema": map[string]any{"$ref": schemasAt + "Problem"}},
			}}
		}
	})
	objectIn(document, "components")["responses"] = responses
}

// problemsOf are the statuses of the problems that an operation may have.
func problemsOf(path, method string, operation map[string]any) []int {
	// Whoever asks may be refused by the guard, something may be wrong with the query, and the
	// store may not be there.
	list := []int{http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if security, given := operation["security"].([]any); !given || len(security) == 0 {
		list = append(list, http.StatusUnauthorized)
	}
	_, body := operation["requestBody"]
	if body {
		list = append(list, http.StatusBadRequest)
	}
	if method != "get" {
		// Also where no body is expected: one may be sent.
		list = append(list, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if body || strings.Contains(path, "{") || operation["x-tool"] != nil {
		list = append(list, http.StatusNotFound)
	}
	if method == "get" && strings.Contains(path, "{") {
		list = append(list, http.StatusConflict) // a beginning of an id that several have
	}
	return list
}

// eachOperation goes through the operations of a document.
func eachOperation(paths map[string]any, do func(path, method string, operation map[string]any)) {
	for path, v := range paths {
		item, _ := v.(map[string]any)
		for _, method := range []string{"get", "put", "post", "delete", "patch", "head", "options", "trace"} {
			if operation, ok := item[method].(map[string]any); ok {
				do(path, method, operation)
			}
		}
	}
}

// objectIn gives the object under a name; nil where there is none.
func objectIn(of map[string]any, name string) map[string]any {
	v, _ := of[name].(map[string]any)
	return v
}

// textIn gives the text under a name; "" where there is none.
func textIn(of map[string]any, name string) string {
	v, _ := of[name].(string)
	return v
}
