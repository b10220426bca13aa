// Package bundle turns the TypeScript or JavaScript of a coded tool into one script for the
// sandbox. It is the first step on the way of such a file: what comes out is loaded by
// package runner/script.
//
// The translator, esbuild, never sees a text of somebody else in this process. Two dozen
// nested arrows keep it busy for minutes, and nothing can stop it; deep nesting ends the
// process that it runs in. So each text is translated in a child process that reaches no file
// and no network, has little memory and time, and whose end, however it comes, is a problem of
// the text and none of ours.
package bundle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// The codes of problems.
const (
	CodeSyntax   = "SCRIPT_SYNTAX"
	CodeImport   = "SCRIPT_IMPORT"
	CodeTooLarge = "SCRIPT_TOO_LARGE"
	CodeLimit    = "SCRIPT_BUNDLE_LIMIT"
)

// MaxSource is how large a source may be, in bytes.
const MaxSource = 512 << 10

// maxCached is how much the outputs that are kept may take together, in bytes.
const maxCached = 32 << 20

// Options are the settings of a Bundler.
type Options struct {
	// Command is the program, with its arguments, that runs Main. It has to be given.
	Command []string
	// Timeout is how long one translation may compute; 2 s by default. Where the system does not
	// say how long it did, all the time counts. A child that does nothing is waited for five times
	// as long, since a busy machine does something else meanwhile.
	Timeout time.Duration
	// Memory is how much memory one translation may take, in bytes; 512 MiB by default.
	Memory int64
	// Parallel is how many are translated at once, while others wait; 2 by default.
	Parallel int
	// Cache is how many answers are kept, by content; 64 by default, and none below zero.
	Cache int
}

// Output is a translated text.
type Output struct {
	// Script is one JavaScript program; it expects the module "toolsmith" in
	// globalThis.__toolsmith.
	Script []byte
	// Map is the source map of Script, as JSON. Its only source of the author's bears the name
	// of the file as it was given; it does not hold its text.
	Map []byte
	// Warnings are problems that do not keep the script from running.
	Warnings []Problem
}

// Problem is something that is wrong with a text.
type Problem struct {
	// Code is one of those above, and stable.
	Code string `json:"code"`
	// Message says what is wrong and what to do, in sentences.
	Message string `json:"message"`
	// Text is the line concerned, or the part of it around the place if it is long.
	Text string `json:"text,omitempty"`
	// Line and Column of the place, from 1, in characters; 0 where there is none. As in the
	// language, lines end with a line feed, a carriage return, both, U+2028 or U+2029.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// Bundler translates in child processes of one program. It may be used from many goroutines.
type Bundler struct {
	options Options
	turns   chan struct{}

	mu     sync.Mutex
	kept   *simplelru.LRU[key, answer] // nil if nothing is kept
	volume int
}

// key is what an answer is kept by: the name of the file, which is in the source map and says
// which language it is, and its content.
type key [sha256.Size]byte

// New makes a Bundler; it starts nothing yet.
func New(o Options) *Bundler {
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	o.Memory = cmp.Or(o.Memory, 512<<20)
	o.Parallel = max(1, cmp.Or(o.Parallel, 2))
	o.Cache = cmp.Or(o.Cache, 64)
	b := &Bundler{options: o, turns: make(chan struct{}, o.Parallel)}
	if o.Cache > 0 {
		// It fails only for a size below one.
		b.kept, _ = simplelru.NewLRU(o.Cache, func(_ key, a answer) { b.volume -= a.size() })
	}
	return b
}

// Bundle translates the source of a file, whose name says by its ending which language it is:
// JavaScript for .js and .mjs, TypeScript for all others. The problems are those of the text,
// complete and in order of place, beginning with those that have one; after 1,000 the last of
// them counts the rest. With problems the output has warnings at most. The error is none of the
// author's: the context has ended, or the child cannot be started.
func (b *Bundler) Bundle(ctx context.Context, file string, source []byte) (Output, []Problem, error) {
	if problem, bad := unreadable(source); bad {
		return Output{}, []Problem{problem}, nil
	}
	k := keyOf(file, source)
	if a, ok := b.recall(k); ok {
		return a.output(), a.problems(), nil
	}
	select {
	case b.turns <- struct{}{}:
		defer func() { <-b.turns }()
	case <-ctx.Done():
		return Output{}, nil, ended(ctx, file)
	}
	// Whoever had the turn before may have translated the same.
	if a, ok := b.recall(k); ok {
		return a.output(), a.problems(), nil
	}
	a, problem, err := b.translate(ctx, file, source)
	if err != nil {
		return Output{}, nil, err
	}
	if problem != nil {
		// It is not kept: on a machine that has more time it may turn out differently.
		return Output{}, []Problem{*problem}, nil
	}
	b.keep(k, a)
	return a.output(), a.problems(), nil
}

func ended(ctx context.Context, file string) error {
	return fmt.Errorf("translate %q: %w", file, context.Cause(ctx))
}

func keyOf(file string, source []byte) key {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(file), file)
	h.Write(source)
	return key(h.Sum(nil))
}

func (b *Bundler) recall(k key) (answer, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		return answer{}, false
	}
	return b.kept.Get(k)
}

func (b *Bundler) keep(k key, a answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil || a.size() > maxCached/4 || b.kept.Contains(k) {
		return
	}
	b.volume += a.size()
	b.kept.Add(k, a)
	for b.volume > maxCached {
		b.kept.RemoveOldest()
	}
}

// output copies what a caller may change.
func (a answer) output() Output {
	return Output{Script: bytes.Clone(a.Script), Map: bytes.Clone(a.Map), Warnings: slices.Clone(a.Warnings)}
}

func (a answer) problems() []Problem { return slices.Clone(a.Errors) }

// size is about how much memory an answer takes, in bytes.
func (a answer) size() int {
	n := len(a.Script) + len(a.Map) + 256
	for _, list := range [][]Problem{a.Errors, a.Warnings} {
		for _, p := range list {
			n += len(p.Message) + len(p.Text) + 64
		}
	}
	return n
}

// unreadable finds what can be said of a source without reading it as a program.
func unreadable(source []byte) (Problem, bool) {
	if len(source) > MaxSource {
		return Problem{Code: CodeTooLarge, Message: fmt.Sprintf("The file has %d bytes, and a tool may have %d (512 KiB). Leave out what it does not need.", len(source), MaxSource)}, true
	}
	if !utf8.Valid(source) {
		at := invalidAt(source)
		p := Problem{Code: CodeSyntax, Message: fmt.Sprintf("The file is not UTF-8: byte %d is 0x%02X. Save it as UTF-8.", at, source[at])}
		if bytes.HasPrefix(source, []byte{0xFF, 0xFE}) || bytes.HasPrefix(source, []byte{0xFE, 0xFF}) {
			p.Message = "The file is UTF-16, as byte 0 says. Save it as UTF-8."
		}
		p.Line, p.Column = Position(source, at)
		return p, true
	}
	if at := bytes.IndexByte(source, 0); at >= 0 {
		p := Problem{Code: CodeSyntax, Message: fmt.Sprintf(`Byte %d is the character U+0000, which no source may hold. Write \0 in a text.`, at)}
		p.Line, p.Column = Position(source, at)
		return p, true
	}
	return Problem{}, false
}

// invalidAt is the offset of the first byte that is no UTF-8.
func invalidAt(source []byte) int {
	at := 0
	for at < len(source) {
		r, size := utf8.DecodeRune(source[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return at
}
