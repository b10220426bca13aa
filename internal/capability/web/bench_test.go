package web_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"testing"

	"toolsmith/internal/capability/web"
)

// BenchmarkGet asks a server on loopback over TLS, over one connection: with the client, with
// the standard client that it gives, and with a bare one.
func BenchmarkGet(b *testing.B) {
	s := serve(b, says(`{"ok": true}`))
	r := reach(s.on(good))
	c := client(b, web.Options{})
	b.Run("Do", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mustGet(b, c, r, "https://"+s.on(good))
		}
	})
	standard := c.HTTPClient(r)
	b.Run("HTTPClient", func(b *testing.B) { benchmark(b, standard, "https://"+s.on(good)) })
	bare := &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: testAuthority().pool, ServerName: good},
	}}
	b.Run("bare", func(b *testing.B) { benchmark(b, bare, "https://127.0.0.1:"+s.port) })
}

func benchmark(b *testing.B, c *http.Client, address string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		response, err := c.Do(asking(b, "GET", address, ""))
		if err != nil {
			b.Fatal(err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
	}
}
