package web_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"toolsmith/internal/capability/web"
	"toolsmith/tool"
)

// at resolves every name to these addresses.
func at(texts ...string) func(context.Context, string) ([]netip.Addr, error) {
	var list []netip.Addr
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return func(context.Context, string) ([]netip.Addr, error) { return list, nil }
}

// TestAddressesThatAreNotPublic (N5, N13): a declared name that leads to one is refused when
// it is dialled, whichever way its address is written.
func TestAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1", "127.1.2.3", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.1.1",
		"169.254.169.254", "100.64.0.1", "100.127.255.255", "0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "255.255.255.255",
		"198.18.0.1", "192.0.2.1", "192.0.0.192", "240.0.0.1", "168.63.129.16",
		"::", "::1", "fd00::8", "fc00::1", "fe80::1", "fe80::1%eth0", "ff02::1", "fec0::1", "2001:db8::1", "100::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::808:808",
		"64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001::1", "fd00:ec2::254",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			c := client(t, web.Options{Resolve: at(address)})
			_, err := get(t, c, &web.Reach{Hosts: []string{good}}, "https://"+good+"/?q=canary")
			wantCode(t, err, web.CodeAddressRefused, address)
			if !strings.Contains(err.Error(), good) {
				t.Errorf("the host is not named: %v", err)
			}
		})
	}
}

// TestAddressesThatNobodyMayAllow are refused even where private ones are allowed.
func TestAddressesThatNobodyMayAllow(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"0.0.0.0", "0.0.0.1", "224.0.0.251", "255.255.255.255", "240.0.0.1", "::", "ff02::1", "::ffff:0.0.0.0",
		"169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
		"::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::1", "::169.254.169.254", "::224.0.0.1",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			c := client(t, web.Options{Resolve: at(address)})
			_, err := get(t, c, reach(good), "https://"+good)
			if wantCode(t, err, web.CodeAddressRefused, address); strings.Contains(err.Error(), "settings") {
				t.Errorf("it asks for what does not help: %v", err)
			}
		})
	}
}

// TestAHostIsAllowedByItsName: what a person allows one host does not hold for another, and
// a connection that was opened for the one does not serve the other.
func TestAHostIsAllowedByItsName(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	hosts := []string{s.on(good), s.on(other)}
	var asked []string
	r := &web.Reach{Hosts: hosts, AllowPrivate: func(host string) bool {
		asked = append(asked, host)
		return host == good
	}}
	mustGet(t, c, r, "https://"+s.on("API.good.example."))
	_, err := get(t, c, r, "https://"+s.on(other))
	wantCode(t, err, web.CodeAddressRefused)
	if !slices.Equal(asked, []string{good, other}) {
		t.Errorf("asked about %v", asked)
	}
	_, err = get(t, c, &web.Reach{Hosts: hosts}, "https://"+s.on(good)) // with the connection still open
	wantCode(t, err, web.CodeAddressRefused)
	if len(s.seen()) != 1 || s.connections.Load() != 1 {
		t.Errorf("%d requests over %d connections", len(s.seen()), s.connections.Load())
	}
}

// TestOurOwnListener is never reached, whatever a person allows.
func TestOurOwnListener(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	own := netip.MustParseAddrPort("127.0.0.1:" + s.port)
	for name, c := range map[string]struct {
		own      []netip.AddrPort
		resolved []string
		refused  bool
	}{
		"itself":               {[]netip.AddrPort{own}, []string{"127.0.0.1"}, true},
		"as IPv6":              {[]netip.AddrPort{own}, []string{"::ffff:127.0.0.1"}, true},
		"of several":           {[]netip.AddrPort{netip.MustParseAddrPort("[::1]:1"), own}, []string{"127.0.0.1"}, true},
		"on all addresses":     {[]netip.AddrPort{netip.AddrPortFrom(netip.IPv4Unspecified(), own.Port())}, []string{"127.0.0.1"}, true},
		"on all IPv6":          {[]netip.AddrPort{netip.AddrPortFrom(netip.IPv6Unspecified(), own.Port())}, []string{"127.0.0.1"}, true},
		"another port":         {[]netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}, []string{"127.0.0.1"}, false},
		"another address":      {[]netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), own.Port())}, []string{"127.0.0.1"}, false},
		"beside an other host": {[]netip.AddrPort{own}, []string{"127.0.0.1", "0.0.0.0"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			cl := client(t, web.Options{Own: func() []netip.AddrPort { return c.own }, Resolve: at(c.resolved...)})
			before := s.connections.Load()
			_, err := get(t, cl, reach(s.on(good)), "https://"+s.on(good))
			if !c.refused {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if wantCode(t, err, web.CodeAddressRefused); s.connections.Load() != before {
				t.Error("it was reached")
			}
		})
	}
}

// TestManyAddresses (N13): of a name with hundreds of addresses only the first few count.
func TestManyAddresses(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	many := slices.Repeat([]string{"169.254.169.254"}, 500)
	late := slices.Concat(many[:8], []string{"127.0.0.1"})
	soon := slices.Concat(many[:7], []string{"127.0.0.1"}, many)
	_, err := get(t, client(t, web.Options{Resolve: at(many...)}), reach(s.on(good)), "https://"+s.on(good))
	wantCode(t, err, web.CodeAddressRefused)
	_, err = get(t, client(t, web.Options{Resolve: at(late...)}), reach(s.on(good)), "https://"+s.on(good))
	wantCode(t, err, web.CodeAddressRefused)
	mustGet(t, client(t, web.Options{Resolve: at(soon...)}), reach(s.on(good)), "https://"+s.on(good))
}

// TestNoAddress: names that lead nowhere, and hosts that do not answer, may do so later.
func TestNoAddress(t *testing.T) {
	t.Parallel()
	_, err := get(t, client(t, web.Options{Resolve: at()}), reach(good), "https://"+good)
	wantCode(t, err, web.CodeUnreachable)
	secret := errors.New("no route to the resolver 10.1.2.3")
	_, err = get(t, client(t, web.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, secret }}), reach(good), "https://"+good)
	if wantCode(t, err, web.CodeUnreachable, "10.1.2.3"); !errors.Is(err, secret) {
		t.Errorf("the cause is lost: %v", err)
	}
	_, err = get(t, client(t, web.Options{Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
		return nil, tool.Errorf("X_FAILED", "%s", host)
	}}), reach(good), "https://"+good)
	wantCode(t, err, "X_FAILED")
}

// TestConnectionRefused: nobody listens there now.
func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{Resolve: at("127.9.9.9", "169.254.169.254")}) // where nobody listens, and a refused one
	_, err := get(t, c, reach(s.on(good)), "https://"+s.on(good))
	wantCode(t, err, web.CodeUnreachable, "127.9.9.9")
	c = client(t, web.Options{Resolve: at("127.9.9.9", "127.0.0.1")})
	mustGet(t, c, reach(s.on(good)), "https://"+s.on(good))
}

// TestTheSystemResolver finds no name that the machine does not know to the letter.
func TestTheSystemResolver(t *testing.T) {
	t.Parallel()
	c := web.New(web.Options{})
	t.Cleanup(c.Close)
	_, err := get(t, c, &web.Reach{Hosts: []string{"nobody.invalid"}}, "https://nobody.invalid")
	wantCode(t, err, web.CodeUnreachable)
}
