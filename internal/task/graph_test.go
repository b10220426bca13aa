package task_test

import (
	"testing"
)

// rule is one run, played wave by wave: all that is ready is carried out at once.
type rule struct {
	name, entry, chains string
	results             map[string]string
	waves               string // what was ready each time
	states              string // where not all calls are done
	outcome             string // "good" if it says nothing
	value               string
}

var rules = []rule{
	// When a task runs.
	{name: "one call", chains: "a", waves: "a", value: `"a"`},
	{name: "a chain goes one after the other", chains: "a b c", waves: "a|b|c", value: `"c"`},
	{name: "chains go side by side", chains: "a b | x", waves: "a x|b", value: `["b","x"]`},
	{name: "what is no call is settled when what is before it is", chains: "m:hi a s:x b v:y ret", waves: "a|b", value: `"y"`},
	{name: "a chain without calls is settled at once", chains: "m:hi ret", waves: "", value: `"hi"`},
	{
		name: "a call is settled when all its branches are", chains: "a b", waves: "a|p r|q|b", value: `"b"`,
		results: map[string]string{"a": "p q | r"},
	},
	{
		name: "so are the calls above it", chains: "a b", waves: "a|p|q|b", value: `"b"`,
		results: map[string]string{"a": "p", "p": "q", "q": "m:deep ret"},
	},
	{
		name: "branches without calls", chains: "a b", waves: "a|b", value: `["x","y"]`,
		results: map[string]string{"a": "m:z", "b": "m:x | m:y ret"},
	},
	// Failures.
	{
		name: "a failure skips the rest of its chain", chains: "a b m:no c", waves: "a",
		results: map[string]string{"a": "!X"}, states: "a:failed b:skipped c:skipped", outcome: "bad", value: "-",
	},
	{
		name: "and not what is before it", chains: "a b c", waves: "a|b",
		results: map[string]string{"b": "!X"}, states: "a:done b:failed c:skipped", outcome: "bad", value: "-",
	},
	{
		name: "other branches go on", chains: "a b | x y", waves: "a x|y",
		results: map[string]string{"a": "!X"}, states: "a:failed b:skipped x:done y:done", outcome: "bad", value: `[null,"y"]`,
	},
	{
		name: "a call with a bad branch counts as failed", chains: "a b", waves: "a|p q",
		results: map[string]string{"a": "p | q", "p": "!X"}, states: "a:done b:skipped p:failed q:done", outcome: "bad", value: "-",
	},
	{
		name: "however deep it is", chains: "a b", waves: "a|p|q",
		results: map[string]string{"a": "p", "p": "q", "q": "!X"}, states: "a:done b:skipped p:done q:failed", outcome: "bad", value: "-",
	},
	{
		name: "an error task that a tool returns itself is no failure of the tool", chains: "a b", waves: "a|b", value: `"b"`,
		results: map[string]string{"a": "m:x e:X"},
	},
	// Reducers.
	{
		name: "a reducer runs after a failure and makes its chain good", chains: "a b r~ c", waves: "a|r|c",
		results: map[string]string{"a": "!X"}, states: "a:failed b:skipped r:done c:done", value: `"c"`,
	},
	{name: "a reducer runs after a success too", chains: "a r~", waves: "a|r", value: `"r"`},
	{
		name: "a reducer that fails leaves it bad", chains: "a r~ c", waves: "a|r",
		results: map[string]string{"a": "!X", "r": "!Y"}, states: "a:failed r:failed c:skipped", outcome: "bad", value: "-",
	},
	{
		name: "another one can still mend it", chains: "a r~ c s~ d", waves: "a|r|s|d",
		results: map[string]string{"a": "!X", "r": "!Y"}, states: "a:failed r:failed c:skipped s:done d:done", value: `"d"`,
	},
	{
		name: "a reducer that fails after a success", chains: "a r~ c", waves: "a|r",
		results: map[string]string{"r": "!Y"}, states: "a:done r:failed c:skipped", outcome: "bad", value: "-",
	},
	{
		name: "a reducer waits for the branches of what failed", entry: "entry", chains: "a r~", waves: "a|entry|p|r|entry#2",
		results: map[string]string{"a": "!X", "entry": "p", "p": "m:looked", "entry#2": "m:end ret"},
		states:  "a:failed r:done entry:done p:done entry#2:done", value: `"end"`,
	},
	{
		name: "a reducer that mends a branch mends the call above", chains: "a b", waves: "a|p|r|b", value: `"b"`,
		results: map[string]string{"a": "p r~", "p": "!X"}, states: "a:done b:done p:failed r:done",
	},
}

// entryRules are those of the entry node.
var entryRules = []rule{
	{
		name: "it sees a plain value", chains: "a", waves: "a|entry", value: `"seen"`,
		results: map[string]string{"entry": "m:seen"},
	},
	{name: "it does not see subtasks", chains: "a b", waves: "a|b", results: map[string]string{"a": "m:x", "b": "m:y ret"}, value: `"y"`},
	{
		name: "it recovers a failure", chains: "a b", waves: "a|entry|b",
		results: map[string]string{"a": "!X", "entry": "m:instead ret", "b": "m:x"}, states: "a:failed b:done entry:done", value: `"x"`,
	},
	{
		name: "what it says is then the value", chains: "a", waves: "a|entry",
		results: map[string]string{"a": "!X", "entry": "m:instead ret"}, states: "a:failed entry:done", value: `"instead"`,
	},
	{
		name: "not without a return", chains: "a b", waves: "a|entry",
		results: map[string]string{"a": "!X", "entry": "m:pity"}, states: "a:failed b:skipped entry:done", outcome: "bad", value: "-",
	},
	{
		name: "after a plain value it needs none", chains: "a b", waves: "a|entry|b",
		results: map[string]string{"entry": "m:fine", "b": "m:x"}, value: `"x"`,
	},
	{
		name: "not with a return in one of two branches", chains: "a", waves: "a|entry",
		results: map[string]string{"a": "!X", "entry": "m:x ret | m:y"}, states: "a:failed entry:done", outcome: "bad", value: "-",
	},
	{
		name: "with a return in all of them", chains: "a", waves: "a|entry",
		results: map[string]string{"a": "!X", "entry": "m:x ret | m:y ret"}, states: "a:failed entry:done", value: `["x","y"]`,
	},
	{
		name: "it calls a tool, sees what that says, and returns", chains: "a b", waves: "a|entry|look|entry#2|b",
		results: map[string]string{"a": "!X", "entry": "look", "entry#2": "m:instead ret", "b": "m:x"},
		states:  "a:failed b:done entry:done look:done entry#2:done", value: `"x"`,
	},
	{
		name: "it calls a tool, and does not return in the end", chains: "a b", waves: "a|entry|look|entry#2",
		results: map[string]string{"a": "!X", "entry": "look", "entry#2": "m:pity"},
		states:  "a:failed b:skipped entry:done look:done entry#2:done", outcome: "bad", value: "-",
	},
	{
		name: "it tries again, that fails too, and it returns", chains: "a b", waves: "a|entry|again|entry#2|b",
		results: map[string]string{"a": "!X", "entry": "again", "again": "!X", "entry#2": "m:instead ret", "b": "m:x"},
		states:  "a:failed b:done entry:done again:failed entry#2:done", value: `"x"`,
	},
	{
		name: "it fails itself, and returns the second time", chains: "a b", waves: "a|entry|entry#2|b",
		results: map[string]string{"a": "!X", "entry": "!Y", "entry#2": "m:instead ret", "b": "m:x"},
		states:  "a:failed b:done entry:failed entry#2:done", value: `"x"`,
	},
	{
		name: "it returns a plain value, which it sees, and returns", chains: "a", waves: "a|entry|entry#2",
		results: map[string]string{"a": "!X", "entry": "=x", "entry#2": "m:instead ret"},
		states:  "a:failed entry:done entry#2:done", value: `"instead"`,
	},
	{
		name: "a tool below it that returns recovers too", chains: "a", waves: "a|entry|look",
		results: map[string]string{"a": "!X", "entry": "look", "look": "m:instead ret"},
		states:  "a:failed entry:done look:done", value: `"instead"`,
	},
	{
		name: "a tool below it must return in all branches", chains: "a", waves: "a|entry|look",
		results: map[string]string{"a": "!X", "entry": "look", "look": "m:x ret | ret | m:z"},
		states:  "a:failed entry:done look:done", outcome: "bad", value: "-",
	},
	{
		name: "a return does not cover what failed in its own branch", chains: "a", waves: "a|entry|bad|entry#2",
		results: map[string]string{"a": "!X", "entry": "bad ret", "bad": "!Y", "entry#2": "m:pity"},
		states:  "a:failed entry:done bad:failed entry#2:done", outcome: "bad", value: "-",
	},
	{
		name: "a reducer before the return does", chains: "a", waves: "a|entry|bad|entry#2|fix",
		results: map[string]string{"a": "!X", "entry": "bad fix~ ret", "bad": "!Y", "entry#2": "m:pity", "fix": "m:mended"},
		states:  "a:failed entry:done bad:failed fix:done entry#2:done", value: `"mended"`,
	},
	{
		name: "a failure below a branch is recovered there", chains: "a b", waves: "a|p q|entry entry#2|b",
		results: map[string]string{"a": "p | q", "p": "!X", "entry": "m:instead ret", "entry#2": "m:fine", "b": "m:x"},
		states:  "a:done b:done p:failed q:done entry:done entry#2:done", value: `"x"`,
	},
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range rules {
		c.hold(t)
	}
}

func TestEntryNode(t *testing.T) {
	t.Parallel()
	for _, c := range entryRules {
		c.entry = "entry"
		c.hold(t)
	}
}

func (c rule) hold(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		t.Parallel()
		p := begin(t, c.entry, chains(c.chains))
		if got := p.waves(c.results); got != c.waves {
			t.Errorf("it went %s, want %s", got, c.waves)
		}
		c.ended(t, "", p)
		c.ended(t, "loaded, ", p.load())
	})
}

// ended checks how a run has ended.
func (c rule) ended(t *testing.T, when string, p *play) {
	t.Helper()
	if !p.g.Settled() || len(p.g.Ready()) > 0 {
		t.Fatalf("%sit is not settled: %s", when, p.states())
	}
	want := c.states
	if want == "" {
		for i := range p.g.Len() {
			if p.g.Task(i).Calls() {
				want += " " + p.label(i) + ":done"
			}
		}
		if want != "" {
			want = want[1:]
		}
	}
	if got := p.states(); got != want {
		t.Errorf("%s%s, want %s", when, got, want)
	}
	if c.outcome == "" {
		c.outcome = "good"
	}
	if got := outcome(p.g.Outcome()); got != c.outcome {
		t.Errorf("%sthe outcome is %s, want %s", when, got, c.outcome)
	}
	if got := p.result(); got != c.value {
		t.Errorf("%sit came to %s, want %s", when, got, c.value)
	}
}
