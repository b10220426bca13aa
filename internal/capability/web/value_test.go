package web_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"toolsmith/internal/capability/web"
	"toolsmith/internal/value"
)

// valueOf asks a server that answers with a type and a body.
func valueOf(t *testing.T, method, kind, body string) (map[string]any, error) {
	t.Helper()
	s := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if kind != "" {
			w.Header()["Content-Type"] = []string{kind}
		}
		fmt.Fprint(w, body)
	})
	r, err := client(t, web.Options{}).Do(t.Context(), web.Request{Method: method, URL: "http://" + s.on(good), Reach: reach("http://" + s.on(good))})
	if err != nil {
		t.Fatal(err)
	}
	return r.Value()
}

// bodyOf is the part of a value that holds the body, as JSON.
func bodyOf(v map[string]any) string {
	part := map[string]any{}
	for _, name := range []string{"json", "text", "base64", "truncated"} {
		if one, ok := v[name]; ok {
			part[name] = one
		}
	}
	return value.JSON(part)
}

func TestBodiesBecomeValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, body, want string }{
		{"application/json", `{"a": 1.0, "b": 12345678901234567890, "c": -0}`, `{"json":{"a":1.0,"b":12345678901234567890,"c":-0}}`},
		{"application/json; charset=utf-8", `[null]`, `{"json":[null]}`},
		{"Application/JSON; charset=\"UTF-8\"", `"\ud83d\ude00"`, `{"json":"😀"}`},
		{"application/problem+json", `{"status":404}`, `{"json":{"status":404}}`},
		{"text/json", `1`, `{"json":1}`},
		{"application/json", "\ufeff{}", `{"json":{}}`},
		{"application/json; charset=iso-8859-1", "\"\xfc\"", `{"json":"ü"}`},
		{"application/json", `null`, `{"json":null}`},
		{"application/json", `{"a":1,"a":2}`, `{"text":"{\"a\":1,\"a\":2}"}`},
		{"application/json", `{"a":1} x`, `{"text":"{\"a\":1} x"}`},
		{"application/json", `NaN`, `{"text":"NaN"}`},
		{"application/json", `[1e400]`, `{"text":"[1e400]"}`},
		{"application/json", strings.Repeat("[", 10_001), `{"text":"` + strings.Repeat("[", 10_001) + `"}`},
		{"application/json", "\xff", `{"base64":"/w=="}`},
		{"application/json", "", `{"text":""}`},
		{"application/x-ndjson", "1\n2\n", `{"text":"1\n2\n"}`},
		{"text/plain", `{"a": 1}`, `{"text":"{\"a\": 1}"}`},
		{"text/plain; charset=utf-8", "\ufeffüé東", `{"text":"üé東"}`},
		{"text/plain; charset=ISO-8859-1", "\xfc", `{"text":"ü"}`},
		{"text/plain; charset=windows-1252", "\x80", `{"text":"€"}`},
		{"text/plain; charset=shift_jis", "\x93\x8c", `{"text":"東"}`},
		{"text/plain; charset=utf-16le", "a\x00b\x00", `{"text":"ab"}`},
		{"text/plain; charset=nonsense", "\xfc", `{"base64":"/A=="}`},
		{"text/plain; charset=utf-8", "\xfc", `{"base64":"/A=="}`},
		{"text/plain", "\xfc", `{"base64":"/A=="}`},
		{"text/plain", "a\x00b", `{"base64":"YQBi"}`},
		{"text/html", `<meta charset="iso-8859-1">` + "\xfc", `{"text":"<meta charset=\"iso-8859-1\">ü"}`},
		{"text/html", "<p>\xfc", `{"text":"<p>ü"}`},
		{"text/plain", "\xff\xfea\x00", `{"text":"a"}`},
		{"text/html; charset=replacement", "\xfc", `{"base64":"/A=="}`},
		{"application/xml", "<a/>", `{"text":"<a/>"}`},
		{"image/svg+xml", "<svg/>", `{"text":"<svg/>"}`},
		{"image/png", "abc", `{"base64":"YWJj"}`},
		{"application/octet-stream", "abc", `{"base64":"YWJj"}`},
		{"", "abc", `{"text":"abc"}`},
		{"", "\x89PNG", `{"base64":"iVBORw=="}`},
		{"///;;", "abc", `{"text":"abc"}`},
	} {
		v, err := valueOf(t, "GET", test.kind, test.body)
		if err != nil || bodyOf(v) != test.want {
			t.Errorf("%q %.40q: %.200s, %v; want %.200s", test.kind, test.body, bodyOf(v), err, test.want)
		}
	}
}

// TestLargeBodies are cut where that makes sense, and refused where not; but not where
// something has been sent.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	const most = web.DefaultMaxBody
	digits := func(n int) string { return "[" + strings.Repeat("1,", n/2-2) + "11]" }
	grows := `"` + strings.Repeat("\xfc", 150_000) + `"` // each becomes two bytes
	for name, test := range map[string]struct {
		method, kind, body string
		code               string
		field              string
		size               int
		cut                bool
	}{
		"text that fits":      {"GET", "text/plain", strings.Repeat("x", most), "", "text", most, false},
		"text":                {"GET", "text/plain", strings.Repeat("x", most+1), "", "text", most, true},
		"text of many bytes":  {"GET", "text/plain", "x" + strings.Repeat("東", most/3+1), "", "text", most - 1, true},
		"text that grows":     {"GET", "text/plain", strings.Repeat("\x01", most), "", "text", 43000, true},
		"decoded text":        {"GET", "text/plain; charset=iso-8859-1", strings.Repeat("\xfc", most), "", "text", 261_000, true},
		"JSON that fits":      {"GET", "application/json", digits(most), "", "json", 0, false},
		"JSON":                {"GET", "application/json", digits(most + 2), web.CodeResponseTooLarge, "", 0, false},
		"JSON that grows":     {"GET", "application/json; charset=iso-8859-1", grows, web.CodeResponseTooLarge, "", 0, false},
		"bytes that fit":      {"GET", "image/png", strings.Repeat("x", 190_000), "", "base64", 253_336, false},
		"bytes":               {"GET", "image/png", strings.Repeat("x", most), web.CodeResponseTooLarge, "", 0, false},
		"JSON after a POST":   {"POST", "application/json", digits(most + 2), "", "text", most, true},
		"bytes after a POST":  {"POST", "image/png", strings.Repeat("x", most), "", "base64", 255_000, true},
		"growth after a POST": {"POST", "application/json; charset=iso-8859-1", grows, "", "text", 261_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := valueOf(t, test.method, test.kind, test.body)
			if test.code != "" {
				wantCode(t, err, test.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, _ := v[test.field].(string)
			if size := len(text); size < test.size || test.field == "text" && size > test.size+2000 || (v["truncated"] == true) != test.cut {
				t.Errorf("%d bytes of %s, cut: %v", size, test.field, v["truncated"])
			}
			if _, ok := v[test.field]; !ok || value.Size(v) > 256*1024 || !utf8.ValidString(text) {
				t.Errorf("%d bytes in all", value.Size(v))
			}
		})
	}
}

// TestHeadersOfAnAnswer: small names, joined values, no cookies, nothing that is not true
// of the body any more.
func TestHeadersOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h["X-Thing"] = []string{"a", "b"}
		h["X-Odd"] = []string{"\xff\ttab"}
		h["Set-Cookie"] = []string{"session=canary"}
		h["Content-Encoding"] = []string{"gzip"}
		h["Content-Type"] = []string{"text/plain"}
		h["Date"] = nil
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, packed(t, "short", gzipped))
	})
	v, err := mustGet(t, client(t, web.Options{}), reach("http://"+s.on(good)), "http://"+s.on(good)).Value()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"headers":{"content-type":"text/plain","x-odd":"� tab","x-thing":"a, b"},"status":418,"text":"short"}`
	if got := string(value.AppendCanonical(nil, v)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestAnswersAlwaysFit: whatever a host answers, the value has at most 256 KiB, is valid
// JSON, and holds the body in exactly one way.
func TestAnswersAlwaysFit(t *testing.T) {
	t.Parallel()
	pieces := []string{"x", "\"", "\\", "\x01", "\n", "ü", "東", "😀", "\u2028", "\xff", "\x00", "<", "{}", "1e300,"}
	kinds := []string{"", "text/plain", "application/json", "image/png", "text/plain; charset=iso-8859-1", "text/html; charset=utf-16", "text/html"}
	rapid.Check(t, func(t *rapid.T) {
		header := http.Header{"Content-Type": {rapid.SampledFrom(kinds).Draw(t, "kind")}}
		piece := rapid.SampledFrom(pieces).Draw(t, "piece")
		body := strings.Repeat(piece, rapid.IntRange(0, web.DefaultMaxBody).Draw(t, "times")/len(piece))
		for i := range rapid.IntRange(0, 3).Draw(t, "headers") {
			header[fmt.Sprint("X-", i)] = []string{strings.Repeat(rapid.SampledFrom(pieces).Draw(t, "header"), 10_000)}
		}
		r := web.Response{Status: 200, Header: header, Body: []byte(body), Truncated: rapid.Bool().Draw(t, "truncated")}
		v, err := r.Value()
		if err != nil {
			t.Fatal(err)
		}
		if size := value.Size(v); size > 256*1024 {
			t.Fatalf("%d bytes", size)
		}
		if _, err := value.Decode(value.AppendJSON(nil, v)); err != nil {
			t.Fatal(err)
		}
		ways := 0
		for _, name := range []string{"json", "text", "base64"} {
			if _, ok := v[name]; ok {
				ways++
			}
		}
		if ways != 1 {
			t.Fatalf("the body is there in %d ways", ways)
		}
		if text, ok := v["base64"].(string); ok && v["truncated"] == nil {
			if got, err := base64.StdEncoding.DecodeString(text); err != nil || string(got) != body {
				t.Fatalf("the bytes are others: %v", err)
			}
		}
	})
}
