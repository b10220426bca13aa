package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"unicode/utf8"
)

// Codes of what comes of asking the person.
const (
	// CodeInteractionRefused is the code where the person did not answer a form or open a page,
	// and said so.
	CodeInteractionRefused = "INTERACTION_REFUSED"
	// CodeInteractionTimeout is the code where nobody answered in time.
	CodeInteractionTimeout = "INTERACTION_TIMEOUT"
	// CodeInteractionInvalid is the code of a form or an address that is put before nobody.
	CodeInteractionInvalid = "INTERACTION_INVALID"
)

// The bounds of what is put before a person: of texts and addresses in characters, of a schema in
// bytes.
const (
	MaxFormTitle  = 200
	MaxFormText   = 4000
	MaxFormSchema = 64 << 10
	MaxPage       = 2000
)

// Form is a question to the person.
type Form struct {
	// Title in a few words, and what it is about: at most 200 and 4,000 characters.
	Title, Text string
	// Schema is the JSON Schema of the answer, an object of at most 64 KiB, from which the fields
	// are made; nil for a question that is answered with yes or no.
	Schema json.RawMessage
}

// Check says why a form is put before nobody, with the code INTERACTION_INVALID; nil where it may
// be. Whether its schema can be used is found out when it is asked.
func (f Form) Check() error {
	switch {
	case f.Title == "":
		return notShown("title", "is missing: say in a few words what is asked.")
	case utf8.RuneCountInString(f.Title) > MaxFormTitle:
		return notShown("title", "has %d characters; at most %d are allowed.", utf8.RuneCountInString(f.Title), MaxFormTitle)
	case utf8.RuneCountInString(f.Text) > MaxFormText:
		return notShown("text", "has %d characters; at most %d are allowed.", utf8.RuneCountInString(f.Text), MaxFormText)
	case len(f.Schema) > MaxFormSchema:
		return notShown("schema", "has %d bytes; at most %d are allowed.", len(f.Schema), MaxFormSchema)
	case f.Schema != nil && (!bytes.HasPrefix(bytes.TrimLeft(f.Schema, " \t\r\n"), []byte("{")) || !json.Valid(f.Schema)):
		return notShown("schema", "has to be a JSON Schema: an object.")
	}
	return nil
}

// CheckPage says why the address of a page is put before nobody, with the code
// INTERACTION_INVALID; nil where it may be.
func CheckPage(address string) error {
	if n := utf8.RuneCountInString(address); n > MaxPage {
		return notShown("url", "has %d characters; at most %d are allowed.", n, MaxPage)
	}
	for i := range len(address) {
		if address[i] <= ' ' || address[i] >= 0x7f || address[i] == '\\' {
			return notShown("url", "has a character that an address is not written with (byte %d). Write it percent-encoded, and a name of a host in its xn-- form.", i+1)
		}
	}
	at, err := url.Parse(address)
	switch {
	case err != nil || at.Opaque != "" || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return notShown("url", "has to be the whole address of a page that begins with https:// or http://.")
	case at.User != nil: // what stands before the @ is taken for the host
		return notShown("url", "has a name or a password before its host. Leave it out.")
	}
	return nil
}

func notShown(field, format string, args ...any) error {
	return &Error{Code: CodeInteractionInvalid, Field: "$." + field, Message: fmt.Sprintf(format, args...)}
}
