package capability

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// maxDepth is how deep an outline goes before it writes what is below as JSON.
	maxDepth = 16
	// nothing stands for null and for what is empty.
	nothing = "none"
	// cutMark ends an outline that would have been too long.
	cutMark = "… (the rest is too long to be written down)"
)

// outline writes a JSON value down for a person to read, in at most the given number of
// bytes. Flows cannot join texts, so this is how a list of records becomes a note:
//
//	{"finished": [{"title": "Pay rent", "status": "done"}], "open": [], "week": 48}
//
// is written as
//
//	finished
//	- Pay rent (done)
//
//	open: none
//	week: 48
//
// The keys of an object are sorted, since a JSON object has no order of its own.
func outline(value any, most int) string {
	o := outliner{most: most}
	if fields, ok := value.(map[string]any); ok && len(fields) > 0 && recordLine(fields) == "" {
		o.sections(fields)
	} else {
		o.block(value, "", "", 0)
	}
	return strings.TrimSuffix(o.text.String(), "\n")
}

// outliner writes lines until there is no more room.
type outliner struct {
	text strings.Builder
	most int
	full bool
}

func (o *outliner) line(line string) {
	if o.full {
		return
	}
	if o.text.Len()+len(line)+len("\n")+len(cutMark) > o.most {
		o.full = true
		line = cutMark
	}
	o.text.WriteString(line)
	o.text.WriteByte('\n')
}

// sections writes the outermost object: each nested value under its key as a heading,
// with empty lines around it.
func (o *outliner) sections(fields map[string]any) {
	afterSection := false
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		value := fields[key]
		text, short := inline(value)
		if i > 0 && (afterSection || !short) {
			o.line("")
		}
		afterSection = !short
		if short {
			o.line(label(key) + ": " + text)
			continue
		}
		o.line(label(key))
		if _, isObject := value.(map[string]any); isObject {
			o.block(value, "  ", "  ", 1)
		} else {
			o.block(value, "", "", 1)
		}
	}
}

// block writes a value over as many lines as it needs: the first line after first, the
// others after rest.
func (o *outliner) block(value any, first, rest string, depth int) {
	if o.full {
		return
	}
	if text, short := inline(value); short {
		o.line(first + text)
		return
	}
	if depth >= maxDepth {
		o.line(first + compact(value))
		return
	}
	switch value := value.(type) {
	case string:
		for _, line := range textLines(value) {
			o.line(strings.TrimRight(first+line, " "))
			first = rest
		}
	case []any:
		for _, item := range value {
			o.block(item, first+"- ", rest+"  ", depth+1)
			first = rest
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if text, short := inline(value[key]); short {
				o.line(first + label(key) + ": " + text)
			} else {
				o.line(first + label(key) + ":")
				o.block(value[key], rest+"  ", rest+"  ", depth+1)
			}
			first = rest
		}
	}
}

// inline gives what a value looks like within a line; short is false where it needs
// lines of its own.
func inline(value any) (text string, short bool) {
	switch value := value.(type) {
	case nil:
		return nothing, true
	case bool:
		return strconv.FormatBool(value), true
	case json.Number:
		return value.String(), true
	case string:
		lines := textLines(value)
		if len(lines) > 1 {
			return "", false
		}
		if strings.TrimSpace(lines[0]) == "" {
			return nothing, true
		}
		return lines[0], true
	case []any:
		return nothing, len(value) == 0
	case map[string]any:
		if len(value) == 0 {
			return nothing, true
		}
		line := recordLine(value)
		return line, line != ""
	}
	return "", false
}

// recordLine gives the one line that stands for a record: its title, with its status,
// priority and due date. It is empty for an object that is no record, which is one
// without a title, or with a field that records do not have and that must not get lost.
func recordLine(fields map[string]any) string {
	title, _ := fields["title"].(string)
	title = oneLine(title)
	if title == "" {
		return ""
	}
	for key, value := range fields {
		switch key {
		case "status", "priority", "dueAt":
			if _, isText := value.(string); !isText && value != nil {
				return "" // what is no text has no place in the line
			}
		case "id", "title", "content", "description", "kind", "archived", "createdAt", "updatedAt", "revision":
		default:
			return ""
		}
	}
	var marks []string
	for _, key := range []string{"status", "priority"} {
		if mark, ok := fields[key].(string); ok && oneLine(mark) != "" {
			marks = append(marks, oneLine(mark))
		}
	}
	if due, ok := fields["dueAt"].(string); ok && oneLine(due) != "" {
		marks = append(marks, "due "+dueDate(oneLine(due)))
	}
	if len(marks) == 0 {
		return title
	}
	return title + " (" + strings.Join(marks, ", ") + ")"
}

// dueDate gives the date of a time, and another text as it is.
func dueDate(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.Format(time.DateOnly)
	}
	return text
}

// label gives a key in a form that fits before a colon.
func label(key string) string {
	if line := oneLine(key); line != "" {
		return line
	}
	return strconv.Quote(key)
}

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// textLines gives the lines of a text, without empty ones at its end.
func textLines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// compact gives a value as JSON on one line.
func compact(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "…" // a number that is none, which no reader of JSON gives
	}
	return strings.TrimSuffix(text.String(), "\n")
}
