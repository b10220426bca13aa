package main

import (
	"strings"

	"toolsmith/internal/card"
	"toolsmith/internal/engine"
	"toolsmith/internal/visible"
)

// supplied are the tools that programs supply through ports to the server that does the command,
// those of closed ports included.
func (a *app) supplied() []*engine.Callable {
	if a.ports == nil {
		return nil
	}
	var list []*engine.Callable
	for _, call := range a.toolbox().List() {
		if call.Kind == engine.KindClient {
			list = append(list, call)
		}
	}
	return list
}

// suppliedTool finds one of them by its name; nil where there is none.
func (a *app) suppliedTool(name string) *engine.Callable {
	if a.ports == nil {
		return nil
	}
	if call, ok := a.toolbox().Find(name); ok && call.Kind == engine.KindClient {
		return call
	}
	return nil
}

// portState says in a word whether the port of a tool is open.
func portState(call *engine.Callable) string {
	if call.Closed() {
		return "closed"
	}
	return "open"
}

// hints are what a program says of its tool, which is shown and not believed.
func hints(call *engine.Callable) string {
	var parts []string
	if call.Client.Declaration.ReadOnly {
		parts = append(parts, "it only reads")
	}
	if call.Client.Declaration.Idempotent {
		parts = append(parts, "it may be repeated")
	}
	return strings.Join(parts, ", ")
}

// listSupplied shows them below the installed tools.
func (a *app) listSupplied() {
	list := a.supplied()
	if len(list) == 0 {
		return
	}
	rows := [][]string{{"TOOL", "PORT", "RISK", "POWERS", "PROGRAM", "TITLE"}}
	for _, call := range list {
		m := call.Marks()
		rows = append(rows, []string{
			visible.Line(call.Name), portState(call), m.Risk.String(), m.PowerNames(), visible.Line(visible.Cut(call.Client.Port, 20)), visible.Line(visible.Cut(call.Title, 30)),
		})
	}
	a.print("From other programs:\n%s", table("", rows))
}

// showSupplied shows one of them.
func (a *app) showSupplied(call *engine.Callable) {
	if a.json {
		a.printJSON(map[string]any{"tool": suppliedValue(call)})
		return
	}
	a.showCard(a.out, card.Question{Facts: card.Facts{
		Title: call.Title, Name: call.Name, Description: call.Description(), Source: call.Source(), Marks: call.Marks(), Catalogue: a.catalogue,
	}}, card.Short)
	a.print("  port          %s", portState(call))
	if said := hints(call); said != "" {
		a.print("  it says       %s, which nobody has looked into", said)
	}
}

func suppliedValue(call *engine.Callable) map[string]any {
	marks := call.Marks()
	return map[string]any{
		"name": call.Name, "title": call.Title, "description": call.Description(), "version": call.Version, "program": call.Client.Port,
		"open": !call.Closed(), "risk": marks.Risk.String(), "powers": structValue(marks.Powers), "reversibility": string(marks.Reversibility),
		"hints":      map[string]any{"readOnly": call.Client.Declaration.ReadOnly, "idempotent": call.Client.Declaration.Idempotent},
		"parameters": call.Client.Declaration.Parameters, "result": call.Client.Declaration.Result,
	}
}

// suppliedValues are all of them, for JSON.
func (a *app) suppliedValues() []any {
	var list []any
	for _, call := range a.supplied() {
		list = append(list, suppliedValue(call))
	}
	return list
}
