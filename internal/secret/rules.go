package secret

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"toolsmith/internal/scrub"
	"toolsmith/tool"
)

// Codes of the errors of this package.
const (
	// CodeMissing: there is no secret of this name.
	CodeMissing = tool.CodeSecretMissing
	// CodeName: it is no name.
	CodeName = "SECRET_NAME_INVALID"
	// CodeValue: the value is empty, or has characters that cannot be sent.
	CodeValue = "SECRET_VALUE_INVALID"
	// CodeTooShort: the value could not be taken out of texts.
	CodeTooShort = "SECRET_TOO_SHORT"
	// CodeTooLong: the value is longer than MaxLength.
	CodeTooLong = "SECRET_TOO_LONG"
	// CodeHeader: the header or its prefix cannot be sent.
	CodeHeader = "SECRET_HEADER_INVALID"
	// CodeDamaged: what is kept of a secret is not what was kept.
	CodeDamaged = "SECRET_DAMAGED"
	// CodeKeyMissing: there are secrets, and the key that opens them is not there.
	CodeKeyMissing = "SECRET_KEY_MISSING"
	// CodeKeyUnsafe: others could have read the key, or put it there.
	CodeKeyUnsafe = "SECRET_KEY_UNSAFE"
	// CodeKeyInvalid: what is kept as the key is none, or cannot be read or written.
	CodeKeyInvalid = "SECRET_KEY_INVALID"
)

const (
	// MinLength is the least length of a value, in characters. What is shorter stands in too
	// many texts by chance to be taken out of them.
	MinLength = scrub.MinLength
	// MaxLength is the greatest length of a value, in bytes.
	MaxLength = 16 << 10
	// maxName is the greatest length of a name, and of a header and a prefix.
	maxName = 64
)

// Attributes say how a credential is attached to a request. A secret without a header is
// attached to none: only a tool that asks for it by its name gets it.
type Attributes struct {
	// Header such as "Authorization"; "" for none.
	Header string
	// Prefix stands before the value in the header, such as "Bearer ".
	Prefix string
}

// Bearer are the attributes of a credential of which nothing else is said.
func Bearer() Attributes { return Attributes{Header: "Authorization", Prefix: "Bearer "} }

// Attach gives the header of a request with the value in it; ok is false where the secret is
// attached to none.
func (a Attributes) Attach(value string) (header, line string, ok bool) {
	return a.Header, a.Prefix + value, a.Header != ""
}

// ownHeaders are headers by which a request is carried, and which therefore carry no secret.
var ownHeaders = []string{
	"connection", "content-length", "content-type", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
}

func (a Attributes) check() error {
	if a.Header == "" {
		if a.Prefix != "" {
			return tool.Errorf(CodeHeader, "A prefix needs a header that it stands in.")
		}
		return nil
	}
	lower := strings.ToLower(a.Header)
	switch {
	case len(a.Header) > maxName || !httpguts.ValidHeaderFieldName(a.Header):
		return tool.Errorf(CodeHeader, "The header is not the name of one: 1 to %d letters, digits and -, such as X-Api-Key.", maxName)
	case slices.Contains(ownHeaders, lower) || strings.HasPrefix(lower, "proxy-"):
		return tool.Errorf(CodeHeader, "The header %s belongs to how a request is sent, so it cannot hold a secret.", a.Header)
	case len(a.Prefix) > maxName || strings.ContainsFunc(a.Prefix, func(r rune) bool { return r < ' ' || r > '~' }):
		return tool.Errorf(CodeHeader, "The prefix has at most %d characters, which are letters, digits, signs and spaces of ASCII, such as \"Bearer \".", maxName)
	}
	return nil
}

// checkName says nothing of what was given: it may be a value that stands in the wrong place.
func checkName(name string) error {
	bad := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '.' && r != '_' && r != '-'
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, bad) {
		return tool.Errorf(CodeName, "The name of a secret has 1 to %d characters: letters, digits, \".\", \"_\" and \"-\". What was given is no such name.", maxName)
	}
	return nil
}

// checkValue gives a value as it is kept, and notes for the person who set it. An error says
// nothing of the value but its length.
func checkValue(given string, a Attributes) (value string, notes []string, err error) {
	value = strings.Trim(given, "\r\n")
	if value != given {
		notes = append(notes, "Line breaks around the value were left out.")
	}
	switch count := utf8.RuneCountInString(value); {
	case len(value) > MaxLength:
		return "", nil, tool.Errorf(CodeTooLong, "The value has more than %d bytes.", MaxLength)
	case strings.TrimSpace(value) == "":
		return "", nil, tool.Errorf(CodeValue, "The value is empty.")
	case !utf8.ValidString(value):
		return "", nil, tool.Errorf(CodeValue, "The value is no text: it has bytes that are not UTF-8. Encode it, for instance as base64.")
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", nil, tool.Errorf(CodeValue, "The value has a line break or another control character inside, which cannot be sent. Encode it, for instance as base64.")
	case a.Header != "" && strings.ContainsFunc(value, func(r rune) bool { return r > '~' }):
		return "", nil, tool.Errorf(CodeValue, "The value has characters that are not ASCII, which the header %s cannot hold. Keep it without a header, or encode it.", a.Header)
	case count < MinLength:
		return "", nil, tool.Errorf(CodeTooShort, "The value has %d characters; a secret has at least %d. What is shorter stands in many texts by chance, and could not be taken out of them.", count, MinLength)
	}
	if strings.TrimSpace(value) != value {
		notes = append(notes, "The value begins or ends with a space.")
	}
	if isCommon(value) {
		notes = append(notes, "The value is a common word. It is easily guessed, and is replaced wherever it stands in what the tool gives back.")
	}
	return value, notes, nil
}

// common are words of which values are made that keep nothing secret.
var common = []string{
	"abcdefgh", "admin", "administrator", "changeme", "default", "example", "false", "letmein", "password", "passwort", "qwerty", "secret",
	"test", "testing", "token", "true", "undefined", "welcome",
}

// isCommon reports whether a value is a common word, with digits and signs or without, one
// character over and over, or digits in their order.
func isCommon(value string) bool {
	const digits = "01234567890"
	letters := strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, value))
	first, _ := utf8.DecodeRuneInString(value)
	return slices.Contains(common, letters) || strings.Trim(value, string(first)) == "" || strings.Contains(digits, value)
}
