package worker_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolsmith/internal/capability"
	"toolsmith/internal/capability/web"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/logs"
	"toolsmith/internal/scrub"
	"toolsmith/internal/secret"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// canary is a secret with characters that each encoding writes in another way.
const canary = `cAn4ry/+secret&"<7>=x y`

// lab is a worker over files, with a vault and a host on loopback that it may reach.
type lab struct {
	*worker.Worker
	folder string
	vault  *secret.Vault
	log    *bytes.Buffer
	// listed is the host as tools list it, and seen what it was asked.
	listed string
	mu     sync.Mutex
	seen   []*http.Request
	events []string
	// wanted are the questions for secrets.
	wanted chan consent.Question
	// reply answers the questions for forms.
	reply func(consent.Question) consent.Answer
}

// newLab makes a lab whose host answers by a function, with tools that may list it.
func newLab(t *testing.T, answer http.HandlerFunc, tools ...func(listed string) *tool.Tool) *lab {
	t.Helper()
	l := &lab{folder: t.TempDir(), log: &bytes.Buffer{}, wanted: make(chan consent.Question, 8)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.seen = append(l.seen, r.Clone(context.Background()))
		l.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	l.listed = fmt.Sprintf("http://api.example.com:%d", netip.MustParseAddrPort(server.Listener.Addr().String()).Port())
	s, err := sqlite.Open(t.Context(), l.folder)
	if err != nil {
		t.Fatal(err)
	}
	client := web.New(web.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	host := capability.NewHostWith(client)
	box, err := engine.NewToolbox(host.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tools {
		if err := box.Register(one(l.listed)); err != nil {
			t.Fatal(err)
		}
	}
	newID := (&clock{now: dawn}).newID
	e := engine.New(engine.Options{Store: s, Catalogue: host.Catalogue(), Toolbox: box, NewID: newID, Who: "ada", From: "test"})
	l.vault = secret.New(secret.Options{Store: s, Keys: secret.InFolder(l.folder, nil), Who: "ada", Audit: e.AuditSecrets})
	handler := logs.Handler(slog.NewTextHandler(l.log, nil), l.vault.Scrubber)
	l.Worker = worker.New(worker.Options{Store: s, Engine: e, Vault: l.vault, Capabilities: host, NewID: newID, Log: slog.New(handler)})
	t.Cleanup(func() {
		_ = l.Close(context.Background())
		client.Close()
		s.Close()
	})
	allowAll(t, s)
	l.allowPrivate(t)
	return l
}

func (l *lab) allowPrivate(t *testing.T) {
	t.Helper()
	if err := l.Engine.SetPermission(t.Context(), consent.KindHost, "api.example.com", consent.Allow); err != nil {
		t.Fatal(err)
	}
}

// call runs chains, says yes to what is asked, and gives the run and its value.
func (l *lab) call(t *testing.T, chains ...tool.Chain) (task.Run, any) {
	t.Helper()
	drafts, faults := task.Drafts(chains)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var answering sync.WaitGroup
	run, err := l.Begin(t.Context(), engine.Request{Chains: drafts, Caller: "test"}, func(e worker.Event) {
		l.mu.Lock()
		l.events = append(l.events, fmt.Sprintf("%+v %+v %+v", e, e.Progress, e.Flow))
		l.mu.Unlock()
		if e.Question == nil {
			return
		}
		if e.Question.Secret != "" {
			l.wanted <- *e.Question
			return
		}
		answer := consent.Answer{Allow: true}
		if e.Question.Form != nil {
			answer = l.reply(*e.Question)
		}
		answering.Go(func() {
			_, _, err := l.Decide(context.Background(), e.Question.ID, answer)
			if code := tool.Code(err); err != nil && code != consent.CodeAnswered && code != consent.CodeClosed {
				t.Errorf("answer: %v", err)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	waited, err := l.Wait(t.Context(), run.ID, worker.WaitOptions{Timeout: patience})
	if err != nil || waited.Reason == worker.ReasonTimeout {
		t.Fatalf("%v, %v", waited.Reason, err)
	}
	answering.Wait()
	return waited.Run, waited.Value
}

// asker installs a tool that asks the host with a credential, keeps what it says as a note, and
// returns it.
func (l *lab) asker(t *testing.T, capability string) {
	t.Helper()
	text := manifest(fmt.Sprintf(`{"id": "ask", "type": "capability", "capability": %q, "input": {"url": "%s/x"}, "target": "$.answer", "next": "keep"},
		{"id": "keep", "type": "capability", "capability": "notes.create", "input": {"title": "said", "content": {"$ref": "$.answer.text"}}, "target": "$.note", "next": "end"},
		{"id": "end", "type": "return", "value": {"$ref": "$.answer"}}`, capability, l.listed))
	text = strings.Replace(text, `"mode": "forbidden", "domains": []`, fmt.Sprintf(`"mode": "allowlist", "domains": [%q]`, l.listed), 1)
	text = strings.Replace(text, `"credentialRequirements": []`, fmt.Sprintf(
		`"credentialRequirements": [{"id": "key", "kind": "api_profile", "purpose": "To get in.", "outboundScope": [%q]}]`, l.listed), 1)
	install(t, l.Engine, checkedText(t, l.capabilities(), text))
}

func (l *lab) capabilities() *tool.Catalogue { return l.Capabilities.Catalogue() }

// wantHidden fails where the canary can be read in what the lab has kept, logged or told,
// however it is written.
func (l *lab) wantHidden(t *testing.T) {
	t.Helper()
	finder := scrub.New([]scrub.Secret{{Name: "canary", Value: canary}})
	look := func(where string, data []byte) {
		t.Helper()
		if cleaned := finder.Bytes(data); !bytes.Equal(cleaned, data) {
			at := 0
			for at < len(data) && at < len(cleaned) && data[at] == cleaned[at] {
				at++
			}
			t.Errorf("%s shows the secret: %q", where, data[max(0, at-60):min(len(data), at+60)])
		}
	}
	if control := []byte("x" + url.QueryEscape(canary)); bytes.Equal(finder.Bytes(control), control) {
		t.Error("what looks for the secret would not find it")
	}
	files, wal := 0, false
	err := filepath.WalkDir(l.folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		wal = wal || strings.HasSuffix(path, "-wal")
		data, err := os.ReadFile(path)
		look(path, data)
		return err
	})
	if err != nil || files < 2 || !wal {
		t.Errorf("%d files, the write-ahead log among them: %v; %v", files, wal, err)
	}
	look("the log", l.log.Bytes())
	l.mu.Lock()
	look("the events", []byte(strings.Join(l.events, "\n")))
	l.mu.Unlock()
	runs, err := l.Engine.Runs(t.Context(), task.Filter{})
	if err != nil || len(runs) == 0 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		view, err := l.Engine.View(t.Context(), run.ID)
		if err != nil {
			t.Fatal(err)
		}
		look("a view", fmt.Appendf(nil, "%+v", view))
	}
}

// echoes write a secret in the ways that answers of hosts do.
var echoes = map[string]func(string) string{
	"raw":        func(s string) string { return "you sent " + s + "." },
	"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"in base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s + ":more")) },
	"hex":        func(s string) string { return "0x" + hex.EncodeToString([]byte(s)) },
	"HEX":        func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"url":        func(s string) string { return "q=" + url.PathEscape(s) },
	"form":       func(s string) string { return "q=" + url.QueryEscape(s) },
	"JSON":       func(s string) string { text, _ := json.Marshal(s); return string(text) },
	"HTML":       func(s string) string { return "<p>" + html.EscapeString(s) + "</p>" },
	"with a tag": func(s string) string { return "Bearer " + s },
}

// TestNobodySeesASecret has a host echo a credential in every way, a tool keep and return it,
// and looks for it in all that is left.
func TestNobodySeesASecret(t *testing.T) {
	t.Parallel()
	for name, echo := range echoes {
		for _, capability := range []string{"http.get", "http.post"} {
			t.Run(name+", "+capability, func(t *testing.T) {
				t.Parallel()
				l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/plain; charset=utf-8")
					w.Header().Set("X-Echo", url.QueryEscape(echo(r.Header.Get("Authorization"))))
					fmt.Fprint(w, echo(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
				})
				l.asker(t, capability)
				namespace, err := l.Engine.Namespace(t.Context(), "made-up")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := l.vault.Set(t.Context(), namespace, "key", canary, secret.Bearer()); err != nil {
					t.Fatal(err)
				}

				run, got := l.call(t, tool.Chain{tool.Call("dynamic:made-up", nil)})

				if run.Status != task.RunSucceeded || len(l.seen) != 1 || l.seen[0].Header.Get("Authorization") != "Bearer "+canary {
					t.Fatalf("%s %v, the host saw %v", run.Status, run.Failure, l.seen)
				}
				if text := value.JSON(got); !strings.Contains(text, "[secret key]") {
					t.Errorf("the result is %s", text)
				}
				l.wantHidden(t)
			})
		}
	}
}

type hush struct {
	How string `json:"how"`
}

// hushed is a tool that gives its secret away in every way that it has.
func hushed(string) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "hush", Description: "Gives a secret away.", Secrets: []string{"key"}}, func(ctx *tool.Context, in hush) (any, error) {
		key, err := ctx.Secret("key")
		if err != nil {
			return nil, err
		}
		if err := ctx.Progress(1, 2, "with "+key); err != nil {
			return nil, err
		}
		switch in.How {
		case "error":
			return nil, errors.New("cannot use " + key)
		case "coded":
			return nil, &tool.Error{Code: "REFUSED_" + key, Message: "cannot use " + base64.StdEncoding.EncodeToString([]byte(key)), Field: key}
		case "panic":
			panic("with " + key)
		case "tasks":
			return ctx.Subtasks(tool.Chain{tool.Message(tool.RoleAssistant, "it is "+key), tool.Call("hush", map[string]any{"how": hex.EncodeToString([]byte(key))})}), nil
		case "name":
			return map[string]any{key: []any{map[string]any{"deep": url.QueryEscape(key)}}}, nil
		}
		return "it is " + key, nil
	})
}

// TestAToolThatGivesItsSecretAway cannot.
func TestAToolThatGivesItsSecretAway(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"value", "error", "coded", "panic", "tasks", "name"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, http.NotFound, hushed)
			if _, err := l.vault.Set(t.Context(), "go:hush", "key", canary, secret.Attributes{}); err != nil {
				t.Fatal(err)
			}
			run, _ := l.call(t, tool.Chain{tool.Call("hush", hush{how})})
			if bad := how == "error" || how == "coded" || how == "panic"; bad != (run.Status == task.RunFailed) {
				t.Errorf("%s: %v", run.Status, run.Failure)
			}
			l.wantHidden(t)
		})
	}
}

// TestSecretsAreTheToolsOwn: no tool reads what it has not declared, or what is another's.
func TestSecretsAreTheToolsOwn(t *testing.T) {
	t.Parallel()
	reads := func(name string, declared ...string) func(string) *tool.Tool {
		one := tool.MustNew(tool.Spec{Name: name, Description: "Reads.", Secrets: declared}, func(ctx *tool.Context, in hush) (any, error) {
			if in.How == "set" {
				return nil, ctx.SetSecret("key", canary)
			}
			_, err := ctx.Secret("key")
			return nil, err
		})
		return func(string) *tool.Tool { return one }
	}
	l := newLab(t, http.NotFound, reads("mine", "key"), reads("theirs", "key"), reads("other", "another"), reads("none"))
	if run, _ := l.call(t, tool.Chain{tool.Call("mine", hush{"set"}), tool.Call("mine", hush{})}); run.Status != task.RunSucceeded {
		t.Errorf("its own secret: %v", run.Failure)
	}
	for name, want := range map[string]string{"theirs": secret.CodeMissing, "other": "SECRET_NOT_DECLARED", "none": tool.CodeContextUnavailable} {
		if run, _ := l.call(t, tool.Chain{tool.Call(name, hush{})}); run.Failure == nil || run.Failure.Code != want {
			t.Errorf("%s: %v, want %s", name, run.Failure, want)
		}
	}
	for name, want := range map[string]string{"other": "SECRET_NOT_DECLARED", "none": tool.CodeContextUnavailable} {
		if run, _ := l.call(t, tool.Chain{tool.Call(name, hush{"set"})}); run.Failure == nil || run.Failure.Code != want {
			t.Errorf("%s sets: %v, want %s", name, run.Failure, want)
		}
	}
	l.wantHidden(t)
}

// wanting is a tool that asks for the secret that it lacks.
func wanting(calls *[]string) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "wanting", Description: "Wants a key.", Secrets: []string{"key"}}, func(ctx *tool.Context, in hush) (any, error) {
		*calls = append(*calls, in.How)
		key, err := ctx.Secret("key", tool.AskNew())
		if err != nil {
			return nil, fmt.Errorf("no key: %w", err)
		}
		return len(key), nil
	})
}

// TestASecretIsAskedFor waits for the person, whose answer is the secret itself.
func TestASecretIsAskedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(*testing.T, *lab, consent.Question)
		status task.RunStatus
		says   string
		calls  int
	}{
		"it is given": {func(t *testing.T, l *lab, q consent.Question) {
			t.Helper()
			if _, _, err := l.Decide(t.Context(), q.ID, consent.Answer{Allow: true}); tool.Code(err) != consent.CodeAnswerInvalid || !strings.Contains(err.Error(), "toolsmith secrets set go:wanting key") {
				t.Errorf("a yes without the secret gives %v", err)
			}
			if _, err := l.vault.Set(t.Context(), "go:wanting", "key", canary, secret.Attributes{}); err != nil {
				t.Fatal(err)
			}
			if err := l.SecretGiven(t.Context(), "go:wanting", "key"); err != nil {
				t.Fatal(err)
			}
		}, task.RunSucceeded, "", 2},
		"it is denied": {func(t *testing.T, l *lab, q consent.Question) {
			t.Helper()
			if _, _, err := l.Decide(t.Context(), q.ID, consent.Answer{Reason: "ask Bo"}); err != nil {
				t.Fatal(err)
			}
		}, task.RunFailed, `ada did not give the secret "key". The reason: ask Bo`, 2},
		"the run is cancelled": {func(t *testing.T, l *lab, q consent.Question) {
			t.Helper()
			if _, err := l.Cancel(t.Context(), q.Run); err != nil {
				t.Fatal(err)
			}
		}, task.RunCancelled, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			l := newLab(t, http.NotFound, func(string) *tool.Tool { return wanting(&calls) })
			ended := make(chan task.Run)
			go func() {
				run, _ := l.call(t, tool.Chain{tool.Call("wanting", hush{"once"})})
				ended <- run
			}()
			q := <-l.wanted
			if q.Secret != "key" || q.Tool != "wanting" || q.Reason != consent.NeedsSecret || q.MayRemember() {
				t.Errorf("asked %+v", q)
			}
			c.answer(t, l, q)
			run := <-ended
			if run.Status != c.status || c.says != "" && (run.Failure == nil || !strings.Contains(run.Failure.Message, c.says)) {
				t.Errorf("%s %v", run.Status, run.Failure)
			}
			if len(calls) != c.calls {
				t.Errorf("called %d times, want %d", len(calls), c.calls)
			}
			if list, err := l.Engine.Questions(t.Context(), true, 0); err != nil || len(list) != 0 {
				t.Errorf("%d questions are left, %v", len(list), err)
			}
			l.wantHidden(t)
		})
	}
}

// TestACapabilityReachesTheHostOfItsArguments, which is what a person has allowed, and no other.
func TestACapabilityReachesTheHostOfItsArguments(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://elsewhere.example.com/", http.StatusFound)
			return
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s", r.Method, body)
	})
	get := func(path string) tool.Chain {
		return tool.Chain{tool.Call("http.get", map[string]any{"url": l.listed + path})}
	}
	if run, got := l.call(t, get("/x")); run.Status != task.RunSucceeded || !strings.Contains(value.JSON(got), `"text":"GET "`) {
		t.Errorf("%v %s", run.Failure, value.JSON(got))
	}
	post := tool.Chain{tool.Call("http.post", map[string]any{"url": l.listed, "text": "tea"})}
	if run, got := l.call(t, post); run.Status != task.RunSucceeded || !strings.Contains(value.JSON(got), `"text":"POST tea"`) {
		t.Errorf("%v %s", run.Failure, value.JSON(got))
	}
	questions, err := l.Engine.Questions(t.Context(), false, 0)
	if err != nil || len(questions) != 2 || questions[1].Reason != consent.EveryTime || fmt.Sprint(questions[1].Hosts) != "["+l.listed+"]" {
		t.Errorf("asked %+v, %v", questions, err)
	}
	if run, _ := l.call(t, get("/away")); run.Failure == nil || run.Failure.Code != "OUTBOUND_REDIRECT_REFUSED" {
		t.Errorf("a redirect elsewhere gives %v", run.Failure)
	}
	if err := l.Engine.SetPermission(t.Context(), consent.KindHost, "api.example.com", ""); err != nil {
		t.Fatal(err)
	}
	for _, chain := range []tool.Chain{get("/x"), post} {
		if run, _ := l.call(t, chain); run.Failure == nil || run.Failure.Code != "OUTBOUND_ADDRESS_REFUSED" {
			t.Errorf("a private address gives %v", run.Failure)
		}
	}
	if n := len(l.seen); n != 3 {
		t.Errorf("the host was asked %d times, want 3", n)
	}
}

// TestAToolInGoReachesItsHosts, and no other.
func TestAToolInGoReachesItsHosts(t *testing.T) {
	t.Parallel()
	reach := func(name string, hosts func(listed string) []string) func(string) *tool.Tool {
		return func(listed string) *tool.Tool {
			return tool.MustNew(tool.Spec{Name: name, Description: "Fetches.", Hosts: hosts(listed)}, func(ctx *tool.Context, _ struct{}) (string, error) {
				client, err := ctx.HTTPClient()
				if err != nil {
					return "", err
				}
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, listed, nil)
				if err != nil {
					return "", err
				}
				response, err := client.Do(request)
				if err != nil {
					return "", err
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				return string(text), err
			})
		}
	}
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") },
		reach("mine", func(listed string) []string { return []string{listed} }),
		reach("other", func(string) []string { return []string{"api.example.org"} }),
		reach("none", func(string) []string { return nil }))
	if run, got := l.call(t, tool.Chain{tool.Call("mine", nil)}); run.Status != task.RunSucceeded || got != "hello" {
		t.Errorf("%v %v", run.Failure, got)
	}
	for name, want := range map[string]string{"other": "has not declared", "none": "may not use the network"} {
		if run, _ := l.call(t, tool.Chain{tool.Call(name, nil)}); run.Failure == nil || !strings.Contains(run.Failure.Message, want) {
			t.Errorf("%s: %v, want %q", name, run.Failure, want)
		}
	}
	if n := len(l.seen); n != 1 {
		t.Errorf("the host was asked %d times, want once", n)
	}
	box, err := engine.NewToolbox(l.capabilities())
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Register(reach("wild", func(string) []string { return []string{"*.example.com"} })(l.listed)); tool.Code(err) != engine.CodeToolInvalid {
		t.Errorf("a host that is none gives %v", err)
	}
}
