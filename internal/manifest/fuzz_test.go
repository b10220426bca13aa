package manifest_test

import (
	"os"
	"slices"
	"testing"

	"toolsmith/internal/conformance"
	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// FuzzManifestParse: whatever the text, reading it ends, says the same twice, and gives
// nothing whose place is not in the text. What is not complained of is there.
func FuzzManifestParse(f *testing.F) {
	f.Add([]byte(whole))
	file, err := os.ReadFile("../../testdata/conformance/check.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range conformance.Cases(f, file) {
		f.Add(c.Text("manifest"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		given := string(text)
		m, found := manifest.Parse(text)
		list := found.Sorted()
		_, again := manifest.Parse(text)
		if !slices.Equal(list, again.Sorted()) || string(text) != given {
			t.Errorf("a second time something else:\n%s", show(list))
		}
		for _, d := range list {
			if d.Offset < 0 || d.Offset > len(text) || d.Line < 1 || d.Column < 1 || d.Level != manifest.LevelError || d.Message == "" {
				t.Errorf("%+v", d)
			}
		}
		if !slices.IsSortedFunc(list, func(a, b manifest.Diagnostic) int { return a.Offset - b.Offset }) {
			t.Errorf("not in order:\n%s", show(list))
		}
		if m == nil {
			if len(list) != 1 && !manifest.HasErrors(list) {
				t.Error("no manifest, and no reason")
			}
			return
		}
		if len(text) > manifest.MaxSize {
			t.Errorf("%d bytes are read", len(text))
		}
		holdPlaces(t, m.Root, len(text))
		if !manifest.HasErrors(list) {
			holdRequired(t, m)
		}
	})
}

// holdPlaces checks that every value is in the text, within the one that holds it.
func holdPlaces(t *testing.T, n *value.Node, end int) {
	if n.Offset < 0 || n.End < n.Offset || int(n.End) > end {
		t.Errorf("%s is at %d to %d of %d", n.Path(), n.Offset, n.End, end)
	}
	for kid := range n.Kids() {
		if kid.Offset <= n.Offset || kid.Parent() != n {
			t.Errorf("%s is not in %s", kid.Path(), n.Path())
		}
		holdPlaces(t, kid, int(n.End))
	}
}

// holdRequired checks that a manifest without structural fault has what later stations
// rely on.
func holdRequired(t *testing.T, m *manifest.Manifest) {
	ok := m.Schema.Ok() && m.ID.Ok() && m.Version.Ok() && m.Title.Ok() && m.Description.Ok() && m.CreatedAt.Ok() &&
		m.Network != nil && m.Network.Mode.Ok() && m.Network.DomainsNode != nil &&
		m.Flow != nil && m.Flow.Entry.Ok() && m.Flow.MaxTransitions.Ok() && m.Flow.NodesNode != nil
	for _, c := range m.Credentials {
		ok = ok && c.ID.Ok() && c.Kind.Ok() && c.Purpose.Ok()
	}
	for _, trigger := range m.Triggers {
		ok = ok && trigger.ID.Ok() && trigger.Type.Ok() && trigger.Enabled.Ok()
		if s := trigger.Schedule; s != nil {
			ok = ok && s.Kind.Ok() && (s.Hour.Ok() && s.Minute.Ok() || s.Minutes.Ok())
		}
	}
	if m.State != nil {
		ok = ok && m.State.SchemaVersion.Ok() && m.State.MaxBytes.Ok() && m.State.Fields != nil
	}
	if m.UI != nil {
		ok = ok && m.UI.Title.Ok()
	}
	if !ok {
		t.Error("a required field is not there, and nothing was said")
	}
	if m.Flow == nil {
		return
	}
	for _, s := range m.Flow.Steps {
		if !s.ID.Ok() {
			t.Errorf("%s has no id", s.Node.Path())
		}
		s.Edges(func(name string, to manifest.Text) {
			if !to.Ok() {
				t.Errorf("%s has no %s", s.Node.Path(), name)
			}
		})
		holdStep(t, s)
		for _, inner := range s.Body {
			holdStep(t, inner)
		}
	}
}

func holdStep(t *testing.T, s *manifest.Step) {
	ok := false
	switch s.Type {
	case manifest.StepSet:
		ok = s.Target.Ok() && s.Value != nil
	case manifest.StepCapability:
		ok = s.Capability.Ok() && s.Input != nil
	case manifest.StepLLM:
		ok = s.Op.Ok() && s.Input != nil && s.Target.Ok()
	case manifest.StepIf:
		ok = s.Condition != nil && s.Condition.Left != nil && s.Condition.Op.Ok()
	case manifest.StepForeach:
		ok = s.Source != nil && s.ItemVar.Ok() && s.MaxItems.Ok() && s.BodyNode != nil
	case manifest.StepReturn:
		ok = s.Value != nil
	case manifest.StepFail:
		ok = s.Code.Ok() && s.Message.Ok()
	}
	if s.Retry != nil {
		ok = ok && s.Retry.MaxAttempts.Ok()
	}
	if s.Compensation != nil {
		ok = ok && s.Compensation.Capability.Ok() && s.Compensation.Input != nil
	}
	if !ok {
		t.Errorf("%s lacks what a step %q needs, and nothing was said", s.Node.Path(), s.Type)
	}
}
