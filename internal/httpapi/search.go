package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/local"
	"toolsmith/internal/task"
)

// The bounds of a search.
const (
	// mostSearched is how many of the newest runs are looked at, and of the newest records of a
	// kind that have the longest word of what is looked for.
	mostSearched = 500
	// mostExcerpt is how many characters of a text are shown of a hit.
	mostExcerpt = 160
)

// hit is something that a search has found.
type hit struct {
	Kind    string `json:"kind" enum:"tool,run,note,task,memory" doc:"What it is."`
	ID      string `json:"id" doc:"Its id; of a tool the name under which it is called."`
	Title   string `json:"title" doc:"Its title."`
	Excerpt string `json:"excerpt" doc:"A part of its text, on one line: where what was looked for stands in it, or its beginning. Of a run its status."`
	// worth of the hit: the more, the better.
	worth int
}

type hitList struct {
	Hits []hit `json:"hits" nullable:"false" doc:"What was found, the best match first; among equals tools come before runs, notes, tasks and memories, and the newest first."`
}

// sought is what is looked for.
type sought struct {
	phrase string
	words  []string
	// longest of the words.
	longest string
}

// seek reads what is to be looked for.
func seek(query string) sought {
	s := sought{phrase: strings.Join(strings.Fields(local.Fold(query)), " ")}
	s.words = strings.Fields(s.phrase)
	for _, word := range s.words {
		if len(word) > len(s.longest) {
			s.longest = word
		}
	}
	return s
}

// How good a match is.
const (
	worthSome  = 1 + iota // all words are somewhere in it
	worthText             // the words stand together in its text
	worthWords            // all words are in its title
	worthTitle            // the words stand together in its title
	worthBegin            // its title begins with them, or a word in it does
	worthWhole            // they are its title
)

// worth says how good a match something is; 0 for none. Titles are all that it is called.
func (s sought) worth(text string, titles ...string) int {
	best := 0
	all := local.Fold(text)
	for _, title := range titles {
		title = local.Fold(title)
		all += "\n" + title
		switch {
		case title == s.phrase:
			best = max(best, worthWhole)
		case beginsWord(title, s.phrase):
			best = max(best, worthBegin)
		case strings.Contains(title, s.phrase):
			best = max(best, worthTitle)
		case s.in(title):
			best = max(best, worthWords)
		}
	}
	switch {
	case best > 0:
		return best
	case strings.Contains(all, s.phrase):
		return worthText
	case s.in(all):
		return worthSome
	}
	return 0
}

// in reports whether a text has all the words in it.
func (s sought) in(text string) bool {
	return !slices.ContainsFunc(s.words, func(word string) bool { return !strings.Contains(text, word) })
}

// beginsWord reports whether a word of a text begins with what is looked for.
func beginsWord(text, phrase string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+at])
		if from+at == 0 || !unicode.IsLetter(before) && !unicode.IsNumber(before) {
			return true
		}
		from += at + 1
	}
}

// excerpt gives the part of a text where what is looked for stands, on one line.
func (s sought) excerpt(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= mostExcerpt {
		return string(runes)
	}
	// Where it stands in the folded text is about where it stands in the text.
	folded := local.Fold(string(runes))
	at := strings.Index(folded, s.phrase)
	if at < 0 {
		at = max(0, strings.Index(folded, s.longest))
	}
	from := max(0, min(utf8.RuneCountInString(folded[:at])-mostExcerpt/4, len(runes)-mostExcerpt))
	out := string(runes[from : from+mostExcerpt])
	if from > 0 {
		out = "…" + out
	}
	if from+mostExcerpt < len(runes) {
		out += "…"
	}
	return out
}

// search adds what finds things by what is in them.
func (a *API) search() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "search", Method: http.MethodGet, Path: "/v1/search", Summary: "Find tools, runs, notes, tasks and memories", Tags: []string{"search"},
		Description: "All words have to be there, in whatever case and order. Of runs, the newest 500 are looked at. A program finds the tools that it may call and the runs that it has begun, and none of the person's data.",
	}, func(ctx context.Context, in *struct {
		Query string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"The words to look for."`
		Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"How many at most."`
	}) (*output[hitList], error) {
		s := seek(in.Query)
		if s.phrase == "" {
			return nil, invalidField("query.q", "There is nothing to look for: give a word.")
		}
		hits, err := a.find(ctx, s)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.worth, a.worth) })
		return &output[hitList]{hitList{hits[:min(len(hits), in.Limit)]}}, nil
	})
}

// find gives all that matches, kind by kind.
func (a *API) find(ctx context.Context, s sought) ([]hit, error) {
	hits := []hit{}
	note := func(kind, id, title, text, excerpt string, titles ...string) {
		if worth := s.worth(text, titles...); worth > 0 {
			hits = append(hits, hit{kind, id, title, excerpt, worth})
		}
	}
	tools, err := a.named(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		note("tool", t.name, t.title, t.description, s.excerpt(t.description), t.name, t.title)
	}
	who := whoOf(ctx)
	filter := task.Filter{Limit: mostSearched}
	if !who.Person {
		filter.Caller = callerOf(who)
	}
	runs, err := a.o.Engine.Runs(ctx, filter)
	if err != nil {
		return nil, err //nolint:wrapcheck // failed words it
	}
	for _, r := range runs {
		note("run", r.ID, r.Title, "", string(r.Status), r.ID, r.Title)
	}
	if !who.Person {
		return hits, nil
	}
	err = a.o.Engine.Look(ctx, func(b *local.Book) error {
		list := local.List{Query: s.longest, Limit: mostSearched}
		notes, err := b.Notes(ctx, list)
		if err != nil {
			return err
		}
		for _, n := range notes.Records {
			note("note", n.ID, n.Title, n.Content, s.excerpt(n.Content), n.Title)
		}
		tasks, err := b.Tasks(ctx, list)
		if err != nil {
			return err
		}
		for _, t := range tasks.Records {
			note("task", t.ID, t.Title, t.Description, s.excerpt(t.Description), t.Title)
		}
		memories, err := b.Memories(ctx, list)
		for _, m := range memories.Records {
			note("memory", m.ID, m.Title, m.Content, s.excerpt(m.Content), m.Title)
		}
		return err
	})
	return hits, err //nolint:wrapcheck // failed words it
}

// named is a tool as it is looked for.
type named struct{ name, title, description string }

// named lists the tools that whoever asks may know of, by name: those that they may call, and for
// the person those that are off too.
func (a *API) named(ctx context.Context) ([]named, error) {
	callable, err := a.callable(ctx)
	if err != nil {
		return nil, err
	}
	var list []named
	for _, c := range callable {
		list = append(list, named{c.Name, c.Title, c.Description()})
	}
	if !whoOf(ctx).Person {
		return list, nil
	}
	entries, err := a.o.Engine.Tools(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // failed words it
	}
	for _, e := range entries {
		if e.Checked != nil && !slices.ContainsFunc(list, func(t named) bool { return t.name == e.Name() }) {
			list = append(list, named{e.Name(), e.Checked.Title(), e.Checked.Description()})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return cmp.Compare(a.name, b.name) })
	return list, nil
}
