package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/visible"
)

// secretNames say of what stands behind them that it is a secret.
var secretNames = []string{
	"password", "Password", "PASSWORD", "passwd", "passphrase", "pwd", "PWD", "userPassword", "user_password", "db-password", "db.password", "my password",
	"secret", "clientSecret", "client-secret", "SECRET_KEY", "secretKey", "apiKey", "api_key", "API-KEY", "x-api-key", "openai_api_key", "accessKey", "aws.access.key",
	"privateKey", "signing_key", "cookie", "Cookies", "set-cookie", "authorization", "Authorization", "AUTHORIZATION", "proxy-authorization", "authHeader",
	"credential", "credentials", "token", "Token", "TOKENS", "accessToken", "access_token", "refresh_token", "authToken", "id_token", "bearerToken",
	"session-token", "apiToken", "csrfToken", "xsrf_token", "oauth_token", "clientToken", "securityToken", "user_token", "personal_access_token", "botToken", "app_token", "API_TOKEN", "AUTH-TOKEN", "IdToken", "token.",
	strings.Repeat("x", 56) + "password",
}

// plainNames have something of the names above, and say nothing of the kind.
var plainNames = []string{
	"", "a", "id", "___", "- -", "...", "pw", "assword", "okens", "ookie", "wd", "passwords-page", "passwordHint", "passwordLength", "secretary", "secretSanta", "tokens_used", "tokenCount", "tokenizer",
	"maxInputTokens", "maxOutputTokens", "pageToken", "nextPageToken", "next_page_token", "continuationToken", "cancelToken", "syncToken",
	"cookieRecipe", "cookiePolicy", "authorizationUrl", "authorized", "author", "authors", "credentialId", "keyboard", "key", "keys", "monkey",
	"apikeyname", "accessKeyId", "publicKey", "primaryKey", "foreign_key", "hotkey", "mypwd", "pwdx", "title", "content", "query",
	"пароль", "pаssword", "password\u200b", strings.Repeat("x", 57) + "password",
}

// TestSecretNames: a value under such a name is a secret, wherever in the data it stands.
func TestSecretNames(t *testing.T) {
	t.Parallel()
	places := map[string]func(name string) []byte{
		"$.flow.nodes[0].value": func(name string) []byte { return flow(returns(`{` + quote(name) + `: "HERE"}`)) },
		"$.flow.nodes[0].value[1].a": func(name string) []byte {
			return flow(returns(`[1, {"a": {"b": 1, ` + quote(name) + `: "HERE"}}]`))
		},
		"$.flow.nodes[0].input": func(name string) []byte {
			return flow(calls("one", "weather.note", `{`+quote(name)+`: "HERE"}`, "", "done"), returns("1"))
		},
		"$.flow.nodes[0].compensation.input": func(name string) []byte {
			return flow(calls("one", "shelf.put", `{}`, `"compensation": {"capability": "shelf.clear", "input": {`+quote(name)+`: "HERE"}}`, "done"), returns("1"))
		},
		"$.flow.nodes[0].body[0].value": func(name string) []byte {
			return flow(repeats("loop", `[]`, "item", "done", inner(sets("x", "a", `{`+quote(name)+`: "HERE"}`, "y"))), returns("1"))
		},
		"$.inputSchema.properties.a.default": func(name string) []byte {
			return draft{more: `"inputSchema": {"properties": {"a": {"default": {` + quote(name) + `: "HERE"}}}}`}.text()
		},
		"$.outputSchema.examples[0]": func(name string) []byte {
			return draft{more: `"outputSchema": {"examples": [{` + quote(name) + `: "HERE"}]}`}.text()
		},
	}
	for path, text := range places {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, name := range secretNames {
				r := check.Run(text(name), allCapabilities)
				if r.OK() || len(r.Diagnostics) != 1 {
					t.Errorf("%s: ok %v, %v", name, r.OK(), r.Diagnostics)
					continue
				}
				d := r.Diagnostics[0]
				if d.Code != check.CodeSecretFound || d.Level != manifest.LevelError || !strings.HasPrefix(d.Path, path) || !strings.Contains(d.Message, "named like a secret") {
					t.Errorf("%s: %v", name, d)
				}
				if strings.Contains(show(r.Diagnostics), "HERE") || misplaced(text(name), d) != "" {
					t.Errorf("%s: %v", name, d)
				}
			}
			for _, name := range plainNames {
				if r := check.Run(text(name), allCapabilities); !r.OK() || len(r.Diagnostics) > 0 {
					t.Errorf("%s: %v", name, r.Diagnostics)
				}
			}
		})
	}
}

// TestSecretNameValues: which values are there at all. An empty one is the example of a
// careful author, and hides nothing.
func TestSecretNameValues(t *testing.T) {
	t.Parallel()
	for value, secret := range map[string]bool{
		`null`: false, `false`: false, `""`: false, `0`: false, `-0`: false, `0.0`: false, `0e5`: false, `-0.00E-3`: false,
		`true`: true, `1`: true, `-1`: true, `0.1`: true, `1e0`: true, `10`: true, `"0"`: true, `" "`: true, `"null"`: true, `"…"`: true,
		`"swordfish"`: true, `[]`: true, `[0]`: true, `{}`: true, `{"a": ""}`: true, `{"$ref": "$.input"}`: true,
	} {
		want := []string{}
		if secret {
			want = []string{"FORGE_SECRET_FOUND $.flow.nodes[0].value.password"}
		}
		if diff := cmp.Diff(want, faults(flow(returns(`{"password": `+value+`}`)), builtin)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

// TestNamedTokens: a token under the name of one is reported once, as the token that it is.
func TestNamedTokens(t *testing.T) {
	t.Parallel()
	for _, k := range shapes() {
		list := check.Run(flow(returns(`{"apiKey": `+quote(k.text())+`, "password": ["`+hole+`"]}`)), builtin).Diagnostics
		want := []string{"FORGE_SECRET_FOUND $.flow.nodes[0].value.apiKey", "FORGE_SECRET_FOUND $.flow.nodes[0].value.password"}
		if diff := cmp.Diff(want, brief(list)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.rule, diff)
			continue
		}
		if !strings.Contains(list[0].Message, "("+k.rule+")") || leaked(list, k) != "" {
			t.Errorf("%s: %s", k.rule, show(list))
		}
	}
}

// TestSecretProperties: what a property of a schema is called is no data; it gets a
// warning.
func TestSecretProperties(t *testing.T) {
	t.Parallel()
	for path, more := range map[string]string{
		"$.inputSchema.properties":                     `"inputSchema": {"properties": {%s: {"type": "string"}}}`,
		"$.outputSchema.properties.a.properties":       `"outputSchema": {"properties": {"a": {"properties": {%s: {}}}}}`,
		"$.outputSchema.items.properties":              `"outputSchema": {"items": {"properties": {%s: {"type": "string"}}}}`,
		"$.state.fields":                               `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {%s: {"type": "string"}}}`,
		"$.state.fields.a.items.properties":            `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {"a": {"items": {"properties": {%s: {}}}}}}`,
		"$.inputSchema.properties.password.properties": `"inputSchema": {"properties": {"password": {"properties": {%s: {}}}}}`,
	} {
		for _, name := range secretNames {
			r := check.Run(draft{more: fmt.Sprintf(more, quote(name))}.text(), builtin)
			if !r.OK() {
				t.Errorf("%s below %s is refused: %v", name, path, r.Diagnostics)
				continue
			}
			last := r.Diagnostics[len(r.Diagnostics)-1]
			if last.Code != check.CodeSecretFound || last.Level != manifest.LevelWarning || !strings.HasPrefix(last.Path, path) ||
				!strings.Contains(last.Message, quote(name)) || !strings.Contains(last.Message, `"credentialRequirements"`) {
				t.Errorf("%s below %s: %v", name, path, r.Diagnostics)
			}
		}
		for _, name := range plainNames {
			r := check.Run(draft{more: fmt.Sprintf(more, quote(name))}.text(), builtin)
			if _, _, mixed := visible.MixedScripts(name); mixed || strings.Contains(name, "\u200b") {
				continue // no secret, and yet something is said of it
			}
			if want := strings.Count(path, "password"); !r.OK() || len(r.Diagnostics) != want {
				t.Errorf("%s below %s: %v", name, path, r.Diagnostics)
			}
		}
	}
	// A schema of a model step is one, too, also in a loop.
	step := `{"id": "one", "type": "llm", "op": "extract", "input": 1, "target": "$.a", "outputSchema": {"properties": {"token": {}}}, "next": "done"}`
	for path, steps := range map[string][]string{
		"$.flow.nodes[0].outputSchema.properties.token":         {step, returns("1")},
		"$.flow.nodes[0].body[0].outputSchema.properties.token": {repeats("loop", `[]`, "item", "done", inner(step)), returns("1")},
	} {
		r := check.Run(flow(steps...), builtin)
		if diff := cmp.Diff([]string{"warning FORGE_SECRET_FOUND " + path}, brief(r.Diagnostics)); diff != "" || !r.OK() {
			t.Errorf("ok %v (-want +got):\n%s", r.OK(), diff)
		}
	}
	// The word may stand where words are: in a list of required properties, in a choice.
	r := check.Run(draft{more: `"outputSchema": {"type": "object", "required": ["password"], "enum": ["token"], "description": "password"}`}.text(), builtin)
	if !r.OK() || len(r.Diagnostics) > 0 {
		t.Errorf("%v", r.Diagnostics)
	}
}

// TestSecretInWrongStructure: what is a secret has to go, whatever else is wrong with
// the field, so nothing else is said of its structure.
func TestSecretInWrongStructure(t *testing.T) {
	t.Parallel()
	for _, more := range []string{
		`"password": "swordfish"`, `"apiKey": 12345678`, `"triggers": [{"id": "abc", "type": "manual", "enabled": true, "token": "swordfish"}]`,
		`"ui": {"kind": "summary", "title": "a", "secret": "swordfish"}`, `"modelDefaults": {"authToken": "swordfish"}`,
	} {
		r := check.Run(draft{more: more}.text(), builtin)
		var secrets int
		for _, d := range r.Diagnostics {
			if d.Code == check.CodeSecretFound {
				secrets++
			}
		}
		if all := show(r.Diagnostics); r.OK() || secrets != 1 || strings.Contains(all, "swordfish") || strings.Contains(all, "12345678") {
			t.Errorf("%s:\n%s", more, all)
		}
	}
}
