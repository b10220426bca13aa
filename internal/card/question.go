package card

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// Question is what a person is shown before a call is made: first what was worked out, then
// what the tool asks for where it does, then what the call is made with, and last what the author
// of the tool says. Without arguments, an asker and reasons it is the card of a tool that is only
// looked at.
type Question struct {
	Facts
	// Asker is who wants the call.
	Asker Asker
	// Why it is asked, the weightiest first.
	Why []Reason
	// Arguments of the calls that are asked for, one for each call of the same shape, as JSON
	// values; nil where no call is asked for. What a tool must not show has been taken out.
	Arguments []any
	// Calls is how many calls of the same shape are asked for at once; 0 is as many as there
	// are arguments.
	Calls int
	// Form is what the tool asks for while it runs; nil where a call is asked for.
	Form *Form
	// Offer are the answers that may be given; nil is all that the risk allows. What the risk
	// does not allow is never offered.
	Offer []Answer
}

// Asker is who wants a call. What is not known is left empty.
type Asker struct {
	Run, RunTitle string
	// Parent is the run that began this one.
	Parent string
	// Caller is the tool that makes the call, and Step the step of it.
	Caller, Step string
	// Client is the program that asked for the run, and Token what its access is called.
	Client, Token string
}

// Why is a reason for a question.
type Why string

// The reasons.
const (
	// FirstTime: nobody has allowed this version of the tool yet.
	FirstTime Why = "first-time"
	// EachTime: what has this risk is asked for each time.
	EachTime Why = "each-time"
	// MayLeak: the run has read what is private and what is untrusted, and this call can
	// send it out.
	MayLeak Why = "may-leak"
	// NeedsSecret: the tool lacks a secret, which is what is asked for.
	NeedsSecret Why = "secret"
	// NeedsAnswer: the tool runs already, and asks for something.
	NeedsAnswer Why = "form"
	// Setting: a setting says that it is asked.
	Setting Why = "setting"
)

// Reason is why a question is asked.
type Reason struct {
	Why Why
	// Path of MayLeak: the calls by which it was read, and the one that could send it out. Of
	// NeedsSecret: the name of the secret.
	Path []string
	// Powers of Setting: those that are set to be asked for; none for a setting of the tool.
	Powers []tool.Power
}

// maxPath is how many calls of a path are named, and maxAsker how long the name of somebody
// who asks may be.
const (
	maxPath  = 8
	maxAsker = 80
)

// Text says the reason in words.
func (r Reason) Text() string {
	switch r.Why {
	case FirstTime:
		return "this version of the tool has not been allowed yet"
	case EachTime:
		return "what has the risk R4 is asked for each time"
	case MayLeak:
		text := "this run has read your own data and what others may have written, and this call could send it out"
		if len(r.Path) > 0 {
			text += ": " + r.path()
		}
		return text
	case NeedsSecret:
		return "it has no secret " + r.path() + ", and asks you for it"
	case NeedsAnswer:
		return "it runs, and asks you for what stands below in its own words"
	case Setting:
		if len(r.Powers) == 0 {
			return "your setting for this tool says to ask"
		}
		return "your settings say to ask before a tool may " + inWords(r.Powers)
	}
	return visible.Line(visible.Cut(string(r.Why), maxAsker))
}

// inWords says what powers let a tool do.
func inWords(powers []tool.Power) string {
	words := make([]string, len(powers))
	for i, p := range powers {
		switch p {
		case tool.Read:
			words[i] = "read local data"
		case tool.Write:
			words[i] = "change local data"
		case tool.Outbound:
			words[i] = "reach out of this machine"
		default:
			words[i] = visible.Line(string(p))
		}
	}
	return strings.Join(words, " or ")
}

// path names the calls of a path, the last always among them.
func (r Reason) path() string {
	names := make([]string, 0, maxPath+1)
	for i, name := range r.Path {
		if i >= maxPath-1 && i < len(r.Path)-1 {
			if i == maxPath-1 {
				names = append(names, "…")
			}
			continue
		}
		names = append(names, shownName(visible.Cut(name, maxAsker)))
	}
	return strings.Join(names, " → ")
}

// Answer is what a person may say to a question.
type Answer string

// The answers.
const (
	Deny   Answer = "deny"
	Once   Answer = "once"   // this call
	ForRun Answer = "run"    // this tool for the rest of the run
	Always Answer = "always" // this version of the tool from now on
)

// Answers are those that may be given. What is asked for each time has none that would be
// remembered, whatever is offered.
func (q Question) Answers() []Answer {
	possible := []Answer{Deny, Once, ForRun, Always}
	if q.Marks.Risk >= tool.R4 || q.Form != nil {
		possible = possible[:2]
	}
	return slices.DeleteFunc(possible, func(a Answer) bool {
		return q.Offer != nil && a != Deny && !slices.Contains(q.Offer, a)
	})
}

// RememberAllowed reports whether an answer can count for later calls too.
func (q Question) RememberAllowed() bool { return slices.Contains(q.Answers(), Always) }

// ExpandRequired reports whether the short view leaves out something that a person has to
// have seen before a yes: from R3 on, any part of the arguments, hosts and secrets.
func (q Question) ExpandRequired() bool {
	if q.Marks.Risk < tool.R3 || q.Form != nil { // the call has been allowed
		return false
	}
	_, cut := q.lines(Short)
	return cut || slices.ContainsFunc(q.calls(Short), func(c call) bool { return c.cut }) || q.hidden(Short) > 0
}

// count is how many calls are asked for.
func (q Question) count() int { return max(q.Calls, len(q.Arguments)) }

// maxSamples is how many of several calls the short view shows.
const maxSamples = 3

// hidden is how many of the calls are not shown.
func (q Question) hidden(view View) int { return q.count() - len(q.calls(view)) }

// calls are the calls that a view shows.
func (q Question) calls(view View) []call {
	list := q.Arguments
	if view == Short {
		list = list[:min(len(list), maxSamples)]
	}
	calls := make([]call, len(list))
	for i, arguments := range list {
		calls[i] = callOf(arguments, view)
	}
	return calls
}

// askerLines say who asks.
func (q Question) askerLines() []Line {
	var parts []string
	add := func(what, name string) {
		if name != "" {
			parts = append(parts, what+" "+shownName(visible.Cut(name, maxAsker)))
		}
	}
	called := func(what, name string) {
		if name != "" {
			parts = append(parts, what+" "+quoted(visible.Cut(name, maxAsker)))
		}
	}
	a := q.Asker
	add("run", a.Run)
	called("called", a.RunTitle)
	add("tool", a.Caller)
	add("step", a.Step)
	called("client", a.Client)
	called("token", a.Token)
	add("parent run", a.Parent)
	if len(parts) == 0 {
		return nil
	}
	return []Line{{"asked by", strings.Join(parts, ", ")}}
}

// shownName shows a name as it is where it can be taken for nothing else, and else in quotes, so
// that it does not pass for more names.
func shownName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-:/", r)
	}) {
		return visible.Line(name) // some letters are not seen
	}
	return quoted(name)
}

// quoted puts a text of somebody else in quotes; those in it are marked as its own.
func quoted(text string) string {
	return `"` + visible.Line(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)) + `"`
}

// whyLines say why it is asked.
func (q Question) whyLines() []Line {
	var lines []Line
	for _, reason := range q.Why {
		label := ""
		if len(lines) == 0 {
			label = "why"
		}
		lines = append(lines, Line{label, reason.Text()})
	}
	return lines
}

// callLines say how many calls are asked for, where there is more than one.
func (q Question) callLines(view View) []Line {
	if q.count() < 2 {
		return nil
	}
	text := thousands(q.count()) + " of the same shape"
	if hidden := q.hidden(view); hidden > 0 {
		text += fmt.Sprintf(", of which %s %s not shown", thousands(hidden), isOrAre(hidden))
	}
	return []Line{{"calls", text}}
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// leastWidth is how narrow a card may become; it is laid out for this where less is asked.
const leastWidth = 20

// Lines lays the card out for a terminal: lines of at most width columns, at least 20. All
// that others wrote is made visible; the arguments and what the author says stand behind "|".
func (q Question) Lines(width int, view View) []string {
	s := sheet{width: max(width, leastWidth)}
	s.heading(q.Heading())
	facts, _ := q.lines(view)
	facts = slices.Concat(facts, q.askerLines(), q.whyLines(), q.callLines(view))
	s.rows("  ", facts)
	if q.Form != nil {
		s.form(*q.Form)
	}
	calls := q.calls(view)
	for i, c := range calls {
		head := "arguments"
		if q.count() > 1 {
			head = fmt.Sprintf("arguments of call %s", thousands(i+1))
		}
		if len(c.fields) == 0 {
			s.paragraph("  ", head+": none")
			continue
		}
		s.paragraph("  ", head)
		s.fields("    ", c)
	}
	if q.Description != "" {
		s.paragraph("", "The author says:")
		s.prose("  | ", q.About())
	}
	return s.lines
}

// Value gives the card as a JSON value for programs and pages. All texts in it have been made
// visible; "exact", in the expanded view, holds the arguments as they are.
func (q Question) Value(view View) map[string]any {
	m := q.Marks
	facts, cut := q.lines(view)
	lines := make([]any, 0, len(facts))
	for _, line := range slices.Concat(facts, q.askerLines(), q.whyLines(), q.callLines(view)) {
		lines = append(lines, map[string]any{"label": line.Label, "text": line.Text})
	}
	why := make([]any, len(q.Why))
	for i, reason := range q.Why {
		why[i] = map[string]any{"why": visible.Line(string(reason.Why)), "text": reason.Text()}
	}
	calls := []any{}
	for _, c := range q.calls(view) {
		calls, cut = append(calls, c.value()), cut || c.cut
	}
	out := map[string]any{
		"heading": q.Heading(), "wants": q.Wants(), "lines": lines,
		"tool": map[string]any{
			"title": visible.Line(visible.Cut(q.Title, maxTitle)), "name": visible.Line(q.Name), "version": value.Int64(q.Version), "source": visible.Line(q.Source),
		},
		"facts": map[string]any{
			"powers": visibleList(m.Powers), "risk": m.Risk.String(), "reversibility": string(m.Reversibility),
			"readsPrivate": m.ReadsPrivate, "readsUntrusted": m.ReadsUntrusted, "canTransmit": m.CanTransmit,
			"modelPrivacy": visibleList(m.ModelPrivacy), "hosts": visibleList(q.Hosts), "hostsKnown": !q.HostsUnknown,
			"credentials": visibleList(q.Credentials), "secrets": visibleList(q.Secrets), "calls": visibleList(q.Facts.Calls),
		},
		"asker": q.Asker.value(), "why": why,
		"calls": value.Int(q.count()), "callsHidden": value.Int(q.hidden(view)), "arguments": calls,
		"cut": cut || q.hidden(view) > 0, "expandRequired": view == Short && q.ExpandRequired(),
		"rememberAllowed": q.RememberAllowed(), "answers": visibleList(q.Answers()),
		"author": map[string]any{"description": q.About()},
	}
	if q.Form != nil {
		out["form"] = q.Form.value()
	}
	if view == Expanded {
		out["exact"] = append([]any{}, q.Arguments...)
	}
	return out
}

func (a Asker) value() map[string]any {
	out := map[string]any{}
	for name, text := range map[string]string{
		"run": a.Run, "runTitle": a.RunTitle, "parent": a.Parent, "caller": a.Caller, "step": a.Step, "client": a.Client, "token": a.Token,
	} {
		if text != "" {
			out[name] = visible.Line(visible.Cut(text, maxAsker))
		}
	}
	return out
}

func visibleList[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = visible.Line(string(item))
	}
	return out
}
