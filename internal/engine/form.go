package engine

import (
	"context"
	"fmt"

	"toolsmith/internal/consent"
	"toolsmith/internal/registry"
	"toolsmith/internal/schema"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// FormAsked is a form that a call puts before a person.
type FormAsked struct {
	// Key names what is asked for within the call, such as "ask[0]".
	Key string
	// Form as the tool gave it, by which it is known again, and as it is shown.
	Form, Shown consent.Form
}

// AskForm asks a person what a call asks for, or gives their answer: a question that is open, or a
// value. A form that is not the one that was asked for under its key before is asked anew. The
// error has the code INTERACTION_REFUSED, INTERACTION_TIMEOUT or INTERACTION_INVALID.
func (e *Engine) AskForm(ctx context.Context, a Asking, f FormAsked) (answer any, open *consent.Question, err error) {
	if err := f.Form.Check(); err != nil {
		return nil, nil, err //nolint:wrapcheck // it has its code
	}
	if err := checkFields(f.Form.Schema); err != nil {
		return nil, nil, err
	}
	var q consent.Question
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		q, err = e.askForm(ctx, tx, a, f)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("ask for what %s asks for: %w", a.Call.Name, err)
	}
	switch {
	case q.State == consent.Open:
		return nil, &q, nil
	case q.State == consent.Expired:
		return nil, nil, tool.Errorf(tool.CodeInteractionTimeout, "Nobody answered %s within %s.", q.Form.About(), q.ExpiresAt.Sub(q.AskedAt))
	case !q.Answer.Allow:
		message := fmt.Sprintf("%s said no to %s.", q.Answer.Who, q.Form.About())
		if q.Answer.Reason != "" {
			message += " The reason: " + q.Answer.Reason
		}
		return nil, nil, &tool.Error{Code: tool.CodeInteractionRefused, Message: message}
	}
	return q.Answer.Value, nil, nil
}

// mostPlaces is how many places the schema of a form may have, each reference counted as all that
// it leads to: a small schema can lead from one place to as many as would never be gone through.
const mostPlaces = 20_000

// checkFields says why the schema of a form cannot be used.
func checkFields(raw any) error {
	invalid := func(format string, args ...any) error {
		return &tool.Error{Code: tool.CodeInteractionInvalid, Field: "$.schema", Message: fmt.Sprintf(format, args...)}
	}
	if schema.Extent(raw, mostPlaces) > mostPlaces {
		return invalid("leads to more than %d places, or refers to something in another way than by \"#/…\". Make it smaller.", mostPlaces)
	}
	if _, err := schema.Compile(raw); err != nil {
		return invalid("is no JSON Schema that can be used: %s.", err)
	}
	return nil
}

// askForm keeps a question, or gives the one that is kept with what came of it.
func (e *Engine) askForm(ctx context.Context, tx store.Tx, a Asking, f FormAsked) (q consent.Question, err error) {
	digest := task.NewContent(tool.TypeStructured, []any{f.Form.Title, f.Form.Text, f.Form.Schema, f.Form.URL}).ID.String()
	asked, has, err := tx.Consent().Asked(ctx, a.Run.ID, a.Seq, f.Key)
	if err != nil {
		return q, err
	}
	if has {
		if q, has, err = tx.Consent().Question(ctx, asked.Question); err != nil {
			return q, err
		}
	}
	same, now := has && asked.Digest == digest, e.o.Now()
	switch {
	case same && q.State == consent.Open && !now.Before(q.ExpiresAt):
		q.State = consent.Expired
		if err := tx.Consent().PutQuestion(ctx, q); err != nil {
			return q, err
		}
		return q, e.note(ctx, tx, registry.ActionDeny, q, "nobody answered in time")
	case same && q.State != consent.Closed:
		return q, nil
	case has && q.State == consent.Open: // nobody waits for it any more
		q.State = consent.Closed
		if err := tx.Consent().PutQuestion(ctx, q); err != nil {
			return q, err
		}
	}
	q = e.questionOf(a, e.callOf(a), now)
	q.Reason, q.Form = consent.NeedsAnswer, &f.Shown
	if err := tx.Consent().PutQuestion(ctx, q); err != nil {
		return q, err
	}
	return q, tx.Consent().PutAsked(ctx, consent.Asked{Run: a.Run.ID, Seq: a.Seq, Key: f.Key, Question: q.ID, Digest: digest})
}

// fitting gives the answer to a form with the defaults of its schema, and refuses one that does not
// fit, every violation told. All other answers it gives as they are. It looks outside of the
// transaction that keeps the answer, since it may take a while; the form of a question never
// changes.
func (e *Engine) fitting(ctx context.Context, id string, a consent.Answer) (consent.Answer, error) {
	if !a.Allow || !a.HasValue {
		return a, nil
	}
	q, err := e.Question(ctx, id)
	if err != nil || q.State != consent.Open || q.Form == nil || q.Form.Schema == nil {
		return a, err
	}
	if size := value.Size(a.Value); size > consent.MaxValue {
		return a, &tool.Error{Code: consent.CodeAnswerInvalid, Message: fmt.Sprintf("The answer has %d bytes; at most %d are allowed.", size, consent.MaxValue)}
	}
	fields, err := schema.Compile(q.Form.Schema)
	if err != nil { // it was made sure of when it was asked
		return a, &tool.Error{Code: tool.CodeInteractionInvalid, Field: "$.schema", Message: "The schema of the form cannot be used any more. Say no to it.", Cause: err}
	}
	a.Value = fields.Fill(a.Value)
	if violations := fields.Validate(a.Value); len(violations) > 0 {
		return a, &tool.Error{Code: consent.CodeAnswerInvalid, Field: violations[0].Path, Message: "The answer does not fit the form. " + schema.Join(violations)}
	}
	return a, nil
}
