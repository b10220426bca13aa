package httpapi_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolsmith/internal/httpapi"
)

// TestTooManyRequests are refused while others are under way, and taken up when those have ended.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	g := &httpapi.Guard{PersonToken: personToken, Person: "ada", Most: 2}
	under, end := make(chan bool), make(chan bool)
	handler := g.Around(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		under <- true
		<-end
	}))
	ask := func() *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/v1/peer", nil)
		r.Header.Set("Authorization", "Bearer "+personToken)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	ended := make(chan int, 2)
	for range 2 {
		go func() { ended <- ask().Code }()
		<-under
	}
	if w := ask(); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"code":"HTTP_BUSY"`) {
		t.Errorf("the third gets %d %v %s", w.Code, w.Header(), w.Body)
	}
	end <- true
	<-ended
	go func() { ended <- ask().Code }()
	<-under
	for range 2 {
		end <- true
		if status := <-ended; status != http.StatusOK {
			t.Errorf("one that was taken up gets %d", status)
		}
	}
}

// pipes is a listener whose connections are pipes in this process.
type pipes struct{ ahead chan net.Conn }

func (p *pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.ahead
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p *pipes) Close() error   { return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestSlowHeaders: whoever sends its headers a byte every ten seconds, or nothing at all, is let go.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"slow": "GET / HTTP/1.1\r\n", "silent": ""} {
		synctest.Test(t, func(t *testing.T) {
			server, listener := httpapi.NewServer(http.NotFoundHandler()), &pipes{make(chan net.Conn)}
			go func() { _ = server.Serve(listener) }()
			own, theirs := net.Pipe()
			listener.ahead <- theirs
			began := time.Now()
			closed := make(chan time.Duration)
			go func() {
				_, _ = io.Copy(io.Discard, own) // the answer, if there is one
				closed <- time.Since(began)
			}()
			for i := range text {
				if _, err := own.Write([]byte{text[i]}); err != nil {
					if !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error(err)
					}
					break
				}
				<-time.After(10 * time.Second)
			}
			if took := <-closed; took > time.Minute {
				t.Errorf("%s: it is let go after %s", name, took)
			}
			close(listener.ahead)
			_ = server.Close()
		})
	}
}

// TestPagesThatMayAsk read the answers, errors too, and are told beforehand what they may send.
// Those of others read nothing.
func TestPagesThatMayAsk(t *testing.T) {
	t.Parallel()
	g := &httpapi.Guard{PersonToken: personToken, Person: "ada", Origins: []string{"http://localhost:5173"}}
	var passed int
	handler := g.Around(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed++ }))
	for name, c := range map[string]struct {
		method, origin, asks, token string
		status                      int
		shared                      bool
	}{
		"it asks beforehand":         {"OPTIONS", "http://localhost:5173", "POST", "", 204, true},
		"it asks":                    {"GET", "http://localhost:5173", "", personToken, 200, true},
		"without a token":            {"GET", "http://localhost:5173", "", "", 401, true},
		"options, of no use":         {"OPTIONS", "http://localhost:5173", "", "", 401, true},
		"another asks beforehand":    {"OPTIONS", "http://localhost:5174", "POST", "", 403, false},
		"another asks":               {"GET", "http://evil.com", "", personToken, 403, false},
		"no page":                    {"GET", "", "", personToken, 200, false},
		"no page, asking beforehand": {"OPTIONS", "", "POST", "", 401, false},
		"its own page":               {"GET", "http://localhost", "", personToken, 200, false},
	} {
		r, before := httptest.NewRequest(c.method, "http://localhost/v1/tools", nil), passed
		for header, value := range map[string]string{"Origin": c.origin, "Access-Control-Request-Method": c.asks} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != c.status || (passed > before) != (c.status == 200) {
			t.Errorf("%s: %d, passed on %v", name, w.Code, passed > before)
		}
		if shared := h.Get("Access-Control-Allow-Origin") == c.origin && h.Get("Vary") == "Origin" && h.Get("Cross-Origin-Resource-Policy") == "cross-origin"; shared != c.shared || !shared && h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: answered with %v", name, h)
		}
		if may := h.Get("Access-Control-Allow-Headers"); strings.Contains(may, "Authorization") != (c.status == 204) || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: it may send %q", name, may)
		}
	}
}
