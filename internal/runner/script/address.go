package script

import (
	"github.com/nlnwa/whatwg-url/url"

	"toolsmith/internal/value"
)

// mostAddress is how long an address, or a part of one that is set, may be, in bytes.
const mostAddress = 64 << 10

// address carries out what the class URL of the guest asks: parse (input, base?), set (href, part,
// value). It gives the parts as JSON, and "" for what is no address.
func address(arguments []string) string {
	for _, text := range arguments {
		if len(text) > mostAddress {
			return ""
		}
	}
	parser := url.NewParser()
	var u *url.Url
	var err error
	switch {
	case len(arguments) == 2 && arguments[0] == "parse":
		u, err = parser.Parse(arguments[1])
	case len(arguments) == 3 && arguments[0] == "parse":
		u, err = parser.ParseRef(arguments[2], arguments[1])
	case len(arguments) == 4 && arguments[0] == "set":
		if u, err = parser.Parse(arguments[1]); err == nil {
			setPart(u, arguments[2], arguments[3])
		}
	default:
		return ""
	}
	if err != nil {
		return ""
	}
	return value.JSON(map[string]any{
		"href": u.Href(false), "origin": originOf(parser, u), "protocol": u.Protocol(), "username": u.Username(), "password": u.Password(),
		"host": u.Host(), "hostname": u.Hostname(), "port": u.Port(), "pathname": u.Pathname(), "search": u.Search(), "hash": u.Hash(),
	})
}

func setPart(u *url.Url, part, text string) {
	switch part {
	case "protocol":
		u.SetProtocol(text)
	case "username":
		u.SetUsername(text)
	case "password":
		u.SetPassword(text)
	case "host":
		u.SetHost(text)
	case "hostname":
		u.SetHostname(text)
	case "port":
		u.SetPort(text)
	case "pathname":
		u.SetPathname(text)
	case "search":
		u.SetSearch(text)
	case "hash":
		u.SetHash(text)
	}
}

// originOf writes the origin as the standard has it: "null" where an address has none.
func originOf(parser url.Parser, u *url.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Scheme() + "://" + u.Host()
	case "blob":
		inner, err := parser.Parse(u.Pathname())
		if err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return inner.Scheme() + "://" + inner.Host()
		}
	}
	return "null"
}
