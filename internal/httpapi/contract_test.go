package httpapi_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"pgregory.net/rapid"

	"toolsmith/internal/consent"
	"toolsmith/internal/schema"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// contract is a server that is held to its document.
type contract struct {
	*served
	codes map[string]bool
	db    *sql.Conn

	// run is of a tool with a step.
	run string

	mu sync.Mutex
	// ids are what the server has said that there is, by where and under which name.
	ids map[string][]string
	// seen are the successes that were seen.
	seen map[string]bool
	// readers hold answers to the document, by its revision.
	readers map[string]validator.Validator
	// schemas are those of bodies.
	schemas map[string]*schema.Schema
}

func newContract(t *testing.T) *contract {
	t.Helper()
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/codes.md")
	if err != nil {
		t.Fatal(err)
	}
	c := &contract{
		served: serveOver(t, st), codes: map[string]bool{}, ids: map[string][]string{}, seen: map[string]bool{}, readers: map[string]validator.Validator{},
		schemas: map[string]*schema.Schema{},
	}
	for _, code := range regexp.MustCompile("`([A-Z][A-Z_]{3,})`").FindAllStringSubmatch(string(text), -1) {
		c.codes[code[1]] = true
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if c.db, err = db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.db.Close() })
	c.furnish(t)
	return c
}

// furnish puts tools of all kinds in, a question that waits and a grant.
func (c *contract) furnish(t *testing.T) {
	t.Helper()
	if _, err := installed(t.Context(), c.engine, []byte(keeper)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.engine.Enable(t.Context(), "keep"); err != nil {
		t.Fatal(err)
	}
	type node struct {
		Label string   `json:"label" maxLength:"5"`
		Kind  string   `json:"kind,omitempty" enum:"oak,elm"`
		Size  int      `json:"size,omitempty" minimum:"3" maximum:"9"`
		Tags  []string `json:"tags,omitempty"`
	}
	c.connect(t, personToken, tool.MustNew(tool.Spec{Name: "grow", Description: "Grows."}, func(_ *tool.Context, in node) (node, error) { return in, nil }))
	c.ask(t, personToken, "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "a", "content": "b"}`)
	for {
		list, err := c.engine.Questions(t.Context(), true, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			c.ask(t, personToken, "POST", "/v1/consents/"+list[0].ID+"/answer", `{"allow": true, "for": "always"}`)
			break
		}
	}
	c.goOn(t)
	c.ask(t, "all", "POST", "/v1/tools/tasks.create/call?wait=5", `{"title": "a"}`)
}

// read gives the document as somebody sees it now, and what holds answers to it.
func (c *contract) read(t *testing.T, token string) (*described, validator.Validator) {
	t.Helper()
	_, text := c.raw(t, token, "GET", "/resources/peers/local/api", "")
	d, err := describedBy(text)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := c.readers[string(text)]
	if !ok {
		document, err := libopenapi.NewDocument(text)
		if err != nil {
			t.Fatal(err)
		}
		made, errs := validator.NewValidator(document)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		v, c.readers[string(text)] = made, made
	}
	return d, v
}

// known gives what a parameter of a path may be.
func (c *contract) known(path, name string) []string {
	before, _, _ := strings.Cut(path, "/{")
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(slices.Clone(c.ids[before]), c.ids["."+name]...)
}

// learn notes what an answer says that there is.
func (c *contract) learn(path string, body []byte) {
	v, err := value.Decode(body)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	note := func(at, text string) {
		const most = 40
		if list := c.ids[at]; text != "" && !slices.Contains(list, text) {
			c.ids[at] = append(list, text)[max(0, len(list)+1-most):]
		}
	}
	var look func(v any, level int)
	look = func(v any, level int) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				look(one, level+1)
			}
		case map[string]any:
			for name, one := range v {
				if text, ok := one.(string); ok {
					note("."+name, text)
					if level <= 2 && (name == "id" || name == "name") {
						note(path, text)
					}
				}
				look(one, level+1)
			}
		}
	}
	look(v, 0)
}

// send asks for something as somebody, and holds the answer to the document.
func (c *contract) send(t interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, d *described, v validator.Validator, token string, r drawn) (status int, body []byte) {
	t.Helper()
	address := c.address + r.path
	request, err := http.NewRequest(r.operation.method, address, strings.NewReader(r.body))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if r.hasBody {
		request.Header.Set("Content-Type", r.kind)
	}
	for _, h := range r.headers {
		request.Header.Set(h[0], h[1])
	}
	const patience = 30 * time.Second
	response, err := (&http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", r.operation.method, address, err)
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		t.Fatalf("%s %s: %v", r.operation.method, address, err)
	}
	status = response.StatusCode
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s %v as %s with %.300q gives %d %.500s: %s", r.operation.method, r.path, r.headers, token, r.body, status, body, fmt.Sprintf(format, args...))
	}
	if r.unclean && (status >= 300 && status < 400 || status == 404) {
		return status, nil // it is another path
	}
	if status >= 500 && status != http.StatusServiceUnavailable {
		fail("something is wrong with the server")
	}
	documented := in(d.resolveResponse(r.operation, status), "content")
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if documented == nil || documented[kind] == nil {
		fail("the document does not have this status with %q", kind)
		return status, body
	}
	plain, err := http.NewRequest(r.operation.method, c.address+anyPath(r.operation.path), http.NoBody)
	if err != nil {
		t.Fatalf("%v", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if ok, found := v.ValidateHttpResponse(plain, response); !ok {
		for _, f := range found {
			fail("%s: %s %v", f.Message, f.Reason, f.SchemaValidationErrors)
		}
	}
	if status >= 400 {
		var p struct{ Code string }
		if err := json.Unmarshal(body, &p); err != nil || !c.codes[p.Code] {
			fail("docs/codes.md does not have the code %q", p.Code)
		}
		return status, body
	}
	if r.hasBody && !c.fits(t, d, r) {
		fail("the body does not fit its schema")
	}
	if strings.Contains(r.path, "colour=red") {
		fail("a query that nobody knows is taken")
	}
	c.learn(r.operation.path, body)
	c.mu.Lock()
	c.seen[r.operation.id+" "+strconv.Itoa(status)] = true
	c.mu.Unlock()
	return status, body
}

// anyPath is a path with something in the place of each parameter.
func anyPath(path string) string { return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "x") }

// resolveResponse is what the document says of an answer.
func (d *described) resolveResponse(o endpoint, status int) map[string]any {
	response := in(o.object, "responses", strconv.Itoa(status))
	if to, ok := response["$ref"].(string); ok {
		return in(d.root, strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
	}
	return response
}

// fits reports whether a body is one that the document allows.
func (c *contract) fits(t interface{ Fatalf(string, ...any) }, d *described, r drawn) bool {
	v, err := value.Decode([]byte(r.body))
	if err != nil {
		return r.body == "" && in(r.operation.object, "requestBody")["required"] != true
	}
	body, _ := r.operation.body()
	text := string(value.AppendJSON(nil, body))
	c.mu.Lock()
	defer c.mu.Unlock()
	compiled, ok := c.schemas[text]
	if !ok {
		if compiled, err = schema.Compile(map[string]any{"allOf": []any{body}, "components": d.root["components"]}); err != nil {
			t.Fatalf("the schema of %s: %v", r.operation.id, err)
		}
		c.schemas[text] = compiled
	}
	return len(compiled.Validate(v)) == 0
}

// TestContract holds the answers of the server to what its own document says, whatever it is
// asked. TOOLSMITH_CONTRACT is for how long, such as 15m; without it, it takes some seconds.
func TestContract(t *testing.T) {
	t.Parallel()
	var until time.Time
	if text := os.Getenv("TOOLSMITH_CONTRACT"); text != "" {
		long, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		until = time.Now().Add(long)
	}
	for round := 0; round == 0 || time.Now().Before(until) && !t.Failed(); round++ {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			c := newContract(t)
			for _, token := range []string{personToken, "all"} {
				d, v := c.read(t, token)
				rapid.Check(t, func(t *rapid.T) {
					for range 3 {
						o := rapid.SampledFrom(d.operations).Draw(t, "operation")
						c.send(t, d, v, token, d.drawRequest(t, o, c.known, rapid.IntRange(0, 2).Draw(t, "valid") == 0))
					}
					if token == personToken && rapid.IntRange(0, 9).Draw(t, "start") == 0 {
						c.goOn(t)
					}
				})
				c.goOn(t)
			}
			c.lookOnly(t)
			c.sweep(t)
			if round == 0 && !t.Failed() {
				c.complete(t)
			}
		})
	}
}

// goOn lets things begin again that were stopped, and makes the settings those of the beginning.
func (c *contract) goOn(t interface{ Fatal(...any) }) {
	ctx := context.Background()
	_, err := c.engine.Start(ctx)
	set := func(kind, name string, to consent.Permission) {
		if err == nil {
			err = c.engine.SetPermission(ctx, kind, name, to)
		}
	}
	policy, readErr := c.engine.Policy(ctx)
	if err == nil {
		err = readErr
	}
	for name := range policy.Tools {
		set("tool", name, "")
	}
	for name := range policy.Hosts {
		set("host", name, "")
	}
	for power, to := range map[string]consent.Permission{"read": consent.Allow, "write": consent.Allow, "outbound": consent.Ask} {
		set("power", power, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// asked begins a call that a person is asked about, whatever was allowed.
func (c *contract) asked(t *testing.T) {
	t.Helper()
	_, begun := c.ask(t, personToken, "POST", "/v1/tools/http.get/call?wait=0", `{"url": "https://example.com/"}`)
	id := fmt.Sprint(begun["run"])
	for {
		list, err := c.engine.Questions(t.Context(), true, 0)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(list, func(q consent.Question) bool { return q.Run == id }) {
			return
		}
		if run, err := c.engine.Run(t.Context(), id); err != nil || run.Status.Settled() {
			t.Fatalf("nobody is asked about %v: %+v, %v", begun, run, err)
		}
	}
}

// quiet ends all runs and questions, so that nothing changes by itself.
func (c *contract) quiet(t *testing.T) {
	t.Helper()
	for {
		_, list := c.ask(t, personToken, "GET", "/v1/runs?open=true&limit=500", "")
		runs, _ := list["runs"].([]any)
		if len(runs) == 0 {
			return
		}
		for _, one := range runs {
			c.raw(t, personToken, "POST", fmt.Sprintf("/v1/runs/%v/cancel", in(one)["id"]), "")
		}
	}
}

// version of what is in the store: another number once anybody has committed anything.
func (c *contract) version(t *testing.T) (n int64) {
	t.Helper()
	if err := c.db.QueryRowContext(t.Context(), "PRAGMA data_version").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// lookOnly holds that GET and HEAD change nothing.
func (c *contract) lookOnly(t *testing.T) {
	t.Helper()
	c.quiet(t)
	before := c.version(t)
	for _, token := range []string{personToken, "all"} {
		d, v := c.read(t, token)
		for _, o := range d.operations {
			if o.method != "GET" {
				continue
			}
			for seed := range 5 {
				r := d.example(o, c.known, seed < 3, seed)
				c.send(t, d, v, token, r)
				if status, body := c.raw(t, token, "HEAD", r.path, ""); status >= 500 && status != 503 || len(body) > 0 {
					t.Errorf("HEAD %s gives %d %s", r.path, status, body)
				}
			}
		}
		for _, path := range []string{"/docs", "/resources/peers/local/api", "/resources/peers/local/api.yaml?profile=gpt-actions"} {
			for _, method := range []string{"GET", "HEAD"} {
				if status, _ := c.raw(t, token, method, path, ""); status != 200 {
					t.Errorf("%s %s gives %d", method, path, status)
				}
			}
		}
		for _, o := range d.operations { // what changes something does not by being looked at
			if path := anyPath(o.path); o.method != "GET" {
				for _, method := range []string{"GET", "HEAD"} {
					if status, _ := c.raw(t, token, method, path, ""); status >= 500 {
						t.Errorf("%s %s gives %d", method, path, status)
					}
				}
			}
		}
	}
	if after := c.version(t); after != before {
		t.Error("looking has changed what is kept")
	}
}

// successes are those that an operation promises.
func (o endpoint) successes() (list []string) {
	for status := range in(o.object, "responses") {
		if strings.HasPrefix(status, "2") {
			list = append(list, o.id+" "+status)
		}
	}
	slices.Sort(list)
	return list
}

// sweep asks for what nobody has had success with yet, as well as it can.
func (c *contract) sweep(t *testing.T) {
	t.Helper()
	d, v := c.read(t, personToken)
	const rounds = 12
	for round := range rounds {
		for _, o := range d.operations {
			missing := slices.DeleteFunc(o.successes(), func(s string) bool { return c.seen[s] })
			if len(missing) == 0 {
				continue
			}
			c.asked(t)
			c.renew(t, d, v, o, round)
			r := d.example(o, c.known, true, round)
			if known, ok := examples()[o.id]; ok {
				if known.before != nil {
					known.before(t, c)
				}
				r.path, r.body = strings.Replace(known.path, "RUN", c.run, 1), known.body
			}
			c.twice(t, d, v, r)
			c.goOn(t)
		}
	}
	c.raw(t, personToken, "DELETE", "/v1/forge/tools/stay", "") // what it was like is seen with other tools
}

// renew makes one more of what an operation is about, where the document says how, and learns anew
// which there are.
func (c *contract) renew(t *testing.T, d *described, v validator.Validator, o endpoint, seed int) {
	t.Helper()
	of, _, is := strings.Cut(o.path, "/{")
	if !is {
		return
	}
	at := func(method string) int {
		return slices.IndexFunc(d.operations, func(o endpoint) bool { return o.path == of && o.method == method })
	}
	if i := at("POST"); i >= 0 {
		r := d.example(d.operations[i], c.known, true, seed)
		if known, ok := examples()[r.operation.id]; ok {
			r.path, r.body = known.path, known.body
		}
		c.send(t, d, v, personToken, r)
	}
	if at("GET") < 0 {
		return
	}
	c.mu.Lock()
	delete(c.ids, of) // some may be gone
	c.mu.Unlock()
	query := ""
	if of == "/v1/runs" {
		query = "?open=true" // of those that are over nothing can be had
	}
	_, text := c.raw(t, personToken, "GET", of+query, "")
	c.learn(of, text)
}

// twice asks for a call again when it is over: a key leads to the run that it has made. Whatever
// a person is asked about is refused.
func (c *contract) twice(t *testing.T, d *described, v validator.Validator, r drawn) {
	t.Helper()
	if i := slices.IndexFunc(r.operation.parameters(), func(p map[string]any) bool { return p["name"] == "Idempotency-Key" }); i >= 0 {
		r.headers = [][2]string{{"Idempotency-Key", r.operation.id + " " + r.body}}
		r.headers[0][1] = strings.Map(func(c rune) rune { return map[bool]rune{true: c, false: '?'}[c >= ' ' && c < 0x7f] }, r.headers[0][1][:min(200, len(r.headers[0][1]))])
	}
	status, body := c.send(t, d, v, personToken, r)
	var answer struct{ Run string }
	if err := json.Unmarshal(body, &answer); status != http.StatusAccepted || err != nil {
		return
	}
	const patience = 200
	for range patience {
		list, err := c.engine.Questions(t.Context(), true, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range list {
			if q.Run == answer.Run {
				c.raw(t, personToken, "POST", "/v1/consents/"+q.ID+"/answer", `{"allow": false}`)
			}
		}
		run, err := c.engine.Run(t.Context(), answer.Run)
		if err != nil {
			t.Fatal(err)
		}
		if run.Status.Settled() {
			break
		}
	}
	c.raw(t, personToken, "POST", "/v1/runs/"+answer.Run+"/cancel", "") // where it takes too long
	r.path = strings.Replace(r.path, "wait=0", "wait=20", 1)
	c.send(t, d, v, personToken, r)
}

// complete reports the successes that the document promises and nobody has seen.
func (c *contract) complete(t *testing.T) {
	t.Helper()
	d, _ := c.read(t, personToken)
	for _, o := range d.operations {
		for _, success := range o.successes() {
			if c.seen[success] == (unreached()[success] != "") {
				t.Errorf("%s: seen %v, and listed as unreached for the reason %q. Give the sweep what it needs (examples, furnish), or the reason here", success, c.seen[success], unreached()[success])
			}
		}
	}
}
