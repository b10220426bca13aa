// Command summarize shows coded tools in Go: one that returns a visible chain, and one that
// returns parallel branches, each with a reducer at its end.
package main

import (
	"fmt"
	"strings"

	"toolsmith/tool"
)

// text is the one argument of the tools here.
type text struct {
	Text string `json:"text" jsonschema:"the text to look at" minLength:"1" maxLength:"20000"`
}

// tools makes the tools of this example.
func tools() ([]*tool.Tool, error) {
	var list []*tool.Tool
	for _, make := range []func() (*tool.Tool, error){summarize, review, countWords, longestWord, report} {
		t, err := make()
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// summarize says how the text begins and where in the run it stands, and ends its chain.
func summarize() (*tool.Tool, error) {
	return tool.New(tool.Spec{Name: "summarize", Description: "Summarizes a text by its first words."},
		func(ctx *tool.Context, in text) (tool.Subtasks, error) {
			chain, err := ctx.Chain()
			if err != nil {
				return tool.Subtasks{}, err
			}
			if err := ctx.Err(); err != nil {
				return tool.Subtasks{}, err
			}
			words := strings.Fields(in.Text)
			begins := strings.Join(words[:min(len(words), 5)], " ")
			return ctx.Subtasks(tool.Chain{
				tool.Message(tool.RoleAssistant, fmt.Sprintf("%s (%d)", begins, len(chain))),
				tool.Return("complete"),
			}), nil
		})
}

// review looks at a text from two sides at once. Each branch ends in a reducer that is given
// what came before it, also where that failed.
func review() (*tool.Tool, error) {
	return tool.New(tool.Spec{
		Name: "review", Description: "Counts the words of a text and finds its longest word, side by side, and reports both.",
		Calls: []string{"count_words", "longest_word", "report"},
	}, func(ctx *tool.Context, in text) (tool.Subtasks, error) {
		return ctx.Subtasks(
			tool.Chain{
				tool.Structured(map[string]any{"about": "words"}),
				tool.Call("count_words", in),
				tool.Reducer("report", map[string]any{"what": "words", "found": tool.Previous("")}),
			},
			tool.Chain{
				tool.Call("longest_word", in),
				tool.Reducer("report", map[string]any{"what": "longest", "found": tool.Previous("word")}),
			},
		), nil
	})
}

func countWords() (*tool.Tool, error) {
	return tool.New(tool.Spec{Name: "count_words", Description: "Counts the words of a text."},
		func(_ *tool.Context, in text) (int, error) { return len(strings.Fields(in.Text)), nil })
}

// longest is what longest_word finds.
type longest struct {
	Word   string `json:"word" jsonschema:"the longest word; the first of several"`
	Length int    `json:"length" jsonschema:"its length in bytes"`
}

func longestWord() (*tool.Tool, error) {
	return tool.New(tool.Spec{Name: "longest_word", Description: "Finds the longest word of a text."},
		func(_ *tool.Context, in text) (longest, error) {
			var found longest
			for _, word := range strings.Fields(in.Text) {
				if len(word) > found.Length {
					found = longest{word, len(word)}
				}
			}
			return found, nil
		})
}

// found is what a reducer here is given.
type found struct {
	What  string `json:"what" jsonschema:"what was looked for"`
	Found any    `json:"found,omitempty" jsonschema:"what was found"`
}

// report is the reducer: it puts what was found into words.
func report() (*tool.Tool, error) {
	return tool.New(tool.Spec{Name: "report", Description: "Puts what was found into words."},
		func(_ *tool.Context, in found) (string, error) { return fmt.Sprintf("%s: %v", in.What, in.Found), nil })
}
