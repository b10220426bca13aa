package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"toolsmith"
	"toolsmith/tool"
)

func main() {
	words := "The quick brown fox jumps over the lazy dog"
	if len(os.Args) > 1 {
		words = os.Args[1]
	}
	if err := run(context.Background(), os.Stdout, toolsmith.Options{InMemory: true}, words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run opens a runtime, registers the tools and runs two chains side by side.
func run(ctx context.Context, out io.Writer, options toolsmith.Options, words string) error {
	runtime, err := toolsmith.Open(ctx, options)
	if err != nil {
		return err
	}
	defer runtime.Close()
	list, err := tools()
	if err != nil {
		return err
	}
	if err := runtime.Register(list...); err != nil {
		return err
	}
	result, err := runtime.Run(ctx, []tool.Chain{
		{tool.Message(tool.RoleUser, "Look at this."), tool.Call("summarize", text{words})},
		{tool.Call("review", text{words})},
	}, toolsmith.RunOptions{Title: "summarize and review"})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", result.Status, result.Value)
	return nil
}
