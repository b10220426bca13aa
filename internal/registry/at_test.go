package registry_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"toolsmith/internal/registry"
	"toolsmith/tool"
)

// life is a tool with what is known of it after each line of the audit.
type life struct {
	*shelf
	newest, active int64
	on             bool
	// inForce has the version that can be called after each line; 0 for off, -1 for not there.
	inForce []int64
}

// step does one thing, where it can be done.
func (l *life) step(kind string) error {
	switch kind {
	case "install":
		l.newest++
		l.active, l.on = l.newest, false
		_, err := l.install(parts{version: int(l.newest)}.text())
		return l.line(err)
	case "turn":
		if l.newest == 0 {
			return nil
		}
		turn := l.enable
		if l.on {
			turn = l.disable
		}
		l.on = !l.on
		_, _, err := turn("made-up")
		return l.line(err)
	case "back":
		if l.active < 2 {
			return nil
		}
		l.active--
		l.on = false
		_, _, err := l.rollback("made-up", l.active)
		return l.line(err)
	default: // another tool is turned on or off
		if _, changed, err := l.enable("other"); err != nil || changed {
			return l.line(err)
		}
		_, _, err := l.disable("other")
		return l.line(err)
	}
}

func (l *life) line(err error) error {
	state := int64(-1)
	switch {
	case l.on:
		state = l.active
	case l.newest > 0:
		state = 0
	}
	l.inForce = append(l.inForce, state)
	return err
}

// at asks what could be called after a line.
func (l *life) at(pin int64) (got int64, err error) {
	err = l.do(func(ctx context.Context, r *registry.Registry) error {
		c, err := r.At(ctx, "made-up", pin)
		switch {
		case err == nil:
			got = c.Version()
		case tool.Code(err) == registry.CodeOff:
			got = 0
		case tool.Code(err) == registry.CodeNotFound:
			got = -1
		default:
			return err
		}
		return nil
	})
	return got, err
}

// TestWhatWasInForce asks at every line of a long audit which version could be called then.
func TestWhatWasInForce(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for range 4 {
		l := &life{shelf: newShelf(t), inForce: []int64{-1}}
		l.installed(parts{id: "other"}.text())
		_ = l.line(nil)
		for range 40 {
			kind := []string{"install", "turn", "turn", "turn", "back", "other"}[random.IntN(6)]
			if err := l.step(kind); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
		}
		for pin, want := range l.inForce {
			if got, err := l.at(int64(pin)); err != nil || got != want {
				t.Errorf("at line %d: %d, %v; want %d", pin, got, err, want)
			}
		}
	}
}
