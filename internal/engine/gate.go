package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// rules are the policy, and the grants by their tools, as they were at one revision. They are
// never changed.
type rules struct {
	policy consent.Policy
	grants map[string][]consent.Grant
}

// known keeps the rules that were last read.
type known struct {
	mu   sync.Mutex
	last *rules // nil for none
}

// rules gives the policy and the grants of a tool as they are now. It reads one number where
// nothing has changed. What a transaction sees that also writes may come to nothing, so only
// what others have committed is kept.
func (e *Engine) rules(ctx context.Context, tx store.Tx, name string) (consent.Policy, []consent.Grant, error) {
	seen, err := e.rulesOf(ctx, tx)
	if err != nil {
		return consent.Policy{}, nil, err
	}
	return seen.policy, seen.grants[name], nil
}

// committedRules is rules in a transaction that only reads, and keeps what it has read.
func (e *Engine) committedRules(ctx context.Context, tx store.Tx, name string) (consent.Policy, []consent.Grant, error) {
	seen, err := e.rulesOf(ctx, tx)
	if err != nil {
		return consent.Policy{}, nil, err
	}
	e.known.mu.Lock()
	e.known.last = seen
	e.known.mu.Unlock()
	return seen.policy, seen.grants[name], nil
}

func (e *Engine) rulesOf(ctx context.Context, tx store.Tx) (*rules, error) {
	revision, err := tx.Consent().Revision(ctx)
	if err != nil {
		return nil, err
	}
	e.known.mu.Lock()
	last := e.known.last
	e.known.mu.Unlock()
	if last != nil && last.policy.Revision == revision {
		return last, nil
	}
	policy, err := tx.Consent().Policy(ctx)
	if err != nil {
		return nil, err
	}
	list, err := tx.Consent().ListGrants(ctx)
	if err != nil {
		return nil, err
	}
	seen := &rules{policy: policy, grants: map[string][]consent.Grant{}}
	for _, g := range list {
		if g.RevokedAt == nil {
			seen.grants[g.Tool] = append(seen.grants[g.Tool], g)
		}
	}
	return seen, nil
}

// Asking is a call that is about to begin.
type Asking struct {
	Run task.Run
	// Seq is the number of the call in the run.
	Seq  int
	Call *Callable
	// Arguments that it is to be made with.
	Arguments any
	// Before is what the run has read before it.
	Before consent.History
	// By is the tool whose result made the call; "" for the run itself.
	By string
	// Asked: the call may have been asked about before.
	Asked bool
}

// Admission is what came of asking whether a call may begin.
type Admission struct {
	// Granted names what allowed it: a grant, an answer or the settings; "" where it may not
	// begin.
	Granted string
	// Arguments that it may be made with; they are others than proposed where Edited.
	Arguments any
	Edited    bool
	// Question that has to be answered first; nil for none.
	Question *consent.Question
	// Failure why the call is refused; nil where it is not.
	Failure *task.Failure
}

// Admit decides whether a call may begin. It is the one gate: nothing runs a tool without it.
func (e *Engine) Admit(ctx context.Context, a Asking) (out Admission, err error) {
	call := e.callOf(a)
	var decision consent.Decision
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		policy, grants, err := e.committedRules(ctx, tx, a.Call.Name)
		decision = consent.Decide(policy, grants, call)
		return err
	})
	if err != nil {
		return out, fmt.Errorf("decide about %s: %w", a.Call.Name, err)
	}
	if decision.Verdict == consent.Allowed && !a.Asked {
		return Admission{Granted: grantedBy(decision), Arguments: a.Arguments}, nil
	}
	if decision.Verdict == consent.Refused && !a.Asked {
		return refused(decision, a.Call.Name), nil
	}
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		out, err = e.admit(ctx, tx, a, call)
		return err
	})
	if err != nil {
		return Admission{}, fmt.Errorf("ask about %s: %w", a.Call.Name, err)
	}
	return out, nil
}

func (e *Engine) callOf(a Asking) consent.Call {
	return consent.Call{
		Tool: a.Call.Name, Version: a.Call.Version, Marks: a.Call.Marks(), Arguments: a.Arguments, Run: a.Run.ID,
		Before: a.Before, At: e.o.Now(),
	}
}

func grantedBy(d consent.Decision) string {
	if d.Grant != nil {
		return "grant " + d.Grant.ID
	}
	return "settings"
}

func refused(d consent.Decision, name string) Admission {
	code := consent.CodeDenied
	if d.Reason == consent.Stopped {
		code = CodeStopped
	}
	return Admission{Failure: &task.Failure{Code: code, Message: d.Refusal(name)}}
}

// admit decides in one transaction with what was answered, and asks where that is needed.
func (e *Engine) admit(ctx context.Context, tx store.Tx, a Asking, call consent.Call) (Admission, error) {
	policy, grants, err := e.rules(ctx, tx, a.Call.Name)
	if err != nil {
		return Admission{}, err
	}
	decision := consent.Decide(policy, grants, call)
	digest := digestOf(call.Tool, call.Version, a.Arguments)
	asked, has, err := tx.Consent().Asked(ctx, a.Run.ID, a.Seq, "")
	if err != nil {
		return Admission{}, err
	}
	var q consent.Question
	if has {
		if q, has, err = tx.Consent().Question(ctx, asked.Question); err != nil {
			return Admission{}, err
		}
	}
	waits := has && q.State == consent.Open
	if decision.Verdict == consent.Refused {
		return refused(decision, a.Call.Name), e.leave(ctx, tx, a, waits, q)
	}
	if a.Asked { // its question may have been closed because the run is to end
		if run, ok, err := tx.Graph().Run(ctx, a.Run.ID); err != nil || ok && run.CancelledAt != nil {
			return Admission{Failure: &task.Failure{Code: task.CodeAborted, Message: "The run was cancelled."}}, err
		}
	}
	same := has && asked.Digest == digest && q.Version == call.Version
	// Whoever said yes did not know that private data could be sent away with it.
	unaware := decision.Reason == consent.Leak && q.Reason != consent.Leak
	if same {
		out, decided, err := e.answered(ctx, tx, a, q, digest)
		if err != nil || decided && (out.Failure != nil || !unaware) {
			return out, err
		}
	}
	if decision.Verdict == consent.Allowed {
		return Admission{Granted: grantedBy(decision), Arguments: a.Arguments}, e.leave(ctx, tx, a, waits, q)
	}
	if same && waits && !unaware {
		return Admission{Question: &q}, nil
	}
	if err := e.leave(ctx, tx, a, waits, q); err != nil {
		return Admission{}, err
	}
	return e.ask(ctx, tx, a, call, decision, digest)
}

// leave takes a call out of an open question that it does not wait for any more; the last one
// closes it.
func (e *Engine) leave(ctx context.Context, tx store.Tx, a Asking, waits bool, q consent.Question) error {
	if !waits {
		return nil
	}
	if err := tx.Consent().PutAsked(ctx, consent.Asked{Run: a.Run.ID, Seq: a.Seq}); err != nil {
		return err
	}
	if q.Count--; q.Count < 1 {
		q.Count, q.State = 1, consent.Closed
	}
	return tx.Consent().PutQuestion(ctx, q)
}

// answered does what the answer to a question says; decided is false while there is none.
func (e *Engine) answered(ctx context.Context, tx store.Tx, a Asking, q consent.Question, digest string) (out Admission, decided bool, err error) {
	if q.State == consent.Open && !e.o.Now().Before(q.ExpiresAt) {
		q.State = consent.Expired
		if err := tx.Consent().PutQuestion(ctx, q); err != nil {
			return out, false, err
		}
		if err := e.note(ctx, tx, registry.ActionDeny, q, "nobody answered in time"); err != nil {
			return out, false, err
		}
	}
	switch {
	case q.State == consent.Expired:
		return Admission{Failure: &task.Failure{Code: consent.CodeTimeout, Message: fmt.Sprintf(
			"Nobody answered within %s whether %q may run, which counts as a no.", q.ExpiresAt.Sub(q.AskedAt), q.Tool)}}, true, nil
	case q.State != consent.Answered:
		return out, false, nil
	case !q.Answer.Allow:
		message := fmt.Sprintf("%s said no to %q.", q.Answer.Who, q.Tool)
		if q.Answer.Reason != "" {
			message += " The reason: " + q.Answer.Reason
		}
		return Admission{Failure: &task.Failure{Code: consent.CodeDenied, Message: message}}, true, nil
	}
	arguments := a.Arguments
	if q.Answer.Edited {
		arguments = q.Answer.Arguments
		digest = digestOf(q.Tool, q.Version, arguments)
	}
	if q.Count == 1 && q.Answer.Approved != digest {
		return out, false, nil // it is not what was shown
	}
	return Admission{Granted: "answer " + q.ID, Arguments: arguments, Edited: q.Answer.Edited}, true, nil
}

// digestOf tells calls apart: by the tool, its version and the arguments, whatever the order
// of their names.
func digestOf(name, version string, arguments any) string {
	return task.NewContent(tool.TypeTool, []any{name, version, arguments}).ID.String()
}

// ask keeps a question, or has a call join one that is open.
func (e *Engine) ask(ctx context.Context, tx store.Tx, a Asking, call consent.Call, decision consent.Decision, digest string) (Admission, error) {
	shape := consent.Shape(call, decision)
	q, open, err := tx.Consent().OpenQuestion(ctx, a.Run.ID, shape)
	if err != nil {
		return Admission{}, err
	}
	now := e.o.Now()
	if open && now.Before(q.ExpiresAt) {
		q.Join(a.Arguments)
	} else {
		q = e.questionOf(a, call, now)
		q.Reason, q.Power, q.Shape = decision.Reason, decision.Power, shape
	}
	if q.Reason == consent.Leak {
		q.Path = call.Path()
	}
	if err := tx.Consent().PutQuestion(ctx, q); err != nil {
		return Admission{}, err
	}
	asked := consent.Asked{Run: a.Run.ID, Seq: a.Seq, Question: q.ID, Digest: digest}
	if err := tx.Consent().PutAsked(ctx, asked); err != nil {
		return Admission{}, err
	}
	return Admission{Question: &q}, nil
}

// questionOf makes a question about a call.
func (e *Engine) questionOf(a Asking, call consent.Call, now time.Time) consent.Question {
	return consent.Question{
		ID: e.o.NewID(), Run: a.Run.ID, RunTitle: a.Run.Title, Caller: a.Run.Caller, By: a.By,
		Tool: call.Tool, Title: a.Call.Title, Description: a.Call.Description(), Version: call.Version, Marks: call.Marks,
		Release: a.Call.Release(), Source: a.Call.Source(), Hosts: a.Call.Hosts(a.Arguments), Secrets: a.Call.Secrets(), Calls: a.Call.Calls(),
		Count: 1, Samples: []any{a.Arguments}, AskedAt: now, ExpiresAt: now.Add(e.o.Wait), State: consent.Open,
	}
}

// note writes a line about a question into the audit.
func (e *Engine) note(ctx context.Context, tx store.Tx, action string, q consent.Question, detail string) error {
	who := q.Caller
	if q.By != "" {
		who += ", by " + q.By
	}
	detail = fmt.Sprintf("%s; question %s, run %s, asked for by %s", detail, q.ID, q.Run, who)
	return e.registry(ctx, tx).Note(ctx, action, q.Tool, 0, visible.Line(detail))
}

// Permitted says why a step of a call that was admitted may not happen any more: what a person
// has set since then counts at once. nil where it may.
func (e *Engine) Permitted(ctx context.Context, call *Callable, power tool.Power) error {
	var failure *task.Failure
	err := e.o.Store.Read(ctx, func(tx store.Tx) error {
		policy, _, err := e.committedRules(ctx, tx, call.Name)
		if err != nil {
			return err
		}
		marks := tool.Marks{Powers: []tool.Power{power}, Risk: tool.R1}
		decision := consent.Decide(policy, nil, consent.Call{Tool: call.Name, Version: call.Version, Marks: marks, At: e.o.Now()})
		if decision.Verdict == consent.Refused {
			failure = refused(decision, call.Name).Failure
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("decide about %s: %w", call.Name, err)
	}
	if failure != nil {
		return &tool.Error{Code: failure.Code, Message: failure.Message}
	}
	return nil
}

// Preview decides about a call as it would be decided now, and keeps nothing.
func (e *Engine) Preview(ctx context.Context, call *Callable, arguments any) (decision consent.Decision, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		policy, grants, err := e.committedRules(ctx, tx, call.Name)
		decision = consent.Decide(policy, grants, e.callOf(Asking{Call: call, Arguments: arguments}))
		return err
	})
	return decision, err
}
