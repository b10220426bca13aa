package web

import (
	"encoding/base64"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"toolsmith/internal/value"
)

// maxValue is how many bytes the compact JSON of an answer may have as a value: as much as
// a capability may give back.
const maxValue = 256 * 1024

// Response is the answer of a host.
type Response struct {
	// Status such as 200; 400 and more are answers too.
	Status int
	Header http.Header
	// Body, unpacked, and whether it goes on after that.
	Body      []byte
	Truncated bool
	// URL that was answered for, which is another than was asked where a redirect was followed:
	// Redirected tells so.
	URL        string
	Redirected bool

	host string
	most int64 // bytes of a body that are read
	// unpacked: the body was packed on the way, so the headers about that are wrong now.
	unpacked bool
	// safe: nothing was changed by the request, so that it can be refused after the fact.
	safe bool
}

// Value gives an answer as a JSON value: {"status", "headers", "json" or "text" or "base64",
// "truncated"?}, of at most 256 KiB of compact JSON.
//
// "json" is there where the content type says so and the body is strict JSON; "text" where
// the body is text; "base64" for the rest. A body that is too large is cut where it is text.
// JSON and other bytes make no sense when they are cut, so the answer is refused with
// CodeResponseTooLarge then; but not if something was sent, for that has been done: JSON
// becomes cut text.
func (r Response) Value() (map[string]any, error) {
	result := map[string]any{"status": value.Int(r.Status), "headers": r.headers()}
	room := maxValue - value.Size(result) - len(`,"truncated":true,"base64":""`)
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	text, isText := r.text(kind, parameters["charset"])
	cut := r.Truncated
	switch {
	case isText && isJSON(kind):
		if !cut {
			if v, err := value.Decode([]byte(text)); err == nil && value.Size(v) <= room {
				result["json"] = v
				return result, nil
			} else if err != nil {
				break // it says that it is JSON, and is none
			}
			cut = true
		}
		if r.safe {
			return nil, r.tooLarge()
		}
	case !isText:
		bytes := r.Body
		if most := room / 4 * 3; len(bytes) > most {
			bytes, cut = bytes[:most], true
		}
		if cut && r.safe {
			return nil, r.tooLarge()
		}
		result["base64"] = base64.StdEncoding.EncodeToString(bytes)
		if cut {
			result["truncated"] = true
		}
		return result, nil
	}
	short := fit(text, room)
	result["text"] = short
	if cut || len(short) < len(text) {
		result["truncated"] = true
	}
	return result, nil
}

// StatusText are the usual words for the status; "" for one that has none.
func (r Response) StatusText() string { return http.StatusText(r.Status) }

// Shown are the headers that a tool may see; see Value.
func (r Response) Shown() map[string]any { return r.headers() }

// TooLarge is the error of an answer whose body is larger than is read.
func (r Response) TooLarge() error {
	return refusal(CodeResponseTooLarge, "", "The answer of %s has more than %d bytes. Ask for less of it.", r.host, r.most)
}

func (r Response) tooLarge() error {
	return refusal(CodeResponseTooLarge, "", "The answer of %s is too large: at most %d KiB are read, and a result has at most %d KiB. Ask for less of it.",
		r.host, r.most/1024, maxValue/1024)
}

// headers gives the headers that a tool may see, under names in small letters. Cookies are
// left out, for they are keys.
func (r Response) headers() map[string]any {
	out := map[string]any{}
	room := maxValue / 4
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		switch {
		case name == "Set-Cookie" || name == "Set-Cookie2":
			continue
		case r.unpacked && (name == "Content-Encoding" || name == "Content-Length"):
			continue
		}
		text := clean(strings.Join(r.Header[name], ", "))
		if room -= value.Size(text) + value.Size(name) + len(":,"); room < 0 {
			break
		}
		out[strings.ToLower(name)] = text
	}
	return out
}

// clean makes a header a text without control characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

// text gives the body as a text, if it is one.
func (r Response) text(kind, charsetName string) (string, bool) {
	major, _, _ := strings.Cut(kind, "/")
	switch {
	case major == "image" && kind != "image/svg+xml", major == "audio", major == "video", major == "font",
		kind == "application/octet-stream", kind == "application/pdf", kind == "application/zip", kind == "application/gzip":
		return "", false
	}
	body := strings.TrimPrefix(string(r.Body), "\ufeff")
	if r.Truncated {
		body = wholeRunes(body)
	}
	if isUTF8Name(charsetName) && utf8.ValidString(body) && !strings.Contains(body, "\x00") {
		return body, true
	}
	if charsetName == "" && major == "text" {
		encoding, name, certain := charset.DetermineEncoding(r.Body, "")
		// A page names its encoding in itself, or has the one that browsers take it to have.
		if !certain && kind != "text/html" || isUTF8Name(name) {
			return "", false
		}
		return decoded(encoding.NewDecoder().Reader(strings.NewReader(string(r.Body))))
	}
	if encoding, name := charset.Lookup(charsetName); encoding != nil && !isUTF8Name(name) && name != "replacement" {
		return decoded(encoding.NewDecoder().Reader(strings.NewReader(string(r.Body))))
	}
	return "", false
}

func isUTF8Name(name string) bool {
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return true
	}
	return false
}

func decoded(reader io.Reader) (string, bool) {
	text, err := io.ReadAll(reader)
	return strings.TrimPrefix(string(text), "\ufeff"), err == nil && utf8.Valid(text)
}

// wholeRunes leaves out the part of a character at which a text was cut.
func wholeRunes(text string) string {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(text[len(text)-i:]) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// fit gives as much of a text as has a number of bytes as JSON.
func fit(text string, room int) string {
	if value.Size(text)-len(`""`) <= room {
		return text
	}
	for i, r := range text {
		if room -= value.Size(string(r)) - len(`""`); room < 0 {
			return text[:i]
		}
	}
	return text
}
