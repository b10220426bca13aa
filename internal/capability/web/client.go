package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"

	"toolsmith/internal/origin"
)

const (
	// DefaultTimeout is how long a request may take in all, redirects and body included.
	DefaultTimeout = 30 * time.Second
	// DefaultMaxBody is how many bytes of an answer's body Do reads, once it is unpacked.
	DefaultMaxBody = 200 * 1024
	// DefaultMaxStream is the same for a client that HTTPClient gives.
	DefaultMaxStream = 10 * 1024 * 1024
	// MaxRedirects is how many redirects are followed for one request.
	MaxRedirects = 5

	maxHeaders     = 64 * 1024 // of an answer, in bytes
	maxAddresses   = 8         // that are tried of one host
	dialTime       = 2 * time.Second
	handshakeTime  = 10 * time.Second
	idleTime       = 30 * time.Second
	maxIdle        = 32
	userAgent      = "Toolsmith"
	acceptEncoding = "gzip, deflate"
)

// Options of a client. The zero value is what a program needs.
type Options struct {
	// Timeout of a request in all. Default: DefaultTimeout.
	Timeout time.Duration
	// MaxBody and MaxStream bound bodies. Defaults: DefaultMaxBody, DefaultMaxStream.
	MaxBody, MaxStream int64
	// Own gives the addresses on which this program listens. They are never reached, whatever
	// a person allows. Default: none.
	Own func() []netip.AddrPort
	// Resolve finds the addresses of a host. Default: the system's resolver, asked for the
	// name exactly as it is, without the domains in which a machine searches.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// RootCAs prove who a host is. Default: those of the system.
	RootCAs *x509.CertPool
}

// Client reaches the network within what a Reach allows. It may be used from many
// goroutines at once.
type Client struct {
	timeout            time.Duration
	maxBody, maxStream int64
	own                func() []netip.AddrPort
	resolve            func(ctx context.Context, host string) ([]netip.Addr, error)
	guard              *ssrf.Guardian
	// public and private each keep their own connections: one to a private address, opened
	// for a host for which that is allowed, must not serve a request for which it is not.
	public, private *http.Transport
}

// New makes a client.
func New(o Options) *Client {
	c := &Client{timeout: o.Timeout, maxBody: o.MaxBody, maxStream: o.MaxStream, own: o.Own, resolve: o.Resolve}
	if c.timeout == 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxBody == 0 {
		c.maxBody = DefaultMaxBody
	}
	if c.maxStream == 0 {
		c.maxStream = DefaultMaxStream
	}
	if c.own == nil {
		c.own = func() []netip.AddrPort { return nil }
	}
	if c.resolve == nil {
		c.resolve = systemResolve
	}
	c.guard = ssrf.New(ssrf.WithAnyPort())
	c.public, c.private = c.transport(o, false), c.transport(o, true)
	return c
}

func (c *Client) transport(o Options, private bool) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // the environment has no say in where a tool's data goes
		DialContext:            c.dialer(private),
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTime,
		MaxResponseHeaderBytes: maxHeaders,
		DisableCompression:     true, // bodies are unpacked here, within a bound
		MaxIdleConns:           maxIdle,
		IdleConnTimeout:        idleTime,
	}
}

// Close closes the connections that are not in use.
func (c *Client) Close() {
	c.public.CloseIdleConnections()
	c.private.CloseIdleConnections()
}

// carrier gives the transport for a host: the one for private addresses only where a person
// allowed them for it.
func (c *Client) carrier(r *Reach, o origin.Origin) *http.Transport {
	if r.AllowPrivate != nil && r.AllowPrivate(o.Host) {
		return c.private
	}
	return c.public
}

func systemResolve(ctx context.Context, host string) ([]netip.Addr, error) {
	// The dot keeps the resolver from trying the name below the machine's own domains.
	list, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host+".")
	for i := range list {
		list[i] = list[i].Unmap() // it gives IPv4 addresses in the form of IPv6
	}
	return list, err
}
