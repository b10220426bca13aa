package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
)

const (
	firstCapability = "$.flow.nodes[0].capability"
	firstAddress    = "$.flow.nodes[0].input.url"
	secondBranch    = "$.flow.nodes[1].capability"
)

// get is a step that reads from an address, given as JSON.
func get(address string) string {
	return calls("look", "web.get", fmt.Sprintf(`{"url": %s}`, address), `"target": "$.found"`, "done")
}

// TestAddresses holds the host of an address that is written out against the network
// list, by the rules by which a client would dial.
func TestAddresses(t *testing.T) {
	t.Parallel()
	const notDeclared = check.CodeNetworkNotDeclared + " " + firstAddress
	for _, c := range []struct {
		address string
		allowed bool
	}{
		{`https://api.good.example/`, true},
		{`https://api.good.example`, true},
		{`https://api.good.example/a/b?q=https://evil.example#evil.example`, true},
		{`https://API.Good.EXAMPLE/`, true},
		{`https://api.good.example./`, true},
		{`https://api.good.example:443/`, true},
		{`https://api.good.example:8443/`, false},
		{`https://api.good.example:80/`, false},
		{`http://api.good.example/`, false},
		{`http://api.good.example:443/`, false},
		{`https://user:word@api.good.example/`, false},
		{`https://api.good.example@evil.example/`, false},
		{`https://api.good.example:443@evil.example/`, false},
		{`https://evil.example#@api.good.example`, false},
		{`https://evil.example?@api.good.example`, false},
		{`https://evil.example/@api.good.example`, false},
		{`https://api.good.example\@evil.example/`, false},
		{`https://api.good.example\.evil.example/`, false},
		{`https://evil.example\@api.good.example/`, false},
		{`https://api.good.example%2eevil.example/`, false},
		{`https://api.good.example%00.evil.example/`, false},
		{`https://api.good.example.evil.example/`, false},
		{`https://xapi.good.example/`, false},
		{`https://a.api.good.example/`, false},
		{`https://good.example/`, false},
		{`https://api。good。example/`, false},
		{`https://аpi.good.example/`, false}, // a Cyrillic а
		{`https://127.0.0.1/`, false},
		{`https://[::1]/`, false},
		{`https://[::ffff:169.254.169.254]/`, false},
		{`https://2130706433/`, false},
		{`https://`, false},
		{`https:///path`, false},
		{`//evil.example/`, false},
		{`api.good.example`, false}, // a path, and no host
		{`/relative`, false},
		{``, false},
		{` https://api.good.example/`, false},
		{"https://api.good.example/\x7f", false},
		{`javascript:alert(1)`, false},
		{`file:///etc/passwd`, false},
		{`data:text/plain,api.good.example`, false},
	} {
		t.Run(c.address, func(t *testing.T) {
			t.Parallel()
			text := draft{network: listed, steps: []string{get(quote(c.address)), returns(ref("found"))}}.text()
			want := []string{}
			if !c.allowed {
				want = []string{notDeclared}
			}
			if diff := cmp.Diff(want, faults(text, allCapabilities)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAddressesUnknown: what an address will be is not known before the run where it is
// no text, so the check leaves it to the run.
func TestAddressesUnknown(t *testing.T) {
	t.Parallel()
	for _, input := range []string{
		`{"url": {"$ref": "$.input.url"}}`, `{"url": {"host": "evil.example"}}`, `{"url": ["https://evil.example/"]}`,
		`{"url": 7}`, `{}`, `{"$ref": "$.input"}`, `{"link": "https://evil.example/"}`,
	} {
		text := draft{network: listed, steps: []string{calls("look", "web.get", input, "", "done"), returns(`"ok"`)}}.text()
		if got := faults(text, allCapabilities); len(got) > 0 {
			t.Errorf("%s: %v", input, got)
		}
	}
}

func TestOutbound(t *testing.T) {
	t.Parallel()
	outboundForbidden := func(path string) string { return check.CodeOutboundForbidden + " " + path }
	notDeclared := func(path string) string { return check.CodeNetworkNotDeclared + " " + path }
	weather := calls("look", "weather.read", `{}`, `"target": "$.found"`, "done")
	withoutHosts := `{"mode": "allowlist", "domains": []}`
	both := `{"mode": "allowlist", "domains": ["cdn.good.example", "API.good.example"]}`
	for _, c := range []struct {
		name, network string
		steps         []string
		want          []string
	}{
		{"both fixed hosts listed", both, []string{weather, returns(ref("found"))}, nil},
		{
			"one fixed host listed", listed, []string{weather, returns(ref("found"))},
			[]string{notDeclared(firstCapability)},
		},
		{
			"no fixed host listed", withoutHosts, []string{weather, returns(ref("found"))},
			[]string{notDeclared(firstCapability), notDeclared(firstCapability)},
		},
		{
			"fixed hosts, network forbidden", forbidden, []string{weather, returns(ref("found"))},
			[]string{outboundForbidden(firstCapability)},
		},
		{
			"address, network forbidden", forbidden, []string{get(`"https://api.good.example/"`), returns(ref("found"))},
			[]string{outboundForbidden(firstCapability)},
		},
		{
			"unknown address, network forbidden", forbidden, []string{get(ref("input.url")), returns(ref("found"))},
			[]string{outboundForbidden(firstCapability)},
		},
		{
			"in a loop, network forbidden", forbidden,
			[]string{repeats("loop", ref("input.list"), "item", "done", inner(get(ref("item")))), returns(`"ok"`)},
			[]string{outboundForbidden("$.flow.nodes[0].body[0].capability")},
		},
		{
			"in a loop, host not listed", listed,
			[]string{repeats("loop", ref("input.list"), "item", "done", inner(get(`"https://evil.example/"`))), returns(`"ok"`)},
			[]string{notDeclared("$.flow.nodes[0].body[0].input.url")},
		},
		{
			"on one branch, network forbidden", forbidden,
			[]string{tests("test", ref("input.go"), "look", "done"), get(ref("input.url")), returns(`"ok"`)},
			[]string{outboundForbidden(secondBranch)},
		},
		{
			"never reached and without hosts", forbidden,
			[]string{returns(`"ok"`), get(ref("input.url"))}, nil,
		},
		{
			"never reached, and not listed all the same", forbidden,
			[]string{returns(`"ok"`), weather}, []string{notDeclared(secondBranch), notDeclared(secondBranch)},
		},
		{
			"fixed host written in another way", listed,
			[]string{calls("look", "shop.order", `{}`, "", "done"), returns(`"ok"`)}, nil,
		},
		{
			"only local steps", forbidden,
			[]string{calls("look", "notes.list", `{}`, "", "done"), returns(`"ok"`)}, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == nil {
				c.want = []string{}
			}
			if diff := cmp.Diff(c.want, faults(draft{network: c.network, steps: c.steps}.text(), allCapabilities)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOutboundBesideAFault: where it is not known what the network allows, that is
// reported, and nothing is guessed from it.
func TestOutboundBesideAFault(t *testing.T) {
	t.Parallel()
	for network, want := range map[string]string{
		`{"mode": "maybe", "domains": []}`:       "FORGE_MANIFEST_STRUCTURE $.network.mode",
		`{"mode": "allowlist", "domains": "a"}`:  "FORGE_MANIFEST_STRUCTURE $.network.domains",
		`{"mode": "forbidden"}`:                  "FORGE_MANIFEST_STRUCTURE $.network.domains",
		`{"domains": []}`:                        "FORGE_MANIFEST_STRUCTURE $.network.mode",
		`"none"`:                                 "FORGE_MANIFEST_STRUCTURE $.network",
		`{"mode": "allowlist", "domains": [80]}`: "FORGE_MANIFEST_STRUCTURE $.network.domains[0]",
	} {
		text := draft{
			network: network, more: `"triggers": []`,
			steps: []string{calls("look", "web.get", `{"url": {"$ref": "$.input.url"}}`, "", "done"), returns(`"ok"`)},
		}.text()
		if diff := cmp.Diff([]string{want}, faults(text, allCapabilities)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", network, diff)
		}
	}
}

// TestDomains judges single host names.
func TestDomains(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	long := strings.Join([]string{label, label, label, strings.Repeat("b", 61)}, ".")
	if len(long) != 253 {
		t.Fatal(len(long))
	}
	for _, c := range []struct {
		host    string
		want    string // a part of the message; "" for a good name
		warning bool
	}{
		{host: "api.good.example"},
		{host: "a.b"},
		{host: "API.Good.Example"},
		{host: "1.a"},
		{host: "3com.example"},
		{host: "az09-AZ.zz"},
		{host: "a--b.example"},
		{host: label + ".example"},
		{host: long},
		{host: "api.good.example:8443"},
		{host: "http://api.good.example"},
		{host: "HTTP://API.good.example:8080"},
		{host: "http://api.good.example:443"},
		{host: "xn--bcher-kva.example:8443", want: `reads "bücher.example"`, warning: true},
		{host: "http://xn--bcher-kva.example", want: `reads "bücher.example"`, warning: true},
		{host: "xn--bcher-kva.example", want: `reads "bücher.example"`, warning: true},
		{host: "XN--BCHER-KVA.example", want: `reads "bücher.example"`, warning: true},
		{host: "xn--0.example", want: "cannot be decoded", warning: true},
		{host: "", want: "it is empty"},
		{host: ".", want: "a part between its dots is empty"},
		{host: ".example", want: "a part between its dots is empty"},
		{host: "localhost", want: "it has no dot"},
		{host: "*", want: "wildcards are not allowed"},
		{host: "*.good.example", want: "wildcards are not allowed"},
		{host: "api.*.example", want: "wildcards are not allowed"},
		{host: "https://api.good.example", want: "leave out the scheme"},
		{host: "api.good.example/v1", want: "more than the host"},
		{host: "api.good.example?q", want: "more than the host"},
		{host: "api.good.example#f", want: "more than the host"},
		{host: "me@good.example", want: "more than the host"},
		{host: "api.good.example:443", want: "443 is the port of https anyway"},
		{host: "xn--bcher-kva.example:443", want: "443 is the port of https anyway"},
		{host: "http://api.good.example:80", want: "80 is the port of http anyway"},
		{host: "api.good.example:0", want: "its port is no number"},
		{host: "api.good.example:", want: "its port is no number"},
		{host: "http://localhost:8080", want: "it has no dot"},
		{host: "ws://api.good.example", want: "leave out the scheme"},
		{host: "[::1]", want: "IP address"},
		{host: "::1", want: "IP address"},
		{host: "a.0x1", want: "IP address"},
		{host: "127.0.0.1", want: "IP address"},
		{host: "10.1", want: "IP address"},
		{host: "api.good.example.1", want: "IP address"},
		{host: "-a.example", want: "begins or ends"},
		{host: "a-.example", want: "begins or ends"},
		{host: "a.example-", want: "begins or ends"},
		{host: "a_b.example", want: "is not allowed in it"},
		{host: "a b.example", want: "is not allowed in it"},
		{host: " a.example", want: "is not allowed in it"},
		{host: "a.example\n", want: "is not allowed in it"},
		{host: "a.example\x00", want: "is not allowed in it"},
		{host: `a\b.example`, want: "is not allowed in it"},
		{host: "a%2eexample.b", want: "is not allowed in it"},
		{host: "bücher.example", want: `are written as "xn--…"`},
		{host: "аpi.example", want: `are written as "xn--…"`},
		{host: "a" + label + ".example", want: "more than 63 characters"},
		{host: long + "b", want: "more than 253 characters"},
	} {
		t.Run(c.host, func(t *testing.T) {
			t.Parallel()
			text := draft{network: fmt.Sprintf(`{"mode": "allowlist", "domains": [%s]}`, quote(c.host))}.text()
			r := check.Run(text, builtin)
			if r.OK() != (c.want == "" || c.warning) {
				t.Errorf("ok is %v", r.OK())
			}
			if c.want == "" {
				if len(r.Diagnostics) > 0 {
					t.Errorf("got %v", r.Diagnostics)
				}
				return
			}
			if len(r.Diagnostics) != 1 {
				t.Fatalf("got %v, want one about %s", r.Diagnostics, c.want)
			}
			d := r.Diagnostics[0]
			if d.Code != check.CodeDomainInvalid || d.Path != "$.network.domains[0]" || !strings.Contains(d.Message, c.want) {
				t.Errorf("got %v, want %s", d, c.want)
			}
		})
	}
}

// TestSchemesAndPorts: an address has to have the scheme and the port of a listed host.
func TestSchemesAndPorts(t *testing.T) {
	t.Parallel()
	const network = `{"mode": "allowlist", "domains": ["http://nas.example:8080", "api.example:8443", "http://plain.example"]}`
	for address, want := range map[string]string{
		"http://nas.example:8080/x": "", "https://api.example:8443": "", "http://plain.example": "", "HTTP://PLAIN.example:80/": "",
		"https://nas.example:8080/":  `reaches "nas.example:8080", which the network list does not hold. It holds "http://nas.example:8080"; scheme and port have to be the same.`,
		"http://nas.example/":        `It holds "http://nas.example:8080"`,
		"https://api.example/":       `reaches "api.example", which the network list does not hold. It holds "api.example:8443"`,
		"http://api.example:8443/":   `It holds "api.example:8443"`,
		"https://plain.example/":     `It holds "http://plain.example"`,
		"https://other.example/":     `reaches "other.example", which the network list does not hold.`,
		"https://me@api.example/":    "No step can reach this address: it holds a name or a password",
		"https://api.example:port/":  "No step can reach this address: it is no valid address",
		"https://192.168.1.7:8443/":  "IP address",
		"ftp://plain.example/secret": `begins with neither`,
	} {
		r := check.Run(draft{network: network, steps: []string{get(quote(address)), returns(ref("found"))}}.text(), allCapabilities)
		if want == "" {
			if !r.OK() {
				t.Errorf("%s: %v", address, r.Diagnostics)
			}
			continue
		}
		if len(r.Diagnostics) != 1 || r.Diagnostics[0].Path != firstAddress || !strings.Contains(r.Diagnostics[0].Message, want) {
			t.Errorf("%s: %v, want %s", address, r.Diagnostics, want)
		}
	}
}

// TestScope gives the hosts of a credential as they are compared.
func TestScope(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(draft{network: `{"mode": "allowlist", "domains": ["http://a.example:8080", "b.example"]}`}.text()), `"credentialRequirements": []`,
		`"credentialRequirements": [{"id": "key", "kind": "api_profile", "purpose": "To read.", "outboundScope": ["HTTP://A.example:8080", "b.example."]}]`, 1)
	r := check.Run([]byte(text), builtin)
	if !r.OK() {
		t.Fatal(r.Diagnostics)
	}
	if diff := cmp.Diff([]string{"http://a.example:8080", "b.example"}, r.Tool.Scope("key")); diff != "" {
		t.Errorf("scope (-want +got):\n%s", diff)
	}
	if got := r.Tool.Scope("other"); got != nil {
		t.Errorf("scope of no credential: %v", got)
	}
}

// TestHosts: what a checked tool may reach is written as it is compared.
func TestHosts(t *testing.T) {
	t.Parallel()
	r := check.Run(draft{network: `{"mode": "allowlist", "domains": ["B.Example", "HTTP://a.example:8080"]}`}.text(), builtin)
	if !r.OK() {
		t.Fatal(r.Diagnostics)
	}
	if diff := cmp.Diff([]string{"b.example", "http://a.example:8080"}, r.Tool.Hosts()); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	if got := check.Run(draft{}.text(), builtin).Tool.Hosts(); len(got) != 0 {
		t.Errorf("hosts of a tool without network: %v", got)
	}
}

// TestCredentialScopes: a credential goes to listed hosts only.
func TestCredentialScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, network, scope string
		want                 []string
	}{
		{"listed", listed, `"api.good.example"`, nil},
		{"none", listed, ``, nil},
		{"none, network forbidden", forbidden, ``, nil},
		{"another", listed, `"api.evil.example"`, []string{"error FORGE_CREDENTIAL_SCOPE"}},
		{"below", listed, `"a.api.good.example"`, []string{"error FORGE_CREDENTIAL_SCOPE"}},
		{"above", listed, `"good.example"`, []string{"error FORGE_CREDENTIAL_SCOPE"}},
		{"network forbidden", forbidden, `"api.good.example"`, []string{"error FORGE_CREDENTIAL_SCOPE"}},
		{"letter case", listed, `"API.good.example"`, []string{"warning FORGE_CREDENTIAL_SCOPE"}},
		{"dot at the end", listed, `"api.good.example."`, []string{"warning FORGE_CREDENTIAL_SCOPE"}},
		{
			"two of three", listed, `"a.example", "api.good.example", "b.example"`,
			[]string{"error FORGE_CREDENTIAL_SCOPE", "error FORGE_CREDENTIAL_SCOPE"},
		},
		{"mode unknown", `{"mode": "x", "domains": []}`, `"a.example"`, []string{"error FORGE_MANIFEST_STRUCTURE"}},
		{"list unknown", `{"mode": "allowlist", "domains": 1}`, `"a.example"`, []string{"error FORGE_MANIFEST_STRUCTURE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(string(draft{network: c.network}.text()), `"credentialRequirements": []`, fmt.Sprintf(
				`"credentialRequirements": [{"id": "key", "kind": "api_profile", "purpose": "To read.", "outboundScope": [%s]}]`, c.scope), 1)
			var got []string
			for _, d := range check.Run([]byte(text), builtin).Diagnostics {
				got = append(got, string(d.Level)+" "+d.Code)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
