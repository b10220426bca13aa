package toolsmith

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/secret"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// Question is what a person is asked before a call, or by a tool that runs. What is said
// in it of the tool comes from its author, the rest was worked out.
type Question struct {
	// ID names the question, and RunID and RunTitle the run that it is asked in.
	ID, RunID, RunTitle string
	// Caller is who began the run, and By the tool whose result made the call; "" for the run
	// itself.
	Caller, By string
	// Tool by its name, its title and description, and its version: a hash over all that it is.
	Tool, Title, Description, Version string
	// Marks are what the tool can do.
	Marks tool.Marks
	// Hosts that it may reach, names of secrets that it may use, and of tools that it may call.
	Hosts, Secrets, Calls []string
	// Reason why it is asked: every-time (the risk is R4), leak (the run has private data and
	// content of others, and the call can send both away), secret, form or setting.
	Reason string
	// Secret is the name of a secret that the tool lacks, which is asked for in place of a yes;
	// "" for none.
	Secret string
	// Form is what the tool asks for while it runs, in place of a yes; nil for none.
	Form *Form
	// Count of the calls that it is about, and the arguments of the first of them, each as JSON.
	Count     int
	Arguments []json.RawMessage
	// MayRemember reports whether a yes may count for further calls.
	MayRemember bool
	// AskedAt and ExpiresAt: no answer until then counts as a no.
	AskedAt, ExpiresAt time.Time
}

// Form is what a tool asks a person for while it runs. All that stands in it is of the tool: it is
// to be shown as text, and its address is not to be opened by itself.
type Form struct {
	// Title and Text of what is asked.
	Title, Text string
	// Schema is the JSON Schema of the answer; nil for one that is true or false, and for a page.
	Schema json.RawMessage
	// URL is the address of a page that the person is asked to open; "" for none. The answer is
	// given once that is done, and has no value.
	URL string
}

// Answer is a person's answer to a question. The zero value is a no.
type Answer struct {
	// Allow the calls that the question is about, or answer its form.
	Allow bool
	// For what a yes counts: "once" (the default), "run" for further calls of the tool in the
	// run, or "always" for further calls of exactly this version of the tool.
	For string
	// Reason that whoever called is told with a no.
	Reason string
	// Secret is the value of the secret that is asked for; "" where none is, or with a no.
	Secret string
	// Value is the answer to a form, as encoding/json writes it; nil for none, which is true for a
	// form without a schema.
	Value any
	// Count of the calls that were shown. Where the question is about more by now, the answer is
	// refused as QUESTION_GROWN. Default: as many as there are.
	Count int
}

// asked shows a question to the program.
func asked(q consent.Question) Question {
	out := Question{
		ID: q.ID, RunID: q.Run, RunTitle: q.RunTitle, Caller: q.Caller, By: q.By,
		Tool: q.Tool, Title: q.Title, Description: q.Description, Version: q.Version, Marks: q.Marks,
		Hosts: q.Hosts, Secrets: q.Secrets, Calls: q.Calls, Reason: string(q.Reason), Secret: q.Secret, Count: q.Count,
		MayRemember: q.MayRemember(), AskedAt: q.AskedAt, ExpiresAt: q.ExpiresAt,
	}
	if q.Form != nil {
		out.Form = &Form{Title: q.Form.Title, Text: q.Form.Text, URL: q.Form.URL}
		if q.Form.Schema != nil {
			out.Form.Schema = value.AppendJSON(nil, q.Form.Schema)
		}
	}
	for _, sample := range q.Samples {
		out.Arguments = append(out.Arguments, value.AppendJSON(nil, sample))
	}
	return out
}

// Questions lists the open questions, newest first: those of all runs in the data folder.
func (r *Runtime) Questions(ctx context.Context) ([]Question, error) {
	list, err := r.engine.Questions(ctx, true, 0)
	out := make([]Question, 0, len(list))
	for _, q := range list {
		out = append(out, asked(q))
	}
	return out, err //nolint:wrapcheck // it says what was read
}

// Answer answers a question; the first answer counts. The error has the code
// QUESTION_ANSWERED where there was one before, QUESTION_CLOSED where the question is not open
// any more, QUESTION_GROWN, QUESTION_NOT_FOUND, or ANSWER_INVALID.
func (r *Runtime) Answer(ctx context.Context, id string, a Answer) error {
	if a.Secret != "" {
		q, err := r.engine.Question(ctx, id)
		if err != nil {
			return err //nolint:wrapcheck // it has its code
		}
		if q.Secret == "" {
			return &tool.Error{Code: consent.CodeAnswerInvalid, Field: "Secret", Message: "The question asks for no secret."}
		}
		return r.SetSecret(ctx, q.Tool, q.Secret, a.Secret)
	}
	answer := consent.Answer{Allow: a.Allow, For: consent.Scope(a.For), Reason: a.Reason, Count: a.Count}
	if a.Value != nil {
		text, err := json.Marshal(a.Value)
		if err == nil {
			answer.Value, err = value.Decode(text)
		}
		if err != nil {
			return &tool.Error{Code: consent.CodeAnswerInvalid, Field: "Value", Message: fmt.Sprintf("The value cannot be written as JSON: %s.", err)}
		}
		answer.HasValue = true
	}
	_, _, err := r.worker.Decide(ctx, id, answer)
	return err //nolint:wrapcheck // it has its code
}

// SetSecret keeps a secret of a tool, in place of an earlier one, and has the calls go on that
// wait for it. The codes of its errors begin with SECRET_.
func (r *Runtime) SetSecret(ctx context.Context, name, secretName, secretValue string) error {
	namespace, err := r.engine.Namespace(ctx, name)
	if err != nil {
		return err //nolint:wrapcheck // it has its code
	}
	if _, err := r.vault.Set(ctx, namespace, secretName, secretValue, secret.Attributes{}); err != nil {
		return err //nolint:wrapcheck // it has its code, and no value in it
	}
	return r.worker.SecretGiven(ctx, name, secretName) //nolint:wrapcheck // it says what could not be kept
}

// Permit sets what counts for a power, until it is set anew: "allow", "ask" or "deny". It is
// kept in the data folder, so that it counts for all who use it. The error has the code
// PERMISSION_INVALID.
func (r *Runtime) Permit(ctx context.Context, power tool.Power, permission string) error {
	return r.engine.SetPermission(ctx, consent.KindPower, string(power), consent.Permission(permission)) //nolint:wrapcheck // it has its code
}

// asking has the program asked what its runs have to ask.
type asking struct {
	sync.Mutex
	known map[string]bool // questions that the program has been asked
	under sync.WaitGroup
}

// observe hands the questions of runs to Options.Ask, each in one goroutine of its own.
func (r *Runtime) observe(e worker.Event) {
	if e.Question == nil || r.options.Ask == nil {
		return
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	if r.asking.known[e.Question.ID] {
		return
	}
	r.asking.known[e.Question.ID] = true
	q := asked(*e.Question)
	r.asking.under.Go(func() {
		ctx, cancel := context.WithDeadline(r.open, q.ExpiresAt)
		defer cancel()
		if err := r.ask(ctx, q); err != nil && ctx.Err() == nil {
			r.options.Log.WarnContext(ctx, "a question was not answered", "question", q.ID, "error", err)
		}
	})
}

// ask has the program answer a question, once more where it is about more calls by then than
// the program was shown.
func (r *Runtime) ask(ctx context.Context, q Question) error {
	for {
		answer, err := r.options.Ask(ctx, q)
		if err != nil {
			return err
		}
		err = r.Answer(ctx, q.ID, answer)
		if tool.Code(err) != consent.CodeGrown {
			return err
		}
		now, lookErr := r.engine.Question(ctx, q.ID)
		if lookErr != nil || now.Count == q.Count {
			return err
		}
		q = asked(now)
	}
}

// wait waits until nobody is asked any more, at most until ctx ends.
func (a *asking) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		a.under.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
