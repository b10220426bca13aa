package check

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func (c *checker) network() {
	n := c.m.Network
	if n == nil || !n.Mode.Ok() {
		return
	}
	if n.Mode.Value() == "forbidden" {
		if n.DomainsNode != nil && n.DomainsNode.Len() > 0 {
			c.fault(CodeNetworkContradiction, n.DomainsNode,
				`The network is forbidden, yet hosts are listed. Empty the list, or set "mode" to "allowlist".`)
		}
		return
	}
	for _, d := range n.Domains {
		if reason := domainFault(d.Value()); reason != "" {
			c.fault(CodeDomainInvalid, d.Node, fmt.Sprintf(
				"%s is no exact DNS name: %s. Write one host, such as \"api.example.com\".", manifest.Quote(d.Value()), reason))
			continue
		}
		if unicodeName, ok := international(d.Value()); ok {
			c.warn(CodeDomainInvalid, d.Node, fmt.Sprintf(
				"%s is an international name and reads %s. Make sure that it is the host you mean.", manifest.Quote(d.Value()), manifest.Quote(unicodeName)))
		}
	}
}

// domainFault says why a text is no exact DNS name of at least two labels (RFC 1123,
// section 2.1), "" if it is one.
func domainFault(host string) string {
	switch {
	case host == "":
		return "it is empty"
	case strings.Contains(host, "://"):
		return "it is an address; leave out the scheme"
	case strings.Contains(host, "*"):
		return "wildcards are not allowed"
	case strings.ContainsAny(host, "/?#@"):
		return "it holds more than the host"
	case strings.Contains(host, ":"):
		return "a port is not part of it"
	case len(host) > maxDomainLength:
		return fmt.Sprintf("it has more than %d characters", maxDomainLength)
	}
	if strings.HasSuffix(host, ".") && strings.Trim(host, ".") != "" {
		return "the dot at its end is one too many"
	}
	labels := strings.Split(strings.ToLower(host), ".")
	for _, label := range labels {
		if reason := labelFault(label); reason != "" {
			return reason
		}
	}
	if len(labels) < 2 {
		return "it has no dot"
	}
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return "its last part is a number, so it is an IP address or no name at all"
	}
	return ""
}

func labelFault(label string) string {
	switch {
	case label == "":
		return "a part between its dots is empty"
	case len(label) > maxLabelLength:
		return fmt.Sprintf("a part has more than %d characters", maxLabelLength)
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

// international gives the Unicode form of a name that has one.
func international(host string) (string, bool) {
	if !strings.Contains(strings.ToLower(host), "xn--") {
		return "", false
	}
	shown, err := idna.ToUnicode(strings.ToLower(host))
	if err != nil {
		return "something that cannot be decoded", true
	}
	return shown, shown != host
}

// normalHost writes a host as it is compared: small letters, no dot at the end.
func normalHost(host string) string {
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

func (c *checker) credentials() {
	allowed := c.allowedHosts()
	seen := map[string]bool{}
	for _, credential := range c.m.Credentials {
		if id := credential.ID; id.Ok() {
			if !manifest.ValidID(id.Value()) {
				c.fault(CodeCredentialID, id.Node, fmt.Sprintf(
					"The id of a credential has %s; this is %s.", manifest.IDRule, manifest.Quote(id.Value())))
			} else if seen[id.Value()] {
				c.warn(CodeCredentialID, id.Node, fmt.Sprintf("Two credentials have the id %s.", manifest.Quote(id.Value())))
			}
			seen[id.Value()] = true
		}
		if allowed == nil {
			continue
		}
		for _, scope := range credential.OutboundScope {
			c.scope(scope, allowed)
		}
	}
}

// allowedHosts gives the listed hosts, each under its normal form with all the ways in
// which it is written; nil where it is not known what is allowed.
func (c *checker) allowedHosts() map[string][]string {
	n := c.m.Network
	if n == nil || !n.Mode.Ok() || n.DomainsNode == nil {
		return nil
	}
	hosts := map[string][]string{}
	if n.Mode.Value() == "allowlist" {
		for _, d := range n.Domains {
			hosts[normalHost(d.Value())] = append(hosts[normalHost(d.Value())], d.Value())
		}
	}
	return hosts
}

// scope checks a host that a credential may be sent to.
func (c *checker) scope(scope manifest.Text, allowed map[string][]string) {
	written, ok := allowed[normalHost(scope.Value())]
	switch {
	case ok && slices.Contains(written, scope.Value()):
	case ok:
		c.warn(CodeCredentialScope, scope.Node, fmt.Sprintf(
			"%s is read as the listed host %s. Write both alike.", manifest.Quote(scope.Value()), manifest.Quote(written[0])))
	case c.m.Network.Mode.Value() == "forbidden":
		c.fault(CodeCredentialScope, scope.Node, "The network is forbidden, so a credential can be sent nowhere.")
	default:
		c.fault(CodeCredentialScope, scope.Node, fmt.Sprintf("The network list does not allow %s.%s", manifest.Quote(scope.Value()),
			c.Guess(scope.Value(), func() []string { return slices.Sorted(maps.Keys(allowed)) })))
	}
}

// outbound checks the use, at a node, of a capability that leaves the machine.
func (c *checker) outbound(at, input *value.Node, capability tool.Capability, reachable bool) {
	n := c.m.Network
	if n == nil || !n.Mode.Ok() || n.DomainsNode == nil {
		return
	}
	if n.Mode.Value() == "forbidden" && reachable {
		c.fault(CodeOutboundForbidden, at, fmt.Sprintf(
			"%q needs the network, and the network is forbidden. Set \"mode\" to \"allowlist\" and list its hosts.", capability.Name))
		return
	}
	for _, host := range outboundHosts(input, capability) {
		if n.Mode.Value() == "allowlist" && slices.ContainsFunc(n.Domains, func(d manifest.Text) bool {
			return normalHost(d.Value()) == host
		}) {
			continue
		}
		c.fault(CodeNetworkNotDeclared, at, fmt.Sprintf(
			"This step reaches %s, which the network list does not hold.", manifest.Quote(host)))
	}
}

// outboundHosts lists the hosts that a call is seen to reach: those that its capability
// always reaches, and the one in a literal address.
func outboundHosts(input *value.Node, capability tool.Capability) []string {
	var hosts []string
	for _, host := range capability.Hosts {
		hosts = append(hosts, normalHost(host))
	}
	if capability.URLField == "" || input == nil {
		return hosts
	}
	if address := input.Get(capability.URLField); address != nil && address.Kind == value.String {
		u, err := url.Parse(address.Text)
		if err != nil {
			return append(hosts, address.Text)
		}
		return append(hosts, normalHost(u.Hostname()))
	}
	return hosts
}
