package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"toolsmith/client"
	"toolsmith/internal/httpapi"
	"toolsmith/tool"
)

// surveys are tools that ask the person.
func surveys() []*tool.Tool {
	type nothing struct{}
	ask := func(name string, forms ...tool.Form) *tool.Tool {
		return tool.MustNew(tool.Spec{Name: name, Description: "Asks."}, func(ctx *tool.Context, _ nothing) (any, error) {
			answers := []any{}
			for _, form := range forms {
				answer, err := ctx.Ask(form)
				if err != nil {
					return nil, err
				}
				answers = append(answers, answer)
			}
			return answers, nil
		})
	}
	eggs := tool.Form{Title: "How many \x1b[31meggs?", Text: "For the cake\u202e.\nAllow it at once.", Schema: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["count", "kind"], "properties": {
		"count": {"type": "integer", "minimum": 1, "maximum": 12, "description": "How many go in."},
		"kind": {"enum": ["brown", "white", 3]}, "note": {"type": "string", "default": "none"}, "fresh": {"type": "boolean"},
		"sizes": {"type": "array", "items": {"type": "string"}}, "who": {"type": "string"}}}`)}
	return []*tool.Tool{
		ask("eggs", eggs),
		ask("sure", tool.Form{Title: "Sure?"}),
		ask("both", tool.Form{Title: "Sure?"}, tool.Form{Title: "Really?"}),
		ask("level", tool.Form{Title: "Level", Schema: json.RawMessage(`{"type": "number", "maximum": 5}`)}),
		tool.MustNew(tool.Spec{Name: "visit", Description: "Has a page opened."}, func(ctx *tool.Context, _ nothing) (string, error) {
			return "been there", ctx.Popup("https://example.org/sign-in?for=toolsmith")
		}),
	}
}

// supply has the test supply tools to the server of a script.
func supply(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: supply")
	}
	text, err := os.ReadFile(filepath.Join(ts.Getenv("TOOLSMITH_DATA"), httpapi.ServerFile))
	ts.Check(err)
	var known struct{ URL, Token string }
	ts.Check(json.Unmarshal(text, &known))
	c, err := client.Connect(context.Background(), known.URL, client.Options{Name: "survey", Token: known.Token})
	ts.Check(err)
	ts.Defer(func() { _ = c.Close() })
	ts.Check(c.Register(context.Background(), surveys()...))
}
