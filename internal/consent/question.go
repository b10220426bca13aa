package consent

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// State of a question.
type State string

// The states of a question. Only an open one can be answered.
const (
	Open     State = "open"
	Answered State = "answered"
	Expired  State = "expired" // nobody answered in time
	Closed   State = "closed"  // what it was about is not going to happen
)

// Question is what a person is asked before a call, or by a tool that runs.
type Question struct {
	ID string `json:"id"`
	// Run that the call belongs to, its display name, and who asked for it.
	Run      string `json:"run"`
	RunTitle string `json:"runTitle"`
	Caller   string `json:"caller"`
	// By is the tool whose result made the call; "" for the run itself.
	By string `json:"by,omitempty"`
	// Tool, its title, what it says of itself, and its exact version.
	Tool        string `json:"tool"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version"`
	// Release is the version that its author counts, 0 for none, and Source where it is from.
	Release int64      `json:"release,omitempty"`
	Source  string     `json:"source"`
	Marks   tool.Marks `json:"marks"`
	// Secret is the name of a secret that the tool lacks and that is asked for, in place of a yes;
	// "" for none.
	Secret string `json:"secret,omitempty"`
	// Form is what the tool asks for while it runs, in place of a yes; nil for none.
	Form *Form `json:"form,omitempty"`
	// Hosts and secrets that it may use.
	Hosts   []string `json:"hosts,omitempty"`
	Secrets []string `json:"secrets,omitempty"`
	// Calls are the tools that it declares to call by its subtasks. Each is asked about for itself.
	Calls []string `json:"calls,omitempty"`
	// Reason why it is asked, and the power that it is about; "" for none.
	Reason Reason     `json:"reason"`
	Power  tool.Power `json:"power,omitempty"`
	// Path of Leak: the calls that read what could be sent away, and this one.
	Path []string `json:"path,omitempty"`
	// Count of the calls that it is about, and the arguments of the first of them.
	Count   int   `json:"count"`
	Samples []any `json:"samples"`
	// Shape is what calls have in common that are asked about together; "" for one that stands
	// alone.
	Shape string `json:"shape,omitempty"`

	AskedAt   time.Time `json:"askedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	State     State     `json:"state"`
	Answer    *Answer   `json:"answer,omitempty"`
}

// mostSamples is of how many calls the arguments are kept with a question.
const mostSamples = 3

// Scope is for what a yes counts.
type Scope string

// The scopes.
const (
	Once   Scope = "once"   // these calls
	InRun  Scope = "run"    // and further ones of the tool in the same run
	Always Scope = "always" // and further ones of this version of the tool
)

// Answer to a question.
type Answer struct {
	Allow bool `json:"allow"`
	// For what a yes counts; Once by default.
	For Scope `json:"for,omitempty"`
	// Reason that whoever called is told with a no.
	Reason string `json:"reason,omitempty"`
	// Count of the calls that were shown; 0 for as many as there are.
	Count int `json:"count,omitempty"`
	// Edited: the call is made with Arguments instead of those that were proposed.
	Edited    bool `json:"edited,omitempty"`
	Arguments any  `json:"arguments,omitempty"`
	// HasValue: Value is the answer to a form.
	HasValue bool `json:"hasValue,omitempty"`
	Value    any  `json:"value,omitempty"`
	// Conditions and end of a yes that counts for further calls.
	Conditions []Condition `json:"conditions,omitempty"`
	Until      *time.Time  `json:"until,omitempty"`
	// Who answered, from where and when. They are not for the caller to say.
	Who  string    `json:"who"`
	From string    `json:"from"`
	At   time.Time `json:"at"`
	// Approved is the digest of the call as it may be made, where a yes is for one call.
	Approved string `json:"approved,omitempty"`
	// Grant that a yes for further calls has made; "" for none.
	Grant string `json:"grant,omitempty"`
}

// Codes of answers.
const (
	// CodeDenied: a person, or what a person has set, said no.
	CodeDenied = "CONSENT_DENIED"
	// CodeTimeout: nobody answered in time.
	CodeTimeout = "CONSENT_TIMEOUT"
	// CodeForbidden: whoever answered may not.
	CodeForbidden = "CONSENT_FORBIDDEN"
	// CodeAnswered: somebody has answered before.
	CodeAnswered = "QUESTION_ANSWERED"
	// CodeClosed: the question is not open any more.
	CodeClosed = "QUESTION_CLOSED"
	// CodeGrown: the question is about more calls than were shown.
	CodeGrown = "QUESTION_GROWN"
	// CodeNotFound: there is no such question.
	CodeNotFound = "QUESTION_NOT_FOUND"
	// CodeAnswerInvalid: the answer does not fit the question.
	CodeAnswerInvalid = "ANSWER_INVALID"
)

// DefaultWait is how long an answer is waited for.
const DefaultWait = 10 * time.Minute

// Shape gives what a call has in common with others that are asked about together: the tool,
// its version and the names of its arguments. It is "" where each call is asked about alone:
// above R2, or for another reason than what is set.
func Shape(call Call, decision Decision) string {
	if call.Marks.Risk > tool.R2 || decision.Reason != Setting {
		return ""
	}
	names := []any{}
	if object, ok := call.Arguments.(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			names = append(names, name)
		}
	}
	return value.JSON([]any{call.Tool, call.Version, names})
}

// FromPort begins the source of a tool that a program outside supplies; the name of its port
// follows.
const FromPort = "from port "

// BuiltIn is the source of a tool that is part of the program.
const BuiltIn = "built in"

// GiveSecret is the command that keeps the secret that is asked for.
func (q Question) GiveSecret() string {
	name := q.Tool
	switch portName, outside := strings.CutPrefix(q.Source, FromPort); {
	case outside:
		name = "port:" + portName + "/" + name
	case q.Source == BuiltIn:
		name = "go:" + name
	}
	return "toolsmith secrets set " + name + " " + q.Secret
}

// Join adds a further call of the same shape to a question.
func (q *Question) Join(arguments any) {
	q.Count++
	if len(q.Samples) < mostSamples {
		q.Samples = append(q.Samples, arguments)
	}
}

// MayRemember reports whether a yes may count for further calls.
func (q Question) MayRemember() bool {
	return q.Secret == "" && q.Form == nil && q.Marks.Risk < tool.R4 && q.Marks.Risk >= tool.R1 && q.Reason != Leak
}

// Check says why an answer cannot be given now; nil where it can. settled: the run is over.
func (q Question) Check(a Answer, now time.Time, settled bool) error {
	refuse := func(code, format string, args ...any) error {
		return &tool.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case q.State == Answered:
		return refuse(CodeAnswered, "%s has been answered already: %s said %s (%s), %s.", q.ID, q.Answer.Who, q.Answer.Word(), q.Answer.From, value.Time(q.Answer.At))
	case q.State == Expired, q.State == Open && !now.Before(q.ExpiresAt):
		return refuse(CodeClosed, "The time to answer %s was over at %s, which counts as a no.", q.ID, value.Time(q.ExpiresAt))
	case q.State != Open || settled:
		return refuse(CodeClosed, "%s is closed: run %s is over, or does not make the call any more.", q.ID, q.Run)
	case a.Allow && q.Secret != "":
		return refuse(CodeAnswerInvalid, "%s asks for the secret %q. Keep it with: %s", q.ID, q.Secret, q.GiveSecret())
	case a.Allow && a.Count != 0 && a.Count != q.Count:
		return refuse(CodeGrown, "%s is about %d calls by now, and %d were shown. Look at it again: toolsmith consents %s", q.ID, q.Count, a.Count, q.ID)
	case !a.Allow && (a.Edited || a.HasValue || a.For != "" && a.For != Once || len(a.Conditions) > 0 || a.Until != nil):
		return refuse(CodeAnswerInvalid, "A no takes a reason alone.")
	case a.For != "" && a.For != Once && a.For != InRun && a.For != Always:
		return refuse(CodeAnswerInvalid, "There is no %q: a yes is for %s, %s or %s.", a.For, Once, InRun, Always)
	case a.Allow && q.Form != nil && q.Form.refuses(q, a) != "":
		return refuse(CodeAnswerInvalid, "%s", q.Form.refuses(q, a))
	case a.HasValue && q.Form == nil:
		return refuse(CodeAnswerInvalid, "Asked is whether a call may run, which takes no value. Leave --answer out.")
	case a.remembers() && !q.MayRemember():
		return refuse(CodeAnswerInvalid, "This is asked about every time, so a yes counts once. Leave --for out.")
	case a.Edited && q.Count > 1:
		return refuse(CodeAnswerInvalid, "The question is about %d calls, so their arguments cannot be changed here.", q.Count)
	case a.Edited && a.remembers():
		return refuse(CodeAnswerInvalid, "A yes with other arguments counts once. Leave --for out.")
	case !a.remembers() && (len(a.Conditions) > 0 || a.Until != nil):
		return refuse(CodeAnswerInvalid, "Conditions and an end are for a yes that counts for further calls: add --for %s or --for %s.", InRun, Always)
	case a.Until != nil && !a.Until.After(now):
		return refuse(CodeAnswerInvalid, "The end of the yes, %s, is over already.", value.Time(*a.Until))
	}
	for _, c := range a.Conditions {
		if err := c.Check(); err != nil {
			return err
		}
		for _, sample := range q.Samples {
			if !c.Holds(sample) {
				return refuse(CodeConditionInvalid, "The condition %s does not hold for the very call that is asked about.", c)
			}
		}
	}
	return nil
}

func (a Answer) remembers() bool { return a.For == InRun || a.For == Always }

// Word is the answer in a word: yes or no.
func (a Answer) Word() string {
	if a.Allow {
		return "yes"
	}
	return "no"
}

// Grant makes of a yes what it counts for beyond the calls that were asked about; ok is false
// where it counts for nothing more.
func (q Question) Grant(id string, a Answer) (g Grant, ok bool) {
	if !a.Allow || !a.remembers() || !q.MayRemember() {
		return Grant{}, false
	}
	g = Grant{
		ID: id, Tool: q.Tool, Version: q.Version, Approved: a.Approved, Conditions: a.Conditions,
		ExpiresAt: a.Until, Who: a.Who, From: a.From, At: a.At,
	}
	if a.For == InRun {
		g.Run = q.Run
	}
	return g, true
}
