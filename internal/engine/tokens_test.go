package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	token, err := h.AddToken(ctx, "editor", []string{"notes.list"})
	if err != nil || len(token) < 20 {
		t.Fatalf("%q, %v", token, err)
	}
	found, ok, err := h.TokenOf(ctx, engine.TokenHash(token))
	if err != nil || !ok || found.Name != "editor" || cmp.Diff([]string{"notes.list"}, found.Tools) != "" || strings.Contains(found.Hash, token) {
		t.Errorf("%+v, %v, %v", found, ok, err)
	}
	if _, ok, err := h.TokenOf(ctx, engine.TokenHash("guess")); ok || err != nil {
		t.Errorf("a guess is found: %v, %v", ok, err)
	}
	for name, want := range map[string]string{"editor": engine.CodeTokenExists, "": engine.CodeTokenInvalid, "a b": engine.CodeTokenInvalid, strings.Repeat("a", 65): engine.CodeTokenInvalid} {
		_, err := h.AddToken(ctx, name, nil)
		wantCode(t, err, want)
	}
	agent := engine.ActAs(ctx, engine.Actor{Who: "editor", From: "http", Agent: true})
	_, err = h.AddToken(agent, "another", nil)
	wantCode(t, err, consent.CodeForbidden)
	wantCode(t, h.RemoveToken(agent, "editor"), consent.CodeForbidden)
	wantCode(t, h.RemoveToken(ctx, "another"), engine.CodeTokenNotFound)
	if err := h.RemoveToken(engine.ActAs(ctx, engine.Actor{Who: "bob", From: "page"}), "editor"); err != nil {
		t.Error(err)
	}
	if list, err := h.Tokens(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	lines := h.audit(t)
	if len(lines) != 2 || !strings.Contains(lines[1], "token-remove") || !strings.HasPrefix(lines[1], "bob ") || !strings.Contains(lines[0], "editor, for notes.list") {
		t.Errorf("audit %q", lines)
	}
}
