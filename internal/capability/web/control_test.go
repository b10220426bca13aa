package web

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTheSocketIsJudged: whoever dials, a socket to an address that is not allowed is not
// connected.
func TestTheSocketIsJudged(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c := New(Options{})
	strict := net.Dialer{Control: c.control(false)}
	conn, err := strict.DialContext(t.Context(), "tcp", listener.Addr().String())
	var refused *refusedAddress
	if !errors.As(err, &refused) {
		t.Fatalf("connected to %v, %v", conn, err)
	}
	if !strings.Contains(refused.Error(), "127.0.0.1") {
		t.Errorf("logs do not say which address: %v", refused)
	}
	lax := net.Dialer{Control: c.control(true)}
	if conn, err = lax.DialContext(t.Context(), "tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := c.control(true)("tcp", "no address", nil); err == nil {
		t.Error("what cannot be read is allowed")
	}
}

// TestOurOwnListenerOnAllAddresses is not reached at any address of this machine, and other
// machines are.
func TestOurOwnListenerOnAllAddresses(t *testing.T) {
	t.Parallel()
	c := New(Options{Own: func() []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort("[::]:8")} }})
	list, err := net.InterfaceAddrs()
	if err != nil || len(list) == 0 {
		t.Skipf("the addresses of this machine are not known: %v", err)
	}
	for _, one := range list {
		ip := netip.MustParsePrefix(one.String()).Addr().Unmap()
		if c.allowed(netip.AddrPortFrom(ip, 8), true) == nil {
			t.Errorf("%s is allowed at the port on which this program listens", ip)
		}
		if err := c.allowed(netip.AddrPortFrom(ip, 9), true); err != nil {
			t.Errorf("%s is refused at another port: %v", ip, err)
		}
	}
	if err := c.allowed(netip.MustParseAddrPort("192.0.2.1:8"), true); err != nil {
		t.Errorf("another machine is refused: %v", err)
	}
}

// TestPublicAddresses are allowed, and hiding another address in one does not help.
func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	c := New(Options{})
	for _, address := range []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"} {
		if err := c.allowed(netip.AddrPortFrom(netip.MustParseAddr(address), 443), false); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ip := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")))
		private := rapid.Bool().Draw(t, "private")
		plain := c.allowed(netip.AddrPortFrom(ip, 443), private)
		four := ip.As4()
		sixteen := [16]byte{0, 0x64, 0xff, 0x9b}
		copy(sixteen[12:], four[:])
		mapped := netip.AddrFrom16(ip.As16())
		for _, hidden := range []netip.Addr{mapped, netip.AddrFrom16(sixteen)} {
			if err := c.allowed(netip.AddrPortFrom(hidden, 443), private); plain != nil && err == nil {
				t.Fatalf("%s is refused (%v), and %s is not", ip, plain, hidden)
			}
		}
		if !private && plain == nil && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()) {
			t.Fatalf("%s is allowed", ip)
		}
	})
}
