package worker

import (
	"errors"
	"slices"
	"time"

	"toolsmith/internal/store"
	"toolsmith/internal/task"
)

// stop ends the run before its time: what has not begun is cancelled, what is running is
// told, and the reason stands in the graph as an error.
func (a *active) stop(why *task.Failure) {
	a.mu.Lock()
	if a.stopCause != nil || a.run.Status.Settled() || a.broken != nil {
		a.mu.Unlock()
		return
	}
	a.stopCause = why
	if a.run.Status == task.RunWaiting || a.run.Status == task.RunUnknown {
		a.run.Status, a.woken = task.RunRunning, true // it comes to its end now
	}
	a.graph.Halt()
	waiting := a.graph.Unfinished(task.Queued, task.Waiting, task.Unknown)
	waiting = slices.DeleteFunc(waiting, func(seq int) bool { return a.begun[seq] || a.graph.Task(seq).Step != "" })
	standing := a.unwind(&waiting)
	doubtful := a.doubtful()
	for _, timer := range a.timers {
		timer.Stop()
	}
	a.mu.Unlock()
	a.cancel(errors.New(why.Code))
	a.keepStopped(waiting, doubtful, why)
	for _, seq := range standing {
		a.worker.enqueue(a, seq)
	}
}

// unwind takes the flows that have done something out of the calls that have not begun, and
// has them begun to be taken back. The caller holds mu.
func (a *active) unwind(waiting *[]int) (standing []int) {
	*waiting = slices.DeleteFunc(*waiting, func(seq int) bool {
		if a.graph.Steps(seq) == nil {
			return false
		}
		if err := a.graph.Move(seq, task.Running); err != nil {
			a.fall(err)
			return false
		}
		a.unwinding[seq], a.begun[seq] = true, true
		a.queued++
		standing = append(standing, seq)
		return true
	})
	return standing
}

// doubtful lists steps of flows that stand still, of which nobody knows whether they
// happened. The caller holds mu.
func (a *active) doubtful() []int {
	var list []int
	for _, seq := range a.graph.Unfinished(task.Queued, task.Running, task.Unknown) {
		t := a.graph.Task(seq)
		if parent, ok := a.graph.Seq(t.Parent); t.Step != "" && ok && !a.begun[parent] {
			list = append(list, seq)
		}
	}
	return list
}

// keepStopped keeps that calls were cancelled. The first of them shows why. With them end
// the steps that stand still: what became of those stays unknown.
func (a *active) keepStopped(waiting, doubtful []int, why *task.Failure) {
	count := min(1, len(waiting))
	now := a.worker.Clock.Now()
	var under task.Under
	if count > 0 {
		a.mu.Lock()
		parent := *a.graph.Task(waiting[0])
		under = task.Under{Parent: &parent, Branches: a.graph.Branches(waiting[0])}
		a.mu.Unlock()
	}
	err := a.commit(count, func(tx store.Tx, first int) (change, error) {
		c := change{stops: true}
		for _, seq := range doubtful {
			if err := tx.Graph().PutExecution(a.keep, a.id, abandoned(seq, now)); err != nil {
				return change{}, err
			}
			c.moves = append(c.moves, move{seq, task.Cancelled})
		}
		for i, seq := range waiting {
			if i == 0 {
				placer := task.Placer{Seq: first, Now: now.UnixMilli()}
				batch := placer.Place(under, [][]task.Draft{{task.ErrorOf(why)}})
				if err := tx.Graph().Append(a.keep, a.id, batch); err != nil {
					return change{}, err
				}
				c.tasks = batch.Tasks
			}
			if err := tx.Graph().PutExecution(a.keep, a.id, task.Execution{
				Seq: seq, State: task.Cancelled, Why: why.Code, FinishedAt: &now,
			}); err != nil {
				return change{}, err
			}
			c.moves = append(c.moves, move{seq, task.Cancelled})
		}
		return c, nil
	})
	if err != nil {
		a.fallBack(err)
	}
}

// abandoned is the execution of a step that was sent out, and of which nobody will know
// whether it happened.
func abandoned(seq int, now time.Time) task.Execution {
	return task.Execution{Seq: seq, State: task.Cancelled, Why: "nobody knows whether it happened", FinishedAt: &now}
}
