package quickjs_test

import (
	"context"
	"testing"

	"toolsmith/internal/runner/script/quickjs"
)

func newEngine(t testing.TB, o quickjs.Options) *quickjs.Engine {
	t.Helper()
	e := quickjs.New(o)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

func newImage(t testing.TB, e *quickjs.Engine, text string) *quickjs.Image {
	t.Helper()
	image, err := e.Image(t.Context(), nil, nil, quickjs.Budget{}, quickjs.Script{Name: "runtime.js", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// call opens a sandbox for one call.
func call(t testing.TB, e *quickjs.Engine, image *quickjs.Image, entry string, arguments ...string) (string, error) {
	t.Helper()
	s, err := e.Open(t.Context(), image, nil, quickjs.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Call(t.Context(), entry, arguments...)
}
