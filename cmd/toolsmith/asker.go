package main

import (
	"context"
	"fmt"
	"io"
	"sync"

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

// end ends the asking.
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
	q, err := k.worker.Engine.Question(k.ctx, id)
	if err != nil || q.State != consent.Open {
		return
	}
	answer := consent.Answer{Allow: true}
	switch {
	case q.Secret != "":
		k.say("%s %s waits for its secret %s until %s: %s, or toolsmith deny %s",
			k.style.dots(), visible.Line(q.Title), visible.Line(q.Secret), q.ExpiresAt.Local().Format("15:04:05"), visible.Line(q.GiveSecret()), q.ID)
		return
	case k.allows(q):
	case !k.interactive():
		k.say("%s %s waits for an answer until %s: toolsmith allow %s, or toolsmith deny %s",
			k.style.dots(), visible.Line(q.Title), q.ExpiresAt.Local().Format("15:04:05"), q.ID, q.ID)
		return
	default:
		var ok bool
		if answer, ok = k.prompt(q); !ok {
			return
		}
		answer.Count = q.Count
	}
	if _, _, err := k.worker.Decide(k.ctx, id, answer); err != nil && k.ctx.Err() == nil {
		switch tool.Code(err) {
		case consent.CodeAnswered, consent.CodeClosed:
			k.say("%s", visible.Block(messageOf(err)))
		case consent.CodeGrown:
			k.one(id)
		default:
			k.report(err)
		}
	}
}

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
	choices := "[y] once  [r] in this run  [a] always, for exactly this version  [N] no"
	if !q.MayRemember() {
		choices = "[y] once  [N] no"
	}
	fmt.Fprintf(out, "\nMay it run?  %s: ", choices)
	settled, stop := k.settled(q.ID)
	text, ok := k.line(k.ctx, settled, out)
	stop()
	if !ok {
		k.tellSettled(q.ID)
		return consent.Answer{}, false
	}
	switch text {
	case "y", "yes":
		return consent.Answer{Allow: true}, true
	case "r":
		if q.MayRemember() {
			return consent.Answer{Allow: true, For: consent.InRun}, true
		}
	case "a":
		if q.MayRemember() {
			return consent.Answer{Allow: true, For: consent.Always}, true
		}
	}
	return consent.Answer{}, true
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
	q, err := k.worker.Engine.Question(k.ctx, id)
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
			Marks: q.Marks, Catalogue: a.catalogue, Hosts: q.Hosts, Secrets: q.Secrets,
		},
		Asker:     card.Asker{Run: q.Run, RunTitle: q.RunTitle, Caller: q.By, Client: q.Caller},
		Why:       []card.Reason{reasonOf(q)},
		Arguments: q.Samples, Calls: q.Count,
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
