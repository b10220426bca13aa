package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"toolsmith/internal/origin"
	"toolsmith/tool"
)

// Reach is what one tool may reach. It is not changed while requests are made with it.
type Reach struct {
	// Hosts that the tool has declared, written as a manifest lists them (package origin).
	// One that is not written so allows nothing.
	Hosts []string
	// Credentials that may be attached.
	Credentials []Credential
	// AllowPrivate reports whether a person lets a host be at an address that is not public.
	// host is a name in small letters, without scheme and port. nil allows none.
	AllowPrivate func(host string) bool
}

// Credential is a secret that is attached to requests to some hosts. The tool that makes
// the request never sees it.
type Credential struct {
	// ID by which a tool names it.
	ID string
	// Hosts that it may be sent to, written as in Reach.
	Hosts []string
	// Header that carries it. Default: "Authorization".
	Header string
	// Prefix before the value, such as "Bearer ". Default: none.
	Prefix string
	// Value reads the secret when it is needed. A coded error keeps its code.
	Value func(ctx context.Context) (string, error)
}

func (c Credential) header() string {
	if c.Header == "" {
		return "Authorization"
	}
	return http.CanonicalHeaderKey(c.Header)
}

// read gives what the header has to hold.
func (c Credential) read(ctx context.Context) (string, error) {
	if c.Value == nil {
		return "", refusal(CodeCredentialInvalid, "", "The credential %q has no value. Set it anew.", c.ID)
	}
	secret, err := c.Value(ctx)
	var coded *tool.Error
	switch {
	case errors.As(err, &coded):
		return "", coded
	case err != nil:
		return "", &tool.Error{Code: CodeCredentialInvalid, Message: fmt.Sprintf("The credential %q cannot be read.", c.ID), Cause: err}
	case secret == "":
		return "", refusal(CodeCredentialInvalid, "", "The credential %q is empty. Set it anew.", c.ID)
	}
	value := c.Prefix + secret
	if !httpguts.ValidHeaderFieldName(c.header()) || !httpguts.ValidHeaderFieldValue(value) || strings.TrimSpace(secret) != secret {
		return "", refusal(CodeCredentialInvalid, "", "The credential %q holds a character that no header may hold, such as a line break. Set it anew.", c.ID)
	}
	return value, nil
}

// covers reports whether a list of hosts holds one.
func covers(hosts []string, o origin.Origin) bool {
	return slices.ContainsFunc(hosts, func(text string) bool {
		listed, err := origin.Listed(text)
		return err == nil && listed == o
	})
}

// pick finds the credential for a request to a host: the one that is named, or else the
// only one in scope; nil for none.
func (r *Reach) pick(o origin.Origin, name string) (*Credential, error) {
	var inScope []*Credential
	var ids []string
	for i := range r.Credentials {
		one := &r.Credentials[i]
		switch within := covers(one.Hosts, o); {
		case name != "" && one.ID == name && within:
			return one, nil
		case within:
			inScope, ids = append(inScope, one), append(ids, one.ID)
		}
	}
	switch {
	case name != "":
		return nil, refusal(CodeCredentialInvalid, "$.credential", "No credential %q may be sent to %s. %s", name, o, choice(ids))
	case len(inScope) > 1:
		return nil, refusal(CodeCredentialInvalid, "$.credential", "Several credentials may be sent to %s, so the request has to name one. %s", o, choice(ids))
	case len(inScope) == 1:
		return inScope[0], nil
	}
	return nil, nil
}

func choice(ids []string) string {
	if len(ids) == 0 {
		return "The tool declares none for it."
	}
	return "There are: " + strings.Join(ids, ", ") + "."
}
