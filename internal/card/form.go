package card

import (
	"strings"

	"toolsmith/internal/visible"
)

// Form is what a tool asks a person for while it runs. All of it is the tool's own words.
type Form struct {
	Title, Text string
	// URL is the address of a page to open; "" for none.
	URL string
	// Fields are what is to be filled in, and what of each is said.
	Fields []Line
}

// form adds what a tool asks for, behind a bar, every character of it.
func (s *sheet) form(f Form) {
	s.paragraph("", "The tool asks:")
	for _, text := range []string{f.Title, f.Text, f.URL} {
		if text != "" {
			s.quote("  | ", visible.Block(text))
		}
	}
	if len(f.Fields) > 0 {
		s.paragraph("", "It is answered with:")
	}
	for _, line := range f.Fields {
		s.prose("  | ", visible.Line(line.Label)+": "+visible.Line(line.Text))
	}
}

func (f Form) value() map[string]any {
	fields := make([]any, len(f.Fields))
	for i, line := range f.Fields {
		fields[i] = map[string]any{"label": visible.Line(line.Label), "text": visible.Line(line.Text)}
	}
	out := map[string]any{"title": visible.Line(f.Title), "fields": fields}
	for name, text := range map[string]string{"text": visible.Block(f.Text), "url": visible.Line(f.URL)} {
		if strings.TrimSpace(text) != "" {
			out[name] = text
		}
	}
	return out
}
