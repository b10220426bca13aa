package web_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolsmith/internal/capability/web"
	"toolsmith/tool"
)

const (
	good  = "api.good.example"
	other = "b.good.example"
	evil  = "evil.example"
)

// proxied counts the connections to the proxy that the environment names.
var proxied atomic.Int64

// TestMain runs all tests with proxies in the environment, which nothing may use.
func TestMain(m *testing.M) { os.Exit(behindProxy(m)) }

func behindProxy(m *testing.M) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			proxied.Add(1)
			conn.Close()
		}
	}()
	environment := map[string]string{"NO_PROXY": "nothing.example"}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		environment[name] = "http://" + listener.Addr().String()
	}
	for name, text := range environment {
		if err := os.Setenv(name, text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := m.Run()
	if n := proxied.Load(); n != 0 {
		fmt.Fprintf(os.Stderr, "the proxy of the environment saw %d connections\n", n)
		return 1
	}
	return code
}

// authority is a certificate authority for tests, with a certificate for each name.
type authority struct {
	pool *x509.CertPool
	pair tls.Certificate
}

var testAuthority = sync.OnceValue(func() authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		DNSNames: []string{good, other, evil, "xn--bcher-kva.example"},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		panic(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return authority{pool, tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}}
})

// site is a server on loopback that counts.
type site struct {
	port        string
	connections atomic.Int64

	mu       sync.Mutex
	requests []*http.Request
}

// serve starts a server with TLS; serveHTTP one without.
func serve(t testing.TB, handler http.HandlerFunc) *site { return start(t, handler, true) }

func serveHTTP(t testing.TB, handler http.HandlerFunc) *site { return start(t, handler, false) }

func start(t testing.TB, handler http.HandlerFunc, secure bool) *site {
	t.Helper()
	s := &site{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		handler(w, r)
	}))
	server.Config.ErrorLog = discard()
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	if secure {
		server.EnableHTTP2 = true
		server.TLS = &tls.Config{Certificates: []tls.Certificate{testAuthority().pair}}
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	s.port = port(server.Listener.Addr())
	return s
}

func port(a net.Addr) string {
	return fmt.Sprint(netip.MustParseAddrPort(a.String()).Port())
}

// raw starts a listener without TLS that is answered by hand.
func raw(t testing.TB, answer func(conn net.Conn)) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{port: port(listener.Addr())}
	var open sync.WaitGroup
	t.Cleanup(open.Wait)
	t.Cleanup(func() { listener.Close() })
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			open.Go(func() {
				defer conn.Close()
				answer(conn)
			})
		}
	})
	return s
}

// on names the site as a host lists it.
func (s *site) on(host string) string { return host + ":" + s.port }

func (s *site) seen() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

// loopback is where every name leads, unless a test says otherwise.
func loopback(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func client(t testing.TB, o web.Options) *web.Client {
	t.Helper()
	if o.Resolve == nil {
		o.Resolve = loopback
	}
	o.RootCAs = testAuthority().pool
	c := web.New(o)
	t.Cleanup(c.Close)
	return c
}

// reach allows hosts, at private addresses too.
func reach(hosts ...string) *web.Reach {
	return &web.Reach{Hosts: hosts, AllowPrivate: func(string) bool { return true }}
}

func key(value string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return value, nil }
}

// get asks for an address.
func get(t testing.TB, c *web.Client, r *web.Reach, url string) (web.Response, error) {
	t.Helper()
	return c.Do(t.Context(), web.Request{Method: "GET", URL: url, Reach: r})
}

func mustGet(t testing.TB, c *web.Client, r *web.Reach, url string) web.Response {
	t.Helper()
	response, err := get(t, c, r, url)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return response
}

// wantCode checks an error: its code, whether it may pass, and that it gives nothing away.
func wantCode(t testing.TB, err error, code string, secrets ...string) {
	t.Helper()
	if tool.Code(err) != code {
		t.Fatalf("the error is %v; want %s", err, code)
	}
	if may := code == web.CodeUnreachable || code == web.CodeTimeout; web.MayPass(err) != may {
		t.Errorf("%v: may pass is %v", err, !may)
	}
	for _, secret := range append(secrets, "?q=", "canary") {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error gives %q away: %v", secret, err)
		}
	}
}

// discard is where servers log that a client went away.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }
