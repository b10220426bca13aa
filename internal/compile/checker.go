package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"toolsmith/internal/check"
	"toolsmith/internal/coded"
	"toolsmith/internal/manifest"
	"toolsmith/tool"
)

// Checker checks files of both kinds: manifests, and the source of coded tools. It is what an
// engine reads files with.
type Checker struct {
	compiler  *Compiler
	catalogue *tool.Catalogue
}

// NewChecker makes a Checker for the capabilities of a host.
func NewChecker(c *Compiler, catalogue *tool.Catalogue) *Checker { return &Checker{c, catalogue} }

// Check checks the text of a file, whose name says which kind it is of; "" is a manifest. Of a
// source it gives one result for each tool that it declares, in their order, and what is to be said
// of the source as a whole stands in the first of them. Where no tools can be made of it there is
// one result with the reasons. The error is none of the author's: the context has ended, or it has
// check.CodeUnavailable.
func (c *Checker) Check(ctx context.Context, file string, text []byte) ([]check.Result, error) {
	if !IsSource(file) {
		return []check.Result{check.Run(text, c.catalogue)}, nil
	}
	tools, said, err := c.compiler.Compile(ctx, file, text)
	switch {
	case err != nil && (ctx.Err() != nil || tool.Code(err) != ""):
		return nil, err
	case err != nil:
		return nil, &tool.Error{Code: check.CodeUnavailable, Message: fmt.Sprintf(
			"Tools in TypeScript or JavaScript cannot be made here: %s.", reason(err)), Cause: err}
	case len(tools) == 0 || manifest.HasErrors(said):
		return []check.Result{{Diagnostics: said}}, nil
	}
	said = slices.Concat(said, check.Source(text))
	results := make([]check.Result, 0, len(tools))
	for i, t := range tools {
		result := check.Coded(t, c.catalogue)
		result.Diagnostics = slices.Concat(said, result.Diagnostics, readsLike(t, tools[:i]))
		said = nil
		slices.SortStableFunc(result.Diagnostics, func(a, b manifest.Diagnostic) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		if manifest.HasErrors(result.Diagnostics) {
			result.Tool = nil
		}
		results = append(results, result)
	}
	return results, nil
}

// reason is the innermost part of an error, which says what the system refused.
func reason(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// readsLike reports a tool whose name could be taken for that of an earlier one of its file. An
// install would refuse it too, but only after the other one.
func readsLike(t coded.Tool, earlier []coded.Tool) []manifest.Diagnostic {
	for _, other := range earlier {
		why := check.ReadsAlike(t.Name, other.Name)
		if why == "" {
			continue
		}
		return []manifest.Diagnostic{{
			Level: manifest.LevelError, Code: check.CodeNameTaken, Path: "$.name", Line: max(1, t.Line), Column: max(1, t.Column),
			Message: fmt.Sprintf("%q reads like the tool %q of this file: %s. Choose another name.", t.Name, other.Name, why),
		}}
	}
	return nil
}
