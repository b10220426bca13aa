package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
)

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexits = digits + "abcdef"
)

// noise is n characters of an alphabet, the same on every call. Tokens are put together
// from it when a test runs, so that nothing in this file looks like one.
func noise(n int, alphabet string) string {
	random := rand.New(rand.NewPCG(20261127, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(b)
}

// token is a token that was made up: what it is recognised by, and what must not be seen.
type token struct {
	rule, prefix, secret, suffix string
}

func (k token) text() string { return k.prefix + k.secret + k.suffix }

// shapes are tokens of the forms that are found whatever their entropy is.
func shapes() []token {
	const word = digits + lower + upper
	key := func(kind string) token {
		return token{"private key", "-----BEGIN " + kind + "PRIVATE " + "KEY-----\n", noise(64, word), "\n"}
	}
	return []token{
		{"API key (sk-)", "sk" + "-", noise(48, word), ""},
		{"API key (sk-)", "sk" + "-", noise(16, lower), ""},
		{"API key (sk-)", "sk" + "-proj-", noise(40, word+"_-"), ""},
		{"API key (sk-)", "the key is sk" + "-", noise(20, word), "."},
		{"GitHub token", "gh" + "p_", noise(36, word), ""},
		{"GitHub token", "gh" + "o_", noise(36, word), ""},
		{"GitHub token", "gh" + "u_", noise(36, word), ""},
		{"GitHub token", "gh" + "s_", noise(36, word), ""},
		{"GitHub token", "(gh" + "r_", noise(36, word), ")"},
		{"GitHub personal access token", "github" + "_pat_", noise(22, word) + "_" + noise(59, word), ""},
		{"AWS access key", "AK" + "IA", noise(16, upper+"234567"), ""},
		{"AWS access key", "AS" + "IA", noise(16, upper+"234567"), ""},
		{"Google API key", "AI" + "za", noise(35, word+"_-"), ""},
		{"Slack token", "xox" + "b-", noise(12, digits) + "-" + noise(24, word), ""},
		{"Slack token", "xox" + "p-", noise(12, digits) + "-" + noise(32, hexits), ""},
		{"Slack token", "xox" + "e-", noise(30, word), ""},
		key(""), key("RSA "), key("EC "), key("DSA "), key("OPENSSH "), key("ENCRYPTED "),
		{"JSON Web Token", "eyJ", noise(20, word) + "." + "eyJ" + noise(40, word) + "." + noise(43, word+"_-"), ""},
		{"bearer token", "Bearer ", noise(24, word), ""},
		{"bearer token", "authorization: bearer\t", noise(24, word+"-._~+"), "=="},
		{"bearer token", "BEARER ", noise(12, upper), ""},
		// as short as they get
		{"GitHub token", "gh" + "p_", noise(20, word), ""},
		{"GitHub personal access token", "github" + "_pat_", noise(20, word), ""},
		{"Google API key", "AI" + "za", noise(20, word), ""},
		{"Slack token", "xox" + "b-", noise(10, digits), ""},
		{"JSON Web Token", "eyJ", noise(8, word) + "." + noise(10, word) + "." + noise(10, word), ""},
	}
}

// place is a manifest with a hole where a secret could be hidden.
type place struct {
	name string
	text string // with HERE, inside quotes
	path string // where it is reported; "" where the path itself has the secret in it
}

const hole = "HERE"

func places() []place {
	in := func(name, path string, d draft) place { return place{name, string(d.text()), path} }
	step := func(name, path string, steps ...string) place { return in(name, path, draft{steps: steps}) }
	here := `"` + hole + `"`
	const first = "$.flow.nodes[0]"
	return []place{
		in("title", "$.title", draft{title: here}),
		in("description", "$.description", draft{description: here}),
		in("unknown field", "$.hint", draft{more: `"hint": ` + here}),
		in("deep in an unknown field", "$.hint.a[1].b", draft{more: `"hint": {"a": [1, {"b": ` + here + `}]}`}),
		in("name of an unknown field", "$", draft{more: here + `: 1`}),
		in("mode of the network", "$.network.mode", draft{network: `{"mode": ` + here + `, "domains": []}`}),
		in("host", "$.network.domains[0]", draft{network: `{"mode": "allowlist", "domains": [` + here + `]}`}),
		in("title of the card", "$.ui.title", draft{more: `"ui": {"kind": "summary", "title": ` + here + `}`}),
		in("reference of the card", "$.ui.primaryRef", draft{more: `"ui": {"kind": "summary", "title": "a", "primaryRef": ` + here + `}`}),
		in("id of a trigger", "$.triggers[0].id", draft{more: `"triggers": [{"id": ` + here + `, "type": "manual", "enabled": true}]`}),
		in("type of a trigger", "$.triggers[0].type", draft{more: `"triggers": [{"id": "abc", "type": ` + here + `, "enabled": true}]`}),
		in("model privacy", "$.modelDefaults.privacy", draft{more: `"modelDefaults": {"privacy": ` + here + `}`}),
		in("schema description", "$.inputSchema.properties.a.description", draft{more: `"inputSchema": {"properties": {"a": {"description": ` + here + `}}}`}),
		in("schema default", "$.inputSchema.properties.a.default", draft{more: `"inputSchema": {"properties": {"a": {"default": ` + here + `, "maxLength": 3}}}`}),
		in("deep in a schema default", "$.inputSchema.properties.a.default.b[0]", draft{more: `"inputSchema": {"properties": {"a": {"default": {"b": [` + here + `]}}}}`}),
		in("schema enum", "$.outputSchema.enum[1]", draft{more: `"outputSchema": {"enum": ["a", ` + here + `], "default": "b"}`}),
		in("schema example", "$.outputSchema.items.examples[0]", draft{more: `"outputSchema": {"items": {"examples": [` + here + `]}}`}),
		in("schema type", "$.outputSchema.type", draft{more: `"outputSchema": {"type": ` + here + `}`}),
		in("required property", "$.outputSchema.required[0]", draft{more: `"outputSchema": {"properties": {}, "required": [` + here + `]}`}),
		in("name of a property", "$.outputSchema.properties", draft{more: `"outputSchema": {"properties": {` + here + `: {"type": "string"}}}`}),
		in("name of a keyword", "$.outputSchema", draft{more: `"outputSchema": {` + here + `: 1}`}),
		in("name of a default's field", "$.outputSchema.default", draft{more: `"outputSchema": {"default": {` + here + `: 1}, "properties": {}, "additionalProperties": false}`}),
		in("name of a state field", "$.state.fields", draft{more: `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {` + here + `: {"type": 1}}}`}),
		in("entry", "$.flow.entry", draft{entry: hole, steps: []string{returns(`1`)}}),
		step("value", first+".value", returns(here)),
		step("item of a value", first+".value.list[2]", returns(`{"list": [1, {"$ref": "$.input"}, `+here+`]}`)),
		step("name in a value", first+".value", returns(`{`+here+`: {"$ref": "$.a[b]"}}`)),
		step("name deep in a value", first+".value[0].a", returns(`[{"a": {"b": 1, `+here+`: [{"$ref": "$.x"}]}}]`)),
		step("reference", first+".value.$ref", returns(`{"$ref": `+here+`}`)),
		step("part of a reference", first+".value.$ref", returns(`{"$ref": "$.input.`+hole+`.a"}`)),
		step("id", first+".id", sets(hole, "a", "1", "done"), returns("1")),
		step("id of a step that is never reached", "$.flow.nodes[1].id", returns("1"), sets(hole, "a", "1", "done")),
		step("next", first+".next", sets("one", "a", "1", hole), returns("1")),
		step("cycle", first+".id", sets(hole, "a", "1", hole)),
		step("target", first+".target", sets("one", hole, "1", "done"), returns("1")),
		step("kind of step", first+".type", `{"id": "one", "type": `+here+`}`),
		step("capability", first+".capability", calls("one", hole, `{}`, "", "done"), returns("1")),
		step("input", first+".input.query", calls("one", "notes.list", `{"query": `+here+`}`, "", "done"), returns("1")),
		step("name of an input field", first+".input", calls("one", "notes.list", `{`+here+`: 1}`, "", "done"), returns("1")),
		step("compensation", first+".compensation.capability", calls("one", "notes.create", `{}`, `"compensation": {"capability": `+here+`, "input": {}}`, "done"), returns("1")),
		step("input of a compensation", first+".compensation.input.id", calls("one", "notes.create", `{}`, `"compensation": {"capability": "notes.delete", "input": {"id": `+here+`}}`, "done"), returns("1")),
		step("instructions to a model", first+".input", `{"id": "one", "type": "llm", "op": "generate", "input": `+here+`, "target": "$.a", "next": "done"}`, returns("1")),
		step("one side of a condition", first+".condition.right", `{"id": "one", "type": "if", "condition": {"left": 1, "op": "eq", "right": `+here+`}, "then": "done", "else": "done"}`, returns("1")),
		step("code of a failure", first+".code", `{"id": "one", "type": "fail", "code": `+here+`, "message": "a"}`),
		step("message of a failure", first+".message", `{"id": "one", "type": "fail", "code": "A", "message": `+here+`}`),
		step("source of a loop", first+".source[0]", repeats("one", `[`+here+`]`, "item", "done"), returns("1")),
		step("variable of a loop", first+".itemVar", repeats("one", `[]`, hole, "done"), returns("1")),
		step("value in a loop", first+".body[0].value.a", repeats("one", `[]`, "item", "done", inner(sets("x", "a", `{"a": `+here+`}`, "y"))), returns("1")),
		step("input in a loop", first+".body[0].input.query", repeats("one", `[]`, "item", "done", inner(calls("x", "notes.list", `{"query": `+here+`}`, "", "y"))), returns("1")),
		step("name in a loop", first+".body[1].value", repeats("one", `[]`, "item", "done", inner(sets("x", "a", `1`, "y")), inner(sets("x", "a", `{`+here+`: 1}`, "y"))), returns("1")),
	}
}

// TestTokens puts every form of token at every place of a manifest: it is found there,
// once, and nothing that is said of the manifest shows it.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, k := range shapes() {
				escaped := strings.Trim(quote(k.text()), `"`)
				text := []byte(strings.ReplaceAll(p.text, hole, escaped))
				r := check.Run(text, builtin)
				if r.OK() {
					t.Errorf("%s is not found", k.rule)
					continue
				}
				found := ""
				for _, d := range r.Diagnostics {
					if d.Code == check.CodeSecretFound && d.Path == p.path && d.Level == manifest.LevelError {
						found += d.Message
					}
				}
				if strings.Count(found, "("+k.rule) != 1 {
					t.Errorf("%s is not reported once at %s:\n%s", k.rule, p.path, show(r.Diagnostics))
				}
				if shown := leaked(r.Diagnostics, k); shown != "" {
					t.Errorf("%s: %q is shown:\n%s", k.rule, shown, show(r.Diagnostics))
				}
				for _, d := range r.Diagnostics {
					if problem := misplaced(text, d); problem != "" {
						t.Errorf("%s: %s", k.rule, problem)
					}
				}
			}
		})
	}
}

// leaked gives a part of a secret that can be read in diagnostics.
func leaked(list []manifest.Diagnostic, k token) string {
	const part = 7
	all := show(list)
	for i := 0; i+part <= len(k.secret); i++ {
		if strings.Contains(all, k.secret[i:i+part]) {
			return k.secret[i : i+part]
		}
	}
	return ""
}

// TestTokensCutShort: where a long name is cut in a path, or a long text in a message, the
// part of a token that is left is hidden too.
func TestTokensCutShort(t *testing.T) {
	t.Parallel()
	for _, k := range shapes() {
		for before := 0; before < 140; before += 9 {
			name := quote(strings.Repeat("é", before/2) + " " + k.text())
			texts := [][]byte{
				flow(returns(`{` + name + `: [{"$ref": "$.a[b]"}, {"$ref": "$.c"}]}`)),
				draft{more: `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {` + name + `: {"type": 1}}}`}.text(),
				[]byte(strings.Replace(string(flow(returns("1"), sets("HERE", "a", "1", "done"))), `"HERE"`, name, 1)),
			}
			for _, text := range texts {
				r := check.Run(text, builtin)
				if shown := leaked(r.Diagnostics, k); shown != "" || r.OK() {
					t.Errorf("%s after %d bytes: %q is shown:\n%s", k.rule, before, shown, show(r.Diagnostics))
				}
			}
		}
	}
}

// TestServiceTokens: tokens that only the rules of the library know.
func TestServiceTokens(t *testing.T) {
	t.Parallel()
	const word = digits + lower + upper
	for name, k := range map[string]token{
		"stripe":       {"stripe-access-token", "sk" + "_live_", noise(24, word), ""},
		"gitlab":       {"gitlab-pat", "gl" + "pat-", noise(20, word), ""},
		"npm":          {"npm-access-token", "np" + "m_", noise(36, digits+lower), ""},
		"sendgrid":     {"sendgrid-api-token", "S" + "G.", noise(66, digits+lower), ""},
		"digitalocean": {"digitalocean-pat", "do" + "p_v1_", noise(64, hexits), ""},
		"shopify":      {"shopify-access-token", "sh" + "pat_", noise(32, hexits), ""},
		"postman":      {"postman-api-token", "PM" + "AK-", noise(24, hexits) + "-" + noise(34, hexits), ""},
		"linear":       {"linear-api-key", "lin" + "_api_", noise(40, digits+lower), ""},
		"doppler":      {"doppler-api-token", "d" + "p.pt.", noise(43, digits+lower), ""},
		"age":          {"age-secret-key", "AGE-SECRET-" + "KEY-1", noise(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), ""},
		"grafana":      {"grafana-service-account-token", "gl" + "sa_", noise(32, word) + "_" + noise(8, hexits), ""},
		"pulumi":       {"pulumi-api-token", "pu" + "l-", noise(40, hexits), ""},
		"slack hook":   {"slack-webhook-url", "https://hooks.slack" + ".com/services/", noise(44, word), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{k.text(), "Use " + k.text() + " for this."} {
				for _, steps := range [][]string{
					{returns(`{"note": ` + quote(text) + `}`)},
					{repeats("loop", `[]`, "item", "done", inner(sets("x", "a", quote(text), "y"))), returns("1")},
				} {
					r := check.Run(flow(steps...), builtin)
					if r.OK() || len(r.Diagnostics) != 1 || !strings.Contains(r.Diagnostics[0].Message, "("+k.rule+")") {
						t.Errorf("%s is not found alone: %v", k.rule, r.Diagnostics)
					}
					if shown := leaked(r.Diagnostics, k); shown != "" {
						t.Errorf("%q is shown: %v", shown, r.Diagnostics)
					}
				}
			}
			// As a name, too.
			r := check.Run(flow(returns(`{`+quote(k.text())+`: 1}`)), builtin)
			if r.OK() || len(r.Diagnostics) != 1 || leaked(r.Diagnostics, k) != "" || !strings.Contains(r.Diagnostics[0].Message, k.rule+" as a name") {
				t.Errorf("as a name: %v", r.Diagnostics)
			}
		})
	}
}

// TestNoTokens: texts that have something of a token and are none.
func TestNoTokens(t *testing.T) {
	t.Parallel()
	const word = digits + lower + upper
	for _, text := range []string{
		// too short
		"sk" + "-" + noise(15, lower), "gh" + "p_" + noise(19, lower), "github" + "_pat_" + noise(19, lower), "AK" + "IA" + noise(15, upper),
		"AI" + "za" + noise(19, lower), "xox" + "b-" + noise(9, digits), "Bearer " + noise(11, lower), "eyJ" + noise(7, word) + "." + noise(10, word) + "." + noise(10, word),
		// the ends of words
		"a desk-" + noise(20, lower), "risk-assessment-of-the-quarter-2026", "task-0123456789abcdef01234567", "disk-usage-of-the-server-room-7",
		"laughp_" + noise(24, lower), "MAKIA" + noise(16, upper), "boxoxb-" + noise(12, digits),
		// public things
		"-----BEGIN PUBLIC KEY-----\n" + noise(64, word), "-----BEGIN CERTIFICATE-----\n" + noise(64, word),
		"550e8400-e29b-41d4-a716-446655440000", "01JDPW3F8Z0000000000000000", noise(40, hexits), noise(64, hexits), "sha256:" + noise(64, hexits),
		"2026-11-27T16:00:00.000Z", "https://example.com/notes/2026/11/27/review-of-the-week?id=1234567890&page=2", "+1-800-555-0199-1234-5678",
		"aaaaaaaaaaaaaaaaaaaa1", "ThisIsAVeryLongCamelCaseNameWithNumber1", "note_keeper_version_2_of_november_2026",
		// prose
		"The bearer of this letter is my friend.", "Bearer of bad news", "a token of our appreciation, worth 1000 points",
		"Write down the password of the house alarm? No, never.", "The secret ingredient is two spoons of 0123456789 sugar.",
		"Ask for the API key at reception, room 2026-11, and say that the authorization is on its way.",
		"password: ask Anna", "The cookie recipe needs 250g flour and 125g butter.",
	} {
		for _, value := range []string{quote(text), `{` + quote(text) + `: 1}`, `{"note": ` + quote(text) + `}`} {
			if list := check.Run(flow(returns(value)), builtin).Diagnostics; len(list) > 0 {
				t.Errorf("%s: %v", value, list)
			}
		}
		if list := check.Run(draft{description: quote(text)}.text(), builtin).Diagnostics; len(list) > 0 {
			t.Errorf("%s: %v", text, list)
		}
	}
}

// TestPlainValuesUnderSuspiciousNames: a name that only sounds like a key makes no secret
// of an ordinary value.
func TestPlainValuesUnderSuspiciousNames(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"author": "anna-maria-schmidt-1987", "keyword": "friday-review-2026-11-27-notes", "primaryKey": "550e8400-e29b-41d4-a716-446655440000",
		"key": "note-550e8400-e29b-41d4", "tokenCount": "1000-tokens-per-request-max", "accessibility": "wcag-2.1-level-aa-compliant",
		"authority": "city-council-of-berlin-2026", "secretSanta": "list-of-2026-participants", "cursor": "01JDPW3F8Z0000000000000000",
		"hotkey": "ctrl-shift-alt-f12-then-f7", "publicKey": "ssh-ed25519-AAAAC3NzaC1lZDI1NTE5", "api": "api-version-2026-11-27-preview",
		"passwordHint": "the name of your first dog, born 2009", "pageToken": "the one of page 2",
	} {
		if list := check.Run(flow(returns(`{`+quote(name)+`: `+quote(text)+`}`)), builtin).Diagnostics; len(list) > 0 {
			t.Errorf("%s %s: %v", name, text, list)
		}
	}
}

// TestManySecrets: each secret is reported at its own place, and none is shown with
// another.
func TestManySecrets(t *testing.T) {
	t.Parallel()
	var parts []string
	for i, k := range shapes() {
		parts = append(parts, fmt.Sprintf(`{"n%d": %s}`, i, quote(k.text())))
	}
	text := draft{title: quote(shapes()[0].text()), steps: []string{returns("[" + strings.Join(parts, ",\n") + "]")}}.text()
	list := check.Run(text, builtin).Diagnostics
	if len(list) != len(shapes())+1 {
		t.Errorf("%d diagnostics, want %d:\n%s", len(list), len(shapes())+1, show(list))
	}
	for _, k := range shapes() {
		if shown := leaked(list, k); shown != "" {
			t.Errorf("%s: %q is shown", k.rule, shown)
		}
	}
	if problem := disorder(list); problem != "" {
		t.Error(problem)
	}
}
