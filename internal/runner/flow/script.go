package flow

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolsmith/internal/model"
	"toolsmith/internal/nearest"
	"toolsmith/internal/value"
)

// DryExecutionID is the execution id of runs that are not real.
const DryExecutionID = "exec-0001"

// Script plays the host in a dry run: its answers are used call by call, and the last
// one repeats. A capability that it does not name answers null.
type Script struct {
	capabilities map[string][]scripted
	llm          []scripted
	hasLLM       bool
	state        map[string]any
	checkInputs  bool

	mu    sync.Mutex
	calls map[string]int
	asked int
}

// scripted is one answer.
type scripted struct {
	result    any
	err       string
	code      string // "" for that of a capability that failed
	isErr     bool
	permanent bool
}

// ParseScript reads {"capabilities": {name: [answer …]}, "llm": [answer …], "state": {…},
// "checkInputs": false}, where an answer is {"result": …} or {"error": "…", "code"?: "…",
// "permanent"?: true}. {"void": true} stands for no answer and is passed over.
func ParseScript(text []byte) (*Script, error) {
	root, err := value.ParseStrict(text)
	if err != nil {
		return nil, err
	}
	return ScriptOf(root)
}

// ScriptOf reads a script that stands inside another document.
func ScriptOf(root *value.Node) (*Script, error) {
	s := &Script{capabilities: map[string][]scripted{}, checkInputs: true, calls: map[string]int{}}
	if err := OnlyFields(root, "a script", "capabilities", "llm", "state", "checkInputs"); err != nil {
		return nil, err
	}
	var err error
	if n := root.Get("capabilities"); n != nil {
		if n.Kind != value.Object {
			return nil, wrong(n, "an object of lists of answers")
		}
		for kid := range n.Kids() {
			if s.capabilities[kid.Name], err = answers(kid); err != nil {
				return nil, err
			}
		}
	}
	if n := root.Get("llm"); n != nil {
		s.hasLLM = true
		if s.llm, err = answers(n); err != nil {
			return nil, err
		}
	}
	if n := root.Get("state"); n != nil {
		state, isObject := n.Value().(map[string]any)
		if !isObject {
			return nil, wrong(n, "an object")
		}
		s.state = state
	}
	if n := root.Get("checkInputs"); n != nil {
		if n.Kind != value.Bool {
			return nil, wrong(n, "true or false")
		}
		s.checkInputs = n.Text == "true"
	}
	return s, nil
}

func wrong(n *value.Node, want string) error {
	return fmt.Errorf("%s has to be %s; this is %s", n.Path(), want, n.Kind)
}

// OnlyFields reports an error unless a node is an object whose members all have known
// names. what names the object in the message.
func OnlyFields(n *value.Node, what string, known ...string) error {
	if n.Kind != value.Object {
		return fmt.Errorf("%s: %s has to be an object; this is %s", n.Path(), what, n.Kind)
	}
	for kid := range n.Kids() {
		if name := kid.Name; !slices.Contains(known, name) {
			return fmt.Errorf("%s: unknown field %q in %s.%s", kid.Path(), name, what, nearest.DidYouMean(name, known))
		}
	}
	return nil
}

func answers(n *value.Node) ([]scripted, error) {
	if n.Kind != value.Array {
		return nil, wrong(n, "a list of answers")
	}
	var list []scripted
	for item := range n.Kids() {
		if err := OnlyFields(item, "an answer", "result", "error", "code", "permanent", "void"); err != nil {
			return nil, err
		}
		if item.Get("void") != nil {
			continue // stands for no answer at all
		}
		var a scripted
		if result := item.Get("result"); result != nil {
			a.result = result.Value()
		}
		if failure := item.Get("error"); failure != nil {
			if failure.Kind != value.String {
				return nil, wrong(failure, "a text")
			}
			a.err, a.isErr = failure.Text, true
		}
		if code := item.Get("code"); code != nil {
			if code.Kind != value.String || code.Text == "" || !a.isErr {
				return nil, wrong(code, "the code of an \"error\", a text")
			}
			a.code = code.Text
		}
		if permanent := item.Get("permanent"); permanent != nil {
			if permanent.Kind != value.Bool {
				return nil, wrong(permanent, "true or false")
			}
			a.permanent = permanent.Text == "true"
		}
		list = append(list, a)
	}
	return list, nil
}

// pick gives the answer for the n-th question, counted from 0.
func pick(list []scripted, n int) scripted {
	if len(list) == 0 {
		return scripted{}
	}
	return list[min(n, len(list)-1)]
}

// Options gives what a run with this script needs. A script plays one run.
func (s *Script) Options() Options {
	o := Options{
		Host: s, Clock: NewDryClock(time.Now()), ExecutionID: DryExecutionID, Started: time.Now(),
		State: s.state, SkipInputForms: !s.checkInputs,
	}
	if s.hasLLM {
		o.Model = s
	}
	return o
}

// Names reports whether the script has answers of a capability.
func (s *Script) Names(capability string) bool { return len(s.capabilities[capability]) > 0 }

// Call gives the next answer of a capability.
func (s *Script) Call(_ context.Context, c Call) (Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := pick(s.capabilities[c.Capability], s.calls[c.Capability])
	s.calls[c.Capability]++
	if a.isErr {
		return Answer{}, &CallError{Message: a.err, Code: a.code, Permanent: a.permanent}
	}
	return Answer{Value: a.result}, nil
}

// Facts say that a scripted model is local and reads anything.
func (s *Script) Facts() model.Facts { return model.Facts{Name: "script", Local: true} }

// Ask gives the next answer of the model.
func (s *Script) Ask(context.Context, model.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := pick(s.llm, s.asked)
	s.asked++
	if a.isErr {
		return nil, &CallError{Message: a.err}
	}
	return a.result, nil
}

// DryClock passes time without waiting.
type DryClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewDryClock makes a clock that stands at a time.
func NewDryClock(at time.Time) *DryClock { return &DryClock{now: at} }

// Now gives the time at which the clock stands.
func (c *DryClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep moves the clock on at once.
func (c *DryClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return nil
}
