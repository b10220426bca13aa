package tool_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"toolsmith/tool"
)

func TestFormsThatNobodyIsShown(t *testing.T) {
	t.Parallel()
	fields := func(n int) json.RawMessage {
		return json.RawMessage(`{"description":"` + strings.Repeat("x", n-len(`{"description":""}`)) + `"}`)
	}
	for name, c := range map[string]struct {
		form  tool.Form
		field string // "" for one that is shown
	}{
		"yes or no":        {tool.Form{Title: "Sure?"}, ""},
		"as long as may":   {tool.Form{Title: strings.Repeat("é", 200), Text: strings.Repeat("é", 4000), Schema: fields(64 << 10)}, ""},
		"with a space":     {tool.Form{Title: "T", Schema: json.RawMessage(" \n{}")}, ""},
		"no title":         {tool.Form{Text: "T"}, "$.title"},
		"a long title":     {tool.Form{Title: strings.Repeat("é", 201)}, "$.title"},
		"a long text":      {tool.Form{Title: "T", Text: strings.Repeat("é", 4001)}, "$.text"},
		"a large schema":   {tool.Form{Title: "T", Schema: fields(64<<10 + 1)}, "$.schema"},
		"a list as schema": {tool.Form{Title: "T", Schema: json.RawMessage(`[]`)}, "$.schema"},
		"half a schema":    {tool.Form{Title: "T", Schema: json.RawMessage(`{"a"`)}, "$.schema"},
		"two schemas":      {tool.Form{Title: "T", Schema: json.RawMessage(`{}{}`)}, "$.schema"},
		"an empty schema":  {tool.Form{Title: "T", Schema: json.RawMessage{}}, "$.schema"},
	} {
		wantShown(t, name, c.form.Check(), c.field)
	}
}

func wantShown(t *testing.T, name string, err error, field string) {
	t.Helper()
	if field == "" {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	var coded *tool.Error
	if !errors.As(err, &coded) || coded.Code != tool.CodeInteractionInvalid || coded.Field != field || coded.Message == "" {
		t.Errorf("%s: %v, want one of %s", name, err, field)
	}
}

func TestPagesThatNobodyIsShown(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://example.org", "http://localhost:8080/a?b=c#d", "HTTPS://EXAMPLE.ORG/", "https://[::1]/x", "https://xn--80ak6aa92e.com/%D0%B0",
		"https://example.org/" + strings.Repeat("a", tool.MaxPage-len("https://example.org/")),
	} {
		wantShown(t, address, tool.CheckPage(address), "")
	}
	for _, address := range []string{
		"", "example.org", "//example.org", "/path", "file:///etc/passwd", "javascript:alert(1)", "https:example.org", "https://", "https:///path", "https://:80/",
		"https://bank.example@evil.example/", "https://user:pass@example.org", "https://example.org/a b", "https://example.org/\x1b[2K", "https://example.org/\n",
		"https://аpple.com", "https://example.org\\@evil.example", "ftp://example.org", "data:text/html,x", "https://exa\u202emple.org", "https://[::1", "https://example.org:port",
		"https://example.org/" + strings.Repeat("a", tool.MaxPage),
	} {
		wantShown(t, address, tool.CheckPage(address), "$.url")
	}
}

// FuzzCheckPage: what is shown is an address of a page, whoever reads it, and shows nothing hidden.
func FuzzCheckPage(f *testing.F) {
	for _, address := range []string{"https://example.org/a?b#c", "https://a@b", "http://[::1]:1/", "https:////x", "https://x/\u202e"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if tool.CheckPage(address) != nil {
			return
		}
		at, err := url.Parse(address)
		if err != nil || at.Host == "" || at.User != nil || !strings.HasPrefix(strings.ToLower(address), "http") {
			t.Errorf("%q is shown; it is %+v, %v", address, at, err)
		}
		for _, r := range address {
			if r <= ' ' || r >= 0x7f {
				t.Errorf("%q is shown, with %U", address, r)
			}
		}
	})
}
