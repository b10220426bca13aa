package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
)

// FuzzReadDrafts: whatever the JSON, reading chains ends, says the same twice, gives every
// fault a place, and what it accepts can be written, read again and put into a graph.
func FuzzReadDrafts(f *testing.F) {
	for text := range goodChains {
		f.Add([]byte(text))
	}
	for text := range wrongChains {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := value.Decode(text)
		if err != nil {
			t.Skip()
		}
		given := value.JSON(v)
		list, faults := task.ReadDrafts(v)
		if value.JSON(v) != given {
			t.Error("reading has changed the value")
		}
		if _, again := task.ReadDrafts(v); !cmp.Equal(faults, again) {
			t.Errorf("a second reading says something else:\n%s", cmp.Diff(faults, again))
		}
		holdDrafts(t, list, faults)
		for _, d := range flat(list) {
			filled, failure := task.Fill(d.Data, v, true)
			if failure == nil && !task.UsesPrevious(d.Data) && !value.Equal(filled, d.Data) {
				t.Errorf("%s has no reference, and became %s", value.JSON(d.Data), value.JSON(filled))
			}
		}
	})
}
