package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

func consentTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"what is set is kept":                    permissionsAreKept,
		"a stop is kept, and taken back":         stopsAreKept,
		"the revision grows with every change":   revisionsGrow,
		"a grant is kept with all that it has":   grantsAreKept,
		"a grant is there once":                  grantsAreUnique,
		"a grant is revoked once":                grantsAreRevoked,
		"a question is kept as it is":            questionsAreKept,
		"an open question is found by its shape": questionsAreFound,
		"questions are listed newest first":      questionsAreListed,
		"questions are closed":                   questionsAreClosed,
		"a call was asked about in one question": callsAreAsked,
	}
}

func policyOf(ctx context.Context, tx store.Tx) (consent.Policy, error) {
	return tx.Consent().Policy(ctx)
}

func revisionOf(ctx context.Context, tx store.Tx) (int64, error) { return tx.Consent().Revision(ctx) }

func listGrants(ctx context.Context, tx store.Tx) ([]consent.Grant, error) {
	return tx.Consent().ListGrants(ctx)
}

func setPermission(kind, name string, permission consent.Permission) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		return tx.Consent().SetPermission(ctx, kind, name, permission)
	}
}

func addGrant(g consent.Grant) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Consent().AddGrant(ctx, g) }
}

func putQuestions(list ...consent.Question) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		for _, q := range list {
			if err := tx.Consent().PutQuestion(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}
}

func permissionsAreKept(t *testing.T, s store.Store) {
	want := consent.Policy{Revision: read(t, s, revisionOf)}
	if diff := difference(want, read(t, s, policyOf)); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	for _, one := range []struct {
		kind, name string
		permission consent.Permission
	}{
		{consent.KindPower, "read", consent.Deny},
		{consent.KindPower, "read", consent.Allow},
		{consent.KindPower, "write", consent.Deny},
		{consent.KindTool, "read", consent.Ask},
		{consent.KindTool, "dynamic:a'b", consent.Deny},
		{consent.KindTool, "gone", consent.Deny},
		{consent.KindHost, "printer.local", consent.Allow},
		{consent.KindTool, "gone", ""},
		{consent.KindHost, "dynamic:a'b", ""},
	} {
		write(t, s, setPermission(one.kind, one.name, one.permission))
	}
	want = consent.Policy{
		Revision: read(t, s, revisionOf),
		Powers:   map[tool.Power]consent.Permission{tool.Read: consent.Allow, tool.Write: consent.Deny},
		Tools:    map[string]consent.Permission{"read": consent.Ask, "dynamic:a'b": consent.Deny},
		Hosts:    map[string]consent.Permission{"printer.local": consent.Allow},
	}
	if diff := difference(want, read(t, s, policyOf)); diff != "" {
		t.Errorf("what is set (-want +got):\n%s", diff)
	}
}

func setStopped(stop *consent.Stop) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Consent().SetStopped(ctx, stop) }
}

func stopsAreKept(t *testing.T, s store.Store) {
	write(t, s, setPermission(consent.KindPower, "read", consent.Deny))
	write(t, s, setStopped(&consent.Stop{Who: "ada", At: noon.In(time.FixedZone("", 3600))}))
	stopped := read(t, s, policyOf)
	if diff := difference(&consent.Stop{Who: "ada", At: noon}, stopped.Stopped); diff != "" || stopped.Powers[tool.Read] != consent.Deny {
		t.Errorf("stopped (-want +got):\n%s%+v", diff, stopped)
	}
	write(t, s, setStopped(nil))
	if started := read(t, s, policyOf); started.Stopped != nil || started.Powers[tool.Read] != consent.Deny {
		t.Errorf("started again it is %+v", started)
	}
}

// revisionsGrow: who keeps what was read looks at the revision alone, so that nothing that
// counts may change without it, and what comes to nothing leaves it.
func revisionsGrow(t *testing.T, s store.Store) {
	last := read(t, s, revisionOf)
	expect := func(doing string, grows bool) {
		t.Helper()
		now := read(t, s, revisionOf)
		if (now > last) != grows || now < last {
			t.Errorf("%s: the revision was %d and is %d", doing, last, now)
		}
		if policy := read(t, s, policyOf); policy.Revision != now {
			t.Errorf("%s: the policy has the revision %d, and there is %d", doing, policy.Revision, now)
		}
		last = now
	}
	revoke := func(id string) func(context.Context, store.Tx) error {
		return func(ctx context.Context, tx store.Tx) error { return failed(tx.Consent().RevokeGrant(ctx, id, noon)) }
	}
	for _, step := range []struct {
		doing string
		grows bool
		do    func(context.Context, store.Tx) error
	}{
		{"setting", true, setPermission(consent.KindPower, "read", consent.Deny)},
		{"setting something else", true, setPermission(consent.KindPower, "read", consent.Ask)},
		{"setting for a tool", true, setPermission(consent.KindTool, "a", consent.Deny)},
		{"taking back", true, setPermission(consent.KindTool, "a", "")},
		{"stopping", true, setStopped(&consent.Stop{Who: "ada", At: noon})},
		{"starting", true, setStopped(nil)},
		{"granting", true, addGrant(consent.Grant{ID: "g", Tool: "a"})},
		{"revoking", true, revoke("g")},
		{"revoking again", false, revoke("g")},
		{"revoking nothing", false, revoke("h")},
		{"asking", false, putQuestions(question("q", runID(1), "s"))},
		{"asking about a call", false, putAsked(consent.Asked{Run: runID(1), Question: "q"})},
		{"closing", false, closeQuestions("")},
	} {
		write(t, s, step.do)
		expect(step.doing, step.grows)
	}
	refused(t, s, errStop, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(setPermission(consent.KindTool, "a", consent.Deny)(ctx, tx), errStop)
	})
	expect("failing", false)
	if err := s.Trial(t.Context(), func(tx store.Tx) error { return addGrant(consent.Grant{ID: "h"})(t.Context(), tx) }); err != nil {
		t.Error(err)
	}
	expect("a trial", false)
}

// fullGrant makes one that has everything.
func fullGrant(id string) consent.Grant {
	ends, revoked := noon.Add(time.Hour), noon.Add(time.Minute)
	return consent.Grant{
		ID: id, Tool: "dynamic:a", Version: "digest", Approved: "sha256", Run: runID(1),
		Conditions: []consent.Condition{
			{Path: "to", Operator: consent.OneOf, Value: []any{"ada", "b\u2028ob", "\xed\xa0\xbd"}},
			{Path: "$.item.price", Operator: consent.AtMost, Value: json.Number("12345678901234567890.50")},
		},
		ExpiresAt: &ends, Who: "ada", From: "terminal", At: noon, RevokedAt: &revoked,
	}
}

func grantsAreKept(t *testing.T, s store.Store) {
	full, plain := fullGrant("01B"), consent.Grant{ID: "01C", Tool: "b", At: dawn}
	oldest := fullGrant("01A")
	oldest.RevokedAt = nil
	for _, g := range []consent.Grant{full, plain, oldest} {
		write(t, s, addGrant(g))
	}
	if diff := difference([]consent.Grant{plain, full, oldest}, read(t, s, listGrants)); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func grantsAreUnique(t *testing.T, s store.Store) {
	write(t, s, addGrant(fullGrant("01A")))
	other := consent.Grant{ID: "01A", Tool: "other"}
	if err := s.Write(t.Context(), func(tx store.Tx) error { return tx.Consent().AddGrant(t.Context(), other) }); err == nil {
		t.Error("a grant was added in the place of another")
	}
	if list := read(t, s, listGrants); len(list) != 1 || list[0].Tool != "dynamic:a" {
		t.Errorf("grants: %+v", list)
	}
}

func grantsAreRevoked(t *testing.T, s store.Store) {
	one, two := consent.Grant{ID: "01A", Tool: "a", At: dawn}, consent.Grant{ID: "01B", Tool: "a", At: dawn}
	write(t, s, addGrant(one))
	write(t, s, addGrant(two))
	for _, step := range []struct {
		id   string
		at   time.Time
		want bool
	}{{"01A", noon, true}, {"01A", noon.Add(time.Hour), false}, {"01C", noon, false}, {"01", noon, false}} {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			ok, err := tx.Consent().RevokeGrant(ctx, step.id, step.at)
			if ok != step.want {
				t.Errorf("revoking %s says %v", step.id, ok)
			}
			return err
		})
	}
	one.RevokedAt = &noon
	if diff := difference([]consent.Grant{two, one}, read(t, s, listGrants)); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

// question makes an open one that has nothing but what it must.
func question(id, run, shape string) consent.Question {
	return consent.Question{ID: id, Run: run, Shape: shape, Count: 1, State: consent.Open, AskedAt: noon, ExpiresAt: noon, Marks: tool.Marks{Risk: tool.R2}}
}

func getQuestion(id string) func(context.Context, store.Tx) (consent.Question, error) {
	return func(ctx context.Context, tx store.Tx) (consent.Question, error) {
		return found1(tx.Consent().Question(ctx, id))
	}
}

func questionsAreKept(t *testing.T, s store.Store) {
	until := noon.Add(time.Hour)
	q := question("01A", runID(1), "shape")
	q.RunTitle, q.Caller, q.By, q.Tool, q.Title, q.Description, q.Version = "make tea", "cli", "dynamic:b", "mail", "Mail", "<Sends> & tells.", "digest"
	q.Calls = []string{"other"}
	q.Release, q.Source, q.Hosts, q.Secrets, q.Power, q.Path = 3, "installed", []string{"example.org"}, []string{"key"}, tool.Write, []string{"a", "b"}
	q.Marks, q.Reason, q.Count = tool.Marks{Powers: []tool.Power{tool.Read}, Risk: tool.R3, CanTransmit: true}, consent.Leak, 7
	q.Samples = []any{map[string]any{"n": json.Number("1.00"), "half": "\xed\xa0\xbd", "none": nil}, "\u2028<", json.Number("12345678901234567890.5")}
	q.AskedAt, q.ExpiresAt = noon, noon.Add(time.Minute)
	q.Form = &consent.Form{Title: "How many?", Text: "<so>", Schema: map[string]any{"maximum": json.Number("12345678901234567890.5")}, URL: "https://example.org"}
	write(t, s, putQuestions(q))
	if diff := difference(q, read(t, s, getQuestion("01A"))); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	q.State, q.Count = consent.Answered, 8
	q.Answer = &consent.Answer{
		Allow: true, For: consent.Always, Reason: "so", Count: 8, Edited: true, Arguments: map[string]any{"n": json.Number("2.0")},
		HasValue: true, Value: []any{json.Number("1.0"), "\xed\xa0\xbd", nil},
		Conditions: fullGrant("").Conditions, Until: &until, Who: "ada", From: "web", At: noon, Approved: "digest", Grant: "01G",
	}
	write(t, s, putQuestions(q))
	if diff := difference(q, read(t, s, getQuestion("01A"))); diff != "" {
		t.Errorf("answered (-want +got):\n%s", diff)
	}
	for _, id := range []string{"01B", "01", "01a", ""} {
		if !read(t, s, func(ctx context.Context, tx store.Tx) (bool, error) { return missing(tx.Consent().Question(ctx, id)) }) {
			t.Errorf("there is a question %q", id)
		}
	}
}

func questionsAreFound(t *testing.T, s store.Store) {
	find := func(run, shape string) string {
		return read(t, s, func(ctx context.Context, tx store.Tx) (string, error) {
			q, ok, err := tx.Consent().OpenQuestion(ctx, run, shape)
			if !ok && q.ID != "" || ok && (q.Run != run || q.Shape != shape || q.State != consent.Open) {
				t.Errorf("found %v, %+v", ok, q)
			}
			return q.ID, err
		})
	}
	over := question("01C", runID(1), "over")
	over.State = consent.Answered
	write(t, s, putQuestions(question("01A", runID(1), "s"), question("01B", runID(1), ""), over, question("01D", runID(2), "s")))
	for _, c := range []struct{ run, shape, want string }{
		{runID(1), "s", "01A"}, {runID(2), "s", "01D"}, {runID(3), "s", ""}, {runID(1), "", ""}, {runID(1), "over", ""}, {runID(1), "S", ""},
	} {
		if got := find(c.run, c.shape); got != c.want {
			t.Errorf("of run %s with the shape %q there is %q; want %q", c.run, c.shape, got, c.want)
		}
	}
	for i, state := range []consent.State{consent.Answered, consent.Expired, consent.Closed} {
		q := question("01A", runID(1), "s")
		q.State = state
		write(t, s, putQuestions(q))
		if got := find(runID(1), "s"); got != "" {
			t.Errorf("one that is %s is open", state)
		}
		next := question(fmt.Sprint("01E", i), runID(1), "s")
		write(t, s, putQuestions(next))
		if got := find(runID(1), "s"); got != next.ID {
			t.Errorf("found %q; want %q", got, next.ID)
		}
		next.State = consent.Closed
		write(t, s, putQuestions(next))
	}
}

func idsOf(open bool, limit int) func(context.Context, store.Tx) (string, error) {
	return func(ctx context.Context, tx store.Tx) (ids string, err error) {
		list, err := tx.Consent().ListQuestions(ctx, open, limit)
		for _, q := range list {
			ids += " " + q.ID
		}
		return ids, err
	}
}

// questionsAreListed has a question of a run that is over, and one of a run that is not there.
func questionsAreListed(t *testing.T, s store.Store) {
	settled := fullRun(2)
	write(t, s, addRuns(run(1, "w1"), settled))
	over := question("01D", runID(1), "")
	over.State = consent.Expired
	write(t, s, putQuestions(question("01B", runID(1), "s"), question("01E", runID(2), ""), over,
		question("01A", runID(1), ""), question("01C", runID(1), "s"), question("01F", runID(3), "")))
	for _, c := range []struct {
		open  bool
		limit int
		want  string
	}{
		{false, 0, " 01F 01E 01D 01C 01B 01A"}, {false, 2, " 01F 01E"}, {false, 9, " 01F 01E 01D 01C 01B 01A"},
		{true, 0, " 01C 01B 01A"}, {true, 2, " 01C 01B"}, {true, 9, " 01C 01B 01A"},
	} {
		if got := read(t, s, idsOf(c.open, c.limit)); got != c.want {
			t.Errorf("open %v, at most %d: %s; want %s", c.open, c.limit, got, c.want)
		}
	}
	one := run(1, "w1")
	one.Status, one.SettledAt = "cancelled", &noon
	write(t, s, putRun(one))
	if got := read(t, s, idsOf(true, 0)); got != "" {
		t.Errorf("of runs that are over there are%s", got)
	}
}

func closeQuestions(run string) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Consent().CloseQuestions(ctx, run) }
}

// questionsAreClosed: only those that are open, and nothing else of them changes.
func questionsAreClosed(t *testing.T, s store.Store) {
	answered := question("01B", runID(1), "s")
	answered.State, answered.Answer = consent.Answered, &consent.Answer{Who: "ada", At: noon}
	expired := question("01C", runID(1), "")
	expired.State = consent.Expired
	one, two, three := question("01A", runID(1), "s"), question("01D", runID(2), "s"), question("01E", runID(3), "")
	write(t, s, putQuestions(answered, expired, one, two, three))
	expect := func(doing string, want ...consent.Question) {
		t.Helper()
		got := read(t, s, func(ctx context.Context, tx store.Tx) ([]consent.Question, error) {
			return tx.Consent().ListQuestions(ctx, false, 0)
		})
		if diff := difference(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", doing, diff)
		}
	}
	write(t, s, closeQuestions(runID(1)))
	one.State = consent.Closed
	expect("those of a run", three, two, expired, answered, one)
	write(t, s, closeQuestions(runID(4)))
	expect("those of no run", three, two, expired, answered, one)
	write(t, s, closeQuestions(""))
	two.State, three.State = consent.Closed, consent.Closed
	expect("all", three, two, expired, answered, one)
}

func putAsked(asked consent.Asked) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Consent().PutAsked(ctx, asked) }
}

func callsAreAsked(t *testing.T, s store.Store) {
	of := func(run string, seq int, key string) (asked consent.Asked) {
		return read(t, s, func(ctx context.Context, tx store.Tx) (consent.Asked, error) {
			asked, ok, err := tx.Consent().Asked(ctx, run, seq, key)
			if !ok {
				return consent.Asked{}, err
			}
			return asked, err
		})
	}
	first, other := consent.Asked{Run: "a", Seq: 1, Question: "q1", Digest: "d1"}, consent.Asked{Run: "b", Seq: 1, Question: "q1", Digest: "d3"}
	next := consent.Asked{Run: "a", Seq: 1, Question: "q2", Digest: "d2"}
	within, later := consent.Asked{Run: "a", Seq: 1, Key: "ask[0]", Question: "q4", Digest: "d4"}, consent.Asked{Run: "a", Seq: 1, Key: "ask[1]", Question: "q5"}
	for _, asked := range []consent.Asked{first, other, within, next, {Run: "a", Seq: 3, Question: "q3"}, later} {
		write(t, s, putAsked(asked))
	}
	for _, want := range []consent.Asked{next, other, {Run: "a", Seq: 3, Question: "q3"}, within, later} {
		if got := of(want.Run, want.Seq, want.Key); got != want {
			t.Errorf("asked about was %+v; want %+v", got, want)
		}
	}
	for _, none := range []consent.Asked{{Run: "a", Seq: 2}, {Run: "a", Seq: 1, Key: "ask[2]"}, {Run: "b", Seq: 1, Key: "ask[0]"}} {
		if got := of(none.Run, none.Seq, none.Key); got != (consent.Asked{}) {
			t.Errorf("what nobody asked about has %+v", got)
		}
	}
}

func consentMethods(ctx context.Context) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Revision":           func(tx store.Tx) error { return failed(tx.Consent().Revision(ctx)) },
		"Policy":             func(tx store.Tx) error { return failed(tx.Consent().Policy(ctx)) },
		"SetPermission":      func(tx store.Tx) error { return setPermission("power", "read", consent.Deny)(ctx, tx) },
		"SetPermission none": func(tx store.Tx) error { return setPermission("power", "read", "")(ctx, tx) },
		"SetStopped":         func(tx store.Tx) error { return setStopped(&consent.Stop{})(ctx, tx) },
		"SetStopped none":    func(tx store.Tx) error { return setStopped(nil)(ctx, tx) },
		"AddGrant":           func(tx store.Tx) error { return addGrant(fullGrant("a"))(ctx, tx) },
		"ListGrants":         func(tx store.Tx) error { return failed(tx.Consent().ListGrants(ctx)) },
		"RevokeGrant":        func(tx store.Tx) error { return failed(tx.Consent().RevokeGrant(ctx, "a", dawn)) },
		"PutQuestion":        func(tx store.Tx) error { return putQuestions(question("a", "b", "c"))(ctx, tx) },
		"Question":           func(tx store.Tx) error { return failedLookup(tx.Consent().Question(ctx, "a")) },
		"OpenQuestion":       func(tx store.Tx) error { return failedLookup(tx.Consent().OpenQuestion(ctx, "a", "b")) },
		"ListQuestions":      func(tx store.Tx) error { return failed(tx.Consent().ListQuestions(ctx, false, 0)) },
		"ListQuestions open": func(tx store.Tx) error { return failed(tx.Consent().ListQuestions(ctx, true, 1)) },
		"PutAsked":           func(tx store.Tx) error { return putAsked(consent.Asked{})(ctx, tx) },
		"Asked":              func(tx store.Tx) error { return failedLookup(tx.Consent().Asked(ctx, "a", 1, "")) },
		"CloseQuestions":     func(tx store.Tx) error { return closeQuestions("a")(ctx, tx) },
		"CloseQuestions all": func(tx store.Tx) error { return closeQuestions("")(ctx, tx) },
	}
}
