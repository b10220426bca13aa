package script

import (
	"context"
	"strings"
	"testing"

	"toolsmith/tool"
)

// never is a host that nobody may ask.
type never struct{ t *testing.T }

func (n never) Do(context.Context, int, string, map[string]any) (any, error) {
	n.t.Error("the host was asked")
	return nil, nil
}

// TestATamperedGuest calls the host as the runtime of a tool never does.
func TestATamperedGuest(t *testing.T) {
	t.Parallel()
	x := newExecution(t.Context(), New(Options{}), Call{Host: never{t}}, &declaration{})
	defer x.stopSandbox()
	for _, one := range []struct {
		name      string
		arguments []string
		code      string // of the error that ends the call
		refused   string // code of the last refusal
	}{
		{"nothing", nil, "", ""},
		{"ask", nil, CodeBroken, ""},
		{"ask", []string{"x", "popup", "{}"}, CodeBroken, ""},
		{"ask", []string{"1", "popup", "{"}, "", "ARGUMENTS_INVALID"},
		{"ask", []string{"1", "popup", "{}"}, CodeBroken, ""}, // that number is taken
		{"ask", []string{"2", "popup", "5"}, "", "ARGUMENTS_INVALID"},
		{"ask", []string{"3", "shell", "{}"}, "", "CONTEXT_UNAVAILABLE"},
		{"ask", []string{"4", "getSecret", `{"name":{"a":1}}`}, "", "SECRET_NOT_DECLARED"},
		{"ask", []string{"5", "fetch", `{"url":5}`}, "", "CONTEXT_UNAVAILABLE"},
		{"timer", nil, CodeBroken, ""},
		{"timer", []string{"1", "5"}, CodeBroken, ""},
		{"cancel", nil, "", ""},
		{"cancel", []string{"99"}, "", ""},
		{"cancel", []string{"5"}, "", "SECRET_NOT_DECLARED"}, // the refusal of the one before is the last again
		{"log", []string{"shout", "hello"}, "", ""},
		{"stopped", nil, "", ""},
		{"refused", []string{"A", "b", "c"}, "", ""},
		{"end", []string{"value", "1"}, "", ""},
		{"end", []string{"value", "2"}, "", ""},
		{"ask", []string{"x"}, "", ""}, // it is over
	} {
		answer, err := door{x}.Call(one.name, one.arguments)
		if answer != "" || tool.Code(err) != one.code {
			t.Errorf("%s %q: %q, %v; want %q", one.name, one.arguments, answer, err, one.code)
		}
		if one.refused == "" {
			continue
		}
		if n := len(x.refused); n == 0 || !strings.Contains(x.refused[n-1].text, one.refused) {
			t.Errorf("%s %q: it was not refused with %s", one.name, one.arguments, one.refused)
		}
	}
	if x.ending.text != "1" || len(x.log) != 1 || x.log[0].Level != "log" {
		t.Errorf("it ended with %v and wrote %v", x.ending, x.log)
	}
	x.finish(nil)
}
