package client

import (
	"context"
	"fmt"

	"toolsmith/tool"
)

// Form is what the tool of a port asks the person for.
type Form struct {
	Title, Text string
	// Schema of the answer, as a JSON value; nil for yes or no.
	Schema any
}

// Forms ask the person for what a tool asks for. key names what it is within the call, the same
// each time that the call is made: "ask[0]" is the first form, "popup[0]" the first page. An error
// without a code is why the call ends, to be made anew.
type Forms struct {
	Ask   func(ctx context.Context, key string, form Form) (any, error)
	Popup func(ctx context.Context, key, address string) error
}

// ask puts a form before the person. Where nobody has answered yet the call ends: it is made anew
// once somebody has.
func (a *asking) ask(ctx context.Context, nth int, arguments map[string]any) (any, error) {
	var form Form
	for name, into := range map[string]*string{"title": &form.Title, "text": &form.Text} {
		text, isText := arguments[name].(string)
		if !isText && arguments[name] != nil {
			return nil, invalid(name, "has to be a text.")
		}
		*into = text
	}
	form.Schema = arguments["schema"]
	a.one.Lock()
	defer a.one.Unlock()
	if a.wants() != nil {
		return nil, errWaits()
	}
	answer, err := a.Ask(ctx, fmt.Sprintf("ask[%d]", nth), form)
	return answer, a.waiting(err)
}

// popup shows the person the address of a page, and is otherwise like ask.
func (a *asking) popup(ctx context.Context, nth int, arguments map[string]any) (any, error) {
	address, isText := arguments["url"].(string)
	if !isText {
		return nil, invalid("url", "has to be a text: the address of the page.")
	}
	a.one.Lock()
	defer a.one.Unlock()
	if a.wants() != nil {
		return nil, errWaits()
	}
	return nil, a.waiting(a.Popup(ctx, fmt.Sprintf("popup[%d]", nth), address))
}

// waiting words an error for the host.
func (a *asking) waiting(err error) error {
	if !a.ends(err) {
		return err
	}
	return errWaits()
}

// errWaits is what the host of a call is told that has to wait.
func errWaits() error {
	return tool.Errorf(tool.CodeContextUnavailable, "A person is asked. The call ends here, and is made anew once they have answered.")
}
