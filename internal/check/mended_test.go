package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/tool"
)

// The tests of this file hold what was once wrong.

// Texts of 64 KiB took hundreds of megabytes: paths and suggestions were built once
// for each diagnostic, and each host was compared with each scope.
func TestMendedMemory(t *testing.T) {
	t.Parallel()
	if !alone(t) {
		return
	}
	for _, h := range slow {
		text := h.text()
		var r check.Result
		if got := allocated(func() { r = check.Run(text, builtin) }); got > maxAllocated {
			t.Errorf("%s (%d bytes) takes %d MiB", h.name, len(text), got>>20)
		}
		if r.OK() != h.ok {
			t.Errorf("%s: ok is %v", h.name, r.OK())
		}
		if size := len(show(r.Diagnostics)); size > 8<<20 {
			t.Errorf("%s: %d MiB of diagnostics", h.name, size>>20)
		}
	}
}

// A word of a title that holds a secret is quoted by another diagnostic.
func TestMendedSecretInMixedWord(t *testing.T) {
	t.Parallel()
	secret := noise(24, upper+lower)
	list := check.Run(draft{title: quote("sk" + "-" + secret + "\u0430")}.text(), builtin).Diagnostics
	if strings.Contains(show(list), secret) {
		t.Errorf("%q is shown:\n%s", secret, show(list))
	}
}

// A secret that is also a word of paths or messages is taken out of those, too: the path
// leads nowhere, and the gap tells the secret.
func TestMendedSecretIsAWord(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"nodes", "value", "flow", "real", "secret", "issued", "credentials"} {
		text := flow(returns(`{"password": ` + quote(word) + `, "a": ` + ref("$.b") + `}`))
		for _, d := range check.Run(text, builtin).Diagnostics {
			if strings.Contains(d.Path+d.Message, hiddenText) || misplaced(text, d) != "" {
				t.Errorf("%s: %s %s", word, d.Path, d.Message)
			}
		}
	}
}

// A name that ends with a separator is looked up by that separator, and not found.
func TestMendedNameWithSeparatorAtItsEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"password_", "api-key-", "secret ", "Authorization."} {
		if r := check.Run(flow(returns(`{`+quote(name)+`: "swordfish"}`)), builtin); r.OK() {
			t.Errorf("%q is accepted", name)
		}
	}
}

// The look that keeps the costly search away wants digits; these tokens have none.
func TestMendedTokenOfLetters(t *testing.T) {
	t.Parallel()
	k := token{"huggingface-access-token", "h" + "f_", noise(34, lower+upper), ""}
	if r := check.Run(flow(returns(quote(k.text()))), builtin); r.OK() {
		t.Error("it is not found")
	}
}

// Prose that is called a secret.
func TestMendedProse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Needs bearer authentication.", "Lists bearer certificates and bonds."} {
		if r := check.Run(draft{description: quote(text)}.text(), builtin); !r.OK() {
			t.Errorf("%s: %v", text, r.Diagnostics)
		}
	}
}

// A compensation that leaves the machine is held to no rule of the network.
func TestMendedOutboundCompensation(t *testing.T) {
	t.Parallel()
	catalogue := tool.NewCatalogue(
		tool.Capability{Name: "shelf.lend", Power: tool.Write, Risk: tool.R2, Undo: "shelf.recall"},
		tool.Capability{Name: "shelf.recall", Power: tool.Outbound, Risk: tool.R4, Hosts: []string{"recall.example"}, URLField: "url"},
	)
	steps := []string{
		calls("lend", "shelf.lend", `{}`, `"compensation": {"capability": "shelf.recall", "input": {"url": "https://evil.example/"}}`, "done"), returns("1"),
	}
	const at = " $.flow.nodes[0].compensation.capability"
	for network, want := range map[string][]string{
		forbidden: {check.CodeOutboundForbidden + at},
		listed:    {check.CodeNetworkNotDeclared + at, check.CodeNetworkNotDeclared + " $.flow.nodes[0].compensation.input.url"},
	} {
		if diff := cmp.Diff(want, faults(draft{network: network, steps: steps}.text(), catalogue)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", network, diff)
		}
	}
}

// After a loop that may run for no item at all, what its body wrote counts as certain.
func TestMendedListAfterLoop(t *testing.T) {
	t.Parallel()
	text := flow(
		repeats("loop", ref("input.list"), "item", "then", inner(sets("x", "$.a", `[1]`, "y"))), sets("then", "$.a.0", "1", "done"), returns("1"))
	if got := faults(text, builtin); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// An input schema that is closed and names no property has none.
func TestMendedClosedInput(t *testing.T) {
	t.Parallel()
	text := draft{more: `"inputSchema": {"type": "object", "additionalProperties": false}`, steps: []string{returns(ref("$.input.q"))}}.text()
	if got := check.Run(text, builtin).Diagnostics; len(got) != 1 {
		t.Errorf("got %v, want a warning", got)
	}
}

// The character of a title is counted in bytes of a lone surrogate.
func TestMendedCharacterAfterSurrogate(t *testing.T) {
	t.Parallel()
	list := check.Run(draft{title: `"\ud800\u202ereppeek"`}.text(), builtin).Diagnostics
	if !strings.Contains(show(list), "U+202E (character 2)") {
		t.Error(show(list))
	}
}

// A step whose type is misspelt has no unknown field.
func TestMendedMisspeltType(t *testing.T) {
	t.Parallel()
	list := check.Run(flow(`{"id": "done", "tyep": "return", "value": 1}`), builtin).Diagnostics
	if !strings.Contains(show(list), `Unknown field "tyep"`) || !strings.Contains(show(list), `Did you mean "type"?`) {
		t.Error(show(list))
	}
}

// Suggestions and cycles repeat texts of the manifest as they are, however long.
func TestMendedRawTexts(t *testing.T) {
	t.Parallel()
	for name, id := range map[string]string{"escape": "a\x1b[2Kb", "line break": "a\nb", "long": strings.Repeat("a", 20_000)} {
		for _, next := range []string{id, "zzz"} {
			text := draft{entry: "HERE", steps: []string{sets("HERE", "a", "1", "NEXT")}}.text()
			whole := strings.ReplaceAll(strings.ReplaceAll(string(text), `"HERE"`, quote(id)), `"NEXT"`, quote(next))
			list := check.Run([]byte(whole), builtin).Diagnostics
			for _, d := range list {
				if strings.ContainsAny(d.Message, "\x1b\n") || len(d.Message) > 2_000 {
					t.Errorf("%s: %.80q (%d bytes)", name, d.Message, len(d.Message))
				}
			}
		}
	}
}

// Wording.
func TestMendedWording(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		text []byte
		not  string
	}{
		{"a list said twice", draft{network: `{"mode": "none", "domains": []}`}.text(), "Known here: forbidden, allowlist"},
		{"state said twice", flow(sets("one", "state.a", "1", "two"), sets("two", "b", ref("cccccccccc"), "done"), returns("1")), "state, state"},
		{"a step said twice", flow(sets("one", "a", "1", "zzzzzz"), sets("one", "a", "1", "zzzzzz"), returns("1")), "one, one"},
		{"an article", flow(`{"id": "one", "type": "if"}`), `a "if" step`},
		{"a code in a sentence", []byte(strings.Replace(string(draft{}.text()), `"version": 2`, `"version": 1e400`, 1)), "NUMBER_RANGE"},
		{"a letter for another", flow(sets("one", "a", ref("c"), "two"), sets("two", "d", "1", "done"), returns(ref("b"))), `Did you mean "a"?`},
		{
			"faults of a kind that was not meant",
			draft{more: `"triggers": [{"id": "day", "type": "schedule", "enabled": true, "schedule": {"kind": "intervall", "minutes": 5}}]`}.text(), `"hour" is missing`,
		},
	} {
		if got := show(check.Run(c.text, builtin).Diagnostics); strings.Contains(got, c.not) || got == "" {
			t.Errorf("%s: %s", c.name, fmt.Sprint(got))
		}
	}
}

// A token behind the very text that stands for a hidden one.
func TestHidingEnds(t *testing.T) {
	t.Parallel()
	secret := noise(24, lower)
	text := hiddenText + " sk" + "-" + secret
	r := check.Run(flow(calls("one", text, `{}`, "", "done"), returns("1")), builtin)
	if r.OK() || strings.Contains(show(r.Diagnostics), secret) {
		t.Error(show(r.Diagnostics))
	}
}

// What begins as a text with a token does is not hidden with it.
func TestHidesOnlyTheToken(t *testing.T) {
	t.Parallel()
	secret := "sk" + "-" + noise(24, lower)
	for _, begin := range []string{"$.flow.nodes.", "$.input.", "This looks fine: ", "There is no ", "Required field "} {
		text := flow(calls("one", "notes.lists", `{"a": `+quote(begin+secret)+`}`, "", "done"), returns(ref("input.q")))
		for _, d := range check.Run(text, builtin).Diagnostics {
			if strings.Contains(d.Path+d.Message, hiddenText) || misplaced(text, d) != "" {
				t.Errorf("%s: %s %s", begin, d.Path, d.Message)
			}
		}
	}
}

// A sentence about bearers hid a token that follows it.
func TestBearerAfterProse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Needs bearer authentication: Bearer " + noise(24, digits+lower+upper), "bearer authentication\nAuthorization: Bearer " + noise(32, hexits),
	} {
		if r := check.Run(draft{description: quote(text)}.text(), builtin); r.OK() {
			t.Errorf("%.40q is accepted", text)
		}
	}
}

// Of many tokens only the first were hidden.
func TestMendedManyTokensShown(t *testing.T) {
	t.Parallel()
	var parts, secrets []string
	for i := range 130 {
		secret := noise(160-i, lower+digits)
		secrets = append(secrets, secret)
		parts = append(parts, fmt.Sprintf(`"sk-%s": {"$ref": "$.a[0]"}`, secret))
	}
	list := check.Run(flow(returns("{"+strings.Join(parts, ", ")+"}")), builtin).Diagnostics
	shown := 0
	for _, secret := range secrets {
		if strings.Contains(show(list), secret) {
			shown++
		}
	}
	if shown > 0 {
		t.Errorf("%d of %d are shown, such as:\n%s", shown, len(secrets), show(list[len(list)-2:]))
	}
}

// The value of a secret by its name was shown by what was said of a default.
func TestMendedNamedSecretInDefault(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"12345678", "9.8765432"} {
		property := `{"type": "object", "properties": {"password": {"type": "integer", "maximum": 5}}, "default": {"password": ` + secret + `}}`
		list := check.Run(draft{more: `"inputSchema": {"properties": {"a": ` + property + `}}`}.text(), builtin).Diagnostics
		if strings.Contains(show(list), secret) {
			t.Error(show(list))
		}
	}
}

// What stands deeper below such a name was shown, too.
func TestMendedNamedSecretBelow(t *testing.T) {
	t.Parallel()
	list := check.Run(flow(returns(`{"password": {"$ref": "my hunter2"}}`)), builtin).Diagnostics
	if strings.Contains(show(list), "hunter2") {
		t.Error(show(list))
	}
}
