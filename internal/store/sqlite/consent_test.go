package sqlite

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/store"
)

// TestApprovalsAreGrants: what somebody allowed before there were grants still holds, for that
// version alone.
func TestApprovalsAreGrants(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/before-chain.sql")
	if err != nil {
		t.Fatal(err)
	}
	first, second := strings.Repeat("0a", 32), strings.Repeat("f1", 32)
	dir := t.TempDir()
	makeStore(t, dir, string(text)+"INSERT INTO approvals (digest, tool_id, who, at) VALUES ('"+
		first+"', 'keep', 'ada', 1764400000000001), ('"+second+"', 'it''s', 'bob', 1764400000000002);")

	s := open(t, dir)
	want := []consent.Grant{
		{ID: strings.ToUpper(second[:26]), Tool: "dynamic:it's", Version: second, Who: "bob", From: "terminal", At: time.UnixMicro(1764400000000002).UTC()},
		{ID: strings.ToUpper(first[:26]), Tool: "dynamic:keep", Version: first, Who: "ada", From: "terminal", At: time.UnixMicro(1764400000000001).UTC()},
	}
	err = s.Read(t.Context(), func(tx store.Tx) error {
		got, err := tx.Consent().ListGrants(t.Context())
		for i := range got {
			if len(got[i].Conditions) == 0 {
				got[i].Conditions = nil
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("grants (-want +got):\n%s", diff)
		}
		policy, policyErr := tx.Consent().Policy(t.Context())
		if policyErr != nil || policy.Revision != 1 || policy.Stopped != nil || len(policy.Powers)+len(policy.Tools)+len(policy.Hosts) > 0 {
			t.Errorf("the policy is %+v, %v", policy, policyErr)
		}
		call := consent.Call{Tool: "dynamic:keep", Version: first, At: time.Now()}
		if !slices.ContainsFunc(got, func(g consent.Grant) bool { return g.Covers(call) }) {
			t.Error("what was allowed is not any more")
		}
		call.Version = second
		if slices.ContainsFunc(got, func(g consent.Grant) bool { return g.Covers(call) }) {
			t.Error("another version is allowed")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := verified(t, s); len(found) > 0 {
		t.Errorf("the audit has %v", found)
	}
}

// TestTheGateNeedsFewStatements: it is before every call.
func TestTheGateNeedsFewStatements(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), open(t, t.TempDir())
	expect := func(doing string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s needs %v; want %v", doing, got, want)
		}
	}
	expect("looking whether anything was set", counted(t, s, func(tx store.Tx) error {
		_, err := tx.Consent().Revision(ctx)
		return err
	}), "PolicyRevision")
	expect("reading what is set", counted(t, s, func(tx store.Tx) error {
		_, err := tx.Consent().Policy(ctx)
		return err
	}), "PolicyRow", "Permissions")
	expect("revoking what is not there", counted(t, s, func(tx store.Tx) error {
		_, err := tx.Consent().RevokeGrant(ctx, "none", time.Now())
		return err
	}), "RevokeGrant")
	expect("closing all that is open", counted(t, s, func(tx store.Tx) error { return tx.Consent().CloseQuestions(ctx, "") }), "CloseAllQuestions")
}

// TestWhatCannotBeRead of what is kept is told, and not passed over: a condition that nobody
// sees would not hold anybody back.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	if err := s.Write(t.Context(), func(tx store.Tx) error {
		if err := tx.Consent().AddGrant(t.Context(), consent.Grant{ID: "g", Tool: "a"}); err != nil {
			return err
		}
		return tx.Consent().PutQuestion(t.Context(), consent.Question{ID: "q", Run: "r", Shape: "s", State: consent.Open})
	}); err != nil {
		t.Fatal(err)
	}
	addRun(t.Context(), t, s, "r")
	execute(t, s, "UPDATE grants SET conditions = '[{\"path\"'")
	execute(t, s, "UPDATE questions SET data = x'7b'")
	for name, fn := range map[string]func(context.Context, consent.Store) error{
		"ListGrants": func(ctx context.Context, c consent.Store) error { _, err := c.ListGrants(ctx); return err },
		"Question":   func(ctx context.Context, c consent.Store) error { _, _, err := c.Question(ctx, "q"); return err },
		"OpenQuestion": func(ctx context.Context, c consent.Store) error {
			_, _, err := c.OpenQuestion(ctx, "r", "s")
			return err
		},
		"ListQuestions":      func(ctx context.Context, c consent.Store) error { _, err := c.ListQuestions(ctx, false, 0); return err },
		"ListQuestions open": func(ctx context.Context, c consent.Store) error { _, err := c.ListQuestions(ctx, true, 0); return err },
	} {
		if err := s.Read(t.Context(), func(tx store.Tx) error { return fn(t.Context(), tx.Consent()) }); err == nil {
			t.Errorf("%s reads what is broken", name)
		}
	}
}
