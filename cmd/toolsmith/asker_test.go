package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/tool"
)

// TestAnswersThatAreTyped are read as what they say, and as no answer where they cannot be given.
func TestAnswersThatAreTyped(t *testing.T) {
	t.Parallel()
	yes, run, always := consent.Answer{Allow: true}, consent.Answer{Allow: true, For: consent.InRun}, consent.Answer{Allow: true, For: consent.Always}
	for text, want := range map[string]*consent.Answer{
		"": {}, "n": {}, "no": {}, "y": &yes, "yes": &yes, "once": &yes, "r": &run, "run": &run, "a": &always, "always": &always,
		"maybe": nil, "yn": nil, "⟨": nil,
	} {
		for _, remember := range []bool{true, false} {
			got, understood := answerOf(text, remember)
			may := want != nil && (remember || want.For == "")
			if understood != may || may && cmp.Diff(*want, got) != "" {
				t.Errorf("%q, remember %v: %+v, understood %v", text, remember, got, understood)
			}
		}
	}
}

// TestChoicesFit a terminal of any width, and offer nothing that cannot be given.
func TestChoicesFit(t *testing.T) {
	t.Parallel()
	r2, r4 := consent.Question{Marks: tool.Marks{Risk: tool.R2}}, consent.Question{Marks: tool.Marks{Risk: tool.R4}}
	for _, columns := range []int{20, 40, 60, 75, 76, 77, 80} {
		for _, q := range []consent.Question{r2, r4} {
			text := "May it run?" + choices(q, columns) + " "
			for line := range strings.SplitSeq(text, "\n") {
				if columns >= 30 && width(line) >= columns {
					t.Errorf("%d columns: %q has %d", columns, line, width(line))
				}
			}
			if offered := strings.Contains(text, "always"); offered != q.MayRemember() {
				t.Errorf("%s: %q", q.Marks.Risk, text)
			}
		}
	}
	if text := choices(r2, screen); strings.Contains(text, "\n") {
		t.Errorf("it takes several lines on a whole screen: %q", text)
	}
}

// TestNothingIsWrittenIntoAnAnswer: what happens while somebody types is shown afterwards, in its
// order.
func TestNothingIsWrittenIntoAnAnswer(t *testing.T) {
	t.Parallel()
	var shown bytes.Buffer
	k := &asker{}
	say := func(text string) { k.show(func() { shown.WriteString(text) }) }
	say("a")
	k.quiet(true)
	say("b")
	say("c")
	if shown.String() != "a" {
		t.Errorf("while somebody types: %q", &shown)
	}
	k.quiet(false)
	say("d")
	if shown.String() != "abcd" {
		t.Errorf("afterwards: %q", &shown)
	}
}

// TestColumns of what is no terminal are those of the screen.
func TestColumns(t *testing.T) {
	t.Parallel()
	if got := columns(&stream{raw: &bytes.Buffer{}}); got != screen {
		t.Errorf("%d columns", got)
	}
}
