package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"toolsmith/internal/console"
	"toolsmith/tool"
)

// codeServerLost: the server has gone in the middle of a command.
const codeServerLost = "SERVER_LOST"

// home are the commands that are done in this process, whoever holds the data folder: they need
// none of it, or are the server.
var home = []string{"toolsmith", "check", "capabilities", "completion", "help", "open", "serve", "version", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

// forward has the server that holds the data folder do a command, before it would be done here.
// There it sees the tools that programs supply through ports, those who listen are told of it,
// and what it begins may outlive it.
func (a *app) forward(cmd *cobra.Command, _ []string) error {
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	if a.server != nil || slices.Contains(home, top.Name()) {
		return nil
	}
	workdir, err := os.Getwd()
	if err != nil {
		return nil // it is done here, where files are not found for the same reason
	}
	question := &lazily{open: a.question}
	defer question.close()
	abandon, forget := secondInterrupt(cmd.Context())
	defer forget()
	c := console.Command{
		Args: a.args, Folder: workdir, Version: version, In: isTerminal(a.in), Out: isTerminal(a.out), Err: isTerminal(a.errOut),
		Columns: wideOf(a.errOut), Colour: a.style.colour, Unicode: a.style.unicode,
	}
	c.ZoneHere()
	exit, err := console.Run(cmd.Context(), a.folder(), c, console.Streams{
		In: a.in, Hidden: func() (string, error) { return unseen(cmd.Context(), a.in) },
		Out: unfiltered{a.out}, Err: unfiltered{a.errOut}, Question: question,
	}, abandon)
	switch {
	case errors.Is(err, console.ErrNoServer):
		return nil
	case err != nil:
		return &tool.Error{Code: codeServerLost, Message: "The server was ended in the middle of this command. What the command has begun goes on with the server, or with: toolsmith resume", Cause: err}
	}
	a.said = true
	return silent(exit)
}

// unfiltered writes what a server has made visible already.
type unfiltered struct{ *stream }

func (u unfiltered) Write(b []byte) (int, error) { return len(b), u.exact(b) }

// lazily is a place that is opened when it is written to for the first time.
type lazily struct {
	open func() (io.Writer, func())
	to   io.Writer
	done func()
}

func (o *lazily) Write(b []byte) (int, error) {
	if o.to == nil {
		o.to, o.done = o.open()
	}
	if s, ok := o.to.(*stream); ok {
		return unfiltered{s}.Write(b)
	}
	return o.to.Write(b) //nolint:wrapcheck // it is its writer
}

func (o *lazily) close() {
	if o.done != nil {
		o.done()
	}
}

// secondInterrupt is closed at the second interrupt, the first being the end of ctx: for those
// who do not wait for what the first one does.
func secondInterrupt(ctx context.Context) (second <-chan struct{}, forget func()) {
	closed, ended := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(signals)
		select {
		case <-signals:
			close(closed)
		case <-ended:
		}
	}()
	return closed, func() { close(ended) }
}

// commands does commands for those who type them while this server holds the data folder.
func (a *app) commands() *console.Server {
	return console.NewServer(func(ctx context.Context, s *console.Session) (exit int) {
		b := dressed(s.Input, s.Output, s.Errors, style{colour: s.Colour, unicode: s.Unicode})
		b.server, b.workdir, b.zone = a, s.Folder, s.Location()
		b.catalogue, b.newID, b.toolbox = a.catalogue, a.newID, a.toolbox
		b.scripts, b.sources = a.scripts, a.sources
		b.store, b.vault, b.works, b.ports = a.store, a.vault, a.works, a.ports
		b.terminal = func() (io.Writer, func()) { return &stream{raw: s.Question, own: b.style.sequences()}, func() {} }
		defer func() { // a fault in one command must not end the server
			if fault := recover(); fault != nil {
				a.log().Error("a command failed", "command", s.Args, "fault", fault, "stack", string(debug.Stack()))
				exit = b.report(fmt.Errorf("the command failed: %v. The log of the server has more", fault))
			}
		}()
		if s.Version != version {
			b.say("The server that does this is of version %s, and this program of version %s. Start the server anew to have one.", version, s.Version)
		}
		return b.execute(ctx, s.Args)
	})
}
