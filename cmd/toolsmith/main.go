// Command toolsmith makes, checks and runs tools for AI agents. This package only wires:
// it reads flags, opens the store and hands on to the verbs of package engine.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"toolsmith/internal/compile/bundle"
)

// version is stamped into released binaries by the linker.
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument {
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main without the process around it, and gives the exit code. This program is also the
// one that it starts to translate the file of a coded tool, which needs nothing else of it.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	if len(args) == 1 && args[0] == bundle.ChildArgument {
		return bundle.Main(in, out)
	}
	return newApp(in, out, errOut).execute(ctx, args)
}

// execute does one command, and gives the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	defer a.close()
	root := a.command()
	// A wrong flag in front of --json must not keep the answer from being JSON.
	a.json = slices.Contains(args, "--json")
	a.args = args
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return a.report(err)
}
