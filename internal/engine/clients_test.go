package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// supplied is a tool of a port.
func supplied(holder, portName, name string) port.Client {
	d := port.Declaration{Name: name, Description: "Of a port.", Parameters: map[string]any{"type": "object"}, Timeout: port.DefaultTimeout}
	return port.Client{Holder: holder, Port: portName, Version: d.Digest(portName), Declaration: d}
}

func TestToolsOfPorts(t *testing.T) {
	t.Parallel()
	box, err := engine.NewToolbox(lab)
	if err != nil {
		t.Fatal(err)
	}
	first, changed := box.Watch()
	c := supplied("p1", "editor", "open")
	c.Declaration.Title, c.Declaration.Result = "Open", map[string]any{"type": "string"}
	if err := box.RegisterClient(c); err != nil {
		t.Fatal(err)
	}
	<-changed
	second, changed := box.Watch()
	found, ok := box.Find("open")
	if !ok || second == first || found.Kind != engine.KindClient || found.Title != "Open" || found.Closed() || found.Version != c.Version ||
		found.Namespace != "port:editor/open" || found.Description() != "Of a port." || found.Hosts(nil) != nil || found.Secrets() != nil || found.Release() != 0 ||
		found.Source() != consent.FromPort+"editor" || found.Result == nil {
		t.Errorf("found %+v", found)
	}
	want := `{"powers":["outbound","read","write"],"risk":"R3","reversibility":"irreversible","capabilities":[],"readsPrivate":false,"readsUntrusted":true,"canTransmit":true}`
	if got := marshal(t, found.Marks()); got != want {
		t.Errorf("marks %s", got)
	}

	wantCode(t, box.RegisterClient(supplied("p2", "page", "open")), engine.CodeToolExists, `"open"`)
	wantCode(t, box.RegisterClient(supplied("p2", "page", "0pen")), engine.CodeToolExists, "taken for each other")
	wantCode(t, box.RegisterClient(supplied("p1", "editor", "Open")), engine.CodeToolExists, "taken for each other")
	wantCode(t, box.RegisterClient(supplied("p1", "editor", "lab.list")), engine.CodeToolExists)
	bad := supplied("p1", "editor", "bad")
	bad.Declaration.Parameters = map[string]any{"type": "?"}
	wantCode(t, box.RegisterClient(bad), engine.CodeToolInvalid, "parameters")
	bad = supplied("p1", "editor", "bad")
	bad.Declaration.Result = map[string]any{"type": "?"}
	wantCode(t, box.RegisterClient(bad), engine.CodeToolInvalid, "result")
	if err := box.RegisterClient(supplied("p1", "editor", "open")); err != nil {
		t.Errorf("the same port cannot replace it: %v", err)
	}

	box.UnregisterClient("p9", "open")
	box.UnregisterClient("p1", "lab.list")
	box.UnregisterClient("p1", "lost")
	if now, _ := box.Find("open"); now.Closed() {
		t.Error("another port has closed it")
	}
	box.UnregisterClient("p1", "open")
	box.UnregisterClient("p1", "open")
	<-changed
	shut, ok := box.Find("open")
	if !ok || !shut.Closed() || found.Closed() || strings.Contains(strings.Join(box.Names(), " "), "open") {
		t.Errorf("closed: %+v; names %q", shut, box.Names())
	}
	if list := box.List(); len(list) != len(lab.Names())+1 || list[len(list)-1].Name != "open" || !list[len(list)-1].Closed() {
		t.Errorf("%d tools are listed", len(list))
	}
	if err := box.RegisterClient(supplied("p3", "page", "0pen")); err != nil {
		t.Errorf("a name is not free whose port is closed: %v", err)
	}
	if err := box.RegisterClient(supplied("p3", "page", "open")); tool.Code(err) != engine.CodeToolExists {
		t.Errorf("%v", err)
	}
}

// TestToolsOfClosedPortsAreForgotten in the end: programs come and go.
func TestToolsOfClosedPortsAreForgotten(t *testing.T) {
	t.Parallel()
	box, err := engine.NewToolbox(lab)
	if err != nil {
		t.Fatal(err)
	}
	const many = 1010
	for i := range many {
		name := fmt.Sprintf("a%sz", strings.Repeat("b", i%60)+fmt.Sprint(i))
		if err := box.RegisterClient(supplied("p1", "editor", name)); err != nil {
			t.Fatal(err)
		}
		box.UnregisterClient("p1", name)
	}
	if got := len(box.List()) - len(lab.Names()); got != 1000 {
		t.Errorf("%d tools are known", got)
	}
}

func TestAToolOfAPortBesideInstalledOnes(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, call("lab.list")))
	wantCode(t, h.RegisterClient(ctx, supplied("p1", "editor", "made_up")), engine.CodeToolExists, "dynamic:made-up")
	if err := h.RegisterClient(ctx, supplied("p1", "editor", "open")); err != nil {
		t.Fatal(err)
	}
	if _, err := installed(ctx, h, []byte(text("open", 1, call("lab.list")))); err == nil {
		t.Error("a tool is installed that is taken for one of a port")
	}
	for name, want := range map[string]string{"open": "port:editor/open", "port:page/x": "port:page/x"} {
		if got, err := h.Namespace(ctx, name); err != nil || got != want {
			t.Errorf("the namespace of %s is %q, %v", name, got, err)
		}
	}
	h.UnregisterClient("p1", "open")
	started := h.begin(t, engine.Request{Chains: chains(t, calls("open")), Caller: "cli", Owner: "me"})
	if found, err := h.Find(ctx, started.Run, "open"); err != nil || !found.Closed() {
		t.Errorf("found %+v, %v", found, err)
	}
	h.store.set("Tools")
	if err := h.RegisterClient(ctx, supplied("p1", "editor", "other")); err == nil {
		t.Error("nothing was wrong")
	}
	if _, err := h.Find(ctx, started.Run, "other"); tool.Code(err) != task.CodeToolUnknown {
		t.Errorf("%v", err)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
