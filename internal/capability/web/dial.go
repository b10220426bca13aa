package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"time"

	"toolsmith/tool"
)

// metadata are addresses at which clouds hand out the keys of a machine. They are refused
// even where private addresses are allowed.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),
	netip.MustParseAddr("169.254.170.2"),
	netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd00:ec2::23"),
	netip.MustParseAddr("fd20:ce::254"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("168.63.129.16"),
}

// never are networks in which there is no host to reach.
var never = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("224.0.0.0/4"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/128"), netip.MustParsePrefix("ff00::/8"),
}

// carriers are the IPv6 networks whose addresses stand for an IPv4 address, with the byte at
// which that begins.
var carriers = []struct {
	in netip.Prefix
	at int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// dialer gives a function that opens connections. private lets it reach addresses that are
// not public.
func (c *Client) dialer(private bool) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Control: c.control(private)}
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("read where to connect to: %w", err)
		}
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("read the port to connect to: %w", err)
		}
		// net/http dials without the deadline of a request, and a connection that nobody waits
		// for any more has to end too.
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		list, err := c.resolve(ctx, host)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
		}
		return c.first(ctx, dialer, host, uint16(number), list[:min(len(list), maxAddresses)], private)
	}
}

// control judges the very address that a socket is about to be connected to.
func (c *Client) control(private bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("read the address of a socket: %w", err)
		}
		return c.allowed(to, private)
	}
}

// first connects to the first address of a host that answers.
func (c *Client) first(ctx context.Context, dialer *net.Dialer, host string, port uint16, list []netip.Addr, private bool) (net.Conn, error) {
	var failed, refused error
	for i, ip := range list {
		to := netip.AddrPortFrom(ip, port)
		if err := c.allowed(to, private); err != nil {
			refused = refusedAt(host, private, err)
			continue
		}
		timed, cancel := context.WithTimeout(ctx, c.share(ctx, len(list)-i))
		conn, err := dialer.DialContext(timed, "tcp", to.String())
		cancel()
		var forbidden *refusedAddress
		switch {
		case err == nil:
			return conn, nil
		case errors.As(err, &forbidden):
			refused = refusedAt(host, private, err)
		case ctx.Err() != nil:
			return nil, err
		default:
			failed = err
		}
	}
	if failed != nil {
		return nil, failed // an address that is allowed may answer later
	}
	return nil, refused
}

// share is how long one of several addresses may take to answer: its part of what is left,
// and at least dialTime.
func (c *Client) share(ctx context.Context, addresses int) time.Duration {
	left := c.timeout
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	return max(left/time.Duration(addresses), dialTime)
}

// refusedAddress is why an address must not be reached; for logs, since it names it.
type refusedAddress struct{ reason string }

// Error gives the reason.
func (r *refusedAddress) Error() string { return r.reason }

// refusedAt words that a host leads to where nothing may be reached.
func refusedAt(host string, private bool, cause error) error {
	message := fmt.Sprintf("%s leads to an address that is not public: this machine, a private network, or one that is reserved. A person can allow it: toolsmith settings set host:%s allow", host, host)
	if private {
		message = fmt.Sprintf("%s leads to an address that no tool may reach: a reserved one, one that hands out keys of the machine, or Toolsmith's own.", host)
	}
	return &tool.Error{Code: CodeAddressRefused, Message: message, Cause: cause}
}

// allowed says whether a socket may be connected to an address: nil, or why not.
func (c *Client) allowed(to netip.AddrPort, private bool) error {
	given := to.Addr()
	ip := given.Unmap().WithZone("")
	for _, one := range []netip.Addr{ip, carried(ip)} {
		switch {
		case !one.IsValid():
		case slices.Contains(metadata, one):
			return &refusedAddress{fmt.Sprintf("%s hands out keys of the machine", given)}
		case slices.ContainsFunc(never, func(p netip.Prefix) bool { return p.Contains(one) }):
			return &refusedAddress{fmt.Sprintf("%s is no address of a host", given)}
		}
	}
	if c.isOwn(ip, to.Port()) {
		return &refusedAddress{fmt.Sprintf("%s is this program's own", to)}
	}
	if private {
		return nil
	}
	if err := c.guard.SafeAddr(given); err != nil { // of an IPv4 address in the form of IPv6, too
		return &refusedAddress{err.Error()}
	}
	return nil
}

// carried gives the IPv4 address for which an IPv6 address stands; the zero Addr for none.
func carried(ip netip.Addr) netip.Addr {
	for _, carrier := range carriers {
		if carrier.in.Contains(ip) && ip != netip.IPv6Loopback() {
			bytes := ip.As16()
			return netip.AddrFrom4([4]byte(bytes[carrier.at : carrier.at+4]))
		}
	}
	return netip.Addr{}
}

// isOwn reports whether this program listens at an address.
func (c *Client) isOwn(ip netip.Addr, port uint16) bool {
	for _, own := range c.own() {
		if own.Port() != port {
			continue
		}
		listens := own.Addr().Unmap().WithZone("")
		if listens == ip || listens.IsUnspecified() && (ip.IsLoopback() || isOfThisMachine(ip)) {
			return true
		}
	}
	return false
}

func isOfThisMachine(ip netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return true // not known, and better refused
	}
	return slices.ContainsFunc(list, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap() == ip
	})
}
