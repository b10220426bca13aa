package card

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// sheet collects the lines of a card, none wider than width columns.
type sheet struct {
	width int
	lines []string
}

// columns measures texts in the way that most terminals do, whatever the locale.
func columns() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

func (s *sheet) add(line string) { s.lines = append(s.lines, strings.TrimRight(line, " ")) }

// paragraph adds a text, broken between words, each line after indent.
func (s *sheet) paragraph(indent, text string) {
	for _, line := range fill(text, s.width-len(indent)) {
		s.add(indent + line)
	}
}

// fill breaks a text between words into lines of at most width columns, and through words
// that are wider.
func fill(text string, width int) []string {
	measure := columns()
	var lines []string
	line, used := "", 0
	for _, word := range strings.Split(text, " ") {
		w := measure.StringWidth(word)
		if len(lines)+used > 0 || line != "" {
			if used+1+w <= width {
				line, used = line+" "+word, used+1+w
				continue
			}
			lines = append(lines, line)
		}
		pieces := strings.Split(measure.Wrap(word, width), "\n")
		last := len(pieces) - 1
		lines = append(lines, pieces[:last]...)
		line, used = pieces[last], measure.StringWidth(pieces[last])
	}
	return append(lines, line)
}

// rows adds labelled lines, the labels in one column; in a narrow sheet each text stands
// below its label.
func (s *sheet) rows(indent string, rows []Line) {
	label := 0
	for _, row := range rows {
		label = max(label, columns().StringWidth(row.Label))
	}
	beside := len(indent) + label + 2
	if beside > s.width/2 {
		for _, row := range rows {
			if row.Label != "" {
				s.paragraph(indent, row.Label)
			}
			s.paragraph(indent+"  ", row.Text)
		}
		return
	}
	for _, row := range rows {
		for i, line := range fill(row.Text, s.width-beside) {
			head := ""
			if i == 0 {
				head = row.Label
			}
			s.add(indent + padded(head, label) + "  " + line)
		}
	}
}

func padded(text string, to int) string {
	return text + strings.Repeat(" ", max(0, to-columns().StringWidth(text)))
}

// heading adds a text whose first line stands out, so that nothing in it can pass for a line
// of the card.
func (s *sheet) heading(text string) {
	for i, line := range fill(text, s.width-4) {
		if i > 0 {
			line = "    " + line
		}
		s.add(line)
	}
}

// quote adds data of somebody else behind a bar, every character of it, broken where it
// does not fit.
func (s *sheet) quote(bar, text string) {
	for _, paragraph := range strings.Split(text, "\n") {
		for _, line := range strings.Split(columns().Wrap(paragraph, s.width-len(bar)), "\n") {
			s.lines = append(s.lines, bar+line)
		}
	}
}

// prose adds a text of somebody else, broken between words.
func (s *sheet) prose(bar, text string) {
	for _, line := range fill(text, s.width-len(bar)) {
		s.add(bar + line)
	}
}

// fields adds the fields of a call: short values beside their names, others below them.
func (s *sheet) fields(indent string, c call) {
	bar := indent + "| "
	label := 0
	for _, f := range c.fields {
		if w := columns().StringWidth(f.name); w <= s.width/3 {
			label = max(label, w)
		}
	}
	room := s.width - len(bar) - label - 2
	for i, f := range c.fields {
		if c.left > 0 && i == c.at {
			s.paragraph(indent, "… "+thousands(c.left)+" fields …")
		}
		text, ok := f.inline()
		if ok && f.name != "" && columns().StringWidth(f.name) <= label && columns().StringWidth(text) <= room {
			s.quote(bar, padded(f.name, label)+"  "+text)
			continue
		}
		below := bar
		if f.name != "" {
			s.quote(bar, f.name)
			below += "  "
		}
		s.quote(below, f.text)
		if f.last != "" {
			s.paragraph(indent, "… "+f.size()+" …")
			s.quote(below, f.last)
		}
	}
}
