package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// records are the commands over one kind of the person's records. The verbs are written
// once; the fields say where the kinds differ.
type records[T any] struct {
	*app
	kind local.Kind
	// word names the command and, in JSON, a list; also are other names of the command.
	word string
	also []string
	// many names several of them in a sentence.
	many string
	// about says what they are; adds and edits are examples.
	about, adds, edits string
	// text is what the long text of a record is called.
	text string
	// textual: the text is what counts, so that add takes it as an argument and a list
	// shows how it begins. needsText: add does not go without it.
	textual, needsText bool
	// ranked: a search gives the best match first, and cannot go on below a record.
	ranked bool
	// flags adds those that set what only this kind has; may be nil.
	flags func(*cobra.Command)

	list, search lookupVerb[T]
	find         func(*local.Book, context.Context, string) (T, error)
	create       func(*local.Book, context.Context, form) (T, error)
	update       func(*local.Book, context.Context, string, form) (T, error)
	remove       changeVerb[T]
	record       func(T) record
}

// lookupVerb finds records, and changeVerb makes a change to the one with an id and, unless it is
// 0, a revision: verbs of a book.
type (
	lookupVerb[T any] func(*local.Book, context.Context, local.List) (local.Page[T], error)
	changeVerb[T any] func(*local.Book, context.Context, string, int64) (T, error)
)

// path is how a person calls one of the commands.
func (r records[T]) path(rest string) string { return "toolsmith data " + r.word + " " + rest }

// run makes an error of a command name its flags and arguments.
func (r records[T]) run(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return r.inWords(cmd, do(cmd, args)) }
}

func (r records[T]) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: r.word, Aliases: r.also, Short: r.about,
		Long: r.about + ". Without a further command they are listed,\nthe newest first.",
		Example: "  toolsmith data " + r.word + "\n" + r.adds + "\n  " + r.path("search milk\n") +
			"  " + r.path("show 01KB9Z6TQ6\n") + "  " + r.path("undo 01KB9Z6TQ6"),
		Args: noSuchVerb,
	}
	r.listing(cmd)
	cmd.AddCommand(r.listCommand(), r.showCommand(), r.searchCommand(), r.addCommand(), r.editCommand(), r.deleteCommand(), r.undoCommand())
	return cmd
}

func (r records[T]) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List " + r.many + ", newest first",
		Example: "  " + r.path("list") + "\n  " + r.path("list --query milk --limit 20") + "\n  " + r.path("list --json"),
		Args:    exactly(),
	}
	r.listing(cmd)
	return cmd
}

// listing makes a command list the records.
func (r records[T]) listing(cmd *cobra.Command) {
	var list local.List
	r.pageFlags(cmd, &list)
	cmd.Flags().StringVar(&list.Query, "query", "", "only those that contain this `text`")
	complete(cmd, "query")
	if r.kind == local.KindMemory {
		cmd.Flags().BoolVar(&list.WithArchived, "archived", false, "archived ones too")
	}
	cmd.RunE = r.run(func(cmd *cobra.Command, _ []string) error {
		return r.showList(cmd, listed{list: list}, r.list)
	})
}

// pageFlags adds the flags that say which part of a list is wanted.
func (r records[T]) pageFlags(cmd *cobra.Command, list *local.List) {
	cmd.Flags().IntVar(&list.Limit, "limit", local.DefaultLimit, fmt.Sprintf("at most this `many`, 1 to %d", local.MaxLimit))
	complete(cmd, "limit")
	if r.kind == local.KindTask {
		statusFlag(cmd, "only those with this")
	}
	cmd.Flags().StringVar(&list.Cursor, "cursor", "", "go on below the record with this `id`")
	complete(cmd, "cursor")
}

func (r records[T]) searchCommand() *cobra.Command {
	var list local.List
	cmd := &cobra.Command{
		Use: "search QUERY", Short: "Find " + r.many + " by what is in them",
		Long: "Search finds the " + r.many + " whose title or " + r.text + ` contains the query, in whatever
case, newest first. Several words are looked for as they stand, one after the other.`,
		Example: "  " + r.path("search milk") + "\n  " + r.path(`search "oat milk" --limit 5`),
		Args:    atLeastOne("what to look for"),
	}
	if r.ranked {
		cmd.Long = "Search finds the " + r.many + ` that have all words of the query; if there are none, those
with any of them. The best match comes first. Archived ones are not found.`
		cmd.Flags().IntVar(&list.Limit, "limit", local.DefaultLimit, fmt.Sprintf("at most this `many`, 1 to %d", local.MaxLimit))
		complete(cmd, "limit")
	} else {
		r.pageFlags(cmd, &list)
	}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	cmd.RunE = r.run(func(cmd *cobra.Command, args []string) error {
		// Words that were not quoted are meant together.
		if list.Query = strings.TrimSpace(strings.Join(args, " ")); list.Query == "" {
			return usage("the query is empty. See: %s --help", cmd.CommandPath())
		}
		return r.showList(cmd, listed{list: list, ranked: r.ranked}, r.search)
	})
	return cmd
}

// showList looks records up and shows them.
func (r records[T]) showList(cmd *cobra.Command, shown listed, look lookupVerb[T]) error {
	if shown.list.Limit == 0 { // for a program it means the default, but here somebody wrote it
		return &tool.Error{Code: local.CodeInvalid, Field: "$.limit", Message: fmt.Sprintf("A limit is 1 to %d; this is 0.", local.MaxLimit)}
	}
	status, err := flagChoice(cmd, "status", taskStatuses())
	if err != nil {
		return err
	}
	shown.list.Status = local.Status(given(status))
	e, err := r.reading(cmd.Context())
	if err != nil {
		return err
	}
	err = e.Look(cmd.Context(), func(b *local.Book) error {
		page, err := look(b, cmd.Context(), shown.list)
		if err != nil {
			return err
		}
		shown.total, shown.cut = page.Total, page.Cut
		shown.records = make([]record, len(page.Records))
		for i, found := range page.Records {
			shown.records[i] = r.record(found)
			if !r.json {
				shown.records[i].handle = r.handle(cmd.Context(), b, shown.records[i].id)
			}
		}
		if page.Total == 0 && r.kind == local.KindMemory && !shown.list.WithArchived {
			all, err := r.list(b, cmd.Context(), local.List{WithArchived: true, Limit: 1})
			shown.hidden = all.Total > 0
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.json {
		r.printJSON(r.listValue(shown))
		return nil
	}
	r.printList(shown)
	return nil
}

// listed is a part of a list that was asked for.
type listed struct {
	list local.List
	// ranked: the best matches come first, so that there is no going on below a record.
	ranked  bool
	records []record
	cut     bool
	total   int
	// hidden: there is none to list, but there are archived ones.
	hidden bool
}

func (r records[T]) listValue(shown listed) map[string]any {
	items := make([]any, len(shown.records))
	for i, one := range shown.records {
		items[i] = one.value
	}
	out := map[string]any{r.word: items, "total": value.Int(shown.total)}
	if shown.cut && !shown.ranked {
		out["nextCursor"] = shown.records[len(items)-1].id
	}
	return out
}

// handleLength is how much of an id is its millisecond of creation. That is enough to
// tell records apart but for those that a tool makes at once, which differ at their end.
const handleLength = 10

// handle gives the beginning of an id that is enough to find the record again.
func (r records[T]) handle(ctx context.Context, b *local.Book, id string) string {
	if len(id) > handleLength {
		if _, err := r.find(b, ctx, id[:handleLength]); err == nil {
			return id[:handleLength]
		}
	}
	return id
}

func (r records[T]) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one " + string(r.kind) + " with all that is in it",
		Example: "  " + r.path("show 01KB9Z6TQ6"),
		Args:    exactly("the id"), ValidArgsFunction: r.completeIDs,
		RunE: r.run(func(cmd *cobra.Command, args []string) error {
			e, err := r.reading(cmd.Context())
			if err != nil {
				return err
			}
			var one record
			err = e.Look(cmd.Context(), func(b *local.Book) error {
				found, err := r.find(b, cmd.Context(), args[0])
				one = r.record(found)
				return err
			})
			if err != nil {
				return err
			}
			if r.json {
				r.printOne(one)
				return nil
			}
			r.print("%s", r.block(one))
			return nil
		}),
	}
}

func (r records[T]) printOne(one record) {
	r.printJSON(map[string]any{string(r.kind): one.value})
}

func (r records[T]) addCommand() *cobra.Command {
	names, use := []string{"the title"}, "add TITLE"
	if r.textual {
		names, use = append(names, "the "+r.text), "add TITLE ["+strings.ToUpper(r.text)+"]"
	}
	cmd := &cobra.Command{
		Use: use, Short: "Make a new " + string(r.kind), Long: r.addHelp(), Example: r.adds,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > len(names) {
				return usage("%q is one argument too many: put a text of several words in quotes. See: %s --help", args[len(names)], cmd.CommandPath())
			}
			return between(1, names...)(cmd, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	r.textFlag(cmd)
	cmd.RunE = r.run(func(cmd *cobra.Command, args []string) error {
		f, err := r.readNew(cmd, args)
		if err != nil {
			return err
		}
		one, err := r.change(cmd.Context(), r.changing, func(b *local.Book) (T, error) { return r.create(b, cmd.Context(), f) })
		if err != nil {
			return err
		}
		r.told(one, fmt.Sprintf("Added %s (%s).", r.name(one.title), one.handle))
		return nil
	})
	return cmd
}

func (r records[T]) addHelp() string {
	if !r.textual {
		return "Add makes a new task: todo and of normal priority, unless you say something else."
	}
	return fmt.Sprintf(`Add makes a new %[1]s. Its %[2]s is given as an argument, or by --%[2]s from a file
or standard input. As an argument it is taken as it is, but for "-", which reads
standard input; by the flag a text that begins with "@" is written with "@@".`, r.kind, r.text)
}

// textFlag adds the flags by which a record is made or edited.
func (r records[T]) textFlag(cmd *cobra.Command) {
	cmd.Flags().String(r.text, "", "the "+r.text+": a `text`, @FILE, or - for standard input")
	if r.flags != nil {
		r.flags(cmd)
	}
}

// readNew reads what a new record is to be made from.
func (r records[T]) readNew(cmd *cobra.Command, args []string) (form, error) {
	f, err := r.readForm(cmd)
	if err != nil {
		return form{}, err
	}
	f.title = &args[0]
	if len(args) == 2 {
		if f.text != nil {
			return form{}, usage("the %s is given twice: as an argument and by --%s", r.text, r.text)
		}
		f.text = &args[1]
		if args[1] == "-" {
			text, err := r.readText("-")
			if err != nil {
				return form{}, err
			}
			f.text = &text
		}
	}
	if r.needsText && f.text == nil {
		return form{}, usage("the %s is missing. See: %s --help", r.text, cmd.CommandPath())
	}
	return f, nil
}

func (r records[T]) editCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "edit ID", Short: "Change a " + string(r.kind),
		Long:    "Edit changes what is given and leaves the rest as it is.",
		Example: r.edits, Args: exactly("the id"), ValidArgsFunction: r.completeIDs,
	}
	cmd.Flags().String("title", "", "the new `title`")
	complete(cmd, "title")
	r.textFlag(cmd)
	cmd.RunE = r.run(func(cmd *cobra.Command, args []string) error {
		f, err := r.readForm(cmd)
		if err != nil {
			return err
		}
		if f == (form{}) {
			return usage("say what to change: %s. See: %s --help", strings.Join(ownFlags(cmd), ", "), cmd.CommandPath())
		}
		one, err := r.changeOne(cmd.Context(), args[0], func(b *local.Book, ctx context.Context, id string, _ int64) (T, error) {
			return r.update(b, ctx, id, f)
		})
		if err != nil {
			return err
		}
		r.told(one, "Changed "+r.name(one.title)+".")
		return nil
	})
	return cmd
}

func (r records[T]) deleteCommand() *cobra.Command {
	cmd := r.changeCommand("delete", "Delete a "+string(r.kind), "Delete takes a "+string(r.kind)+" away. Undo brings it back.",
		r.remove, func(one record) string { return "Deleted " + r.name(one.title) + "." + r.undoHint(one.id) })
	cmd.Aliases = []string{"rm"}
	return cmd
}

// undoHint names the whole id: what is gone cannot be looked up to find a shorter one.
func (r records[T]) undoHint(id string) string { return "\nTake it back with: " + r.path("undo "+id) }

// changeCommand makes one change to one record.
func (r records[T]) changeCommand(verb, short, long string, do changeVerb[T], says func(record) string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Long: long, Example: "  " + r.path(verb+" 01KB9Z6TQ6"),
		Args: exactly("the id"), ValidArgsFunction: r.completeIDs,
		RunE: r.run(func(cmd *cobra.Command, args []string) error {
			one, err := r.changeOne(cmd.Context(), args[0], do)
			if err != nil {
				return err
			}
			r.told(one, says(one))
			return nil
		}),
	}
}

// told tells what became of a record.
func (r records[T]) told(one record, words string) {
	if r.json {
		r.printOne(one)
		return
	}
	r.say("%s", words)
}

// changeOne changes the record whose id begins with a prefix.
func (r records[T]) changeOne(ctx context.Context, prefix string, do changeVerb[T]) (record, error) {
	return r.change(ctx, r.reading, func(b *local.Book) (T, error) {
		found, err := r.find(b, ctx, prefix)
		if err != nil {
			return found, err
		}
		one := r.record(found)
		return do(b, ctx, one.id, one.revision)
	})
}

// change makes a change in one transaction, and gives the record that came of it. open
// is reading where something must be there to be changed: on a new machine nothing is,
// and finding that out should not make a data folder.
func (r records[T]) change(ctx context.Context, open func(context.Context) (*engine.Engine, error), do func(*local.Book) (T, error)) (one record, err error) {
	e, err := open(ctx)
	if err != nil {
		return record{}, err
	}
	err = e.Change(ctx, func(b *local.Book) error {
		became, err := do(b)
		if err != nil {
			return err
		}
		one = r.record(became)
		one.handle = r.handle(ctx, b, one.id)
		return nil
	})
	return one, err
}

func (r records[T]) undoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "undo ID", Short: "Take the last change of a " + string(r.kind) + " back",
		Long: "Undo takes the last change of a " + string(r.kind) + ` back, a deletion too: it is exactly what it was
before. Once more takes back the change before that one, and at last the making of
it. Undo of what is gone brings it back.`,
		Example: "  " + r.path("undo 01KB9Z6TQ6"),
		Args:    exactly("the id"), ValidArgsFunction: r.completeIDs,
		RunE: r.run(func(cmd *cobra.Command, args []string) error { return r.undo(cmd.Context(), args[0]) }),
	}
}

func (r records[T]) undo(ctx context.Context, prefix string) error {
	e, err := r.reading(ctx) // as for every change of what must be there
	if err != nil {
		return err
	}
	var undone local.Undoing
	var was, one record
	err = e.Change(ctx, func(b *local.Book) error {
		before, err := r.find(b, ctx, prefix)
		if err != nil && tool.Code(err) != local.CodeNotFound { // what is gone can be brought back
			return err
		}
		was = r.record(before)
		if undone, err = b.Undo(ctx, r.kind, prefix); err != nil || undone.Gone {
			return err
		}
		after, err := r.find(b, ctx, undone.ID)
		one = r.record(after)
		one.handle = r.handle(ctx, b, one.id)
		return err
	})
	if err != nil {
		return err
	}
	if r.json {
		out := map[string]any{string(r.kind): nil, "undone": map[string]any{
			"id": undone.ID, "title": undone.Title, "action": string(undone.Action), "at": value.Time(undone.At), "gone": undone.Gone,
		}}
		if !undone.Gone {
			out[string(r.kind)] = one.value
		}
		r.printJSON(out)
		return nil
	}
	r.say("%s", r.undoWords(undone, was, one))
	return nil
}

// completeIDs offers the ids of the newest records.
func (r records[T]) completeIDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	e, err := r.reading(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	err = e.Look(cmd.Context(), func(b *local.Book) error {
		page, err := r.list(b, cmd.Context(), local.List{Limit: local.MaxLimit})
		ids = nil
		for _, found := range page.Records {
			one := r.record(found)
			if id, ok := completion(one.id, typed); ok {
				ids = append(ids, id+"\t"+r.short(one.title, 60))
			}
		}
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completion completes what was typed of an id. It keeps the letters as they were typed,
// for a shell drops what does not go on from there.
func completion(id, typed string) (string, bool) {
	if len(typed) > len(id) || strings.ToUpper(typed) != id[:len(typed)] {
		return "", false
	}
	return typed + id[len(typed):], true
}
