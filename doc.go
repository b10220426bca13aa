// Package toolsmith is the runtime for Go programs: open it, register tools that are
// written in Go, and run chains of calls.
//
//	runtime, err := toolsmith.Open(ctx, toolsmith.Options{})
//	…
//	defer runtime.Close()
//	err = runtime.Register(summarize)
//	…
//	result, err := runtime.Run(ctx, []tool.Chain{{tool.Call("summarize", args)}}, toolsmith.RunOptions{})
//
// A tool is written with package tool and tested with package tool/tooltest. Whatever runs
// is kept as a graph of tasks: it can be looked at with "toolsmith tree", it survives the
// end of the process at any instant, and local effects happen exactly once.
//
// Every capability of the host is a tool of its own ("notes.create"), installed tools are
// called "dynamic:<id>", and "map" and "wait" show how something is done many times or later.
package toolsmith
