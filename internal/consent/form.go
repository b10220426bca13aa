package consent

import (
	"encoding/json"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Form is what a tool asks a person for while it runs: to fill in something, to say yes or no, or
// to open a page. What stands in it comes from the tool.
type Form struct {
	// Title and Text of what is asked.
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	// Schema is the JSON Schema of the answer, as a JSON value; nil for one that is yes or no, and
	// for a page.
	Schema any `json:"schema,omitempty"`
	// URL is the address of the page that is to be opened; "" for none.
	URL string `json:"url,omitempty"`
}

// MaxValue is how large the answer to a form may be, in bytes of JSON.
const MaxValue = 64 << 10

// Check says why a form is put before nobody: see tool.Form.Check and tool.CheckPage.
func (f Form) Check() error {
	if f.URL != "" {
		return tool.CheckPage(f.URL) //nolint:wrapcheck // it has its code
	}
	shown := tool.Form{Title: f.Title, Text: f.Text}
	if f.Schema != nil {
		shown.Schema = value.AppendJSON(nil, f.Schema)
	}
	return shown.Check() //nolint:wrapcheck // it has its code
}

// About names a form in a sentence.
func (f Form) About() string {
	if f.URL != "" {
		return "the page " + f.URL
	}
	return `the form "` + f.Title + `"`
}

// refuses says why an answer is none to the form; "" where it may be one.
func (f Form) refuses(q Question, a Answer) string {
	_, isBool := a.Value.(bool)
	switch {
	case a.Edited || a.remembers() || len(a.Conditions) > 0 || a.Until != nil:
		return "Asked is for an answer, which counts once: it takes a value, and nothing that is for a yes to a call."
	case f.URL != "" && a.HasValue:
		return "Asked is to open a page, which is answered without a value once it is done."
	case f.URL == "" && f.Schema != nil && !a.HasValue:
		return "Asked is for " + f.About() + ". Answer it with: " + q.GiveAnswer()
	case f.URL == "" && f.Schema == nil && a.HasValue && !isBool:
		return "Asked is for a yes or a no: the answer is true or false."
	}
	return ""
}

// filled gives a yes with the value that it stands for.
func (f Form) filled(a Answer) Answer {
	if f.URL == "" && f.Schema == nil && !a.HasValue {
		a.HasValue, a.Value = true, true
	}
	return a
}

// GiveAnswer is the command that answers what a tool asks for.
func (q Question) GiveAnswer() string {
	command := "toolsmith allow " + q.ID
	if q.Form != nil && q.Form.Schema != nil {
		command += " --answer JSON"
	}
	return command
}

// Complete gives an answer that Check takes as it is kept.
func (q Question) Complete(a Answer) Answer {
	if q.Form == nil || !a.Allow {
		return a
	}
	return q.Form.filled(a)
}

// MarshalJSON writes a form with its schema as it is.
func (f Form) MarshalJSON() ([]byte, error) {
	type plain Form
	out := struct {
		plain
		Schema *exact `json:"schema,omitempty"`
	}{plain: plain(f)}
	if f.Schema != nil {
		out.Schema = &exact{f.Schema}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Form) UnmarshalJSON(data []byte) error {
	type plain Form
	in := struct {
		*plain
		Schema exact `json:"schema"`
	}{plain: (*plain)(f)}
	err := json.Unmarshal(data, &in)
	f.Schema = in.Schema.value
	return err
}
