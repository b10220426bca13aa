package worker

import (
	"context"
	"errors"
	"fmt"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/client"
	"toolsmith/internal/runner/native"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// asked is the error of a call that waits for a person: for a secret, or for the answer to a form.
type asked struct{ question consent.Question }

func (a *asked) Error() string {
	if a.question.Form != nil {
		return fmt.Sprintf("a person is asked for %s; return this error, and the tool is called again", a.question.Form.About())
	}
	return fmt.Sprintf("the secret %q is asked for; return this error, and the tool is called again", a.question.Secret)
}

// ask puts a form before the person, and gives the answer once there is one. key names the form
// within the call: made anew, the call finds under it what it has asked before. The error is an
// *asked where the call has to wait, and to be made anew then; it has its code where the person said
// no, nobody answered in time, or the form is put before nobody.
func (c *call) ask(found *engine.Callable, key string) func(ctx context.Context, form consent.Form) (any, error) {
	return func(ctx context.Context, form consent.Form) (any, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.mu.Lock()
		by := c.calledBy()
		c.mu.Unlock()
		s := c.scrubber()
		shown := consent.Form{Title: s.Text(form.Title), Text: s.Text(form.Text), Schema: s.Value(form.Schema), URL: s.Text(form.URL)}
		about := engine.Asking{Run: c.run, Seq: c.seq, Call: found, Arguments: s.Value(c.arguments), By: by}
		answer, open, err := c.worker.Engine.AskForm(ctx, about, engine.FormAsked{Key: key, Form: form, Shown: shown})
		switch code := tool.Code(err); {
		case open != nil:
			return nil, &asked{*open}
		case err == nil, code == tool.CodeInteractionRefused, code == tool.CodeInteractionTimeout, code == tool.CodeInteractionInvalid:
			return answer, err //nolint:wrapcheck // it has its code
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		return nil, c.worker.storeFailure(err)
	}
}

// forms lets a tool in Go ask the person.
func (c *call) forms(found *engine.Callable) native.Forms {
	return native.Forms{
		Ask: func(ctx context.Context, key string, form tool.Form) (any, error) {
			asks := consent.Form{Title: form.Title, Text: form.Text}
			if form.Schema != nil {
				if err := form.Check(); err != nil {
					return nil, err //nolint:wrapcheck // it has its code
				}
				var err error
				if asks.Schema, err = value.Decode(form.Schema); err != nil {
					return nil, &tool.Error{Code: tool.CodeInteractionInvalid, Field: "$.schema", Message: fmt.Sprintf("cannot be read: %s.", err)}
				}
			}
			return c.ask(found, key)(ctx, asks)
		},
		Popup: func(ctx context.Context, key, address string) error { return c.popup(ctx, found, key, address) },
	}
}

// clientForms lets the tool of a port ask the person.
func (c *call) clientForms(found *engine.Callable) client.Forms {
	return client.Forms{
		Ask: func(ctx context.Context, key string, form client.Form) (any, error) {
			return c.ask(found, key)(ctx, consent.Form{Title: form.Title, Text: form.Text, Schema: form.Schema})
		},
		Popup: func(ctx context.Context, key, address string) error { return c.popup(ctx, found, key, address) },
	}
}

// popup shows the person the address of a page.
func (c *call) popup(ctx context.Context, found *engine.Callable, key, address string) error {
	if address == "" {
		return tool.CheckPage(address) //nolint:wrapcheck // it has its code
	}
	_, err := c.ask(found, key)(ctx, consent.Form{URL: address})
	return err
}

// waits gives the question that the error of a call waits for; nil for none.
func waits(err error) *consent.Question {
	var a *asked
	if errors.As(err, &a) {
		return &a.question
	}
	return nil
}
