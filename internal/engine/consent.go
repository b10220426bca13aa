package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/consent"
	"toolsmith/internal/registry"
	"toolsmith/internal/schema"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// mayDecide refuses whoever is no person.
func (e *Engine) mayDecide(ctx context.Context) error {
	if e.actor(ctx).Agent {
		return &tool.Error{Code: consent.CodeForbidden, Message: "Only a person decides what may run; whoever asks here is none."}
	}
	return nil
}

// Decide answers a question: the first answer counts. The worker whose run it is has to be
// told.
func (e *Engine) Decide(ctx context.Context, id string, a consent.Answer) (q consent.Question, err error) {
	if err := e.mayDecide(ctx); err != nil {
		return q, err
	}
	if a, err = e.fitting(ctx, id, a); err != nil {
		return q, err
	}
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		q, err = e.decide(ctx, tx, id, a)
		return err
	})
	return q, err
}

func (e *Engine) decide(ctx context.Context, tx store.Tx, id string, a consent.Answer) (q consent.Question, err error) {
	if q, err = findQuestion(ctx, tx, id); err != nil {
		return q, err
	}
	run, ok, err := tx.Graph().Run(ctx, q.Run)
	if err != nil {
		return q, err
	}
	a.Who, a.From, a.At, a.Approved, a.Grant = e.actor(ctx).Who, e.actor(ctx).From, e.o.Now(), "", ""
	if err := q.Check(a, a.At, !ok || run.Status.Settled() || run.CancelledAt != nil); err != nil {
		return q, err
	}
	policy, _, err := e.rules(ctx, tx, q.Tool)
	if err != nil {
		return q, err
	}
	if policy.Stopped != nil && a.Allow {
		return q, &tool.Error{Code: CodeStopped, Message: consent.Decision{Reason: consent.Stopped}.Refusal(q.Tool)}
	}
	if a = q.Complete(a); a.Allow && q.Form == nil {
		if err := e.approve(ctx, tx, run, q, &a); err != nil {
			return q, err
		}
	}
	if g, ok := q.Grant(e.o.NewID(), a); ok {
		a.Grant = g.ID
		if err := tx.Consent().AddGrant(ctx, g); err != nil {
			return q, err
		}
		if err := e.note(ctx, tx, registry.ActionGrant, q, grantDetail(g)); err != nil {
			return q, err
		}
		if err := closeCovered(ctx, tx, q, g); err != nil {
			return q, err
		}
	}
	q.State, q.Answer = consent.Answered, &a
	if err := tx.Consent().PutQuestion(ctx, q); err != nil {
		return q, err
	}
	action, detail := registry.ActionAllow, calls(q.Count)
	if q.Form != nil {
		detail = "what it asked for" // what was answered is the person's
	}
	if !a.Allow {
		action = registry.ActionDeny
		if a.Reason != "" {
			detail += ", because " + a.Reason
		}
	}
	return q, e.note(ctx, tx, action, q, detail)
}

// closeCovered closes the other open questions of a run whose calls a new grant allows. The
// calls look again when the answer is told to their run.
func closeCovered(ctx context.Context, tx store.Tx, q consent.Question, g consent.Grant) error {
	list, err := tx.Consent().ListQuestions(ctx, true, 0)
	if err != nil {
		return err
	}
	for _, other := range list {
		if other.ID == q.ID || other.Run != q.Run || other.Reason != consent.Setting || other.Tool != g.Tool ||
			len(g.Conditions) > 0 && other.Count > len(other.Samples) {
			continue
		}
		covered := !slices.ContainsFunc(other.Samples, func(arguments any) bool {
			return !g.Covers(consent.Call{Tool: other.Tool, Version: other.Version, Run: other.Run, Arguments: arguments, At: g.At})
		})
		if !covered {
			continue
		}
		other.State = consent.Closed
		if err := tx.Consent().PutQuestion(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// approve notes the digest of what a yes allows. Arguments that were changed have to fit, as
// they would have to if they had been proposed.
func (e *Engine) approve(ctx context.Context, tx store.Tx, run task.Run, q consent.Question, a *consent.Answer) error {
	if !a.Edited {
		a.Arguments, a.Approved = nil, digestOf(q.Tool, q.Version, q.Samples[0])
		return nil
	}
	call, err := e.find(ctx, tx, run, q.Tool)
	if err != nil {
		return err
	}
	if kind := value.KindOf(a.Arguments); kind != value.Object && a.Arguments != nil {
		return &tool.Error{Code: task.CodeArgumentsInvalid, Message: fmt.Sprintf("The arguments do not fit: they are an object; this is %s.", kind)}
	}
	a.Arguments = call.Effective(a.Arguments)
	if size := value.Size(a.Arguments); size > run.Limits.Arguments {
		return &tool.Error{Code: task.CodeArgumentsLarge, Message: fmt.Sprintf(
			"The arguments have %d bytes; at most %d are allowed.", size, run.Limits.Arguments)}
	}
	if violations := call.Parameters.Validate(a.Arguments); len(violations) > 0 {
		return &tool.Error{Code: task.CodeArgumentsInvalid, Field: violations[0].Path, Message: "The arguments do not fit. " + schema.Join(violations)}
	}
	a.Approved = digestOf(q.Tool, q.Version, a.Arguments)
	return nil
}

func grantDetail(g consent.Grant) string {
	parts := []string{"sha256 " + g.Version[:min(12, len(g.Version))]}
	if g.Run != "" {
		parts = append(parts, "for run "+g.Run)
	}
	for _, c := range g.Conditions {
		parts = append(parts, "if "+c.String())
	}
	if g.ExpiresAt != nil {
		parts = append(parts, "until "+value.Time(*g.ExpiresAt))
	}
	return g.ID + ", " + strings.Join(parts, ", ")
}

func findQuestion(ctx context.Context, tx store.Tx, id string) (consent.Question, error) {
	q, ok, err := tx.Consent().Question(ctx, strings.ToUpper(id))
	if err != nil || ok {
		return q, err
	}
	if len(id) >= shortestID {
		list, err := tx.Consent().ListQuestions(ctx, true, 0)
		if err != nil {
			return q, err
		}
		var fits []consent.Question
		for _, one := range list {
			if strings.HasPrefix(one.ID, strings.ToUpper(id)) {
				fits = append(fits, one)
			}
		}
		if len(fits) == 1 {
			return fits[0], nil
		}
		if len(fits) > 1 {
			return q, &tool.Error{Code: CodeRunAmbiguous, Message: fmt.Sprintf("Several questions begin with %q. Give more of the id.", id)}
		}
	}
	return q, &tool.Error{Code: consent.CodeNotFound, Message: fmt.Sprintf("There is no question %q. See the open ones with: toolsmith consents", id)}
}

// Questions lists questions, newest first: the open ones, or all.
func (e *Engine) Questions(ctx context.Context, open bool, limit int) (list []consent.Question, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		if list, err = tx.Consent().ListQuestions(ctx, open, limit); err != nil || open {
			return err
		}
		for i := range list {
			if list[i], err = asItIs(ctx, tx, list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// asItIs gives a question as closed whose run has ended before anybody answered it.
func asItIs(ctx context.Context, tx store.Tx, q consent.Question) (consent.Question, error) {
	if q.State != consent.Open {
		return q, nil
	}
	run, ok, err := tx.Graph().Run(ctx, q.Run)
	if err == nil && (!ok || run.Status.Settled() || run.CancelledAt != nil) {
		q.State = consent.Closed
	}
	return q, err
}

// Question gives one question by its id, or by a beginning of it that no other open one has.
func (e *Engine) Question(ctx context.Context, id string) (q consent.Question, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		if q, err = findQuestion(ctx, tx, id); err != nil {
			return err
		}
		q, err = asItIs(ctx, tx, q)
		return err
	})
	return q, err
}

// Grants lists what was allowed for longer, newest first: what holds now, or all.
func (e *Engine) Grants(ctx context.Context, all bool) (list []consent.Grant, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		found, err := tx.Consent().ListGrants(ctx)
		for _, g := range found {
			if all || g.Valid(e.o.Now()) {
				list = append(list, g)
			}
		}
		return err
	})
	return list, err
}

// Revoke takes a grant back, by its id or a beginning of it that no other has.
func (e *Engine) Revoke(ctx context.Context, id string) (g consent.Grant, err error) {
	if err := e.mayDecide(ctx); err != nil {
		return g, err
	}
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		list, err := tx.Consent().ListGrants(ctx)
		if err != nil {
			return err
		}
		if g, err = pickGrant(list, id); err != nil {
			return err
		}
		now := e.o.Now()
		if _, err := tx.Consent().RevokeGrant(ctx, g.ID, now); err != nil {
			return err
		}
		g.RevokedAt = &now
		return e.registry(ctx, tx).Note(ctx, registry.ActionRevoke, g.Tool, 0, visible.Line(grantDetail(g)))
	})
	return g, err
}

func pickGrant(list []consent.Grant, id string) (consent.Grant, error) {
	var fits []consent.Grant
	for _, g := range list {
		if g.RevokedAt != nil {
			continue
		}
		if strings.EqualFold(g.ID, id) {
			return g, nil
		}
		if len(id) >= shortestID && strings.HasPrefix(g.ID, strings.ToUpper(id)) {
			fits = append(fits, g)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return consent.Grant{}, &tool.Error{Code: CodeGrantNotFound, Message: fmt.Sprintf("There is no grant %q that holds. See all with: toolsmith grants", id)}
	default:
		return consent.Grant{}, &tool.Error{Code: CodeRunAmbiguous, Message: fmt.Sprintf("Several grants begin with %q. Give more of the id.", id)}
	}
}
