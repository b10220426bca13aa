package consent

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"toolsmith/tool"
)

// Permission is what a person has set for a power or for a tool.
type Permission string

// The permissions, from the loosest to the strictest.
const (
	Allow Permission = "allow"
	Ask   Permission = "ask"
	Deny  Permission = "deny"
)

// strictness orders permissions; what is none of them is as strict as can be.
func (p Permission) strictness() int {
	switch p {
	case Allow:
		return 0
	case Ask:
		return 1
	default:
		return 2
	}
}

// Known reports whether p is one of the three.
func (p Permission) Known() bool { return p == Allow || p == Ask || p == Deny }

// Powers lists the powers that a permission can be set for, in the order of their names.
func Powers() []tool.Power { return []tool.Power{tool.Outbound, tool.Read, tool.Write} }

// Policy is everything that a person has set. The zero value asks for every power.
type Policy struct {
	// Revision grows with every change of the policy or of a grant.
	Revision int64
	// Powers that have a permission; Ask is that of the others.
	Powers map[tool.Power]Permission
	// Tools that have a permission of their own, by their names. It can only make stricter
	// what the powers of the tool allow: one that would loosen it is what grants are for, which
	// are bound to a version.
	Tools map[string]Permission
	// Hosts that may have a private address, by their names; only Allow counts.
	Hosts map[string]Permission
	// Stopped: nothing may begin until a person starts it again.
	Stopped *Stop
}

// Stop is that everything was stopped.
type Stop struct {
	Who string
	At  time.Time
}

// OfPower gives the permission of a power.
func (p Policy) OfPower(power tool.Power) Permission {
	if set, ok := p.Powers[power]; ok {
		return set
	}
	return Ask
}

// OfTool gives the permission of a tool; Allow, which loosens nothing, where it has none.
func (p Policy) OfTool(name string) Permission {
	if set, ok := p.Tools[name]; ok {
		return set
	}
	return Allow
}

// PrivateHost reports whether a host may have an address that the network outside cannot
// reach.
func (p Policy) PrivateHost(name string) bool { return p.Hosts[name] == Allow }

// ToolNames lists the tools that have a permission of their own, sorted.
func (p Policy) ToolNames() []string { return slices.Sorted(maps.Keys(p.Tools)) }

// Call is a call that is to be decided about.
type Call struct {
	// Tool by its name, and its exact version: a hash over all that it is.
	Tool, Version string
	Marks         tool.Marks
	Arguments     any
	// Run that it belongs to.
	Run string
	// Before is what the run has read before it.
	Before History
	// At is the time.
	At time.Time
}

// History is what a run has read so far: the names of the calls that were the first to.
type History struct {
	Private   string // the person's own data; "" for none
	Untrusted string // what others may have written; "" for none
}

// With adds what a call of a tool may read.
func (h History) With(name string, marks tool.Marks) History {
	if h.Private == "" && marks.ReadsPrivate {
		h.Private = name
	}
	if h.Untrusted == "" && marks.ReadsUntrusted {
		h.Untrusted = name
	}
	return h
}

// Path names the calls by which private and untrusted data came together, in a call that can
// send it away.
func (c Call) Path() []string {
	seen := c.Before.With(c.Tool, c.Marks)
	return slices.Compact([]string{seen.Private, seen.Untrusted, c.Tool})
}

// Verdict of a decision. The zero value refuses.
type Verdict int8

// The verdicts.
const (
	Refused Verdict = iota
	MustAsk
	Allowed
)

// String names a verdict.
func (v Verdict) String() string {
	switch v {
	case Allowed:
		return "allowed"
	case MustAsk:
		return "must ask"
	default:
		return "refused"
	}
}

// Reason of a decision.
type Reason string

// The reasons.
const (
	// Stopped: everything is stopped.
	Stopped Reason = "stopped"
	// DeniedTool and DeniedPower: a person has set it so.
	DeniedTool  Reason = "denied-tool"
	DeniedPower Reason = "denied-power"
	// EveryTime: a call of the highest risk is asked about each time.
	EveryTime Reason = "every-time"
	// Leak: the run has private data and content of others, and the call can send both away.
	Leak Reason = "leak"
	// Granted: a person has allowed exactly this before.
	Granted Reason = "granted"
	// NeedsSecret: the tool lacks a secret, and asks for it.
	NeedsSecret Reason = "secret"
	// NeedsAnswer: the tool runs, and asks for something.
	NeedsAnswer Reason = "form"
	// Setting: as a person has set it for the powers or the tool.
	Setting Reason = "setting"
)

// Decision is what came of looking at a call.
type Decision struct {
	Verdict Verdict
	Reason  Reason
	// Grant that allowed it; nil for none.
	Grant *Grant
	// Power that is denied, or has to be asked about; "" for none.
	Power tool.Power
}

// Decide decides about a call. The first rule that says something counts.
func Decide(policy Policy, grants []Grant, call Call) Decision {
	if policy.Stopped != nil {
		return Decision{Reason: Stopped}
	}
	if policy.OfTool(call.Tool).strictness() >= Deny.strictness() {
		return Decision{Reason: DeniedTool}
	}
	for _, power := range call.powers() {
		if policy.OfPower(power).strictness() >= Deny.strictness() {
			return Decision{Reason: DeniedPower, Power: power}
		}
	}
	if call.Marks.Risk >= tool.R4 || call.Marks.Risk < tool.R1 {
		return Decision{Verdict: MustAsk, Reason: EveryTime}
	}
	if seen := call.Before.With(call.Tool, call.Marks); seen.Private != "" && seen.Untrusted != "" && call.Marks.CanTransmit {
		return Decision{Verdict: MustAsk, Reason: Leak}
	}
	for i := range grants {
		if grants[i].Covers(call) {
			return Decision{Verdict: Allowed, Reason: Granted, Grant: &grants[i]}
		}
	}
	if policy.OfTool(call.Tool) != Allow {
		return Decision{Verdict: MustAsk, Reason: Setting}
	}
	for _, power := range call.powers() {
		if policy.OfPower(power) != Allow {
			return Decision{Verdict: MustAsk, Reason: Setting, Power: power}
		}
	}
	return Decision{Verdict: Allowed, Reason: Setting}
}

// powers of a call. One that can transmit needs the power to, whatever its powers say.
func (c Call) powers() []tool.Power {
	if c.Marks.CanTransmit && !c.Marks.Has(tool.Outbound) {
		return append(slices.Clone(c.Marks.Powers), tool.Outbound)
	}
	return c.Marks.Powers
}

// Refusal words why a call was refused, for whoever called; "" for a decision that is none.
func (d Decision) Refusal(name string) string {
	switch {
	case d.Verdict != Refused:
		return ""
	case d.Reason == Stopped:
		return "Toolsmith is stopped, so nothing begins. A person can start it again with: toolsmith start"
	case d.Reason == DeniedPower:
		return fmt.Sprintf("%q needs the power %q, which is denied in the settings. A person can change that with: toolsmith settings set %s ask", name, d.Power, d.Power)
	default:
		return fmt.Sprintf("%q is denied in the settings. A person can change that with: toolsmith settings unset %s", name, name)
	}
}
