package consent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/tool"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// matter is what is decided about: a call, with what a person has set and allowed.
type matter struct {
	policy consent.Policy
	grants []consent.Grant
	call   consent.Call
}

func (m matter) decide() consent.Decision { return consent.Decide(m.policy, m.grants, m.call) }

// aMatter is a call that reads and writes, with every power on allow.
func aMatter() *matter {
	return &matter{
		policy: consent.Policy{
			Powers: map[tool.Power]consent.Permission{tool.Read: consent.Allow, tool.Write: consent.Allow, tool.Outbound: consent.Allow},
			Tools:  map[string]consent.Permission{},
		},
		call: consent.Call{
			Tool: "mail", Version: "v1", Run: "r1", At: noon, Arguments: map[string]any{"to": "ada"},
			Marks: tool.Marks{Powers: []tool.Power{tool.Read, tool.Write}, Risk: tool.R2},
		},
	}
}

// aGrant covers the call of aMatter.
func aGrant() consent.Grant { return consent.Grant{ID: "g", Tool: "mail", Version: "v1"} }

// rules are in their order: the first that says something counts.
var rules = []struct {
	name  string
	apply func(*matter)
	want  consent.Decision
}{
	{"stopped", func(m *matter) { m.policy.Stopped = &consent.Stop{Who: "ada", At: noon} }, consent.Decision{Reason: consent.Stopped}},
	{"tool denied", func(m *matter) { m.policy.Tools["mail"] = consent.Deny }, consent.Decision{Reason: consent.DeniedTool}},
	{"power denied", func(m *matter) { m.policy.Powers[tool.Write] = consent.Deny }, consent.Decision{Reason: consent.DeniedPower, Power: tool.Write}},
	{"R4", func(m *matter) { m.call.Marks.Risk = tool.R4 }, consent.Decision{Verdict: consent.MustAsk, Reason: consent.EveryTime}},
	{"leak", func(m *matter) {
		m.call.Before = consent.History{Private: "notes", Untrusted: "web"}
		m.call.Marks.Powers, m.call.Marks.CanTransmit = []tool.Power{tool.Outbound, tool.Read, tool.Write}, true
	}, consent.Decision{Verdict: consent.MustAsk, Reason: consent.Leak}},
	{"granted", func(m *matter) { m.grants = []consent.Grant{aGrant()} }, consent.Decision{Verdict: consent.Allowed, Reason: consent.Granted}},
	{"tool asks", func(m *matter) { m.policy.Tools["mail"] = consent.Ask }, consent.Decision{Verdict: consent.MustAsk, Reason: consent.Setting}},
	{"power asks", func(m *matter) { m.policy.Powers[tool.Read] = consent.Ask }, consent.Decision{Verdict: consent.MustAsk, Reason: consent.Setting, Power: tool.Read}},
	{"allowed", func(*matter) {}, consent.Decision{Verdict: consent.Allowed, Reason: consent.Setting}},
}

// TestTheFirstRuleCounts has every rule together with every set of the others.
func TestTheFirstRuleCounts(t *testing.T) {
	t.Parallel()
	for set := range 1 << (len(rules) - 1) {
		m, first, names := aMatter(), len(rules)-1, []string{}
		for i := len(rules) - 2; i >= 0; i-- { // what a later rule has set, an earlier one may overrule
			if set&(1<<i) != 0 {
				rules[i].apply(m)
				first = i
				names = append(names, rules[i].name)
			}
		}
		want, got := rules[first].want, m.decide()
		if (got.Grant != nil) != (want.Reason == consent.Granted) {
			t.Errorf("%q: the grant is %v", names, got.Grant)
		}
		got.Grant = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s should count (-want +got):\n%s", names, rules[first].name, diff)
		}
	}
}

// TestWhatCountsAsWhat has the cases within each rule.
func TestWhatCountsAsWhat(t *testing.T) {
	t.Parallel()
	ask := consent.Decision{Verdict: consent.MustAsk, Reason: consent.Setting}
	allowed := consent.Decision{Verdict: consent.Allowed, Reason: consent.Setting}
	of := func(d consent.Decision, power tool.Power) consent.Decision {
		d.Power = power
		return d
	}
	denied := consent.Decision{Reason: consent.DeniedPower}
	for name, c := range map[string]struct {
		change func(*matter)
		want   consent.Decision
	}{
		"an unknown word for a tool denies":   {func(m *matter) { m.policy.Tools["mail"] = "perhaps" }, consent.Decision{Reason: consent.DeniedTool}},
		"no word for a tool denies":           {func(m *matter) { m.policy.Tools["mail"] = "" }, consent.Decision{Reason: consent.DeniedTool}},
		"an unknown word for a power denies":  {func(m *matter) { m.policy.Powers[tool.Read] = "ALLOW" }, of(denied, tool.Read)},
		"no word for a power denies":          {func(m *matter) { m.policy.Powers[tool.Read] = "" }, of(denied, tool.Read)},
		"the strictest power counts":          {func(m *matter) { m.policy.Powers[tool.Read] = consent.Ask; m.policy.Powers[tool.Write] = consent.Deny }, of(denied, tool.Write)},
		"a power without a setting asks":      {func(m *matter) { m.policy.Powers = nil }, of(ask, tool.Read)},
		"a power that is not needed is none":  {func(m *matter) { m.policy.Powers[tool.Outbound] = consent.Deny }, allowed},
		"a power that nobody knows asks":      {func(m *matter) { m.call.Marks.Powers = []tool.Power{"fly"} }, of(ask, "fly")},
		"another tool is another tool":        {func(m *matter) { m.policy.Tools["notes"] = consent.Deny; m.policy.Tools["Mail"] = consent.Deny }, allowed},
		"a tool on allow loosens nothing":     {func(m *matter) { m.policy.Tools["mail"] = consent.Allow; m.policy.Powers[tool.Write] = consent.Ask }, of(ask, tool.Write)},
		"no powers need none":                 {func(m *matter) { m.policy.Powers, m.call.Marks.Powers = nil, nil }, allowed},
		"what transmits needs outbound: deny": {func(m *matter) { m.call.Marks.CanTransmit = true; m.policy.Powers[tool.Outbound] = consent.Deny }, of(denied, tool.Outbound)},
		"what transmits needs outbound: ask":  {func(m *matter) { m.call.Marks.CanTransmit = true; delete(m.policy.Powers, tool.Outbound) }, of(ask, tool.Outbound)},
		"no risk is the highest":              {func(m *matter) { m.call.Marks.Risk = 0 }, consent.Decision{Verdict: consent.MustAsk, Reason: consent.EveryTime}},
		"an unknown risk is the highest":      {func(m *matter) { m.call.Marks.Risk = tool.R4 + 1 }, consent.Decision{Verdict: consent.MustAsk, Reason: consent.EveryTime}},
		"a risk below all is the highest":     {func(m *matter) { m.call.Marks.Risk = -1 }, consent.Decision{Verdict: consent.MustAsk, Reason: consent.EveryTime}},
		"R3 is not asked about every time":    {func(m *matter) { m.call.Marks.Risk = tool.R3 }, allowed},
		"hosts change nothing":                {func(m *matter) { m.policy.Hosts = map[string]consent.Permission{"mail": consent.Deny} }, allowed},
	} {
		m := aMatter()
		c.change(m)
		if diff := cmp.Diff(c.want, m.decide()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := (consent.Policy{}).OfPower(tool.Read); got != consent.Ask {
		t.Errorf("the zero policy has %q for a power", got)
	}
	if m := (matter{call: aMatter().call}); m.decide().Verdict != consent.MustAsk {
		t.Errorf("the zero policy gives %+v", m.decide())
	}
	if got := (consent.Decision{}).Verdict; got != consent.Refused {
		t.Errorf("the zero decision is %s", got)
	}
}

// TestALeak needs all three: private data, content of others, and a way out, whether the run or
// the call itself read them.
func TestALeak(t *testing.T) {
	t.Parallel()
	for set := range 1 << 5 {
		has := func(bit int) bool { return set&(1<<bit) != 0 }
		m := aMatter()
		m.grants = []consent.Grant{aGrant()}
		if has(0) {
			m.call.Before.Private = "notes"
		}
		if has(1) {
			m.call.Before.Untrusted = "web"
		}
		m.call.Marks.ReadsPrivate, m.call.Marks.ReadsUntrusted, m.call.Marks.CanTransmit = has(2), has(3), has(4)
		leak := (has(0) || has(2)) && (has(1) || has(3)) && has(4)
		if got := m.decide(); (got.Reason == consent.Leak) != leak || (got.Verdict == consent.MustAsk) != leak {
			t.Errorf("%+v, %+v gives %+v", m.call.Before, m.call.Marks, got)
		}
	}
}

// TestThePathOfALeak names what read, in its order, and each of them once.
func TestThePathOfALeak(t *testing.T) {
	t.Parallel()
	both := tool.Marks{ReadsPrivate: true, ReadsUntrusted: true, CanTransmit: true}
	for want, call := range map[string]consent.Call{
		"notes web mail": {Tool: "mail", Before: consent.History{Private: "notes", Untrusted: "web"}},
		"notes mail":     {Tool: "mail", Before: consent.History{Private: "notes"}, Marks: both},
		"mail":           {Tool: "mail", Marks: both},
		"memory mail":    {Tool: "mail", Before: consent.History{Private: "memory", Untrusted: "memory"}},
	} {
		if got := strings.Join(call.Path(), " "); got != want {
			t.Errorf("the path is %q; want %q", got, want)
		}
	}
	// The first that read stays.
	seen := consent.History{}.With("a", tool.Marks{}).With("b", tool.Marks{ReadsPrivate: true}).With("c", both).With("d", both)
	if want := (consent.History{Private: "b", Untrusted: "c"}); seen != want {
		t.Errorf("seen is %+v; want %+v", seen, want)
	}
}

// TestAGrantThatDoesNotHold has each way in which one does not.
func TestAGrantThatDoesNotHold(t *testing.T) {
	t.Parallel()
	before, after := noon.Add(-time.Nanosecond), noon.Add(time.Nanosecond)
	for name, c := range map[string]struct {
		change func(*consent.Grant, *consent.Call)
		holds  bool
	}{
		"as it is":               {func(*consent.Grant, *consent.Call) {}, true},
		"another tool":           {func(g *consent.Grant, _ *consent.Call) { g.Tool = "notes" }, false},
		"another version":        {func(g *consent.Grant, _ *consent.Call) { g.Version = "v2" }, false},
		"the beginning of one":   {func(g *consent.Grant, _ *consent.Call) { g.Version = "v" }, false},
		"no version of both":     {func(g *consent.Grant, c *consent.Call) { g.Version, c.Version = "", "" }, false},
		"no version":             {func(g *consent.Grant, _ *consent.Call) { g.Version = "" }, false},
		"the same run":           {func(g *consent.Grant, _ *consent.Call) { g.Run = "r1" }, true},
		"another run":            {func(g *consent.Grant, _ *consent.Call) { g.Run = "r2" }, false},
		"a run, of a call alone": {func(g *consent.Grant, c *consent.Call) { g.Run, c.Run = "r1", "" }, false},
		"a condition that holds": {func(g *consent.Grant, _ *consent.Call) {
			g.Conditions = []consent.Condition{{"to", consent.Equals, "ada"}}
		}, true},
		"one of two does not": {func(g *consent.Grant, _ *consent.Call) {
			g.Conditions = []consent.Condition{{"to", consent.Equals, "ada"}, {"to", consent.Equals, "bob"}}
		}, false},
		"a condition that is none": {func(g *consent.Grant, _ *consent.Call) { g.Conditions = []consent.Condition{{}} }, false},
		"not over yet":             {func(g *consent.Grant, _ *consent.Call) { g.ExpiresAt = &after }, true},
		"over at this very time":   {func(g *consent.Grant, _ *consent.Call) { g.ExpiresAt = &noon }, false},
		"over":                     {func(g *consent.Grant, _ *consent.Call) { g.ExpiresAt = &before }, false},
		"taken back":               {func(g *consent.Grant, _ *consent.Call) { g.RevokedAt = &before }, false},
		"taken back from later on": {func(g *consent.Grant, _ *consent.Call) { g.RevokedAt = &after }, false},
		"approved something else":  {func(g *consent.Grant, _ *consent.Call) { g.Approved = "sha256" }, true},
	} {
		m := aMatter()
		m.policy.Powers[tool.Write] = consent.Ask
		g := aGrant()
		c.change(&g, &m.call)
		m.grants = []consent.Grant{{ID: "other", Tool: "notes", Version: "v1"}, g}
		got := m.decide()
		if (got.Verdict == consent.Allowed) != c.holds || g.Covers(m.call) != c.holds {
			t.Errorf("%s: %+v", name, got)
		}
		if c.holds && (got.Reason != consent.Granted || got.Grant == nil || got.Grant.ID != "g") {
			t.Errorf("%s: allowed by %+v", name, got)
		}
		if !c.holds && (got.Verdict != consent.MustAsk || got.Grant != nil) {
			t.Errorf("%s: %+v; it should be asked", name, got)
		}
	}
}

// TestRefusals say what can be done, and are there only for what is refused.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]consent.Decision{
		"Toolsmith is stopped, so nothing begins. A person can start it again with: toolsmith start": {Reason: consent.Stopped},
		`"mail" is denied in the settings. A person can change that with: toolsmith settings unset mail`: {
			Reason: consent.DeniedTool},
		`"mail" needs the power "write", which is denied in the settings. A person can change that with: toolsmith settings set write ask`: {
			Reason: consent.DeniedPower, Power: tool.Write},
	} {
		if got := d.Refusal("mail"); got != want {
			t.Errorf("it says %q; want %q", got, want)
		}
		for _, verdict := range []consent.Verdict{consent.MustAsk, consent.Allowed} {
			d.Verdict = verdict
			if got := d.Refusal("mail"); got != "" {
				t.Errorf("what %s is refused with %q", verdict, got)
			}
		}
	}
	names := []string{consent.Refused.String(), consent.MustAsk.String(), consent.Allowed.String(), consent.Verdict(9).String()}
	if want := []string{"refused", "must ask", "allowed", "refused"}; !slices.Equal(names, want) {
		t.Errorf("the verdicts are %q; want %q", names, want)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	p := consent.Policy{
		Powers: map[tool.Power]consent.Permission{tool.Read: consent.Deny},
		Tools:  map[string]consent.Permission{"b": consent.Ask, "a": consent.Deny},
		Hosts:  map[string]consent.Permission{"printer.local": consent.Allow, "router": consent.Ask},
	}
	got := fmt.Sprintf("%s %s %s %s %v %v %v %v %v", p.OfPower(tool.Read), p.OfPower(tool.Write), p.OfTool("a"), p.OfTool("c"), p.ToolNames(),
		p.PrivateHost("printer.local"), p.PrivateHost("router"), p.PrivateHost("other"), consent.Powers())
	if want := "deny ask deny allow [a b] true false false [outbound read write]"; got != want {
		t.Errorf("it has %s; want %s", got, want)
	}
	for word, known := range map[consent.Permission]bool{consent.Allow: true, consent.Ask: true, consent.Deny: true, "": false, "Allow": false} {
		if word.Known() != known {
			t.Errorf("%q is known: %v", word, !known)
		}
	}
}

// number is one as a call has it.
func number(text string) json.Number { return json.Number(text) }
