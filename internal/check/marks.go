package check

import (
	"slices"

	"toolsmith/internal/manifest"
	"toolsmith/tool"
)

// marks works out what the tool can do from the steps that can be reached and from what
// they name to undo them. It is called for manifests without fault only.
func (c *checker) marks() tool.Marks {
	t := &tally{catalogue: c.catalogue, defaults: c.m.ModelDefaults, compensated: true}
	t.marks.Risk = tool.R1
	for i, s := range c.graph.steps {
		if !c.graph.reachable[i] {
			continue
		}
		t.step(s)
		for _, inner := range s.Body {
			t.step(inner)
		}
	}
	return t.done()
}

// done gives the marks that were added up.
func (t *tally) done() tool.Marks {
	switch {
	case !t.writes:
		t.marks.Reversibility = tool.ReadOnly
	case t.compensated:
		t.marks.Reversibility = tool.Compensable
	default:
		t.marks.Reversibility = tool.Irreversible
	}
	t.marks.Powers = sorted(t.marks.Powers)
	t.marks.Capabilities = sorted(t.marks.Capabilities)
	t.marks.ModelPrivacy = sorted(t.marks.ModelPrivacy)
	t.marks.CanTransmit = t.marks.Has(tool.Outbound)
	return t.marks
}

func sorted[T ~string](list []T) []T {
	slices.Sort(list)
	list = slices.Compact(list)
	if list == nil {
		return []T{}
	}
	return list
}

// tally adds up the marks.
type tally struct {
	catalogue *tool.Catalogue
	defaults  *manifest.Requirements
	marks     tool.Marks
	// writes: something is changed, here or elsewhere.
	writes bool
	// compensated: every write so far names what truly undoes it.
	compensated bool
}

func (t *tally) step(s *manifest.Step) {
	switch s.Type { //nolint:exhaustive // the others only compute
	case manifest.StepLLM:
		t.marks.ModelPrivacy = append(t.marks.ModelPrivacy, privacy(s.Requirements, t.defaults))
	case manifest.StepCapability:
		capability, _ := t.catalogue.Get(s.Capability.Value())
		t.reach(capability)
		if capability.Power != tool.Read && !(capability.Power == tool.Outbound && capability.Idempotent) {
			t.writes = true
			t.compensated = t.compensated && s.Compensation != nil
		}
		if s.Compensation != nil {
			undo, _ := t.catalogue.Get(s.Compensation.Capability.Value())
			t.reach(undo)
		}
	}
}

func (t *tally) reach(c tool.Capability) {
	t.marks.Capabilities = append(t.marks.Capabilities, c.Name)
	t.marks.Powers = append(t.marks.Powers, c.Power)
	t.marks.Risk = max(t.marks.Risk, c.Risk)
	t.marks.ReadsPrivate = t.marks.ReadsPrivate || c.Private
	t.marks.ReadsUntrusted = t.marks.ReadsUntrusted || c.Untrusted
}

// privacy is what a model step allows its data to be sent to.
func privacy(own, defaults *manifest.Requirements) string {
	for _, r := range []*manifest.Requirements{own, defaults} {
		if r != nil && r.Privacy.Ok() {
			return r.Privacy.Value()
		}
	}
	return PrivacyByDefault
}
