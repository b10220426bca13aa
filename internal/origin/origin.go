// Package origin says where an address leads: scheme, host and port. The check of a
// manifest and the client that dials read addresses and lists of hosts with it, so that
// both mean the same host.
package origin

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// The schemes that an address may have.
const (
	HTTP  = "http"
	HTTPS = "https"
)

// MaxURL is how many bytes an address may have.
const MaxURL = 8192

const (
	maxHost  = 253 // RFC 1035, section 2.3.4, without the dot at the end
	maxLabel = 63
)

// Origin is where an address leads. Two addresses lead to the same place if their origins
// are equal.
type Origin struct {
	// Scheme is HTTP or HTTPS.
	Scheme string
	// Host is an exact DNS name in small letters a to z, digits, "-" and ".", international
	// names as "xn--…", without a dot at its end. It is never an IP address.
	Host string
	// Port from 1; the port of the scheme where none was given.
	Port uint16
}

// String writes an origin as a manifest lists it: "api.example.com",
// "api.example.com:8443", "http://api.example.com".
func (o Origin) String() string {
	if o.Scheme == HTTP {
		return "http://" + o.Authority()
	}
	return o.Authority()
}

// Authority is the host, with its port where that is not the one of the scheme.
func (o Origin) Authority() string {
	if o.Port == usualPort(o.Scheme) {
		return o.Host
	}
	return o.Host + ":" + strconv.Itoa(int(o.Port))
}

func usualPort(scheme string) uint16 {
	if scheme == HTTP {
		return 80
	}
	return 443
}

// Listed reads a host as a manifest lists it: HOST, HOST:PORT, http://HOST or
// http://HOST:PORT. Letter case does not matter. There is one way to write each, so a port
// that is the one of the scheme is refused. The text of an error is the reason, in words
// that go on after a colon.
func Listed(text string) (Origin, error) {
	if text == "" {
		return Origin{}, errors.New("it is empty")
	}
	o := Origin{Scheme: HTTPS}
	rest := text
	if scheme, after, ok := strings.Cut(text, "://"); ok {
		switch strings.ToLower(scheme) {
		case HTTP:
			o.Scheme, rest = HTTP, after
		case HTTPS:
			return Origin{}, errors.New("it is an address; leave out the scheme, for https is what is meant without one")
		default:
			return Origin{}, errors.New(`it is an address; leave out the scheme, or write "http://" where the host has no https`)
		}
	}
	switch {
	case strings.Contains(rest, "*"):
		return Origin{}, errors.New("wildcards are not allowed")
	case strings.ContainsAny(rest, "/?#@"):
		return Origin{}, errors.New("it holds more than the host")
	case strings.Contains(rest, "["), strings.Count(rest, ":") > 1:
		return Origin{}, errors.New("an IP address is no name")
	}
	host, port, hasPort := strings.Cut(rest, ":")
	o.Host, o.Port = lower(host), usualPort(o.Scheme)
	if strings.HasSuffix(host, ".") && strings.Trim(host, ".") != "" {
		return Origin{}, errors.New("the dot at its end is one too many")
	}
	if reason := hostFault(o.Host); reason != "" {
		return Origin{}, errors.New(reason)
	}
	if !hasPort {
		return o, nil
	}
	number, ok := readPort(port)
	switch {
	case !ok:
		return Origin{}, errors.New("its port is no number from 1 to 65535")
	case number == o.Port:
		return Origin{}, fmt.Errorf("%d is the port of %s anyway; leave it out", number, o.Scheme)
	}
	o.Port = number
	return o, nil
}

// ParseURL reads an absolute http or https address and makes it plain: its host is that of
// the origin, and it has no fragment. What could be read in two ways is refused: names
// and passwords, backslashes, "%" in the host, characters that must be encoded. The text of
// an error is the reason, and it never holds the address.
func ParseURL(text string) (*url.URL, Origin, error) {
	if len(text) > MaxURL {
		return nil, Origin{}, fmt.Errorf("it is longer than %d bytes", MaxURL)
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f:
			return nil, Origin{}, errors.New("it holds a space or a control character, which has to be written with %")
		case c == '\\':
			return nil, Origin{}, errors.New(`it holds a backslash; write "/", or "%5C" if it is meant`)
		}
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if scheme = strings.ToLower(scheme); !ok || scheme != HTTP && scheme != HTTPS {
		return nil, Origin{}, errors.New(`it begins with neither "https://" nor "http://"`)
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	switch {
	case strings.Contains(rest, "@"):
		return nil, Origin{}, errors.New("it holds a name or a password before the host")
	case strings.Contains(rest, "%"):
		return nil, Origin{}, errors.New(`its host holds "%"`)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, Origin{}, errors.New("it is no valid address") // the library's text holds the address
	}
	o, err := Of(u)
	if err != nil {
		return nil, Origin{}, err
	}
	u.Host, u.Fragment, u.RawFragment = o.Authority(), "", ""
	u.RawQuery = plainQuery(u.RawQuery)
	return u, o, nil
}

// Of gives the origin of an address that was parsed. The text of an error is the reason.
func Of(u *url.URL) (Origin, error) {
	o := Origin{Scheme: strings.ToLower(u.Scheme)}
	switch {
	case o.Scheme != HTTP && o.Scheme != HTTPS:
		return Origin{}, errors.New(`it begins with neither "https://" nor "http://"`)
	case u.Opaque != "" || u.Host == "":
		return Origin{}, errors.New("it has no host")
	case u.User != nil:
		return Origin{}, errors.New("it holds a name or a password before the host")
	case strings.ContainsAny(u.Host, "[]"), strings.Count(u.Host, ":") > 1:
		return Origin{}, errors.New("its host is an IP address, and only names are allowed")
	}
	host, port, hasPort := strings.Cut(u.Host, ":")
	o.Port = usualPort(o.Scheme)
	if hasPort {
		var ok bool
		if o.Port, ok = readPort(port); !ok {
			return Origin{}, errors.New("its port is no number from 1 to 65535")
		}
	}
	var err error
	if o.Host, err = plainHost(host); err != nil {
		return Origin{}, err
	}
	return o, nil
}

// plainHost writes a host as Origin.Host is written.
func plainHost(host string) (string, error) {
	host = strings.TrimSuffix(lower(host), ".")
	if isASCII(host) {
		if reason := hostFault(host); reason != "" {
			return "", errors.New("its host is not allowed: " + reason)
		}
		return host, nil
	}
	// Only what is plain already is turned into "xn--…". Letters that are mapped to others on
	// the way, such as the Kelvin sign, would make one host of two.
	plain, err := idna.Lookup.ToASCII(host)
	if err != nil || hostFault(plain) != "" {
		return "", errNotPlain
	}
	if shown, err := idna.Lookup.ToUnicode(plain); err != nil || shown != host {
		return "", errNotPlain
	}
	return plain, nil
}

var errNotPlain = errors.New(`its international host is not written in its plain form; write it as "xn--…"`)

// hostFault says why a text in small letters is no exact DNS name of at least two labels
// (RFC 1123, section 2.1), "" if it is one.
func hostFault(host string) string {
	switch {
	case host == "":
		return "it is empty"
	case len(host) > maxHost:
		return fmt.Sprintf("it has more than %d characters", maxHost)
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if reason := labelFault(label); reason != "" {
			return reason
		}
	}
	if len(labels) < 2 {
		return "it has no dot"
	}
	if isNumber(labels[len(labels)-1]) {
		return "its last part is a number, so it is an IP address or no name at all"
	}
	return ""
}

// isNumber reports whether a label is a number to those who read IP addresses loosely.
func isNumber(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	digits, hex := strings.CutPrefix(label, "0x")
	return hex && strings.Trim(digits, "0123456789abcdef") == ""
}

func labelFault(label string) string {
	switch {
	case label == "":
		return "a part between its dots is empty"
	case len(label) > maxLabel:
		return fmt.Sprintf("a part has more than %d characters", maxLabel)
	case label[0] == '-' || label[len(label)-1] == '-':
		return `a part begins or ends with "-"`
	}
	for _, r := range label {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
		case r >= 0x80:
			return `letters beyond a to z are written as "xn--…"`
		default:
			return fmt.Sprintf("%q is not allowed in it", string(r))
		}
	}
	return ""
}

func readPort(text string) (uint16, bool) {
	number, err := strconv.ParseUint(text, 10, 16)
	return uint16(number), err == nil && number > 0 && text[0] != '0' && text[0] != '+'
}

// lower makes the letters A to Z small and leaves all others: some of them have one of a to
// z as their small letter.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// plainQuery encodes the letters beyond ASCII, which a request line cannot hold.
func plainQuery(query string) string {
	if isASCII(query) {
		return query
	}
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c < 0x80 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
