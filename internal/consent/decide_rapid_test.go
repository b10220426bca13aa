package consent_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"toolsmith/internal/consent"
	"toolsmith/tool"
)

var (
	drawPermission = rapid.SampledFrom([]consent.Permission{consent.Allow, consent.Allow, consent.Ask, consent.Deny, "", "perhaps"})
	drawPowers     = rapid.SliceOfNDistinct(rapid.SampledFrom([]tool.Power{tool.Read, tool.Write, tool.Outbound, "fly"}), 0, 4, rapid.ID[tool.Power])
	drawVersion    = rapid.SampledFrom([]string{"v1", "v1", "v2", ""})
	drawRun        = rapid.SampledFrom([]string{"", "r1", "r2"})
	drawName       = rapid.SampledFrom([]string{"", "notes", "web"})
	drawArguments  = rapid.SampledFrom([]any{nil, map[string]any{}, map[string]any{"to": "ada"}, map[string]any{"to": "bob"}, map[string]any{"to": number("3")}, []any{"ada"}})
	drawCondition  = rapid.SampledFrom([]consent.Condition{{"to", consent.Equals, "ada"}, {"to", consent.Prefix, "b"}, {"to", consent.AtMost, number("3")}, {"", "odd", nil}})
	drawTime       = rapid.SampledFrom([]time.Time{noon.Add(-time.Nanosecond), noon, noon.Add(time.Nanosecond)})
)

var drawGrant = rapid.Custom(func(t *rapid.T) consent.Grant {
	g := consent.Grant{
		Tool: rapid.SampledFrom([]string{"mail", "mail", "mail", "notes"}).Draw(t, "tool"), Version: drawVersion.Draw(t, "version"),
		Run: drawRun.Draw(t, "run"), Conditions: rapid.SliceOfN(drawCondition, 0, 2).Draw(t, "conditions"),
	}
	if rapid.Bool().Draw(t, "ends") {
		at := drawTime.Draw(t, "end")
		g.ExpiresAt = &at
	}
	if rapid.IntRange(0, 3).Draw(t, "revoked") == 0 {
		g.RevokedAt = &noon
	}
	return g
})

var drawMatter = rapid.Custom(func(t *rapid.T) matter {
	m := matter{
		policy: consent.Policy{
			Powers: rapid.MapOfN(rapid.SampledFrom([]tool.Power{tool.Read, tool.Write, tool.Outbound, "fly"}), drawPermission, 0, 4).Draw(t, "powers"),
			Tools:  rapid.MapOfN(rapid.SampledFrom([]string{"mail", "notes"}), drawPermission, 0, 2).Draw(t, "tools"),
		},
		grants: rapid.SliceOfN(drawGrant, 0, 4).Draw(t, "grants"),
		call: consent.Call{
			Tool: "mail", Version: drawVersion.Draw(t, "version"), Run: rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "run"), At: noon,
			Arguments: drawArguments.Draw(t, "arguments"),
			Before:    consent.History{Private: drawName.Draw(t, "private"), Untrusted: drawName.Draw(t, "untrusted")},
			Marks: tool.Marks{
				Powers: drawPowers.Draw(t, "needed"), Risk: tool.Risk(rapid.Int8Range(-1, 6).Draw(t, "risk")),
				ReadsPrivate: rapid.Bool().Draw(t, "readsPrivate"), ReadsUntrusted: rapid.Bool().Draw(t, "readsUntrusted"),
				CanTransmit: rapid.Bool().Draw(t, "canTransmit"),
			},
		},
	}
	if rapid.IntRange(0, 9).Draw(t, "stopped") == 0 {
		m.policy.Stopped = &consent.Stop{Who: "ada", At: noon}
	}
	return m
})

// needs are the powers that a call needs, restated.
func (m matter) needs() map[tool.Power]bool {
	needed := map[tool.Power]bool{}
	for _, power := range m.call.Marks.Powers {
		needed[power] = true
	}
	if m.call.Marks.CanTransmit {
		needed[tool.Outbound] = true
	}
	return needed
}

// set is the permission of a power as a person would read it, restated: what is not set is
// asked about, and a word that nobody knows is a no.
func (m matter) set(power tool.Power) string {
	word, ok := m.policy.Powers[power]
	switch {
	case !ok, word == consent.Ask:
		return "ask"
	case word == consent.Allow:
		return "allow"
	}
	return "deny"
}

// covered says whether a grant allows the call, restated.
func (m matter) covered(g consent.Grant) bool {
	if g.RevokedAt != nil || g.ExpiresAt != nil && g.ExpiresAt.Sub(m.call.At) <= 0 {
		return false
	}
	if g.Tool != m.call.Tool || m.call.Version == "" || g.Version != m.call.Version || g.Run != "" && g.Run != m.call.Run {
		return false
	}
	object, _ := m.call.Arguments.(map[string]any)
	for _, c := range g.Conditions {
		text, isText := object["to"].(string)
		holds := false
		switch c.Operator {
		case consent.Equals:
			holds = isText && text == "ada"
		case consent.Prefix:
			holds = isText && text == "bob"
		case consent.AtMost:
			holds = object["to"] == number("3")
		default: // one that is none
		}
		if !holds {
			return false
		}
	}
	return true
}

// oracle decides as the rules are written, one sentence after the other.
func (m matter) oracle() (verdict consent.Verdict, reason consent.Reason) {
	needed, asks := m.needs(), false
	own, hasOwn := m.policy.Tools[m.call.Tool]
	if m.policy.Stopped != nil {
		return consent.Refused, consent.Stopped
	}
	if hasOwn && own != consent.Allow && own != consent.Ask {
		return consent.Refused, consent.DeniedTool
	}
	for power := range needed {
		switch m.set(power) {
		case "deny":
			return consent.Refused, consent.DeniedPower
		case "ask":
			asks = true
		}
	}
	switch m.call.Marks.Risk {
	case tool.R1, tool.R2, tool.R3:
	default:
		return consent.MustAsk, consent.EveryTime
	}
	private := m.call.Before.Private != "" || m.call.Marks.ReadsPrivate
	untrusted := m.call.Before.Untrusted != "" || m.call.Marks.ReadsUntrusted
	if private && untrusted && m.call.Marks.CanTransmit {
		return consent.MustAsk, consent.Leak
	}
	if slices.ContainsFunc(m.grants, m.covered) {
		return consent.Allowed, consent.Granted
	}
	if asks || hasOwn && own == consent.Ask {
		return consent.MustAsk, consent.Setting
	}
	return consent.Allowed, consent.Setting
}

func TestDecisionsFollowTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatter.Draw(t, "matter")
		got := m.decide()
		if verdict, reason := m.oracle(); got.Verdict != verdict || got.Reason != reason {
			t.Fatalf("%s, %s; want %s, %s", got.Verdict, got.Reason, verdict, reason)
		}
		if (got.Grant != nil) != (got.Reason == consent.Granted) || got.Grant != nil && !m.covered(*got.Grant) {
			t.Fatalf("%s by the grant %+v", got.Verdict, got.Grant)
		}
		strictest := map[consent.Reason]string{consent.DeniedPower: "deny", consent.Setting: "ask"}[got.Reason]
		if got.Power != "" && (!m.needs()[got.Power] || m.set(got.Power) != strictest) {
			t.Fatalf("%s, %s about the power %q, which has %q", got.Verdict, got.Reason, got.Power, m.set(got.Power))
		}
	})
}

// TestWhatIsNeverSo looks at what must not come out, whatever else is so.
func TestWhatIsNeverSo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatter.Draw(t, "matter")
		got := m.decide().Verdict
		own, hasOwn := m.policy.Tools["mail"]
		denied := hasOwn && own != consent.Allow && own != consent.Ask
		for power := range m.needs() {
			denied = denied || m.set(power) == "deny"
		}
		switch {
		case denied && got != consent.Refused:
			t.Fatalf("what is denied is %s", got)
		case m.policy.Stopped != nil && got != consent.Refused:
			t.Fatalf("what is stopped is %s", got)
		case m.call.Marks.Risk >= tool.R4 && got == consent.Allowed:
			t.Fatal("R4 is allowed")
		case got == consent.Refused && !denied && m.policy.Stopped == nil:
			t.Fatal("what nobody denied is refused")
		}
		for _, g := range m.grants {
			if g.Version != m.call.Version && g.Covers(m.call) {
				t.Fatalf("%+v covers another version", g)
			}
		}
	})
}

func TestADenyNeverLoosens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatter.Draw(t, "matter")
		before := m.decide().Verdict
		if rapid.Bool().Draw(t, "of a tool") {
			m.policy.Tools = with(m.policy.Tools, rapid.SampledFrom([]string{"mail", "notes"}).Draw(t, "name"), consent.Deny)
		} else {
			m.policy.Powers = with(m.policy.Powers, rapid.SampledFrom([]tool.Power{tool.Read, tool.Write, tool.Outbound, "fly"}).Draw(t, "power"), consent.Deny)
		}
		if after := m.decide().Verdict; after > before {
			t.Fatalf("with one more deny, what was %s is %s", before, after)
		}
	})
}

func with[K comparable](given map[K]consent.Permission, name K, permission consent.Permission) map[K]consent.Permission {
	out := map[K]consent.Permission{name: permission}
	for one, p := range given {
		if one != name {
			out[one] = p
		}
	}
	return out
}

// TestAGrantLoosensNothingElse than calls of its tool in its version that would be asked about
// because of a setting.
func TestAGrantLoosensNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatter.Draw(t, "matter")
		g := drawGrant.Draw(t, "grant")
		before := m.decide()
		m.grants = append(slices.Clone(m.grants), g)
		after := m.decide()
		if after.Verdict == before.Verdict {
			return
		}
		if before.Verdict != consent.MustAsk || before.Reason != consent.Setting || after.Verdict != consent.Allowed {
			t.Fatalf("from %s, %s to %s, %s", before.Verdict, before.Reason, after.Verdict, after.Reason)
		}
		if g.Tool != m.call.Tool || g.Version != m.call.Version || g.Version == "" {
			t.Fatalf("%+v loosens a call of %s in version %q", g, m.call.Tool, m.call.Version)
		}
	})
}

func TestOrderPlaysNoPart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMatter.Draw(t, "matter")
		before := m.decide()
		m.grants = rapid.Permutation(m.grants).Draw(t, "grants")
		m.call.Marks.Powers = rapid.Permutation(m.call.Marks.Powers).Draw(t, "powers")
		if after := m.decide(); after.Verdict != before.Verdict || after.Reason != before.Reason {
			t.Fatalf("%s, %s in another order is %s, %s", before.Verdict, before.Reason, after.Verdict, after.Reason)
		}
	})
}
