package worker

import (
	"context"
	"fmt"

	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// Answer is what a person says of a step of which nobody knows whether it happened.
type Answer string

// The answers.
const (
	// AnswerDone: it happened. The run goes on after it, with null for its result.
	AnswerDone Answer = "done"
	// AnswerNotDone: it did not happen. It is sent again.
	AnswerNotDone Answer = "not-done"
	// AnswerCompensate: it may have happened. The run fails there, and takes back what it did.
	AnswerCompensate Answer = "compensate"
)

// Codes of this file.
const (
	// CodeNothingUnknown: no step of the run waits for such an answer.
	CodeNothingUnknown = "RUN_NOTHING_UNKNOWN"
	// CodeAnswerInvalid: there is no such answer, or it does not say which step it is about.
	CodeAnswerInvalid = "ANSWER_INVALID"
)

// Answer keeps what a person says of an unknown step of a run; step "" is the only one. The
// run has to be taken up then.
func (w *Worker) Answer(ctx context.Context, id, step string, answer Answer) error {
	if answer != AnswerDone && answer != AnswerNotDone && answer != AnswerCompensate {
		return &tool.Error{Code: CodeAnswerInvalid, Message: fmt.Sprintf(
			"There is no answer %q: say %s, %s or %s.", answer, AnswerDone, AnswerNotDone, AnswerCompensate)}
	}
	if err := w.Start(ctx); err != nil {
		return err
	}
	view, err := w.Engine.View(ctx, id)
	if err != nil {
		return err
	}
	if err := w.claim(ctx, view.Run); err != nil {
		return err
	}
	seq, err := unknownStep(view, step)
	if err != nil {
		return err
	}
	return w.keepAnswer(ctx, view, seq, answer)
}

// unknownStep finds the step that an answer is about.
func unknownStep(view *engine.View, step string) (int, error) {
	var found []int
	for _, seq := range view.Graph.Unfinished(task.Running, task.Unknown) {
		if t := view.Graph.Task(seq); t.Step != "" && (step == "" || t.Step == step) {
			found = append(found, seq)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, &tool.Error{Code: CodeNothingUnknown, Message: fmt.Sprintf("No step of run %s waits for an answer.", view.Run.ID)}
	}
	return 0, &tool.Error{Code: CodeAnswerInvalid, Message: fmt.Sprintf(
		"%d steps of run %s are unknown, such as %q. Say which with --step.", len(found), view.Run.ID, view.Graph.Task(found[0]).Step)}
}

func (w *Worker) keepAnswer(ctx context.Context, view *engine.View, seq int, answer Answer) error {
	step, now := *view.Graph.Task(seq), w.Clock.Now()
	kept := view.Executions[seq]
	kept.Granted = "answer: " + string(answer)
	came := task.ValueOf(nil)
	switch answer {
	case AnswerDone:
		kept.State, kept.FinishedAt = task.Done, &now
	case AnswerNotDone:
		kept.State = task.Queued
	case AnswerCompensate:
		kept.State, kept.FinishedAt = task.Failed, &now
		came = task.ErrorOf(&task.Failure{
			Code: "STEP_UNKNOWN", Message: "Nobody knows whether this step happened, and a person chose to take back what can be.",
		})
	}
	own, count := w.lease.ID(), 1
	if answer == AnswerNotDone {
		count = 0
	}
	keep := func(tx store.Tx, first int) (change, error) {
		c := change{moves: []move{{seq, kept.State}}}
		if count > 0 {
			placer := task.Placer{Seq: first, Now: now.UnixMilli()}
			batch := placer.Place(task.Under{Parent: &step}, [][]task.Draft{{came}})
			if err := tx.Graph().Append(ctx, view.Run.ID, batch); err != nil {
				return change{}, fmt.Errorf("keep the answer: %w", err)
			}
			c.tasks = batch.Tasks
		}
		return c, tx.Graph().PutExecution(ctx, view.Run.ID, kept)
	}
	w.mu.Lock()
	a, mine := w.active[view.Run.ID]
	w.mu.Unlock()
	if mine {
		return a.commit(count, keep)
	}
	return w.Store.Write(ctx, func(tx store.Tx) error {
		first, err := tx.Graph().Reserve(ctx, view.Run.ID, own, count)
		if err != nil {
			return fmt.Errorf("keep the answer: %w", err)
		}
		_, err = keep(tx, first)
		return err
	})
}
