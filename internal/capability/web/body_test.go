package web_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/capability/web"
	"toolsmith/tool"
)

// packed packs a text.
func packed(t testing.TB, text string, packer func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := packer(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(w io.Writer) io.WriteCloser  { return gzip.NewWriter(w) }
func zlibbed(w io.Writer) io.WriteCloser  { return zlib.NewWriter(w) }
func deflated(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f }

func sends(coding, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if coding != "" {
			w.Header()["Content-Encoding"] = strings.Split(coding, "|")
		}
		fmt.Fprint(w, body)
	}
}

// TestPackedBodies (N11): gzip and deflate are unpacked once, and nothing else is.
func TestPackedBodies(t *testing.T) {
	t.Parallel()
	const text = "hello, hello, hello"
	once := packed(t, text, gzipped)
	for name, test := range map[string]struct {
		coding, body string
		want         string
		code         string
	}{
		"plain":               {"", text, text, ""},
		"identity":            {"identity", text, text, ""},
		"gzip":                {"gzip", once, text, ""},
		"GZIP":                {" GZip ", once, text, ""},
		"x-gzip":              {"x-gzip", once, text, ""},
		"two members":         {"gzip", once + once, text + text, ""},
		"deflate":             {"deflate", packed(t, text, zlibbed), text, ""},
		"deflate, bare":       {"deflate", packed(t, text, deflated), text, ""},
		"nothing":             {"gzip", "", "", ""},
		"twice":               {"gzip, gzip", packed(t, once, gzipped), "", web.CodeResponseInvalid},
		"twice, two headers":  {"gzip|gzip", packed(t, once, gzipped), "", web.CodeResponseInvalid},
		"gzip and deflate":    {"deflate, gzip", once, "", web.CodeResponseInvalid},
		"brotli":              {"br", text, "", web.CodeResponseInvalid},
		"unknown":             {"canary", text, "", web.CodeResponseInvalid},
		"no gzip":             {"gzip", text, "", web.CodeResponseInvalid},
		"one byte":            {"gzip", "\x1f", "", web.CodeResponseInvalid},
		"wrong sum":           {"gzip", once[:len(once)-8] + "\x00\x00\x00\x00" + once[len(once)-4:], "", web.CodeResponseInvalid},
		"corrupt":             {"deflate", "\xff\xff\xff\xff", "", web.CodeResponseInvalid},
		"cut off":             {"gzip", once[:len(once)-10], "", web.CodeUnreachable},
		"gzip for a long way": {"gzip", strings.Repeat(packed(t, "", gzipped), 20_000), "", web.CodeResponseInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, sends(test.coding, test.body))
			r, err := get(t, client(t, web.Options{}), reach(s.on(good)), "https://"+s.on(good))
			if test.code != "" {
				wantCode(t, err, test.code)
				return
			}
			if err != nil || string(r.Body) != test.want || r.Truncated {
				t.Errorf("%q, %v, %v", r.Body, r.Truncated, err)
			}
		})
	}
}

// bomb packs 10 MB, once for all tests.
var bomb = sync.OnceValue(func() string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(make([]byte, 10<<20))
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err)
	}
	return b.String()
})

// endless sends 10 MB that unpack to 10 GB.
func endless(kind string) http.HandlerFunc {
	member := bomb()
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", kind)
		for range 1000 {
			if _, err := io.WriteString(w, member); err != nil {
				return
			}
		}
	}
}

// TestABombIsNotUnpacked (N11): of what unpacks to 10 GB only the first part is, in little
// memory and time.
//
//nolint:paralleltest // it measures what is allocated, by other tests too if they ran
func TestABombIsNotUnpacked(t *testing.T) {
	s := serve(t, endless("text/plain"))
	c := client(t, web.Options{})
	mustGet(t, c, reach(s.on(good)), "https://"+s.on(good)) // what is made once is made now
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := mustGet(t, c, reach(s.on(good)), "https://"+s.on(good))
	runtime.ReadMemStats(&after)
	if len(r.Body) != web.DefaultMaxBody || !r.Truncated {
		t.Errorf("%d bytes, cut: %v", len(r.Body), r.Truncated)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 { // the server's included
		t.Errorf("%d bytes were allocated", used)
	}
	s = serve(t, endless("application/json"))
	r = mustGet(t, c, reach(s.on(good)), "https://"+s.on(good))
	_, err := r.Value()
	wantCode(t, err, web.CodeResponseTooLarge)
}

// TestALengthThatIsWrong (N11): what goes beyond it is not read, and what is missing is.
func TestALengthThatIsWrong(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"Content-Length: 10": "xxxxxxxxxx", "Content-Length: 5000000": ""} {
		s := raw(t, func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 1024)) // the request
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n%s\r\n\r\n%s", header, strings.Repeat("x", 100_000))
		})
		r, err := get(t, client(t, web.Options{}), reach("http://"+s.on(good)), "http://"+s.on(good))
		if want == "" {
			wantCode(t, err, web.CodeUnreachable)
		} else if err != nil || string(r.Body) != want {
			t.Errorf("%s: %d bytes, %v", header, len(r.Body), err)
		}
	}
}

// TestAnswersThatAreNoHTTP end in errors with codes.
func TestAnswersThatAreNoHTTP(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 1000)
	for name, test := range map[string]struct {
		answer func(w io.Writer)
		code   string
	}{
		"10 MB of headers": {func(w io.Writer) {
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\n")
			for i := range 10_000 {
				if _, err := fmt.Fprintf(w, "X-%d: %s\r\n", i, big); err != nil {
					return
				}
			}
		}, web.CodeResponseInvalid},
		"one header without end": {func(w io.Writer) {
			fmt.Fprint(w, "HTTP/1.1 200 OK\r\nX: ")
			for range 10_000 {
				if _, err := io.WriteString(w, big); err != nil {
					return
				}
			}
		}, web.CodeResponseInvalid},
		"no HTTP":      {func(w io.Writer) { fmt.Fprint(w, "canary says hello\r\n\r\n") }, web.CodeResponseInvalid},
		"bad status":   {func(w io.Writer) { fmt.Fprint(w, "HTTP/1.1 canary\r\n\r\n") }, web.CodeResponseInvalid},
		"bad length":   {func(w io.Writer) { fmt.Fprint(w, "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n") }, web.CodeResponseInvalid},
		"bad encoding": {func(w io.Writer) { fmt.Fprint(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n") }, web.CodeResponseInvalid},
		"bad chunk":    {func(w io.Writer) { fmt.Fprint(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") }, web.CodeResponseInvalid},
		"another way": {func(w io.Writer) {
			fmt.Fprint(w, "HTTP/1.1 101 X\r\nUpgrade: canary\r\nConnection: upgrade\r\n\r\n")
		}, web.CodeResponseInvalid},
		"only 100":       {func(w io.Writer) { fmt.Fprint(w, strings.Repeat("HTTP/1.1 103 X\r\n\r\n", 20_000)) }, web.CodeResponseInvalid},
		"nothing":        {func(io.Writer) {}, web.CodeUnreachable},
		"half an answer": {func(w io.Writer) { fmt.Fprint(w, "HTTP/1.1 200 OK\r\nX: y") }, web.CodeUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := raw(t, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 1024)) // the request
				test.answer(conn)
			})
			_, err := get(t, client(t, web.Options{}), reach("http://"+s.on(good)), "http://"+s.on(good))
			wantCode(t, err, test.code)
		})
	}
}

// TestLargeHeadersOverHTTP2 are bounded too.
func TestLargeHeadersOverHTTP2(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
		fmt.Fprint(w, r.Proto)
	})
	_, err := get(t, client(t, web.Options{}), reach(s.on(good)), "https://"+s.on(good))
	if wantCode(t, err, web.CodeResponseInvalid); s.seen()[0].ProtoMajor != 2 {
		t.Errorf("spoke %s", s.seen()[0].Proto)
	}
}

// drips sends a byte now and then, until the client goes away.
func drips(w http.ResponseWriter, r *http.Request) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
			fmt.Fprint(w, "x")
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

// TestTime (N11): whatever keeps a client waiting, it does not wait longer than the limit.
func TestTime(t *testing.T) {
	t.Parallel()
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, handler := range map[string]http.HandlerFunc{
		"drips": drips, "silent": silent,
		"redirects for ever, slowly": redirects(http.StatusFound, func(r *http.Request) string {
			if r.URL.Path == "/slow" {
				<-r.Context().Done()
			}
			return "/slow"
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, handler)
			c := client(t, web.Options{Timeout: 100 * time.Millisecond})
			_, err := get(t, c, reach(s.on(good)), "https://"+s.on(good)+"/?q=canary")
			wantCode(t, err, web.CodeTimeout)
			if !strings.Contains(err.Error(), "within 100ms") {
				t.Errorf("it does not say for how long: %v", err)
			}
		})
	}
	t.Run("no handshake", func(t *testing.T) {
		t.Parallel()
		s := raw(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
		_, err := get(t, client(t, web.Options{Timeout: 100 * time.Millisecond}), reach(s.on(good)), "https://"+s.on(good))
		wantCode(t, err, web.CodeTimeout)
	})
}

// TestTheCallersContext ends a request, with its own error.
func TestTheCallersContext(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"cancelled": context.Canceled, "late": context.DeadlineExceeded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			if want == context.DeadlineExceeded {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			defer cancel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if name == "cancelled" {
					cancel()
				}
				drips(w, r)
			})
			_, err := client(t, web.Options{}).Do(ctx, web.Request{Method: "GET", URL: "https://" + s.on(good), Reach: reach(s.on(good))})
			if !errors.Is(err, want) || tool.Code(err) != "" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestAPostIsSentOnce: a server that goes away after it has read a request over a connection
// that was used before does not get it a second time.
func TestAPostIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, body := range [][]byte{nil, {}, []byte("x")} {
		s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					conn.Close()
				}
			}
		})
		c := client(t, web.Options{})
		mustGet(t, c, reach("http://"+s.on(good)), "http://"+s.on(good))
		_, err := c.Do(t.Context(), web.Request{
			Method: "POST", URL: "http://" + s.on(good), Body: body, Headers: map[string]string{"Idempotency-Key": "k"}, Reach: reach("http://" + s.on(good)),
		})
		wantCode(t, err, web.CodeUnreachable)
		if len(s.seen()) != 2 || s.connections.Load() != 1 {
			t.Errorf("%d requests over %d connections", len(s.seen()), s.connections.Load())
		}
	}
}

// TestCookiesAreNotKept from one request to the next.
func TestCookiesAreNotKept(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "canary"})
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
		}
	})
	c := client(t, web.Options{})
	mustGet(t, c, reach(s.on(good)), "https://"+s.on(good)+"/")
	response, err := c.HTTPClient(reach(s.on(good))).Get("https://" + s.on(good) + "/")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	for _, r := range s.seen() {
		if r.Header.Get("Cookie") != "" {
			t.Errorf("%s got %s", r.URL, r.Header)
		}
	}
	if len(s.seen()) != 4 {
		t.Errorf("%d requests", len(s.seen()))
	}
}
