package httpapi

import (
	"context"
	"crypto/subtle"
	"fmt"
	"html/template"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/visible"
)

// Who is who asks: the person at the page or the terminal, or a program with a token of its own.
type Who struct {
	// Name of the person, or of the token.
	Name string
	// Person: may decide what may run. A program never may.
	Person bool
	// Tools that a program may call, by their names; nil is all, and a person may call all.
	Tools []string
}

// MayCall reports whether a tool may be called.
func (w Who) MayCall(name string) bool {
	return w.Person || w.Tools == nil || slices.Contains(w.Tools, name)
}

// list are the tools that may be called; nil is all.
func (w Who) list() []string {
	if w.Person {
		return nil
	}
	return w.Tools
}

// limits are those of a run that is begun: what tools come to may not call others either.
func (w Who) limits() task.Limits { return task.Limits{Tools: w.list()} }

type whoKey struct{}

// whoOf is who asks; the zero Who, who may nothing, where nobody was let in.
func whoOf(ctx context.Context) Who {
	who, _ := ctx.Value(whoKey{}).(Who)
	return who
}

// Codes of this package.
const (
	// CodeHostRefused: the request names a host that is not this server.
	CodeHostRefused = "HTTP_HOST_REFUSED"
	// CodeOriginRefused: the request comes from a page of somebody else.
	CodeOriginRefused = "HTTP_ORIGIN_REFUSED"
	// CodeTokenRefused: there is no token, or it lets nobody in.
	CodeTokenRefused = "HTTP_TOKEN_REFUSED"
	// CodeMediaType: the body is not JSON.
	CodeMediaType = "HTTP_MEDIA_TYPE"
	// CodeTooLarge: the body is larger than allowed.
	CodeTooLarge = "HTTP_TOO_LARGE"
	// CodeBusy: too many requests are under way.
	CodeBusy = "HTTP_BUSY"
)

// MaxBody is how many bytes the body of a request may have.
const MaxBody = 1 << 20

// mostRequests is how many requests may be under way at once, those that wait or listen included.
const mostRequests = 4096

// mostRepeated is how many characters of a request are repeated in a problem.
const mostRepeated = 100

// whereTokens says where a token comes from.
const whereTokens = "Yours is in the file server.json of the data folder; make one for a program with: toolsmith tokens add NAME"

// cookieName is that of the cookie that the page has.
const cookieName = "toolsmith"

// Guard lets a request through only if it is meant for this server, comes from no page of
// somebody else, and shows who asks. It guards against pages that a browser of the same machine
// has open: they can reach a listener on loopback, under whatever name they like.
type Guard struct {
	// Hosts are further names under which the server is reached, such as "tools.example.com"
	// (any port), beside loopback.
	Hosts []string
	// Origins are pages of others that may ask, such as "http://localhost:5173".
	Origins []string
	// PersonToken lets the person in.
	PersonToken string
	// Person is their name.
	Person string
	// Token finds who has a token, by its hash; ok is false for nobody.
	Token func(ctx context.Context, hash string) (who Who, ok bool, err error)
	// Open are paths that need no token.
	Open []string
	// Most is how many requests may be under way at once; 0 is 4,096.
	Most int

	under atomic.Int64
	// pages are paths that a browser shows to the person, show is how, and logins how the browser
	// is let in. secure: the server is reached over https, so that a cookie never goes another way.
	pages  []string
	show   *template.Template
	logins *logins
	secure bool
}

// Around puts the guard before a handler.
func (g *Guard) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		most := int64(g.Most)
		if most == 0 {
			most = mostRequests
		}
		defer g.under.Add(-1)
		if g.under.Add(1) > most {
			w.Header().Set("Retry-After", "1")
			problem(http.StatusServiceUnavailable, CodeBusy, "%d requests are under way, and no more are taken up. Try again when one has ended.", most).write(w)
			return
		}
		if p := g.judge(r); p != nil {
			p.write(w)
			return
		}
		if g.share(w, r) {
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		if slices.Contains(g.Open, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if g.enter(w, r) {
			return
		}
		who, err := g.who(r)
		switch {
		case err != nil:
			problem(http.StatusInternalServerError, "STORE_UNAVAILABLE", "It could not be found out who asks.").write(w)
		case who.Name == "" && g.browses(r):
			g.showOut(w, "This browser has not been let in.")
		case who.Name == "":
			p := problem(http.StatusUnauthorized, CodeTokenRefused, "This needs a token: in the header Authorization, as \"Bearer TOKEN\". %s", whereTokens)
			w.Header().Set("WWW-Authenticate", `Bearer realm="toolsmith"`)
			p.write(w)
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), whoKey{}, who)))
		}
	})
}

// protect sets the headers that keep a browser from showing or guessing what it should not.
func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// share lets a page of somebody else that may ask read the answers (CORS, of the Fetch standard).
// It asks beforehand what it may send, without a token; that is answered here, and done is true.
func (g *Guard) share(w http.ResponseWriter, r *http.Request) (done bool) {
	h, origin := w.Header(), r.Header.Get("Origin")
	if !slices.Contains(g.Origins, origin) {
		return false
	}
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "ETag, Retry-After")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// judge says why a request is refused, whoever asks; nil where it is not.
func (g *Guard) judge(r *http.Request) *Problem {
	if !g.ours(r.Host) {
		return problem(http.StatusForbidden, CodeHostRefused, "This server is not %q.", visible.Cut(r.Host, mostRepeated))
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.friendly(origin, r.Host) {
		return problem(http.StatusForbidden, CodeOriginRefused, "Pages of %q may not ask here.", visible.Cut(origin, mostRepeated))
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && r.Header.Get("Origin") == "" && !safe(r.Method) {
		return problem(http.StatusForbidden, CodeOriginRefused, "Pages of others may not ask here.")
	}
	if r.ContentLength > MaxBody {
		return problem(http.StatusRequestEntityTooLarge, CodeTooLarge, "The body has %d bytes; at most %d are allowed.", r.ContentLength, MaxBody)
	}
	if r.ContentLength == 0 || safe(r.Method) {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return problem(http.StatusUnsupportedMediaType, CodeMediaType, "The body has to be JSON, with the header Content-Type: application/json.")
	}
	return nil
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// ours reports whether a Host header names this server: loopback by its addresses or as
// localhost, or a name that it was given.
func (g *Guard) ours(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if address, err := netip.ParseAddr(name); err == nil {
		return address.IsLoopback() || slices.Contains(g.Hosts, name)
	}
	return name == "localhost" || slices.Contains(g.Hosts, name)
}

// friendly reports whether an Origin header is that of this server, or one that may ask.
func (g *Guard) friendly(origin, host string) bool {
	if slices.Contains(g.Origins, origin) {
		return true
	}
	at, err := url.Parse(origin)
	return err == nil && (at.Scheme == "http" || at.Scheme == "https") && at.Host != "" && strings.EqualFold(at.Host, host)
}

// who finds out who asks.
func (g *Guard) who(r *http.Request) (Who, error) { return g.admit(r.Context(), shownBy(r)) }

// shown is what somebody shows to be let in.
type shown struct {
	token string // "" for nothing
	// cookie: it comes from a browser, which may have been let in by an address.
	cookie bool
}

// shownBy is what a request shows.
func shownBy(r *http.Request) shown {
	if scheme, given, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return shown{token: strings.TrimSpace(given)}
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		return shown{cookie.Value, true}
	}
	return shown{}
}

// admit finds out who shows something; the zero Who for nobody.
func (g *Guard) admit(ctx context.Context, s shown) (Who, error) {
	if s.cookie && g.logins != nil && g.logins.holds(s.token) {
		return Who{Name: g.Person, Person: true}, nil
	}
	return g.Admit(ctx, s.token)
}

// Admit finds out who has a token; the zero Who for nobody.
func (g *Guard) Admit(ctx context.Context, token string) (Who, error) {
	if token == "" {
		return Who{}, nil
	}
	if g.PersonToken != "" && subtle.ConstantTimeCompare([]byte(engine.TokenHash(token)), []byte(engine.TokenHash(g.PersonToken))) == 1 {
		return Who{Name: g.Person, Person: true}, nil
	}
	if g.Token == nil {
		return Who{}, nil
	}
	who, ok, err := g.Token(ctx, engine.TokenHash(token))
	if err != nil {
		return Who{}, fmt.Errorf("find the token: %w", err)
	}
	if !ok {
		return Who{}, nil
	}
	who.Person = false // whatever is kept
	return who, nil
}
