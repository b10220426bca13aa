package worker_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"toolsmith/internal/capability"
	"toolsmith/internal/capability/web"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/worker"
)

// TestADryRunSendsNothing: a step that reaches outside fails in a dry run, or a script
// answers in its place; the host that it would have reached sees no connection.
func TestADryRunSendsNothing(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		connections.Add(1)
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	client := web.New(web.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	t.Cleanup(client.Close)
	host := capability.NewHostWith(client)
	listed := fmt.Sprintf("http://api.example.com:%d", netip.MustParseAddrPort(server.Listener.Addr().String()).Port())
	reach := &capability.Reach{Hosts: []string{listed}, AllowPrivate: func(string) bool { return true }}
	call := capability.Call{Name: "http.post", Input: map[string]any{"url": listed}, Reach: reach}
	if _, err := host.Call(t.Context(), nil, call); err != nil || connections.Load() != 1 {
		t.Fatalf("the host is not reached in earnest: %v, %d connections", err, connections.Load())
	}

	d := newDesk(t)
	w := d.anotherWith(worker.Options{Capabilities: host})
	for _, name := range []string{"http.get", "http.post"} {
		text := manifest(fmt.Sprintf(`{"id": "ask", "type": "capability", "capability": %q, "input": {"url": %q}, "target": "$.answer", "next": "end"},
			{"id": "end", "type": "return", "value": {"$ref": "$.answer.status"}}`, name, listed+"/"))
		text = strings.Replace(text, `"mode": "forbidden", "domains": []`, fmt.Sprintf(`"mode": "allowlist", "domains": [%q]`, listed), 1)
		c := checkedText(t, host.Catalogue(), text)
		out, err := w.Try(t.Context(), worker.Job{Tool: c, Input: map[string]any{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if wantStatus(t, out.Result, flow.Failed, "OUTBOUND_NOT_ALLOWED"); !strings.Contains(out.Failure.Message, "may not reach the network") || len(out.Writes) != 0 {
			t.Errorf("%s: %v, writes %v", name, out.Failure, out.Writes)
		}
		script, err := flow.ParseScript(fmt.Appendf(nil, `{"capabilities": {%q: [{"result": {"status": 200, "headers": {}, "text": "ok"}}]}}`, name))
		if err != nil {
			t.Fatal(err)
		}
		if out, err = w.Try(t.Context(), worker.Job{Tool: c, Input: map[string]any{}}, script); err != nil {
			t.Fatal(err)
		}
		if wantStatus(t, out.Result, flow.Succeeded, ""); fmt.Sprint(out.Output) != "200" {
			t.Errorf("%s: the script gave %v", name, out.Output)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("dry runs made %d connections", n-1)
	}
}
