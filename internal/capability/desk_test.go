package capability_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolsmith/internal/capability"
	"toolsmith/internal/local"
	"toolsmith/internal/local/localtest"
)

// desk is a host over a book in memory, with ids "01JD0…01", "01JD0…02" and so on; each
// look at the clock is a minute after the one before.
type desk struct {
	host  *capability.Host
	book  *local.Book
	shelf *localtest.Shelf
}

func newDesk() desk {
	shelf := localtest.NewShelf()
	minutes, made := -1, 0
	now := func() time.Time {
		minutes++
		return time.Date(2026, 11, 27, 9, minutes, 0, 0, time.UTC)
	}
	newID := func() string {
		made++
		return id(made)
	}
	return desk{capability.NewHost(), local.NewBook(shelf, now, newID), shelf}
}

func id(n int) string { return fmt.Sprintf("01JD%022d", n) }

// try calls a capability with an input in JSON; #1 in it stands for the first id, and
// so on to #9.
func (d desk) try(t *testing.T, name, input string) (capability.Result, error) {
	t.Helper()
	for n := 1; n <= 9; n++ {
		input = strings.ReplaceAll(input, fmt.Sprintf("#%d", n), id(n))
	}
	return d.host.Call(t.Context(), d.book, capability.Call{Name: name, Input: parse(t, input)})
}

// call calls a capability that must succeed. The input must fit its schema, and the
// result must fit the other one. It gives the result as compact JSON.
func (d desk) call(t *testing.T, name, input string) string {
	t.Helper()
	result, err := d.try(t, name, input)
	if err != nil {
		t.Fatalf("%s %s: %v", name, input, err)
	}
	described, ok := d.host.Catalogue().Get(name)
	if !ok {
		t.Fatalf("%s is not in the catalogue", name)
	}
	if err := compile(t, described.Input).Validate(parse(t, input)); err != nil && !strings.Contains(input, "#") {
		t.Errorf("the input of %s: %v", name, err)
	}
	if err := compile(t, described.Result).Validate(result.Value); err != nil {
		t.Errorf("the result of %s: %v", name, err)
	}
	return compact(t, result.Value)
}

func parse(t testing.TB, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func compact(t testing.TB, value any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}

func compile(t testing.TB, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("schema.json", parse(t, string(text))); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// wantError checks an error that a host gave.
func wantError(t *testing.T, err error, want capability.Error) {
	t.Helper()
	var got *capability.Error
	if !errors.As(err, &got) {
		t.Fatalf("the error is %v; want %+v", err, want)
	}
	if got.Capability != want.Capability || got.Permanent != want.Permanent || got.Code != want.Code || got.Field != want.Field {
		t.Fatalf("the error is %+v (%v); want %+v", got, got.Cause, want)
	}
	if got.Public == "" {
		t.Error("the error says nothing to people")
	}
}

func invalid(name, field string) capability.Error {
	return capability.Error{Capability: name, Permanent: true, Code: local.CodeInvalid, Field: field}
}

func background() context.Context { return context.Background() }
