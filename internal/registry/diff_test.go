package registry_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/registry"
)

// online lists hosts that a tool may reach.
func online(hosts ...string) string {
	return fmt.Sprintf(`{"mode": "allowlist", "domains": [%s]}`, quoted(hosts))
}

func quoted(list []string) string {
	text, _ := json.Marshal(list)
	return strings.Trim(string(text), "[]")
}

// short writes a diff down in the order in which a person reads it, without what is empty.
func short(d registry.Diff) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	change := func(what string, c registry.Change) {
		if !c.Empty() {
			add("%s +%v -%v", what, c.Added, c.Removed)
		}
	}
	change("powers", d.Powers)
	if d.FromRisk != d.ToRisk {
		add("%s→%s", d.FromRisk, d.ToRisk)
	}
	if d.FromReversibility != d.ToReversibility {
		add("%s→%s", d.FromReversibility, d.ToReversibility)
	}
	change("hosts", d.Hosts)
	change("credentials", d.Credentials)
	change("capabilities", d.Capabilities)
	change("models", d.Models)
	for _, s := range d.StepsAdded {
		add("+%s(%s)", s.ID, s.Does)
	}
	for _, s := range d.StepsRemoved {
		add("-%s(%s)", s.ID, s.Does)
	}
	for _, s := range d.StepsChanged {
		add("~%s%v", s.ID, s.Fields)
	}
	if d.StepsSame > 0 {
		add("=%d", d.StepsSame)
	}
	if len(d.Fields) > 0 {
		add("fields %v", d.Fields)
	}
	if d.Grows() {
		add("grows")
	}
	return strings.Join(parts, "; ")
}

func TestCompare(t *testing.T) {
	t.Parallel()
	named := func(id, capability, next string) string {
		return fmt.Sprintf(`{"id": %q, "type": "capability", "capability": %q, "input": {}, "next": %q}, `, id, capability, next)
	}
	undone := `{"id": "call", "type": "capability", "capability": "lab.make", "input": {}, "compensation": {"capability": "lab.unmake", "input": {}}, "next": "end"}, ` + end
	ask := func(privacy string) string {
		return fmt.Sprintf(`{"id": "ask", "type": "llm", "op": "rank", "input": {}, "target": "$.y", "requirements": {"privacy": %q}, "next": "end"}, `, privacy) + end
	}
	key := func(id, scope string) string {
		return fmt.Sprintf(`{"id": %q, "kind": "api_profile", "purpose": "p", "outboundScope": [%s]}`, id, scope)
	}
	for name, c := range map[string]struct {
		from, to parts
		want     string
	}{
		"nothing but the version": {parts{}, parts{}, "=1"},
		"a word of the author":    {parts{}, parts{title: "Other"}, "=1; fields [title]"},
		"more of the manifest": {parts{}, parts{extra: `"modelDefaults": {"reasoning": "low"}, "inputSchema": {"type": "object"}, `},
			"=1; fields [modelDefaults inputSchema]"},
		"less of the manifest": {parts{extra: `"outputSchema": {"type": "null"}, "ui": {"kind": "summary", "title": "T"}, `}, parts{},
			"=1; fields [outputSchema ui]"},
		"order and numbers say the same": {parts{extra: `"state": {"schemaVersion": 1, "maxBytes": 10, "fields": {}}, `},
			parts{extra: `"state": {"maxBytes": 1e1, "fields": {}, "schemaVersion": 1.0}, `}, "=1"},
		"the bound on transitions": {parts{}, parts{transitions: 99}, "=1; fields [flow.maxTransitions]"},
		"a read is added": {parts{}, parts{nodes: call("lab.list"), entry: "call"},
			"powers +[read] -[]; capabilities +[lab.list] -[]; +call(lab.list); =1; fields [flow.entry]; grows"},
		"a read is taken out": {parts{nodes: call("lab.list"), entry: "call"}, parts{},
			"powers +[] -[read]; capabilities +[] -[lab.list]; -call(lab.list); =1; fields [flow.entry]"},
		"another read of more risk": {parts{nodes: call("lab.list"), entry: "call"}, parts{nodes: call("lab.find"), entry: "call"},
			"R1→R2; capabilities +[lab.find] -[lab.list]; ~call[capability]; =1; grows"},
		"another read of less risk": {parts{nodes: call("lab.find"), entry: "call"}, parts{nodes: call("lab.list"), entry: "call"},
			"R2→R1; capabilities +[lab.list] -[lab.find]; ~call[capability]; =1; grows"},
		"one more capability of the same power and risk": {parts{nodes: named("one", "lab.make", "end") + end, entry: "one"},
			parts{nodes: named("one", "lab.make", "two") + named("two", "lab.unmake", "end") + end, entry: "one"},
			"capabilities +[lab.unmake] -[]; +two(lab.unmake); ~one[next]; =1; grows"},
		"from reading to writing": {parts{nodes: call("lab.find"), entry: "call"}, parts{nodes: call("lab.keep"), entry: "call"},
			"powers +[write] -[read]; R2→R3; read-only→irreversible; capabilities +[lab.keep] -[lab.find]; ~call[capability]; =1; grows"},
		"a compensation is added": {parts{nodes: call("lab.make"), entry: "call"}, parts{nodes: undone, entry: "call"},
			"irreversible→compensable; capabilities +[lab.unmake] -[]; ~call[compensation]; =1; grows"},
		"a compensation is taken out": {parts{nodes: undone, entry: "call"}, parts{nodes: call("lab.make"), entry: "call"},
			"compensable→irreversible; capabilities +[] -[lab.unmake]; ~call[compensation]; =1"},
		"the network is allowed": {parts{}, parts{network: online("a.example.com")}, "hosts +[a.example.com] -[]; =1; fields [network]; grows"},
		"and used": {parts{network: online("a.example.com")}, parts{network: online("a.example.com"), nodes: call("lab.fetch"), entry: "call"},
			"powers +[outbound] -[]; R1→R4; read-only→irreversible; capabilities +[lab.fetch] -[]; +call(lab.fetch); =1; fields [flow.entry]; grows"},
		"one host for another": {parts{network: online("a.example.com", "b.example.com")}, parts{network: online("b.example.com", "C.example.com")},
			"hosts +[c.example.com] -[a.example.com]; =1; fields [network]; grows"},
		"fewer hosts":           {parts{network: online("a.example.com", "b.example.com")}, parts{network: online("b.example.com")}, "hosts +[] -[a.example.com]; =1; fields [network]"},
		"a credential is added": {parts{}, parts{credentials: key("key-one", "")}, "credentials +[key-one] -[]; =1; fields [credentialRequirements]; grows"},
		"one credential for another": {parts{credentials: key("key-one", "")}, parts{credentials: key("key-two", "")},
			"credentials +[key-two] -[key-one]; =1; fields [credentialRequirements]; grows"},
		"a credential is taken out": {parts{credentials: key("key-one", "")}, parts{}, "credentials +[] -[key-one]; =1; fields [credentialRequirements]"},
		"a model that may be elsewhere": {parts{nodes: ask("local-only"), entry: "ask"}, parts{nodes: ask("remote-allowed"), entry: "ask"},
			"models +[remote-allowed] -[local-only]; ~ask[requirements]; =1; grows"},
		"a model that must be here": {parts{nodes: ask("remote-allowed"), entry: "ask"}, parts{nodes: ask("local-only"), entry: "ask"},
			"models +[local-only] -[remote-allowed]; ~ask[requirements]; =1"},
		"steps of each kind": {parts{}, parts{entry: "set", nodes: `{"id": "set", "type": "set", "target": "$.x", "value": 1, "next": "ask"},
			{"id": "ask", "type": "llm", "op": "rank", "input": {}, "target": "$.y", "next": "any"},
			{"id": "any", "type": "if", "condition": {"left": 1, "op": "exists"}, "then": "each", "else": "bad"},
			{"id": "each", "type": "foreach", "source": [], "itemVar": "$.i", "maxItems": 1, "body": [{"type": "capability", "capability": "lab.list", "input": {}}], "next": "end"},
			{"id": "bad", "type": "fail", "code": "BAD", "message": "m"}, ` + end},
			"powers +[read] -[]; capabilities +[lab.list] -[]; models +[local-preferred] -[]; +set(set); +ask(llm); +any(if); +each(foreach); +bad(fail); =1; fields [flow.entry]; grows"},
		"a step in several fields": {parts{entry: "set", nodes: `{"id": "set", "type": "set", "target": "$.x", "value": 1, "next": "end"}, ` + end},
			parts{entry: "set", nodes: `{"id": "set", "type": "capability", "capability": "lab.list", "input": {"q": 1}, "retry": {"maxAttempts": 2}, "next": "end"}, ` + end},
			"powers +[read] -[]; capabilities +[lab.list] -[]; ~set[type capability input retry target value]; =1; grows"},
		"the order of steps": {parts{entry: "one", nodes: named("one", "lab.list", "end") + end}, parts{entry: "one", nodes: end + ", " + strings.TrimSuffix(named("one", "lab.list", "end"), ", ")}, "=2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{t: t}
			c.from.version, c.to.version = 3, 8

			d := registry.Compare(s.check(c.from.text()), s.check(c.to.text()))

			if diff := cmp.Diff(c.want, short(d)); diff != "" {
				t.Errorf("diff (-want +got):\n%s", diff)
			}
			if d.FromVersion != 3 || d.ToVersion != 8 {
				t.Errorf("from %d to %d", d.FromVersion, d.ToVersion)
			}
		})
	}
}

// TestADiffAsJSON has lists where there is nothing, not null.
func TestADiffAsJSON(t *testing.T) {
	t.Parallel()
	s := &shelf{t: t}
	text, err := json.Marshal(registry.Compare(s.check(parts{}.text()), s.check(parts{version: 2}.text())))
	if err != nil {
		t.Fatal(err)
	}
	none := `{"added":[],"removed":[]}`
	want := `{"fromVersion":1,"toVersion":2,"powers":` + none + `,"fromRisk":"R1","toRisk":"R1","fromReversibility":"read-only","toReversibility":"read-only",` +
		`"hosts":` + none + `,"credentials":` + none + `,"capabilities":` + none + `,"models":` + none + `,"stepsAdded":[],"stepsRemoved":[],"stepsChanged":[],"stepsUnchanged":1,"fields":[]}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}
