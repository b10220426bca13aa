package task_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func number(text string) any { return json.Number(text) }

// decode reads a JSON text that is right.
func decode(text string) any {
	v, err := value.Decode([]byte(text))
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return v
}

// chains reads the short notation of the tables: chains with "|" between them, their tasks
// with spaces between them.
//
//	a        a call of the tool a         a~   one that runs whatever was before it
//	m:hello  a message                    s:x  structured data
//	v:x      a plain result               e:X  an error with the code X
//	ret      a return
func chains(notation string) [][]task.Draft {
	var out [][]task.Draft
	for _, text := range strings.Split(notation, "|") {
		var chain []task.Draft
		for _, word := range strings.Fields(text) {
			chain = append(chain, draft(word))
		}
		out = append(out, chain)
	}
	return out
}

func draft(word string) task.Draft {
	kind, text, marked := strings.Cut(word, ":")
	switch {
	case word == "ret":
		return task.Draft{Role: tool.RoleSystem, Type: tool.TypeReturn, Data: "complete"}
	case marked && kind == "m":
		return task.Draft{Role: tool.RoleAssistant, Type: tool.TypeMessage, Data: text}
	case marked && kind == "s":
		return task.Draft{Role: tool.RoleTool, Type: tool.TypeStructured, Data: text}
	case marked && kind == "v":
		return task.ValueOf(text)
	case marked && kind == "e":
		return task.ErrorOf(&task.Failure{Code: text, Message: "It failed."})
	}
	call := task.Call{Name: strings.TrimSuffix(word, "~")}
	if call.Name != word {
		call.RunOn = tool.RunOnSettled
	}
	return task.CallOf(call)
}

// result reads what a call comes to: "=x" is the plain value x, "!X" a failure with the
// code X, and anything else the chains that it returns.
func result(notation string) task.Result {
	if text, ok := strings.CutPrefix(notation, "="); ok {
		return task.Result{Value: text}
	}
	if code, ok := strings.CutPrefix(notation, "!"); ok {
		return task.Result{Failure: &task.Failure{Code: code, Message: "It failed."}}
	}
	return task.Result{Chains: chains(notation)}
}

// play is a graph with what a worker keeps beside it.
type play struct {
	tb     rapid.TB
	g      *task.Graph
	placer task.Placer
	entry  string
	data   map[task.ID]any
	tasks  []task.Task
}

// begin makes a play of the caller's chains.
func begin(tb rapid.TB, entry string, top [][]task.Draft) *play {
	p := &play{tb: tb, g: task.NewGraph(), placer: task.Placer{Now: 1000}, entry: entry, data: map[task.ID]any{}}
	p.add(p.placer.Place(task.Under{}, top))
	return p
}

func (p *play) add(batch task.Batch) {
	p.tb.Helper()
	for _, c := range batch.Contents {
		v, err := c.Value()
		if err != nil {
			p.tb.Fatalf("%v", err)
		}
		p.data[c.ID] = v
	}
	p.tasks = append(p.tasks, batch.Tasks...)
	if err := p.g.Add(batch.Tasks); err != nil {
		p.tb.Fatalf("add: %v", err)
	}
}

// under puts chains below a call.
func (p *play) under(seq int, list [][]task.Draft) {
	p.tb.Helper()
	p.add(p.placer.Place(task.Under{Parent: p.g.Task(seq), Branches: p.g.Branches(seq)}, list))
}

func (p *play) move(seq int, to task.State) {
	p.tb.Helper()
	if err := p.g.Move(seq, to); err != nil {
		p.tb.Fatalf("move: %v", err)
	}
}

// end brings a call to its end with a result, as a worker does it.
func (p *play) end(seq int, r task.Result) {
	p.tb.Helper()
	p.under(seq, r.Drafts(p.entry))
	if r.Failure != nil {
		p.move(seq, task.Failed)
		return
	}
	p.move(seq, task.Done)
}

// read gives the data of a content.
func (p *play) read(id task.ID) (any, error) {
	v, ok := p.data[id]
	if !ok {
		return nil, fmt.Errorf("there is no content %s", id)
	}
	return v, nil
}

// label names a call: a, and the second call of it a#2.
func (p *play) label(seq int) string {
	name, nth := p.g.Task(seq).Name, 1
	for i := range seq {
		if p.g.Task(i).Name == name {
			nth++
		}
	}
	if nth == 1 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, nth)
}

func (p *play) labels(seqs []int) string {
	list := make([]string, len(seqs))
	for i, seq := range seqs {
		list[i] = p.label(seq)
	}
	return strings.Join(list, " ")
}

// seq finds a call by its label.
func (p *play) seq(label string) int {
	p.tb.Helper()
	for i := range p.g.Len() {
		if p.g.Task(i).Calls() && p.label(i) == label {
			return i
		}
	}
	p.tb.Fatalf("there is no call %s", label)
	return 0
}

// states lists the calls with their states, in the order of their numbers.
func (p *play) states() string {
	var list []string
	for i := range p.g.Len() {
		if p.g.Task(i).Calls() {
			list = append(list, p.label(i)+":"+string(p.g.State(i)))
		}
	}
	return strings.Join(list, " ")
}

// waves carries out all that is ready, over and over until nothing is, and gives what was
// ready each time. What a call comes to is looked up by its label; its value is its label
// if nothing is said of it.
func (p *play) waves(results map[string]string) string {
	p.tb.Helper()
	var waves []string
	for seqs := p.g.Ready(); len(seqs) > 0; seqs = p.g.Ready() {
		waves = append(waves, p.labels(seqs))
		for _, seq := range seqs {
			p.move(seq, task.Running)
		}
		for _, seq := range seqs {
			r, ok := results[p.label(seq)]
			if !ok {
				r = "=" + p.label(seq)
			}
			p.end(seq, result(r))
		}
		if len(waves) > 50 {
			p.tb.Fatalf("it does not end: %s", waves)
		}
	}
	return strings.Join(waves, "|")
}

// came writes a value that something came to; "-" for none.
func came(v any, has bool, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case !has:
		return "-"
	}
	return value.JSON(v)
}

func (p *play) result() string { return came(p.g.Result(p.read)) }

// executions are what a store would have kept of the calls.
func (p *play) executions() []task.Execution {
	var list []task.Execution
	for i := range p.g.Len() {
		if p.g.Task(i).Calls() {
			list = append(list, task.Execution{Seq: i, State: p.g.State(i)})
		}
	}
	return list
}

// load gives the play again as a store would have kept it.
func (p *play) load() *play {
	p.tb.Helper()
	g, err := task.Load(slices.Clone(p.tasks), p.executions())
	if err != nil {
		p.tb.Fatalf("load: %v", err)
	}
	again := *p
	again.g = g
	return &again
}

func outcome(o task.Outcome) string {
	return [...]string{task.Open: "open", task.Good: "good", task.Bad: "bad", task.Void: "void"}[o]
}
