package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/secret"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// Exit codes.
const (
	exitDone     = 0
	exitFailed   = 1 // the tool, the run or the command failed
	exitUsage    = 2 // the command was used wrongly
	exitDocument = 3 // the document has errors
	exitDenied   = 4 // a person did not consent
	exitNotFound = 5 // there is no such thing
)

// codeInterrupted: whoever typed the command, or the end of the server that did it, has ended it.
const codeInterrupted = "ABORTED"

// usageError is a command that was used wrongly.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// codedExit is an error that ends the command with a certain exit code.
type codedExit struct {
	error
	exit int
}

func (e *codedExit) Unwrap() error { return e.error }

// silent ends the command with an exit code; everything has been said.
func silent(exit int) error { return &codedExit{nil, exit} }

// report tells a person or a program of an error, and gives the exit code.
func (a *app) report(err error) int {
	if a.out.err != nil && (err == nil || errors.Is(err, a.out.err)) {
		a.json = false // its document could not be written either
		err = &tool.Error{Code: "OUTPUT_FAILED", Message: fmt.Sprintf(
			"what the command made could not be written to standard output: %s. What it changed is done.", a.out.err)}
	}
	if err == nil {
		return exitDone
	}
	exit, code, message, field := classify(err)
	if message == "" {
		return exit
	}
	if a.json {
		if !a.said {
			details := map[string]any{"code": code, "message": message}
			if field != "" {
				details["field"] = field
			}
			a.printJSON(map[string]any{"error": details})
		}
		return exit
	}
	head := a.style.bad("error") + " " + visible.Line(code)
	if field != "" {
		head += " " + visible.Line(field)
	}
	fmt.Fprintf(a.errOut, "%s: %s\n", head, strings.TrimRight(visible.Block(message), "\n"))
	return exit
}

// classify finds the exit code, the code and the words of an error.
func classify(err error) (exit int, code, message, field string) {
	exit = exitFailed
	var forced *codedExit
	if errors.As(err, &forced) {
		exit = forced.exit
		if forced.error == nil {
			return exit, "", "", ""
		}
	}
	var used *usageError
	var coded *tool.Error
	var invalid *engine.InvalidError
	switch {
	case errors.As(err, &used):
		return exitUsage, "USAGE", used.message, ""
	case errors.As(err, &invalid):
		return exitDocument, "MANIFEST_INVALID", invalid.Error(), ""
	case errors.As(err, &coded):
		if forced == nil {
			exit = exitOf(coded.Code)
		}
		return exit, coded.Code, coded.Message, coded.Field
	}
	if errors.Is(err, context.Canceled) {
		return exit, codeInterrupted, "The command was interrupted before its end.", ""
	}
	return exit, "FAILED", err.Error(), ""
}

func exitOf(code string) int {
	switch code {
	case registry.CodeNotFound, registry.CodeVersionNotFound, local.CodeNotFound, local.CodeAmbiguous, engine.CodeRunNotFound, engine.CodeRunAmbiguous, engine.CodeTaskNotFound, engine.CodeTaskAmbiguous,
		consent.CodeNotFound, engine.CodeGrantNotFound, engine.CodeTokenNotFound, secret.CodeMissing:
		return exitNotFound
	case consent.CodeDenied, consent.CodeTimeout, consent.CodeForbidden:
		return exitDenied
	case registry.CodeVersionNotNewer, registry.CodeNameTaken, engine.CodeKeyReused:
		return exitDocument
	case local.CodeInvalid, secret.CodeName, secret.CodeValue, secret.CodeTooShort, secret.CodeTooLong, secret.CodeHeader,
		engine.CodePermissionInvalid, engine.CodeTokenInvalid, consent.CodeAnswerInvalid, consent.CodeConditionInvalid:
		return exitUsage
	}
	return exitFailed
}

// printJSON prints the one document of a command that was asked for JSON. The data in it is
// exact; what is hidden in it is written as escapes.
func (a *app) printJSON(v any) {
	a.said = true
	fmt.Fprintln(a.out, visible.JSON(value.IndentedJSON(v)))
}

// say prints a line for a person on standard error.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.errOut, format+"\n", args...)
}

// print prints a line of a command's product on standard output.
func (a *app) print(format string, args ...any) {
	fmt.Fprintf(a.out, format+"\n", args...)
}
