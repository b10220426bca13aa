package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Spec is what a tool says of itself. Only Name and Description have to be given.
type Spec struct {
	// Name under which the tool is called: 1 to 64 letters, digits, ".", "_" and "-",
	// beginning with a letter or digit.
	Name string
	// Description says what can be seen of what the tool does, what it needs, and its side
	// effects; at most 1,000 characters. People and models read it.
	Description string
	// LongDescription is for a model that has chosen the tool, and for its page; at most
	// 20,000 characters. Optional.
	LongDescription string
	// Title for people; at most 120 characters. Default: the name.
	Title string
	// Version of what the tool does; grants hold for one version. 1 to 64 letters, digits,
	// ".", "_", "+" and "-". Default "1".
	Version string
	// RenderOptions say how a page shows arguments and results; anything that encoding/json
	// can write. Optional.
	RenderOptions map[string]any
	// Calls names the tools that this one's subtasks may call. Optional.
	Calls []string
	// Hosts that the tool reaches through Context.HTTPClient, and no other: "api.example.com",
	// with ":8443" behind it or "http://" before it where that is so. They need the power
	// Outbound, which goes without saying. One that is not written so is an error when the tool
	// is registered. Optional.
	Hosts []string
	// Secrets that the tool may read and set through Context.Secret and Context.SetSecret, by
	// their names: 1 to 64 letters, digits, ".", "_" and "-". Optional.
	Secrets []string
	// Powers that the tool needs; people are asked before a call that needs any. Tools in Go are
	// part of the host, so they are believed. Default: none, for a tool that only computes with
	// what it is given.
	Powers []Power
	// Risk of a call at worst. Default: R4 with the power Outbound, R2 with Write, else R1.
	Risk Risk
	// ReadOnly: it changes nothing, here or elsewhere. It goes without saying where there is no
	// power but Read, is for the author to say with Outbound, and is an error with Write. What
	// is not read-only counts as irreversible.
	ReadOnly bool
	// Idempotent: calling it again with the same arguments changes nothing more, so that a
	// call may be repeated of which nobody knows whether it happened.
	Idempotent bool
}

var (
	toolName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	toolVersion = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}$`)
)

// The bounds of the texts of a Spec, in characters.
const (
	maxDescription     = 1000
	maxLongDescription = 20_000
	maxTitle           = 120
)

// complete fills in what is not given, and lists everything that is wrong.
func (s Spec) complete() (Spec, []error) {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if !toolName.MatchString(s.Name) {
		problem("name: it is 1 to 64 letters, digits, \".\", \"_\" and \"-\", beginning with a letter or digit")
	}
	if strings.TrimSpace(s.Description) == "" {
		problem("description: it says what can be seen of what the tool does, and has to be given")
	}
	for _, text := range []struct {
		name, text string
		most       int
	}{{"description", s.Description, maxDescription}, {"long description", s.LongDescription, maxLongDescription}, {"title", s.Title, maxTitle}} {
		if !utf8.ValidString(text.text) {
			problem("%s: it is no valid UTF-8", text.name)
		}
		if n := utf8.RuneCountInString(text.text); n > text.most {
			problem("%s: it has %d characters, and at most %d are allowed", text.name, n, text.most)
		}
	}
	if s.Title == "" {
		s.Title = s.Name
	}
	if s.Version == "" {
		s.Version = "1"
	}
	if !toolVersion.MatchString(s.Version) {
		problem("version %q: it is 1 to 64 letters, digits, \".\", \"_\", \"+\" and \"-\"", s.Version)
	}
	for _, name := range s.Calls {
		if name == "" || strings.ContainsAny(name, " \t\r\n") {
			problem("calls: %q is no name of a tool", name)
		}
	}
	s.Calls = slices.Compact(slices.Sorted(slices.Values(s.Calls)))
	s.Hosts = slices.Compact(slices.Sorted(slices.Values(s.Hosts)))
	if len(s.Hosts) > 0 {
		s.Powers = append(slices.Clone(s.Powers), Outbound)
	}
	for _, name := range s.Secrets {
		if !toolName.MatchString(name) {
			problem("secrets: %q is not 1 to 64 letters, digits, \".\", \"_\" and \"-\", beginning with a letter or digit", name)
		}
	}
	s.Secrets = slices.Compact(slices.Sorted(slices.Values(s.Secrets)))
	options, err := copyOptions(s.RenderOptions)
	if err != nil {
		problem("render options: they cannot be written as JSON: %w", err)
	}
	s.RenderOptions = options
	return s, append(problems, s.completePowers()...)
}

func (s *Spec) completePowers() []error {
	var problems []error
	for _, p := range s.Powers {
		if p != Read && p != Write && p != Outbound {
			problems = append(problems, fmt.Errorf("powers: %q is none of %s, %s and %s", p, Outbound, Read, Write))
		}
	}
	s.Powers = append([]Power{}, slices.Compact(slices.Sorted(slices.Values(s.Powers)))...)
	writes, leaves := slices.Contains(s.Powers, Write), slices.Contains(s.Powers, Outbound)
	if s.ReadOnly && writes {
		problems = append(problems, errors.New("read only: a tool with the power write is not"))
	}
	s.ReadOnly = s.ReadOnly || !writes && !leaves
	if s.Risk < 0 || s.Risk > R4 {
		problems = append(problems, fmt.Errorf("risk: it is R1 to R4, not %d", s.Risk))
	}
	if s.Risk == 0 {
		switch {
		case leaves:
			s.Risk = R4
		case writes:
			s.Risk = R2
		default:
			s.Risk = R1
		}
	}
	return problems
}

// clone makes a Spec that shares nothing with s.
func (s Spec) clone() Spec {
	s.Calls, s.Powers = slices.Clone(s.Calls), slices.Clone(s.Powers)
	s.Hosts, s.Secrets = slices.Clone(s.Hosts), slices.Clone(s.Secrets)
	s.RenderOptions, _ = copyOptions(s.RenderOptions) // it was written as JSON before
	return s
}

// copyOptions copies through JSON, so that nothing in it can be changed from elsewhere.
func copyOptions(options map[string]any) (map[string]any, error) {
	if options == nil {
		return nil, nil
	}
	text, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	v, err := readLoose(text)
	if err != nil {
		return nil, err
	}
	copied, _ := v.(map[string]any)
	return copied, nil
}
