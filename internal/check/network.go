package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"toolsmith/internal/manifest"
	"toolsmith/internal/origin"
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
		c.host(d)
	}
}

// host checks one listed host.
func (c *checker) host(d manifest.Text) {
	listed, err := origin.Listed(d.Value())
	if err != nil {
		c.fault(CodeDomainInvalid, d.Node, fmt.Sprintf(
			"%s is no exact DNS name: %s. Write one host, such as \"api.example.com\".", manifest.Quote(d.Value()), err))
		return
	}
	if unicodeName, ok := international(listed.Host); ok {
		c.warn(CodeDomainInvalid, d.Node, fmt.Sprintf(
			"%s is an international name and reads %s. Make sure that it is the host you mean.", manifest.Quote(d.Value()), manifest.Quote(unicodeName)))
	}
}

// international gives the Unicode form of a name in small letters that has one.
func international(host string) (string, bool) {
	if !strings.Contains(host, "xn--") {
		return "", false
	}
	shown, err := idna.ToUnicode(host)
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
	listed := map[origin.Origin]bool{}
	if n.Mode.Value() == "allowlist" {
		for _, d := range n.Domains {
			if o, err := origin.Listed(d.Value()); err == nil {
				listed[o] = true
			}
		}
	}
	for _, host := range capability.Hosts {
		if o, err := origin.Listed(normalHost(host)); err != nil || !listed[o] {
			c.fault(CodeNetworkNotDeclared, at, fmt.Sprintf(
				"This step reaches %s, which the network list does not hold.", manifest.Quote(normalHost(host))))
		}
	}
	if capability.URLField != "" && input != nil {
		c.address(input.Get(capability.URLField), listed)
	}
}

// address holds an address that is written out against the hosts that are listed, by the
// rules by which the client dials.
func (c *checker) address(n *value.Node, listed map[origin.Origin]bool) {
	if n == nil || n.Kind != value.String {
		return
	}
	_, o, err := origin.ParseURL(n.Text)
	switch {
	case err != nil:
		c.fault(CodeNetworkNotDeclared, n, fmt.Sprintf("No step can reach this address: %s. Write one such as \"https://api.example.com/items\".", err))
	case !listed[o]:
		c.fault(CodeNetworkNotDeclared, n, fmt.Sprintf("This step reaches %s, which the network list does not hold.%s",
			manifest.Quote(o.String()), otherwiseListed(o, listed)))
	}
}

// otherwiseListed says under which other scheme or port a host is listed; "" for none.
func otherwiseListed(o origin.Origin, listed map[origin.Origin]bool) string {
	var others []string
	for other := range listed {
		if other.Host == o.Host {
			others = append(others, manifest.Quote(other.String()))
		}
	}
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	return fmt.Sprintf(" It holds %s; scheme and port have to be the same.", strings.Join(others, ", "))
}
