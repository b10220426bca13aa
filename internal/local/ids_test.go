package local_test

import (
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/local"
)

func TestIDsSortByTheTimeOfCreation(t *testing.T) {
	t.Parallel()
	clock := dawn
	newID := local.NewIDs(func() time.Time { return clock })
	form := regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

	var ids []string
	for _, step := range []time.Duration{0, 0, time.Millisecond, time.Hour, -24 * time.Hour, -100 * 365 * 24 * time.Hour} {
		clock = clock.Add(step)
		for range 200 {
			ids = append(ids, newID())
		}
	}

	for _, one := range ids {
		if !form.MatchString(one) {
			t.Fatalf("%q is no ULID in upper case", one)
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("an id is not higher than the one before it")
	}
}

func TestIDsAreDifferentForAll(t *testing.T) {
	t.Parallel()
	newID := local.NewIDs(func() time.Time { return dawn })
	var all sync.Map
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 500 {
				if _, again := all.LoadOrStore(newID(), true); again {
					t.Error("an id was given twice")
				}
			}
		})
	}
	group.Wait()
}

func TestFoldedTextsAreEqualWhateverTheirCase(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"Hello", "hELLO"}, {"ÅNGSTRÖM", "a\u030angstro\u0308m"}, {"Maße", "MASSE"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος"}, {"ПРИВЕТ", "привет"}, {"ＡＢＣ", "ａｂｃ"}, {"", ""}, {"東京", "東京"},
	} {
		if a, b := local.Fold(pair[0]), local.Fold(pair[1]); a != b {
			t.Errorf("%q and %q fold into %q and %q", pair[0], pair[1], a, b)
		}
	}
	for _, text := range []string{"a b", "Ǆ", "ﬁne", "I\u0307", "İstanbul"} {
		if once := local.Fold(text); local.Fold(once) != once {
			t.Errorf("%q folds further", text)
		}
	}
}
