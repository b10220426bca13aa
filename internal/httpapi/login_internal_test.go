package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"toolsmith/internal/worker"
)

// TestLoginsEnd after their time, and the oldest where there are too many.
func TestLoginsEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 6, 30, 0, 0, time.UTC)
	l := &logins{now: func() time.Time { return now }}
	code, until := l.newCode()
	if !until.Equal(now.Add(5 * time.Minute)) {
		t.Errorf("it counts until %s", until)
	}
	now = now.Add(5 * time.Minute)
	if _, ok := l.begin(code); ok {
		t.Error("a code counts after its time")
	}
	code, _ = l.newCode()
	now = now.Add(5*time.Minute - time.Second)
	session, ok := l.begin(code)
	if _, again := l.begin(code); !ok || again {
		t.Errorf("it lets in: %v, again: %v", ok, again)
	}
	for range 3 { // as long as it asks
		now = now.Add(11 * time.Hour)
		if !l.holds(session) {
			t.Fatal("a browser that asks is let in no more")
		}
	}
	now = now.Add(12 * time.Hour)
	if l.holds(session) || l.holds("") || l.holds(code) {
		t.Error("somebody is let in who should not be")
	}
	oldest, _ := l.newCode()
	for range mostCodes {
		l.newCode()
	}
	if _, ok := l.begin(oldest); ok || len(l.codes) > mostCodes {
		t.Errorf("%d codes count at once, the oldest: %v", len(l.codes), ok)
	}
	for range 2 * mostSessions {
		code, _ := l.newCode()
		l.begin(code)
	}
	if len(l.sessions) != mostSessions {
		t.Errorf("%d browsers are let in", len(l.sessions))
	}
}

// TestTheCookieBehindAProxy goes only over https, but on this machine.
func TestTheCookieBehindAProxy(t *testing.T) {
	t.Parallel()
	for host, secure := range map[string]bool{"tools.example.com": true, "127.0.0.1:7420": false, "localhost": false, "[::1]:7420": false} {
		guard := &Guard{Hosts: []string{"tools.example.com"}}
		a := New(Options{Worker: worker.New(worker.Options{}), Guard: guard, Proxied: true})
		t.Cleanup(a.Close)
		path, _ := a.NewLogin()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Host = host
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		response := w.Result()
		response.Body.Close()
		if cookies := response.Cookies(); len(cookies) != 1 || cookies[0].Secure != secure {
			t.Errorf("%s: %d %v", host, response.StatusCode, cookies)
		}
	}
}
