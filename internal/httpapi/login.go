package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
)

// How a browser is let in: the person has an address with a code in it, which counts once. It
// gives the browser a cookie and leads on to the address without the code, so that nothing that
// lets anybody in stays in the history of the browser. The cookie is no token: it is worth
// nothing once the server has ended, and not for programs.
const (
	// codeTime is how long the code of an address counts.
	codeTime = 5 * time.Minute
	// sessionTime is how long a browser is let in after it has last asked for something.
	sessionTime = 12 * time.Hour
	// mostCodes and mostSessions count at once; the oldest counts no more then.
	mostCodes, mostSessions = 16, 64
	// codeQuery is where the code is in an address.
	codeQuery = "token"
)

// logins are the codes and the browsers that are let in. Only hashes of them are kept.
type logins struct {
	now func() time.Time

	mu              sync.Mutex
	codes, sessions []pass
}

// pass is the hash of what lets in, and how long it does.
type pass struct {
	hash  string
	until time.Time
}

// newCode makes a code.
func (l *logins) newCode() (code string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	until = l.now().Add(codeTime)
	code, l.codes = issue(l.codes, mostCodes, until)
	return code, until
}

// begin lets a browser in that has a code, which is worth nothing after it; ok is false for a code
// that is none.
func (l *logins) begin(code string) (session string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.find(l.codes, code)
	if at < 0 {
		return "", false
	}
	l.codes = slices.Delete(l.codes, at, at+1)
	session, l.sessions = issue(l.sessions, mostSessions, l.now().Add(sessionTime))
	return session, true
}

// holds reports whether a cookie is that of a browser that is let in.
func (l *logins) holds(session string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.find(l.sessions, session)
	if at < 0 {
		return false
	}
	l.sessions[at].until = l.now().Add(sessionTime)
	return true
}

// find gives the place of what lets in; -1 where it does not.
func (l *logins) find(list []pass, secret string) int {
	now, hash := l.now(), engine.TokenHash(secret)
	return slices.IndexFunc(list, func(p pass) bool {
		return subtle.ConstantTimeCompare([]byte(p.hash), []byte(hash)) == 1 && now.Before(p.until)
	})
}

func issue(list []pass, most int, until time.Time) (string, []pass) {
	secret := rand.Text()
	list = append(list, pass{engine.TokenHash(secret), until})
	return secret, list[max(0, len(list)-most):]
}

// NewLogin makes the address, from the root of the server, by which a browser is let in once
// until a time.
func (a *API) NewLogin() (path string, until time.Time) {
	code, until := a.logins.newCode()
	return docsPath + "?" + url.Values{codeQuery: {code}}.Encode(), until
}

// loginMade is what lets a browser in.
type loginMade struct {
	Path    string    `json:"path" doc:"The address to open, from the root of the server. It lets a browser in once."`
	Expires time.Time `json:"expiresAt" doc:"Until when it does."`
}

// login adds how the person lets a browser in.
func (a *API) login() {
	a.logins = &logins{now: a.o.Now}
	a.o.Guard.logins = a.logins
	huma.Register(a.huma, huma.Operation{
		OperationID: "makeLogin", Method: http.MethodPost, Path: "/v1/logins", Summary: "Make an address that lets a browser in once", Tags: []string{"peer"},
		Description: "Only the person may. The address counts for five minutes.",
	}, own(a, func(context.Context, *struct{}) (loginMade, error) {
		path, until := a.NewLogin()
		return loginMade{path, until.UTC()}, nil
	}))
}

// enter answers a request that has a code in its address; ok is false for one that has none.
func (g *Guard) enter(w http.ResponseWriter, r *http.Request) (ok bool) {
	if g.logins == nil || r.Method != http.MethodGet || !slices.Contains(g.pages, r.URL.Path) {
		return false
	}
	query := r.URL.Query()
	code := query.Get(codeQuery)
	if code == "" {
		return false
	}
	if strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") {
		// A browser that only guesses where somebody wants to go must not use the code up.
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	session, begun := g.logins.begin(code)
	cookie, err := r.Cookie(cookieName)
	if !begun && (err != nil || !g.logins.holds(cookie.Value)) {
		g.showOut(w, "This address has been used before, or is too old. It lets a browser in once, within five minutes.")
		return true
	}
	if begun {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: g.secure && !loopback(r.Host),
		})
	}
	query.Del(codeQuery)
	to := url.URL{Path: r.URL.Path, RawQuery: query.Encode()}
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
	return true
}

// browses reports whether it is a browser that wants a page.
func (g *Guard) browses(r *http.Request) bool {
	return slices.Contains(g.pages, r.URL.Path) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// showOut tells whoever sits before a browser how to be let in.
func (g *Guard) showOut(w http.ResponseWriter, why string) {
	var page bytes.Buffer
	if err := g.show.ExecuteTemplate(&page, "out.html", map[string]string{"Why": why}); err != nil {
		problem(http.StatusUnauthorized, CodeTokenRefused, "%s", why).write(w)
		return
	}
	writePage(w, http.StatusUnauthorized, page.Bytes())
}

// loopback reports whether a Host header names this machine.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback() || strings.EqualFold(host, "localhost")
}
