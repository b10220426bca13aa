package registry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/registry"
)

var errDisk = errors.New("disk I/O error")

// TestAStoreThatFails has each operation of the store fail in each verb, at each time that
// the verb asks for it: the error is passed on, and nothing is changed.
func TestAStoreThatFails(t *testing.T) {
	t.Parallel()
	next := parts{version: 3}.text()
	verbs := map[string]func(*shelf) error{
		"install another": func(s *shelf) error { _, err := s.install(parts{id: "other"}.text()); return err },
		"install a newer": func(s *shelf) error { _, err := s.install(next); return err },
		"enable":          func(s *shelf) error { _, _, err := s.enable("made-up"); return err },
		"rollback":        func(s *shelf) error { _, _, err := s.rollback("made-up", 0); return err },
		"rollback to one": func(s *shelf) error { _, _, err := s.rollback("made-up", 1); return err },
		"remove":          func(s *shelf) error { _, err := s.remove("made-up"); return err },
		"get":             func(s *shelf) error { _, err := s.get("made-up"); return err },
		"list": func(s *shelf) error {
			return s.do(func(ctx context.Context, r *registry.Registry) error { _, err := r.List(ctx); return err })
		},
		"version": func(s *shelf) error {
			return s.do(func(ctx context.Context, r *registry.Registry) error {
				_, err := r.Version(ctx, "made-up", 1)
				return err
			})
		},
		"note": func(s *shelf) error {
			return s.do(func(ctx context.Context, r *registry.Registry) error { return r.Note(ctx, "look", "made-up", 1, "") })
		},
	}
	for name, verb := range verbs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			s.installed(parts{version: 1}.text(), parts{version: 2}.text())
			before := fmt.Sprint(s.show(), s.versions("made-up"), s.audit(""))
			failures := 0
			for at := 1; ; at++ {
				asked, failed := 0, ""
				s.fail = func(operation string) error {
					if asked++; asked == at {
						failed = operation
						return errDisk
					}
					return nil
				}
				err := verb(s)
				s.fail = nil
				if failed == "" { // the verb asks less often than that
					if err != nil {
						t.Fatal(err)
					}
					break
				}
				failures++
				if !errors.Is(err, errDisk) {
					t.Errorf("%s failed, operation %d, and the error is %v", failed, at, err)
				}
				if diff := cmp.Diff(before, fmt.Sprint(s.show(), s.versions("made-up"), s.audit(""))); diff != "" {
					t.Fatalf("%s failed, operation %d, and something changed:\n%s", failed, at, diff)
				}
			}
			if failures == 0 {
				t.Error("the verb asks the store for nothing")
			}
		})
	}
}

// TestAToolWithoutItsVersion is a store that was damaged: its list says so, instead of
// leaving the tool out.
func TestAToolWithoutItsVersion(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{}.text())
	err := s.do(func(ctx context.Context, r *registry.Registry) error { return r.DropVersions(ctx, "made-up") })
	if err != nil {
		t.Fatal(err)
	}
	_, getErr := s.get("made-up")
	listErr := s.do(func(ctx context.Context, r *registry.Registry) error { _, err := r.List(ctx); return err })
	_, installErr := s.install(parts{version: 2}.text())
	for _, err := range []error{getErr, listErr, installErr} {
		wantCode(t, err, registry.CodeVersionNotFound, "has no version 1")
	}
	if _, err := s.remove("made-up"); err != nil {
		t.Errorf("it cannot even be removed: %v", err)
	}
}
