package consent_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/consent"
	"toolsmith/tool"
)

// aQuestion is open, and may be answered until a minute after noon.
func aQuestion() consent.Question {
	return consent.Question{
		ID: "Q1", Run: "R1", Tool: "mail", Version: "v1", Marks: tool.Marks{Risk: tool.R2}, Reason: consent.Setting,
		Count: 1, Samples: []any{map[string]any{"to": "ada"}}, State: consent.Open, AskedAt: noon, ExpiresAt: noon.Add(time.Minute),
	}
}

// TestAnswersThatCannotBeGiven has every reason, and for each of them what else could be wrong
// beside it.
func TestAnswersThatCannotBeGiven(t *testing.T) {
	t.Parallel()
	yes := consent.Answer{Allow: true}
	always := consent.Answer{Allow: true, For: consent.Always}
	past, later := noon, noon.Add(time.Hour)
	to := func(name string) []consent.Condition {
		return []consent.Condition{{Path: "to", Operator: consent.Equals, Value: name}}
	}
	for name, c := range map[string]struct {
		change  func(*consent.Question)
		answer  consent.Answer
		at      time.Duration // after noon
		settled bool
		code    string
		says    string
	}{
		"a yes":                  {answer: yes},
		"a yes for once":         {answer: consent.Answer{Allow: true, For: consent.Once}},
		"a no":                   {answer: consent.Answer{Reason: "not today"}},
		"a no to more":           {change: func(q *consent.Question) { q.Count = 2 }, answer: consent.Answer{Count: 1}},
		"as many as were shown":  {change: func(q *consent.Question) { q.Count = 2 }, answer: consent.Answer{Allow: true, Count: 2}},
		"at the last moment":     {answer: yes, at: time.Minute - 1},
		"for the run":            {answer: consent.Answer{Allow: true, For: consent.InRun}},
		"always, with all":       {answer: consent.Answer{Allow: true, For: consent.Always, Conditions: to("ada"), Until: &later}},
		"with other arguments":   {answer: consent.Answer{Allow: true, Edited: true}},
		"R4":                     {change: func(q *consent.Question) { q.Marks.Risk = tool.R4 }, answer: yes},
		"answered":               {change: answered, answer: yes, at: time.Hour, settled: true, code: consent.CodeAnswered, says: "Q1 has been answered already: bob said yes (web), 2026-11-27T12:00:00.000Z."},
		"a no to what is a yes":  {change: answered, code: consent.CodeAnswered},
		"too late":               {answer: yes, at: time.Minute, settled: true, code: consent.CodeClosed, says: "The time to answer Q1 was over at 2026-11-27T12:01:00.000Z, which counts as a no."},
		"expired":                {change: func(q *consent.Question) { q.State = consent.Expired }, answer: yes, code: consent.CodeClosed, says: "The time to answer"},
		"closed":                 {change: func(q *consent.Question) { q.State = consent.Closed }, answer: yes, at: time.Hour, code: consent.CodeClosed, says: "Q1 is closed: run R1 is over, or does not make the call any more."},
		"an unknown state":       {change: func(q *consent.Question) { q.State = "" }, answer: yes, code: consent.CodeClosed, says: "is closed"},
		"its run is over":        {answer: yes, settled: true, code: consent.CodeClosed, says: "run R1 is over"},
		"a no, and it is over":   {settled: true, code: consent.CodeClosed},
		"grown":                  {change: func(q *consent.Question) { q.Count = 3 }, answer: consent.Answer{Allow: true, Count: 1, For: "ever"}, code: consent.CodeGrown, says: "Q1 is about 3 calls by now, and 1 were shown. Look at it again: toolsmith consents Q1"},
		"shrunk":                 {answer: consent.Answer{Allow: true, Count: 2}, code: consent.CodeGrown},
		"a no that is edited":    {answer: consent.Answer{Edited: true}, code: consent.CodeAnswerInvalid, says: "A no takes a reason alone."},
		"a no for always":        {answer: consent.Answer{For: consent.Always}, code: consent.CodeAnswerInvalid},
		"a no with conditions":   {answer: consent.Answer{Conditions: to("ada")}, code: consent.CodeAnswerInvalid},
		"a no with an end":       {answer: consent.Answer{Until: &later}, code: consent.CodeAnswerInvalid, says: "A no takes a reason alone."},
		"no scope":               {answer: consent.Answer{Allow: true, For: "ever"}, code: consent.CodeAnswerInvalid, says: `There is no "ever": a yes is for once, run or always.`},
		"R4 for always":          {change: func(q *consent.Question) { q.Marks.Risk = tool.R4 }, answer: always, code: consent.CodeAnswerInvalid, says: "This is asked about every time, so a yes counts once. Leave --for out."},
		"R4 for the run":         {change: func(q *consent.Question) { q.Marks.Risk = tool.R4 }, answer: consent.Answer{Allow: true, For: consent.InRun}, code: consent.CodeAnswerInvalid},
		"a leak for always":      {change: func(q *consent.Question) { q.Reason = consent.Leak }, answer: always, code: consent.CodeAnswerInvalid, says: "every time"},
		"no risk for always":     {change: func(q *consent.Question) { q.Marks.Risk = 0 }, answer: always, code: consent.CodeAnswerInvalid, says: "every time"},
		"several are edited":     {change: func(q *consent.Question) { q.Count = 2 }, answer: consent.Answer{Allow: true, Edited: true}, code: consent.CodeAnswerInvalid, says: "The question is about 2 calls"},
		"edited for always":      {answer: consent.Answer{Allow: true, Edited: true, For: consent.Always}, code: consent.CodeAnswerInvalid, says: "A yes with other arguments counts once. Leave --for out."},
		"once with conditions":   {answer: consent.Answer{Allow: true, Conditions: to("ada")}, code: consent.CodeAnswerInvalid, says: "add --for run or --for always"},
		"once with an end":       {answer: consent.Answer{Allow: true, For: consent.Once, Until: &later}, code: consent.CodeAnswerInvalid, says: "add --for run"},
		"an end that is over":    {answer: consent.Answer{Allow: true, For: consent.Always, Until: &past}, code: consent.CodeAnswerInvalid, says: "The end of the yes, 2026-11-27T12:00:00.000Z, is over already."},
		"a condition is none":    {answer: consent.Answer{Allow: true, For: consent.Always, Conditions: []consent.Condition{{Path: "to"}}}, code: consent.CodeConditionInvalid, says: "There is no condition"},
		"a condition fails here": {answer: consent.Answer{Allow: true, For: consent.Always, Conditions: to("bob")}, code: consent.CodeConditionInvalid, says: `The condition to equals "bob" does not hold for the very call that is asked about.`},
		"or for a further one": {
			change: func(q *consent.Question) { q.Join(map[string]any{"to": "bob"}) },
			answer: consent.Answer{Allow: true, For: consent.Always, Conditions: to("ada")}, code: consent.CodeConditionInvalid, says: "does not hold"},
		"a call takes no value": {answer: consent.Answer{Allow: true, HasValue: true, Value: "x"}, code: consent.CodeAnswerInvalid, says: "Leave --answer out."},
		"a no with a value":     {answer: consent.Answer{HasValue: true}, code: consent.CodeAnswerInvalid, says: "A no takes a reason alone."},
		"a form":                {change: asks(fields()), answer: consent.Answer{Allow: true, HasValue: true, Value: "x"}},
		"a no to a form":        {change: asks(fields()), answer: consent.Answer{Reason: "no time"}},
		"a form for once":       {change: asks(fields()), answer: consent.Answer{Allow: true, For: consent.Once, HasValue: true}},
		"an empty form":         {change: asks(fields()), answer: yes, code: consent.CodeAnswerInvalid, says: `Asked is for the form "Eggs". Answer it with: toolsmith allow Q1 --answer JSON`},
		"a form for the run":    {change: asks(fields()), answer: consent.Answer{Allow: true, For: consent.InRun, HasValue: true}, code: consent.CodeAnswerInvalid, says: "counts once"},
		"a form with arguments": {change: asks(fields()), answer: consent.Answer{Allow: true, Edited: true, HasValue: true}, code: consent.CodeAnswerInvalid, says: "counts once"},
		"a form with an end":    {change: asks(fields()), answer: consent.Answer{Allow: true, Until: &later, HasValue: true}, code: consent.CodeAnswerInvalid, says: "counts once"},
		"conditions of a form":  {change: asks(fields()), answer: consent.Answer{Allow: true, Conditions: to("ada"), HasValue: true}, code: consent.CodeAnswerInvalid, says: "counts once"},
		"a form, too late":      {change: asks(fields()), answer: yes, at: time.Hour, code: consent.CodeClosed},
		"yes or no":             {change: asks(consent.Form{Title: "Sure?"}), answer: yes},
		"no, as an answer":      {change: asks(consent.Form{Title: "Sure?"}), answer: consent.Answer{Allow: true, HasValue: true, Value: false}},
		"neither yes nor no":    {change: asks(consent.Form{Title: "Sure?"}), answer: consent.Answer{Allow: true, HasValue: true, Value: "yes"}, code: consent.CodeAnswerInvalid, says: "true or false"},
		"a page":                {change: asks(consent.Form{URL: "https://example.org"}), answer: yes},
		"a page with a value":   {change: asks(consent.Form{URL: "https://example.org"}), answer: consent.Answer{Allow: true, HasValue: true, Value: true}, code: consent.CodeAnswerInvalid, says: "without a value"},
	} {
		q := aQuestion()
		if c.change != nil {
			c.change(&q)
		}
		err := q.Check(c.answer, noon.Add(c.at), c.settled)
		if tool.Code(err) != c.code || (err == nil) != (c.code == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %s, %s", name, err, c.code, c.says)
		}
	}
}

// asks makes a question one for a form.
func asks(f consent.Form) func(*consent.Question) {
	return func(q *consent.Question) { q.Form, q.Reason = &f, consent.NeedsAnswer }
}

func fields() consent.Form {
	return consent.Form{Title: "Eggs", Schema: map[string]any{"type": "string", "maximum": json.Number("12345678901234567890.50")}}
}

// TestWhatAFormIsAnsweredWith: a yes without a value is true where yes or no was asked.
func TestWhatAFormIsAnsweredWith(t *testing.T) {
	t.Parallel()
	yes, no := consent.Answer{Allow: true}, consent.Answer{Allow: true, HasValue: true, Value: false}
	isTrue := consent.Answer{Allow: true, HasValue: true, Value: true}
	for name, c := range map[string]struct {
		form         *consent.Form
		answer, want consent.Answer
	}{
		"a call": {nil, yes, yes}, "a refusal": {&consent.Form{Title: "Sure?"}, consent.Answer{}, consent.Answer{}},
		"yes": {&consent.Form{Title: "Sure?"}, yes, isTrue}, "no": {&consent.Form{Title: "Sure?"}, no, no},
		"a page": {&consent.Form{URL: "https://example.org"}, yes, yes}, "fields": {func() *consent.Form { f := fields(); return &f }(), no, no},
	} {
		q := aQuestion()
		q.Form = c.form
		if diff := cmp.Diff(c.want, q.Complete(c.answer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := q.GiveAnswer(); strings.HasSuffix(got, "--answer JSON") != (name == "fields") {
			t.Errorf("%s is answered with %s", name, got)
		}
	}
}

// TestFormsThatNobodyIsShown have the bounds of those that a tool in Go may ask.
func TestFormsThatNobodyIsShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form consent.Form
		code string
	}{
		"fields": {fields(), ""}, "yes or no": {consent.Form{Title: "Sure?"}, ""}, "a page": {consent.Form{URL: "https://example.org"}, ""},
		"nothing": {consent.Form{}, tool.CodeInteractionInvalid}, "a file": {consent.Form{URL: "file:///x"}, tool.CodeInteractionInvalid},
		"a schema that is none": {consent.Form{Title: "T", Schema: []any{}}, tool.CodeInteractionInvalid},
	} {
		if err := c.form.Check(); tool.Code(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFormsComeBackAsTheyWere: numbers keep their text, and no value is not null.
func TestFormsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, value := range []any{nil, json.Number("1.50"), map[string]any{"half": "\xed\xa0\xbd"}} {
		q := aQuestion()
		asks(fields())(&q)
		q.Answer = &consent.Answer{Allow: true, HasValue: true, Value: value}
		text, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var back consent.Question
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(q, back); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func answered(q *consent.Question) {
	q.State, q.Answer = consent.Answered, &consent.Answer{Allow: true, Who: "bob", From: "web", At: noon}
}

// TestWhatAYesLeaves is a grant for exactly what it counts for.
func TestWhatAYesLeaves(t *testing.T) {
	t.Parallel()
	until := noon.Add(time.Hour)
	conditions := []consent.Condition{{Path: "to", Operator: consent.Equals, Value: "ada"}}
	full := consent.Answer{
		Allow: true, For: consent.Always, Conditions: conditions, Until: &until, Who: "ada", From: "terminal", At: noon, Approved: "digest", Grant: "other",
	}
	want := consent.Grant{
		ID: "G1", Tool: "mail", Version: "v1", Approved: "digest", Conditions: conditions, ExpiresAt: &until, Who: "ada", From: "terminal", At: noon,
	}
	got, ok := aQuestion().Grant("G1", full)
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("for always (-want +got):\n%s", diff)
	}
	full.For, want.Run = consent.InRun, "R1"
	got, ok = aQuestion().Grant("G1", full)
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("for the run (-want +got):\n%s", diff)
	}
	for name, c := range map[string]struct {
		change func(*consent.Question)
		answer consent.Answer
	}{
		"a no":          {func(*consent.Question) {}, consent.Answer{For: consent.Always}},
		"once":          {func(*consent.Question) {}, consent.Answer{Allow: true, For: consent.Once}},
		"by default":    {func(*consent.Question) {}, consent.Answer{Allow: true}},
		"for what ever": {func(*consent.Question) {}, consent.Answer{Allow: true, For: "ever"}},
		"R4":            {func(q *consent.Question) { q.Marks.Risk = tool.R4 }, full},
		"a leak":        {func(q *consent.Question) { q.Reason = consent.Leak }, full},
		"no risk":       {func(q *consent.Question) { q.Marks.Risk = 0 }, full},
	} {
		q := aQuestion()
		c.change(&q)
		if g, ok := q.Grant("G1", c.answer); ok || g.ID != "" {
			t.Errorf("%s leaves %+v", name, g)
		}
	}
	if yes, no := (consent.Answer{Allow: true}).Word(), (consent.Answer{}).Word(); yes != "yes" || no != "no" {
		t.Errorf("the words are %s and %s", yes, no)
	}
}

func TestMayRemember(t *testing.T) {
	t.Parallel()
	if q := (consent.Question{Marks: tool.Marks{Risk: tool.R1}, Reason: consent.NeedsAnswer, Form: &consent.Form{}}); q.MayRemember() {
		t.Error("the answer to a form may be remembered")
	}
	for risk, want := range map[tool.Risk]bool{-1: false, 0: false, tool.R1: true, tool.R2: true, tool.R3: true, tool.R4: false, 5: false} {
		for reason, allows := range map[consent.Reason]bool{consent.Setting: true, consent.EveryTime: true, consent.Leak: false} {
			q := consent.Question{Marks: tool.Marks{Risk: risk}, Reason: reason}
			if got := q.MayRemember(); got != (want && allows) {
				t.Errorf("%s, %s may be remembered: %v", risk, reason, got)
			}
		}
	}
}

// TestShapes are equal for what is asked about together, and for nothing else.
func TestShapes(t *testing.T) {
	t.Parallel()
	setting := consent.Decision{Verdict: consent.MustAsk, Reason: consent.Setting}
	shape := func(change func(*consent.Call)) string {
		call := consent.Call{
			Tool: "mail", Version: "v1", Run: "r1", Marks: tool.Marks{Risk: tool.R2},
			Arguments: map[string]any{"to": "ada", "text": "hello"},
		}
		change(&call)
		return consent.Shape(call, setting)
	}
	first := shape(func(*consent.Call) {})
	if want := `["mail","v1",["text","to"]]`; first != want {
		t.Errorf("the shape is %s; want %s", first, want)
	}
	for name, c := range map[string]struct {
		change func(*consent.Call)
		same   bool
	}{
		"other values":     {func(c *consent.Call) { c.Arguments = map[string]any{"text": nil, "to": []any{}} }, true},
		"R1":               {func(c *consent.Call) { c.Marks.Risk = tool.R1 }, true},
		"another tool":     {func(c *consent.Call) { c.Tool = "notes" }, false},
		"another version":  {func(c *consent.Call) { c.Version = "v2" }, false},
		"one name more":    {func(c *consent.Call) { c.Arguments = map[string]any{"text": "", "to": "", "cc": ""} }, false},
		"one name less":    {func(c *consent.Call) { c.Arguments = map[string]any{"to": ""} }, false},
		"two names in one": {func(c *consent.Call) { c.Arguments = map[string]any{`text","to`: ""} }, false},
		"no object":        {func(c *consent.Call) { c.Arguments = nil }, false},
	} {
		if got := shape(c.change); (got == first) != c.same || got == "" {
			t.Errorf("%s has the shape %s, and the first %s", name, got, first)
		}
	}
	for name, alone := range map[string]string{
		"R3":    shape(func(c *consent.Call) { c.Marks.Risk = tool.R3 }),
		"R4":    shape(func(c *consent.Call) { c.Marks.Risk = tool.R4 }),
		"R4s":   consent.Shape(consent.Call{Tool: "mail", Marks: tool.Marks{Risk: tool.R1}}, consent.Decision{Reason: consent.EveryTime}),
		"leaks": consent.Shape(consent.Call{Tool: "mail", Marks: tool.Marks{Risk: tool.R1}}, consent.Decision{Reason: consent.Leak}),
	} {
		if alone != "" {
			t.Errorf("%s have the shape %q", name, alone)
		}
	}
}

// TestJoining counts every call, and keeps the first three as they came.
func TestJoining(t *testing.T) {
	t.Parallel()
	q := aQuestion()
	for i := range 5 {
		q.Join(i)
	}
	if diff := cmp.Diff([]any{map[string]any{"to": "ada"}, 0, 1}, q.Samples); diff != "" || q.Count != 6 {
		t.Errorf("%d calls, samples (-want +got):\n%s", q.Count, diff)
	}
}

const golden = `{"id":"Q1","run":"R1","runTitle":"tea","caller":"kettle","by":"dynamic:plan","tool":"mail","title":"Mail","description":"Sends.",` +
	`"version":"v1","release":3,"source":"installed","marks":{"powers":["outbound","read"],"risk":"R3","reversibility":"irreversible",` +
	`"capabilities":["mail.send"],"readsPrivate":true,"readsUntrusted":false,"canTransmit":true},"hosts":["example.org"],"secrets":["key"],` +
	`"reason":"leak","power":"outbound","path":["notes","web","mail"],"count":2,"shape":"s","askedAt":"2026-11-27T12:00:00Z",` +
	`"expiresAt":"2026-11-27T12:01:00Z","state":"answered","answer":{"allow":true,"for":"always","reason":"fine","count":2,"edited":true,` +
	`"conditions":[{"path":"to","operator":"at-most","value":1.50}],"until":"2026-11-27T12:00:00Z","who":"ada","from":"web","at":"2026-11-27T12:00:00Z",` +
	`"approved":"digest","grant":"G1","arguments":{"n":1.00,"x":"\ud83d"}},"samples":[{"n":1.0},"\ud83d"]}`

// TestQuestionsKeepTheirNames: what is stored today has to be read tomorrow. Every field is in
// it, and comes back as it was.
func TestQuestionsKeepTheirNames(t *testing.T) {
	t.Parallel()
	var q consent.Question
	if err := json.Unmarshal([]byte(golden), &q); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(q)
	if diff := cmp.Diff(golden, string(text)); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
	want := []any{map[string]any{"n": number("1.0")}, "\xed\xa0\xbd"}
	if diff := cmp.Diff(want, q.Samples); diff != "" || q.Answer.Conditions[0].Value != number("1.50") {
		t.Errorf("samples (-want +got):\n%s%+v", diff, q.Answer)
	}
	// What most questions and answers are without is not written.
	var small map[string]any
	text, err = json.Marshal(consent.Question{Answer: &consent.Answer{}})
	if err := json.Unmarshal(text, &small); err != nil {
		t.Fatal(err)
	}
	names := strings.Join(slices.Sorted(maps.Keys(small)), " ") + " / " + strings.Join(slices.Sorted(maps.Keys(small["answer"].(map[string]any))), " ")
	if want := "answer askedAt caller count description expiresAt id marks reason run runTitle samples source state title tool version / allow at from who"; names != want || err != nil {
		t.Errorf("the names are %s; want %s", names, want)
	}
	for _, broken := range []string{`[]`, `{"samples": [1e999]}`, `{"answer": {"arguments": 1e999}}`, `{"answer": {"conditions": [{"value": 1e999}]}}`, `{"marks": {"risk": "R9"}}`} {
		if err := json.Unmarshal([]byte(broken), new(consent.Question)); err == nil {
			t.Errorf("%s is read", broken)
		}
	}
}

// TestValuesComeBackAsTheyWere, whatever is in them: a yes is to exactly what was shown.
func TestValuesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(2).Draw(t, "value")
		q := aQuestion()
		q.Samples = []any{v, v}
		q.Answer = &consent.Answer{Arguments: v, Conditions: []consent.Condition{{Path: "to", Operator: consent.Equals, Value: v}}}
		text, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var back consent.Question
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(q, back); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// drawValue draws a value as a call may have it.
func drawValue(depth int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<&>", "\u2028", "\xed\xa0\xbd", "a\xed\xb8\x80b", "\x00", "\ufffd"}))
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), text.AsAny(),
		rapid.SampledFrom([]json.Number{"0", "-0", "1", "1.0", "1e2", "1E+2", "9007199254740993", "0.10", "1e300"}).AsAny(),
	}
	if depth > 0 {
		kinds = append(kinds, rapid.Map(rapid.SliceOfN(drawValue(depth-1), 0, 3), func(list []any) any { return list }),
			rapid.Map(rapid.MapOfN(text, drawValue(depth-1), 0, 3), func(object map[string]any) any { return object }))
	}
	return rapid.OneOf(kinds...)
}
