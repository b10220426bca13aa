package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolsmith/internal/card"
	"toolsmith/internal/local"
	"toolsmith/internal/visible"
)

const (
	// leastPreview is how many columns the beginning of a text needs to be of any use.
	leastPreview = 12
	// mostFact is how many columns each of those between the id and the title may take.
	mostFact = 16
)

// name names a record in a sentence by its title.
func (r records[T]) name(title string) string {
	return fmt.Sprintf("the %s \"%s\"", r.kind, r.short(title, screen/2))
}

// short shows a text on one line of at most columns columns.
func (r records[T]) short(text string, columns int) string {
	return runewidth.Truncate(visible.Line(text), columns, r.style.sign("…", "..."))
}

// printList prints a list for a person.
func (r records[T]) printList(shown listed) {
	if len(shown.records) == 0 {
		r.say("%s", r.emptyWords(shown))
		return
	}
	head, rows, _ := strings.Cut(r.table(shown.records), "\n")
	r.print("%s\n%s", r.style.faint(head), rows)
	if shown.cut {
		r.say("\n%s", r.cutWords(shown))
	}
}

// emptyWords says why there is nothing to see.
func (r records[T]) emptyWords(shown listed) string {
	list := shown.list
	switch {
	case list.Cursor != "" && shown.total > 0:
		return "There are no more " + r.many + "."
	case list.Query != "" || list.Status != "" || list.Cursor != "":
		return "No " + string(r.kind) + " matches."
	case shown.hidden:
		return "All memories are archived. See them with: " + r.path("list --archived")
	}
	example := `add "Title"`
	if r.textual {
		example = `add "Title" "Content"`
	}
	return "No " + r.many + " yet. Add one with: " + r.path(example)
}

// cutWords says how much of a list is shown, and how to see the rest.
func (r records[T]) cutWords(shown listed) string {
	n := len(shown.records)
	told := fmt.Sprintf("%d of %s.", n, card.Count(shown.total, string(r.kind)))
	switch {
	case !shown.ranked:
		return told + " For the next ones add: --cursor " + shown.records[n-1].handle
	case n < local.MaxLimit:
		return told + fmt.Sprintf(" For more add: --limit %d", min(shown.total, local.MaxLimit))
	}
	return told + " Search for more words to see the others."
}

// column is one column of a list.
type column struct {
	head  string
	cells []string
}

func (c column) empty() bool { return strings.Join(c.cells, "") == "" }

// fit makes the cells of a column safe to show and at most most wide, and gives how wide
// the widest is.
func (r records[T]) fit(c column, most int) (widest int) {
	widest = width(c.head)
	for i, cell := range c.cells {
		c.cells[i] = r.short(cell, most)
		widest = max(widest, width(c.cells[i]))
	}
	return widest
}

// table lays records out in columns that fit the screen: those of few words as wide as
// they are, then the title, and what is left for the beginning of the text. A column in
// which there is nothing is left out.
func (r records[T]) table(list []record) string {
	columns := r.facts(list)
	left := screen
	for i, c := range columns {
		most := mostFact
		if i == 0 {
			most = screen // an id is of no use if it is cut
		}
		left -= r.fit(c, most) + 2
	}
	title, text := column{head: "TITLE"}, column{head: strings.ToUpper(r.text)}
	for _, one := range list {
		title.cells = append(title.cells, one.title)
		text.cells = append(text.cells, preview(one.text))
	}
	if r.textual && !text.empty() && left >= 3*leastPreview {
		r.fit(text, left-2-r.fit(title, left*2/3))
		columns = append(columns, title, text)
	} else {
		r.fit(title, left)
		columns = append(columns, title)
	}
	rows := make([][]string, len(list)+1)
	for _, c := range columns {
		rows[0] = append(rows[0], c.head)
		for i, cell := range c.cells {
			rows[i+1] = append(rows[i+1], cell)
		}
	}
	return table("", rows)
}

// facts are the columns before the title.
func (r records[T]) facts(list []record) []column {
	id := column{head: "ID"}
	created := column{head: "CREATED"}
	for _, one := range list {
		id.cells = append(id.cells, one.handle)
		created.cells = append(created.cells, r.moment(one.createdAt))
	}
	columns := []column{id}
	if r.textual {
		columns = append(columns, created)
	}
	for i, field := range list[0].own {
		c := column{head: strings.ToUpper(field.label)}
		for _, one := range list {
			c.cells = append(c.cells, one.own[i].shown)
		}
		if !c.empty() {
			columns = append(columns, c)
		}
	}
	return columns
}

// preview gives the beginning of a text on one line.
func preview(text string) string {
	return strings.Join(strings.Fields(visible.Cut(text, 2*screen)), " ")
}

// block shows a record with all that is in it.
func (r records[T]) block(one record) string {
	rows := [][]string{{"id", one.id}}
	for _, field := range one.own {
		if field.shown != "" {
			rows = append(rows, []string{field.label, visible.Line(field.shown)})
		}
	}
	rows = append(rows, []string{"created", r.moment(one.createdAt)})
	if one.revision > 1 {
		rows = append(rows, []string{"changed", fmt.Sprintf("%s  (revision %d)", r.moment(one.updatedAt), one.revision)})
	}
	block := r.style.bold(wrap(visible.Line(one.title), "")) + "\n" + table("  ", rows)
	if text := strings.TrimRight(visible.Block(one.text), "\n"); text != "" {
		block += "\n\n" + text
	}
	return block
}

// undoWords says what was taken back. was is the record before that and one is it now,
// where it was there.
func (r records[T]) undoWords(undone local.Undoing, was, one record) string {
	name := r.name(undone.Title)
	when := r.moment(undone.At)
	switch {
	case undone.Gone:
		return fmt.Sprintf("Took back the making of %s on %s: it is gone.\nBring it back with: %s",
			name, when, r.path("undo "+undone.ID))
	case undone.Action == local.Deleted:
		return fmt.Sprintf("Took back the deletion of %s on %s: it is there again (%s).", name, when, one.handle)
	case undone.Action == local.Archived:
		return fmt.Sprintf("Took back the archiving of %s on %s.", name, when)
	case was.id == "":
		return fmt.Sprintf("Brought back %s (%s).", name, one.handle)
	}
	words := fmt.Sprintf("Took back the change of %s on %s.", name, when)
	if rows := r.differences(was, one); len(rows) > 0 {
		words += " It has again:\n" + table("  ", rows)
	}
	return words
}

// differences tells what a record has now, and what it had.
func (r records[T]) differences(was, now record) [][]string {
	var rows [][]string
	add := func(label, was, now string) {
		before, after := cmp.Or(r.short(preview(was), screen/3), "none"), cmp.Or(r.short(preview(now), screen/3), "none")
		switch {
		case was == now:
		case before == after:
			rows = append(rows, []string{label, "as it was before"})
		default:
			rows = append(rows, []string{label, after, "(was " + before + ")"})
		}
	}
	add("title", was.title, now.title)
	for i, field := range now.own {
		add(field.label, was.own[i].shown, field.shown)
	}
	add(r.text, was.text, now.text)
	return rows
}

// ownFlags names the flags of a command that other commands do not have.
func ownFlags(cmd *cobra.Command) []string {
	var names []string
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			names = append(names, "--"+flag.Name)
		}
	})
	return names
}
