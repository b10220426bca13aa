package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/local"
	"toolsmith/internal/nearest"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

func taskStatuses() []string { return words(local.Statuses()) }

func taskPriorities() []string { return words(local.Priorities()) }

func words[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return texts
}

// flagOf gives the flags that have another name than the field that they set.
var flagOf = map[string]string{"dueAt": "due"}

// form is what a person gave for a record; nil is what was not given.
type form struct {
	title, text, kind *string
	status            *local.Status
	priority          *local.Priority
	// due may be the zero time, which takes the due time away.
	due *time.Time
}

func taskFlags(cmd *cobra.Command) {
	statusFlag(cmd, "the")
	cmd.Flags().String("priority", "", "the `priority`: "+strings.Join(taskPriorities(), ", "))
	cmd.Flags().String("due", "", "the `time` when it is due: 2026-11-27, \"2026-11-27 17:00\" or\n2026-11-27T17:00:00Z; \"none\" for none")
	complete(cmd, "priority", taskPriorities()...)
	complete(cmd, "due")
}

func statusFlag(cmd *cobra.Command, which string) {
	cmd.Flags().String("status", "", which+" `status`: "+strings.Join(taskStatuses(), ", "))
	complete(cmd, "status", taskStatuses()...)
}

func memoryFlags(cmd *cobra.Command) {
	cmd.Flags().String("kind", "", fmt.Sprintf("a `word` of your own to sort by, at most %d characters", local.MaxKind))
	complete(cmd, "kind")
}

// complete makes the shell offer the values of a flag, and never files.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // only for a flag that does not exist, or twice
	}
}

// readForm reads what was given by flags.
func (r records[T]) readForm(cmd *cobra.Command) (f form, err error) {
	f.title, f.text, f.kind = flagText(cmd, "title"), flagText(cmd, r.text), flagText(cmd, "kind")
	if f.text != nil {
		if *f.text, err = r.readText(*f.text); err != nil {
			return form{}, err
		}
	}
	status, err := flagChoice(cmd, "status", taskStatuses())
	if err != nil {
		return form{}, err
	}
	priority, err := flagChoice(cmd, "priority", taskPriorities())
	if err != nil {
		return form{}, err
	}
	f.status, f.priority = (*local.Status)(status), (*local.Priority)(priority)
	if due := flagText(cmd, "due"); due != nil {
		at, err := parseDue(*due, r.zone)
		if err != nil {
			return form{}, err
		}
		f.due = &at
	}
	return f, nil
}

// flagText gives the value of a flag, or nil where it was not given.
func flagText(cmd *cobra.Command, name string) *string {
	flag := cmd.Flags().Lookup(name)
	if flag == nil || !flag.Changed {
		return nil
	}
	text := flag.Value.String()
	return &text
}

// flagChoice gives the value of a flag that has few. An empty one is refused too: it is
// a variable in a script that was never set, and not meant to change anything.
func flagChoice(cmd *cobra.Command, name string, allowed []string) (*string, error) {
	text := flagText(cmd, name)
	if text == nil || slices.Contains(allowed, *text) {
		return text, nil
	}
	message := fmt.Sprintf("%q is not one of %s.", visible.Cut(*text, 40), strings.Join(allowed, ", "))
	if near := nearest.To(*text, allowed); near != "" {
		message += fmt.Sprintf(" Did you mean %q?", near)
	}
	return nil, &tool.Error{Code: local.CodeInvalid, Field: "$." + name, Message: message}
}

// readText reads a text that may stand elsewhere: "@" and a file, or "-" for standard
// input. "@@" begins a text that really has an "@" in front.
func (a *app) readText(text string) (string, error) {
	path, ok := strings.CutPrefix(text, "@")
	switch {
	case ok && strings.HasPrefix(path, "@"):
		return path, nil
	case ok && path == "":
		return "", usage(`after "@" comes the name of a file; for a text that begins with "@" write "@@"`)
	case ok:
	case text == "-":
		if isTerminal(a.in) {
			a.say("Type the text, and then Ctrl-D on a line of its own.")
		}
		path = text
	default:
		return text, nil
	}
	read, err := a.readBounded(path, local.MaxText, false)
	if errors.Is(err, os.ErrNotExist) {
		return "", &codedExit{&tool.Error{Code: "FILE_UNREADABLE", Message: fmt.Sprintf(
			"%s: there is no such file. A text that begins with \"@\" is written with \"@@\".", streamName(path))}, exitNotFound}
	}
	return string(read), err
}

// dueLayouts are the forms of a time in which the time zone of this machine is meant.
var dueLayouts = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// parseDue reads a due time. A day alone means until its end; "none" gives the zero time.
func parseDue(text string, zone *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "none" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil && !at.IsZero() {
		return at, nil
	}
	for _, layout := range dueLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil && !at.IsZero() {
			return at, nil
		}
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return endOfDay(day), nil
	}
	return time.Time{}, &tool.Error{Code: local.CodeInvalid, Field: "$.dueAt", Message: fmt.Sprintf(
		"%q is no time. Write a day such as 2026-11-27, with a time such as \"2026-11-27 17:00\", "+
			"or with a time zone too: 2026-11-27T17:00:00Z.", visible.Cut(text, 40))}
}

func endOfDay(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 23, 59, 59, 0, day.Location())
}

// showDue shows a due time in its time zone, in a form that parseDue reads too.
func showDue(at time.Time) string {
	if at.Equal(endOfDay(at)) {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// inWords names the field at fault by the flag or the argument that it was given with,
// which is what a person knows; programs keep the field.
func (a *app) inWords(cmd *cobra.Command, err error) error {
	var coded *tool.Error
	if a.json || !errors.As(err, &coded) || !strings.HasPrefix(coded.Field, "$.") {
		return err
	}
	name := strings.TrimPrefix(coded.Field, "$.")
	if flag, ok := flagOf[name]; ok {
		name = flag
	}
	told := *coded
	told.Field = strings.ToUpper(name)
	if cmd.Flags().Changed(name) {
		told.Field = "--" + name
	}
	return &told
}
