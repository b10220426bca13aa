package native_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"toolsmith/internal/runner/native"
	"toolsmith/tool"
)

// TestWhatACallAsksFor is counted from the beginning of each call, whatever it is, and what it has to
// wait for ends the call whatever the tool makes of it.
func TestWhatACallAsksFor(t *testing.T) {
	t.Parallel()
	waits := errors.New("waits")
	for name, c := range map[string]struct {
		waitsFor string
		ends     error
		value    any
	}{
		"all is answered":     {"", nil, "ask[0] ask[2] INTERACTION_REFUSED"},
		"the first waits":     {"ask[0]", waits, nil},
		"the page waits":      {"ask[1]", waits, nil},
		"what follows, too":   {"ask[2]", waits, nil},
		"one that is not met": {"ask[4]", nil, "ask[0] ask[2] INTERACTION_REFUSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hold := func(key string) error {
				switch key {
				case c.waitsFor:
					return fmt.Errorf("asked: %w", waits)
				case "ask[3]":
					return tool.Errorf(tool.CodeInteractionRefused, "Ada said no.")
				}
				return nil
			}
			forms := native.Forms{
				Ask:   func(_ context.Context, key string, _ tool.Form) (any, error) { return key, hold(key) },
				Popup: func(_ context.Context, key, _ string) error { return hold(key) },
			}
			asks := tool.MustNew(tool.Spec{Name: "ask", Description: "Asks."}, func(ctx *tool.Context, _ struct{}) (any, error) {
				first, _ := ctx.Ask(tool.Form{Title: "A"})
				_ = ctx.Popup("https://example.org") // it goes on whatever comes of it
				second, _ := ctx.Ask(tool.Form{Title: "B"})
				_, err := ctx.Ask(tool.Form{Title: "C"})
				return fmt.Sprint(first, " ", second, " ", tool.Code(err)), nil
			})
			result, again, err := native.Run(t.Context(), asks, map[string]any{}, native.Surroundings{Forms: forms})
			if !errors.Is(err, c.ends) || (err == nil) != (c.ends == nil) || again != nil || result.Value != c.value {
				t.Errorf("it comes to %v, %v, %v", result.Value, again, err)
			}
		})
	}
}

// TestWithoutAPerson nothing can be asked.
func TestWithoutAPerson(t *testing.T) {
	t.Parallel()
	asks := tool.MustNew(tool.Spec{Name: "ask", Description: "Asks."}, func(ctx *tool.Context, _ struct{}) (any, error) {
		if err := ctx.Popup("https://example.org"); tool.Code(err) != tool.CodeContextUnavailable {
			return nil, fmt.Errorf("popup: %w", err)
		}
		return ctx.Ask(tool.Form{Title: "A"})
	})
	if _, _, err := native.Run(t.Context(), asks, map[string]any{}, native.Surroundings{}); tool.Code(err) != tool.CodeContextUnavailable {
		t.Errorf("the error is %v", err)
	}
}
