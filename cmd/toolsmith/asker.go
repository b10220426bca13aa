package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"toolsmith/internal/card"
	"toolsmith/internal/consent"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// asker puts the questions of a run before the person at the terminal, one after the other.
type asker struct {
	*app
	ctx    context.Context
	cancel context.CancelFunc
	worker *worker.Worker
	// allows says which questions have been answered with yes before.
	allows func(consent.Question) bool

	mu      sync.Mutex
	known   map[string]bool // questions that were taken up
	waiting []string
	more    chan struct{}
	// asking: somebody is typing an answer, and held is what is shown when they have.
	asking bool
	held   []func()
	// pulse says that something has happened, so that what is asked may be settled.
	pulse chan struct{}
	done  sync.WaitGroup
}

// asker begins to ask what a run has to ask, until end is called.
func (a *app) asker(ctx context.Context, w *worker.Worker, allows func(consent.Question) bool) *asker {
	k := &asker{app: a, worker: w, allows: allows, known: map[string]bool{}, more: make(chan struct{}, 1), pulse: make(chan struct{}, 1)}
	k.ctx, k.cancel = context.WithCancel(ctx)
	k.done.Go(k.ask)
	return k
}

// end ends the asking. Ending it again does nothing.
func (k *asker) end() {
	k.cancel()
	k.done.Wait()
}

// observe takes up the questions among what happens in a run. It does not block.
func (k *asker) observe(e worker.Event) {
	if e.Question == nil {
		poke(k.pulse)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.known[e.Question.ID] { // it may have grown
		k.known[e.Question.ID] = true
		k.waiting = append(k.waiting, e.Question.ID)
		poke(k.more)
	}
}

// show shows something that happens in a run: at once, or when the question that stands on the
// terminal is over, so that nothing is written into the line of the answer.
func (k *asker) show(do func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asking {
		k.held = append(k.held, do)
		return
	}
	do()
}

// quiet has what happens held back, or shown again.
func (k *asker) quiet(asking bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asking = asking
	if !asking {
		for _, do := range k.held {
			do()
		}
		k.held = nil
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (k *asker) ask() {
	for {
		k.mu.Lock()
		id := ""
		if len(k.waiting) > 0 {
			id, k.waiting = k.waiting[0], k.waiting[1:]
		}
		k.mu.Unlock()
		if id != "" {
			k.one(id)
			continue
		}
		select {
		case <-k.more:
		case <-k.ctx.Done():
			return
		}
	}
}

// one asks one question, unless it has been answered elsewhere.
func (k *asker) one(id string) {
	q, ok := k.whole(id)
	if !ok {
		return
	}
	answer := consent.Answer{Allow: true}
	switch {
	case q.Secret != "":
		k.say("%s %s waits for its secret %s until %s: %s, or toolsmith deny %s",
			k.style.dots(), visible.Line(q.Title), visible.Line(q.Secret), k.clockTime(q.ExpiresAt), visible.Line(q.GiveSecret()), q.ID)
		return
	case q.Form != nil && !k.interactive():
		k.say("%s %s asks for %s until %s\n  %s\n  toolsmith deny %s",
			k.style.dots(), visible.Line(q.Title), visible.Line(q.Form.About()), k.clockTime(q.ExpiresAt), q.GiveAnswer(), q.ID)
		return
	case q.Form == nil && k.allows(q):
	case !k.interactive():
		k.say("%s %s waits for your answer until %s\n  toolsmith allow %s\n  toolsmith deny %s",
			k.style.dots(), visible.Line(q.Title), k.clockTime(q.ExpiresAt), q.ID, q.ID)
		return
	default:
		k.quiet(true)
		if q.Form != nil {
			answer, ok = k.fill(q)
		} else {
			answer, ok = k.prompt(q)
		}
		k.quiet(false)
		if !ok {
			return
		}
		answer.Count = q.Count
	}
	if _, _, err := k.worker.Decide(k.ctx, id, answer); err != nil && k.ctx.Err() == nil {
		switch tool.Code(err) {
		case consent.CodeAnswered, consent.CodeClosed:
			k.say("%s", visible.Block(messageOf(err)))
		case consent.CodeAnswerInvalid:
			k.report(err)
			if q.Form != nil {
				k.one(id)
			}
		case consent.CodeGrown:
			k.say("Meanwhile more calls have come to it, so it is asked again.")
			k.one(id)
		default:
			k.report(err)
		}
	}
}

// whole gives a question once no further calls come to it, or a second is over: those that a
// tool makes side by side are to be seen at once. ok is false for one that is not open.
func (k *asker) whole(id string) (consent.Question, bool) {
	q, err := k.worker.Engine.Question(k.ctx, id)
	const looks, pause = 20, 50 * time.Millisecond
	for range looks {
		if err != nil || q.State != consent.Open || q.Shape == "" || !k.interactive() {
			break
		}
		select {
		case <-time.After(pause):
		case <-k.ctx.Done():
			return q, false
		}
		before := q.Count
		if q, err = k.worker.Engine.Question(k.ctx, id); q.Count == before {
			break
		}
	}
	return q, err == nil && q.State == consent.Open
}

// clockTime writes a time of today, or near it, for people.
func (a *app) clockTime(at time.Time) string { return at.In(a.zone).Format("15:04:05") }

func messageOf(err error) string {
	_, _, message, _ := classify(err)
	return message
}

// prompt shows the card of a question and takes the answer; ok is false where the question was
// settled elsewhere.
func (k *asker) prompt(q consent.Question) (consent.Answer, bool) {
	out, done := k.question()
	defer done()
	k.showQuestion(out, k.questionCard(q))
	for {
		fmt.Fprintf(out, "\nMay it run?%s ", choices(q, columns(out)))
		settled, stop := k.settled(q.ID)
		text, ok := k.line(k.ctx, settled, out)
		stop()
		if !ok {
			k.tellSettled(q.ID)
			return consent.Answer{}, false
		}
		if answer, understood := answerOf(text, q.MayRemember()); understood {
			return answer, true
		}
		fmt.Fprintln(out, "That is no answer that can be given here.")
	}
}

// choices are the answers that can be given, on one line where they fit.
func choices(q consent.Question, columns int) string {
	list := []string{"[y] once", "[r] in this run", "[a] always (this version)", "[N] no:"}
	if !q.MayRemember() {
		list = []string{"[y] once", "[N] no:"}
	}
	if line := "  " + strings.Join(list, "  "); len("May it run? "+line) < columns {
		return line
	}
	return "\n  " + strings.Join(list, "\n  ")
}

// answerOf reads what somebody typed. Nothing is a no, and so is the end of what is typed.
func answerOf(text string, remember bool) (answer consent.Answer, understood bool) {
	switch text {
	case "", "n", "no":
		return consent.Answer{}, true
	case "y", "yes", "once":
		return consent.Answer{Allow: true}, true
	case "r", "run":
		return consent.Answer{Allow: true, For: consent.InRun}, remember
	case "a", "always":
		return consent.Answer{Allow: true, For: consent.Always}, remember
	}
	return consent.Answer{}, false
}

// settled gives a channel that is closed once a question has been answered elsewhere, or is over.
func (k *asker) settled(id string) (settled <-chan struct{}, stop func()) {
	closed, ctx := make(chan struct{}), k.ctx
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-k.pulse:
			case <-ctx.Done():
				return
			}
			if q, err := k.worker.Engine.Question(ctx, id); err == nil && q.State != consent.Open {
				close(closed)
				return
			}
		}
	})
	return closed, func() {
		cancel()
		done.Wait()
	}
}

// tellSettled says what a question came to that was answered elsewhere.
func (k *asker) tellSettled(id string) {
	q, err := k.worker.Engine.Question(context.WithoutCancel(k.ctx), id) // the run may be over with it
	switch {
	case err != nil:
	case q.State == consent.Answered:
		k.say("%s said %s (%s).", visible.Line(q.Answer.Who), q.Answer.Word(), visible.Line(q.Answer.From))
	case q.State == consent.Expired:
		k.say("Nobody answered in time, which counts as a no.")
	}
}

// questionCard is the card of a question.
func (a *app) questionCard(q consent.Question) card.Question {
	out := card.Question{
		Facts: card.Facts{
			Title: q.Title, Name: q.Tool, Version: q.Release, Description: q.Description, Source: q.Source,
			Marks: q.Marks, Catalogue: a.catalogue, Hosts: q.Hosts, Secrets: q.Secrets, Calls: q.Calls,
		},
		Asker:     card.Asker{Run: q.Run, RunTitle: q.RunTitle, Caller: q.By, Client: q.Caller},
		Why:       []card.Reason{reasonOf(q)},
		Arguments: q.Samples, Calls: q.Count, Form: formCard(q.Form),
	}
	switch {
	case q.Secret != "":
		out.Offer = []card.Answer{card.Deny}
	case !q.MayRemember():
		out.Offer = []card.Answer{card.Once}
	}
	return out
}

// reasonOf is why a question is asked.
func reasonOf(q consent.Question) card.Reason {
	switch {
	case q.Reason == consent.EveryTime:
		return card.Reason{Why: card.EachTime}
	case q.Reason == consent.Leak:
		return card.Reason{Why: card.MayLeak, Path: q.Path}
	case q.Reason == consent.NeedsSecret:
		return card.Reason{Why: card.NeedsSecret, Path: []string{q.Secret}}
	case q.Reason == consent.NeedsAnswer:
		return card.Reason{Why: card.NeedsAnswer}
	case q.Power == "":
		return card.Reason{Why: card.Setting}
	default: // a power is asked about until the version is allowed
		return card.Reason{Why: card.FirstTime}
	}
}

// showQuestion prints the card of a question. What must not be said yes to unseen is shown
// whole.
func (a *app) showQuestion(out io.Writer, q card.Question) {
	view := card.Short
	if q.ExpandRequired() {
		view = card.Expanded
	}
	a.showCard(out, q, view)
}
