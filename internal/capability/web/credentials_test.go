package web_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolsmith/internal/capability/web"
	"toolsmith/tool"
)

// TestCredentialsAreAttached: the one that is named, or the only one that may be sent to the
// host; in its header, with its prefix.
func TestCredentialsAreAttached(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	here, elsewhere := []string{s.on(good)}, []string{other, s.on(other), good, "http://" + s.on(good)}
	for name, test := range map[string]struct {
		credentials  []web.Credential
		named        string
		header, want string
	}{
		"none":                    {nil, "", "Authorization", ""},
		"none for this host":      {[]web.Credential{{ID: "a", Hosts: elsewhere, Value: key("canary")}}, "", "Authorization", ""},
		"only one":                {[]web.Credential{{ID: "a", Hosts: here, Value: key("k")}}, "", "Authorization", "k"},
		"only one for this host":  {[]web.Credential{{ID: "b", Hosts: elsewhere}, {ID: "a", Hosts: here, Value: key("k")}}, "", "Authorization", "k"},
		"named":                   {[]web.Credential{{ID: "a", Hosts: here, Value: key("1")}, {ID: "b", Hosts: here, Value: key("2")}}, "b", "Authorization", "2"},
		"another prefix":          {[]web.Credential{{ID: "a", Hosts: here, Prefix: "token ", Value: key("k")}}, "", "Authorization", "token k"},
		"another header":          {[]web.Credential{{ID: "a", Hosts: here, Header: "x-api-key", Value: key("k")}}, "", "X-Api-Key", "k"},
		"another header, prefix":  {[]web.Credential{{ID: "a", Hosts: here, Header: "X-Api-Key", Prefix: "v1.", Value: key("k")}}, "", "X-Api-Key", "v1.k"},
		"named in another letter": {[]web.Credential{{ID: "a", Hosts: []string{strings.ToUpper(s.on(good))}, Value: key("k")}}, "a", "Authorization", "k"},
	} {
		t.Run(name, func(t *testing.T) {
			r := reach(s.on(good))
			r.Credentials = test.credentials
			before := len(s.seen())
			if _, err := c.Do(t.Context(), web.Request{Method: "GET", URL: "https://" + s.on(good), Credential: test.named, Reach: r}); err != nil {
				t.Fatal(err)
			}
			if got := s.seen()[before].Header; got.Get(test.header) != test.want || strings.Contains(dump(s.seen()[before]), "canary") {
				t.Errorf("sent %v", got)
			}
		})
	}
}

// TestCredentialsThatCannotBeSent: nothing is sent then, and the error does not give them away.
func TestCredentialsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	here := []string{s.on(good)}
	one := func(value func(context.Context) (string, error)) []web.Credential {
		return []web.Credential{{ID: "one", Hosts: here, Value: value}}
	}
	failing := func(err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return "canary", err }
	}
	for name, test := range map[string]struct {
		credentials []web.Credential
		named       string
		code, says  string
	}{
		"several":           {[]web.Credential{{ID: "one", Hosts: here, Value: key("canary")}, {ID: "two", Hosts: here, Value: key("canary")}}, "", web.CodeCredentialInvalid, "one, two"},
		"unknown":           {one(key("canary")), "two", web.CodeCredentialInvalid, "There are: one."},
		"of another host":   {[]web.Credential{{ID: "one", Hosts: []string{other}, Value: key("canary")}}, "one", web.CodeCredentialInvalid, "declares none"},
		"of another port":   {[]web.Credential{{ID: "one", Hosts: []string{good}, Value: key("canary")}}, "one", web.CodeCredentialInvalid, "declares none"},
		"empty":             {one(key("")), "", web.CodeCredentialInvalid, `"one" is empty`},
		"no value":          {one(nil), "", web.CodeCredentialInvalid, `"one" has no value`},
		"line break at end": {one(key("canary\n")), "", web.CodeCredentialInvalid, `"one" holds a character`},
		"line break":        {one(key("canary\r\nX-Evil: 1")), "", web.CodeCredentialInvalid, `"one" holds a character`},
		"null":              {one(key("canary\x00")), "", web.CodeCredentialInvalid, `"one" holds a character`},
		"space at end":      {one(key("canary ")), "", web.CodeCredentialInvalid, `"one" holds a character`},
		"no name of header": {[]web.Credential{{ID: "one", Hosts: here, Header: "a b", Value: key("canary")}}, "", web.CodeCredentialInvalid, `"one"`},
		"cannot be read":    {one(failing(errors.New("canary-cause"))), "", web.CodeCredentialInvalid, `"one" cannot be read`},
		"its own code":      {one(failing(tool.Errorf("SECRET_MISSING", "Set it."))), "", "SECRET_MISSING", "Set it."},
	} {
		t.Run(name, func(t *testing.T) {
			r := reach(s.on(good))
			r.Credentials = test.credentials
			_, err := c.Do(t.Context(), web.Request{Method: "GET", URL: "https://" + s.on(good) + "/?q=canary", Credential: test.named, Reach: r})
			if wantCode(t, err, test.code); !strings.Contains(err.Error(), test.says) {
				t.Errorf("it does not say %q: %v", test.says, err)
			}
		})
	}
	r := reach(s.on(good))
	r.Credentials = one(key("canary"))
	_, err := c.Do(t.Context(), web.Request{Method: "GET", URL: "https://" + s.on(good), Headers: map[string]string{"authorization": "canary-own"}, Reach: r})
	wantCode(t, err, web.CodeRequestInvalid)
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}
