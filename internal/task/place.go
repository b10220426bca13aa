package task

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"toolsmith/tool"
)

// Placer gives drafts their places in one run.
type Placer struct {
	// Seq is the number of the next task.
	Seq int
	// Now in milliseconds since 1970.
	Now int64
	// next is when the next task of the same content in the same position would be made.
	next map[position]int64
}

// position is what tasks have in common that differ in nothing but when they were made.
type position struct {
	role                   tool.Role
	content, prior, parent ID
}

// Under is where chains are put: below a call, or at the top of a run.
type Under struct {
	// Parent is the call; nil for the chains of the caller.
	Parent *Task
	// Branches that are there already.
	Branches int
}

// Place makes tasks of chains. Equal position and content give an equal id; where that
// happens (two equal branches, or two runs that begin with the same call in one
// millisecond), the later task counts as made a millisecond later. Now is moved on by retry
// when a store finds that an id is taken.
func (p *Placer) Place(under Under, chains [][]Draft) Batch {
	if p.next == nil {
		p.next = map[position]int64{}
	}
	var batch Batch
	contents := map[ID]bool{}
	for i, chain := range chains {
		var prior ID
		for _, d := range chain {
			t := Task{
				Prior: prior, CreatedAt: p.Now, Role: d.Role, Type: d.Type, Seq: p.Seq, Branch: under.Branches + i,
			}
			if under.Parent != nil {
				t.Parent, t.Depth = under.Parent.ID, under.Parent.Depth+1
			}
			content := NewContent(d.Type, d.Data)
			if t.Content = content.ID; !contents[content.ID] {
				contents[content.ID] = true
				batch.Contents = append(batch.Contents, content)
			}
			at := position{t.Role, t.Content, t.Prior, t.Parent}
			t.CreatedAt = max(t.CreatedAt, p.next[at])
			p.next[at] = t.CreatedAt + 1
			t.identify()
			if d.Type == tool.TypeTool {
				t.Name, t.RunOn, t.Step = d.Call.Name, d.Call.RunOn, d.Call.Step
				batch.Executions = append(batch.Executions, Execution{Seq: t.Seq, State: Queued})
			}
			batch.Tasks = append(batch.Tasks, t)
			p.Seq++
			prior = t.ID
		}
	}
	return batch
}

// Later gives the milliseconds at which something is tried to be kept: now, and after each
// time that a task with the same id was there already, a later one. The steps grow, so that
// many who do the same at once soon find times of their own.
func Later(now int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for at, step := now, int64(1); yield(at); step *= 2 {
			at += 1 + rand.Int64N(step) //nolint:gosec // no secrecy is needed
		}
	}
}

// Add puts what another batch adds behind what this one does.
func (b *Batch) Add(more Batch) {
	b.Contents = append(b.Contents, more.Contents...)
	b.Tasks = append(b.Tasks, more.Tasks...)
	b.Executions = append(b.Executions, more.Executions...)
}

// Result is what a call came to.
type Result struct {
	// Failure of a call that failed; nil otherwise.
	Failure *Failure
	// Chains that it returned; nil for a plain value.
	Chains [][]Draft
	// Value that it returned, where there are no chains.
	Value any
}

// Drafts gives the branches that a result makes. entry is the tool that sees plain values
// and errors; "" for none.
func (r Result) Drafts(entry string) [][]Draft {
	var chain []Draft
	switch {
	case r.Failure != nil:
		chain = []Draft{ErrorOf(r.Failure)}
	case r.Chains != nil:
		return r.Chains
	default:
		chain = []Draft{ValueOf(r.Value)}
	}
	if entry != "" {
		chain = append(chain, CallOf(Call{Name: entry}))
	}
	return [][]Draft{chain}
}

// Measure holds chains to the bounds of a run. used is how many tasks the run has; depth is
// that of the chains.
func (l Limits) Measure(chains [][]Draft, used, depth int) *Failure {
	count := 0
	for _, chain := range chains {
		count += len(chain)
	}
	switch {
	case count > l.ResultTasks:
		return &Failure{Code: CodeResultTasks, Message: fmt.Sprintf("The result has %d tasks; at most %d are allowed.", count, l.ResultTasks)}
	case used+count > l.Tasks:
		return &Failure{Code: CodeRunTasks, Message: fmt.Sprintf("The run would have %d tasks; at most %d are allowed.", used+count, l.Tasks)}
	case depth > l.Depth:
		return &Failure{Code: CodeRunDepth, Message: fmt.Sprintf("Calls below calls would be %d deep; at most %d are allowed.", depth, l.Depth)}
	}
	return nil
}

// Step makes the task of a flow's step, behind the one before it (none for the first) under
// the call of the flow, and what it came to under it.
func (p *Placer) Step(flow *Task, before ID, c Call, came ...Draft) Batch {
	batch := p.Place(Under{Parent: flow}, [][]Draft{{CallOf(c)}})
	step := &batch.Tasks[0]
	step.Prior = before
	step.identify()
	if len(came) > 0 {
		batch.Add(p.Place(Under{Parent: step}, [][]Draft{came}))
	}
	return batch
}
