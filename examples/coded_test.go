package examples_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/native"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/secret"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

const (
	codeEnding = ".ts"
	// fewestCoded examples in TypeScript.
	fewestCoded = 7
	// patience is how long a test waits for what is certain to come.
	patience = 2 * time.Minute
)

// TestMain lets this program be the one that translates files, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument {
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// sandbox runs the coded tools of all tests: compiling it once is enough.
var sandbox = sync.OnceValue(func() *script.Runner {
	return script.New(script.Options{Engine: quickjs.New(quickjs.Options{})})
})

// checker reads files as the command does.
var checker = sync.OnceValue(func() *compile.Checker {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return compile.NewChecker(compile.New(compile.Options{
		Bundle: bundle.New(bundle.Options{Command: []string{program, bundle.ChildArgument}, Timeout: patience}),
		Load:   sandbox().Load,
	}), capability.Builtin())
})

// declared gives the tools of a file in which a check finds nothing at all.
func declared(t *testing.T, file string) []*check.Checked {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, file, text)
}

func read(t *testing.T, file string, text []byte) []*check.Checked {
	t.Helper()
	results, err := checker().Check(t.Context(), filepath.Base(file), text)
	if err != nil {
		t.Fatal(err)
	}
	var tools []*check.Checked
	for _, result := range results {
		for _, d := range result.Diagnostics {
			t.Errorf("%s:%d:%d: %s %s %s: %s", file, d.Line, d.Column, d.Level, d.Code, d.Path, d.Message)
		}
		if !result.OK() {
			t.FailNow()
		}
		tools = append(tools, result.Tool)
	}
	return tools
}

func TestCodedExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*" + codeEnding)
	if err != nil || len(files) < fewestCoded {
		t.Fatalf("there are %d examples in TypeScript, and there have to be %d; %v", len(files), fewestCoded, err)
	}
	rows := allRows(t)
	for file := range rows {
		if strings.HasSuffix(file, codeEnding) && !slices.Contains(files, file) {
			t.Errorf("README.md has the row %q, and there is no such example", file)
		}
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			tools := declared(t, file)
			runCodedCases(t, file, tools)
			row, ok := rows[file]
			if !ok {
				t.Fatalf("README.md has no row for %q", file)
			}
			first := tools[0]
			if got := first.Marks().PowerNames(); got != row.powers {
				t.Errorf("README.md says that the powers are %q, and they are %q", row.powers, got)
			}
			if got := first.Marks().Risk.String(); got != row.risk {
				t.Errorf("README.md says that the risk is %s, and it is %s", row.risk, got)
			}
			accepts(t, first, row.input)
		})
	}
}

// accepts holds an input against the parameters of a tool, and gives it.
func accepts(t *testing.T, c *check.Checked, input string) any {
	t.Helper()
	v, err := value.Decode([]byte(input))
	if err != nil {
		t.Fatalf("the input in README.md is no JSON: %v", err)
	}
	call, err := engine.Brought(c, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range call.Parameters.Validate(call.Effective(v)) {
		t.Errorf("the input in README.md is refused: %s", violation)
	}
	return v
}

// runCodedCases runs the cases of a file; each of its tools has some.
func runCodedCases(t *testing.T, file string, tools []*check.Checked) {
	t.Helper()
	name := strings.TrimSuffix(file, codeEnding) + ".cases.json"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := worker.ParseCases(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(cases) < fewestCases {
		t.Errorf("%s has %d cases, and there have to be %d", name, len(cases), fewestCases)
	}
	d := newCodedDesk(t, nil)
	ran := 0
	for _, c := range tools {
		own := slices.DeleteFunc(slices.Clone(cases), func(one worker.Case) bool {
			return one.Tool != c.Name() && (one.Tool != "" || len(tools) > 1)
		})
		if len(own) == 0 {
			t.Errorf("%s has no case for %q", name, c.Name())
		}
		results, err := d.worker.RunCases(t.Context(), c, own)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if ran++; !r.OK {
				t.Errorf("case %q: %s", r.Name, r.Message)
			}
		}
	}
	if ran != len(cases) {
		t.Errorf("%d of %d cases in %s are for a tool of the file", ran, len(cases), name)
	}
}

// answerer is the network of a test: it answers each request by a function.
type answerer struct {
	*capability.Host
	answer func(r capability.Request) (status int, body string)
}

// Fetch answers a request.
func (a *answerer) Fetch(_ context.Context, r capability.Request, _ string) (capability.Response, error) {
	status, body := a.answer(r)
	return capability.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body), URL: r.URL}, nil
}

// codedDesk is an empty store of its own and a worker over it that runs coded tools.
type codedDesk struct {
	desk
	engine *engine.Engine
	vault  *secret.Vault
	// reply answers what tools ask the person for.
	reply func(f consent.Form) consent.Answer
}

// newCodedDesk makes one whose network answers by a function; nil for one without a network.
func newCodedDesk(t *testing.T, answer func(capability.Request) (int, string)) *codedDesk {
	t.Helper()
	s, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d := &codedDesk{desk: desk{store: s, clock: flow.NewDryClock(time.Date(2026, 11, 27, 16, 0, 0, 0, time.UTC)), newID: local.NewIDs(time.Now)}}
	box, err := engine.NewToolbox(capability.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := native.Builtin(d.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range builtin {
		if err := box.Register(one); err != nil {
			t.Fatal(err)
		}
	}
	d.engine = engine.New(engine.Options{Store: s, Catalogue: capability.Builtin(), Toolbox: box, Now: d.clock.Now, NewID: d.newID, Who: "somebody"})
	d.vault = secret.New(secret.Options{Store: s, Keys: secret.InMemory(), Who: "somebody", Audit: d.engine.AuditSecrets})
	o := worker.Options{Store: s, Engine: d.engine, Vault: d.vault, Scripts: sandbox(), Clock: d.clock, NewID: d.newID}
	if answer != nil {
		o.Capabilities = &answerer{capability.NewHost(), answer}
	}
	d.worker = worker.New(o)
	t.Cleanup(func() { _ = d.worker.Close(context.Background()) })
	return d
}

// install keeps the tools of a file, and turns them on.
func (d *codedDesk) install(t *testing.T, file string) {
	t.Helper()
	tools := declared(t, file)
	if _, err := d.engine.Install(t.Context(), tools...); err != nil {
		t.Fatal(err)
	}
	for _, c := range tools {
		if _, _, err := d.engine.Enable(t.Context(), c.Name()); err != nil {
			t.Fatal(err)
		}
	}
}

// call runs chains and says yes to what is asked. It gives the run and the JSON of its value.
func (d *codedDesk) call(t *testing.T, files []*check.Checked, chains ...tool.Chain) (task.Run, string) {
	t.Helper()
	drafts, faults := task.Drafts(chains)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var answering sync.WaitGroup
	run, err := d.worker.Begin(t.Context(), engine.Request{Chains: drafts, Files: files, Caller: "test"}, func(e worker.Event) {
		q := e.Question
		if q == nil {
			return
		}
		answer := consent.Answer{Allow: true}
		if q.Form != nil {
			answer = d.reply(*q.Form)
		}
		answering.Go(func() {
			if _, _, err := d.worker.Decide(context.Background(), q.ID, answer); err != nil {
				t.Errorf("the answer to %s: %v", q.ID, err)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	waited, err := d.worker.Wait(t.Context(), run.ID, worker.WaitOptions{Timeout: patience})
	if err != nil || waited.Reason == worker.ReasonTimeout {
		t.Fatalf("%v, %v", waited.Reason, err)
	}
	answering.Wait()
	return waited.Run, value.JSON(waited.Value)
}

// wantValue fails unless a run succeeded with a value, given as JSON.
func wantValue(t *testing.T, run task.Run, got, want string) {
	t.Helper()
	if run.Status != task.RunSucceeded {
		t.Fatalf("the run is %s: %v", run.Status, run.Failure)
	}
	wanted, err := value.Decode([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(value.JSON(wanted), got); diff != "" {
		t.Errorf("the value (-want +got):\n%s", diff)
	}
}

func TestTheDigestInAChain(t *testing.T) {
	t.Parallel()
	d := newCodedDesk(t, nil)
	d.install(t, "text-digest.ts")
	run, got := d.call(t, nil, tool.Chain{
		tool.Message(tool.RoleUser, "Sum this up."),
		tool.Call("text-digest", map[string]any{"text": "Tea is a drink. It is made of leaves!", "longest": 0}),
		tool.Call("list", map[string]any{"items": []any{tool.Previous("")}}),
	})
	wantValue(t, run, got, `["9 words in 2 sentences, 1 minute to read, after 1 message."]`)
}

func TestChecksSideBySideInAChain(t *testing.T) {
	t.Parallel()
	d := newCodedDesk(t, nil)
	d.install(t, "parallel-checks.ts")
	for text, want := range map[string]string{
		`{"text": "very nice ("}`: `[{"check":"wording","done":true,"found":1,"findings":[{"line":1,"column":1,"say":"leave out \"very\""}]},
			{"check":"brackets","done":true,"found":1,"findings":[{"line":1,"column":11,"say":"\"(\" is not closed"}]}]`,
		// A check that cannot be made fails nothing: its reducer says so.
		`{"text": "nice", "wordings": [{"find": "[", "say": "?"}]}`: `[{"check":"wording","done":false},{"check":"brackets","done":true,"found":0,"findings":[]}]`,
	} {
		arguments, err := value.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		run, got := d.call(t, nil, tool.Chain{tool.Call("review-text", arguments), tool.Call("list", map[string]any{"items": tool.Previous("")})})
		wantValue(t, run, got, want)
	}
}

func TestTextsAreRankedInAChain(t *testing.T) {
	t.Parallel()
	d := newCodedDesk(t, nil)
	d.install(t, "fan-out.ts")
	run, got := d.call(t, nil, tool.Chain{
		tool.Call("list", map[string]any{"items": []any{"Implementation remains outstanding.", "…", "I like tea. You do too."}}),
		tool.Call("rank-texts", map[string]any{"texts": tool.Previous("")}),
		tool.Call("list", map[string]any{"items": tool.Previous("ranked")}),
	})
	wantValue(t, run, got, `[{"text":"I like tea. You do too.","lix":3},{"text":"Implementation remains outstanding.","lix":103}]`)
}

func TestPagesAreFetchedOneByOne(t *testing.T) {
	t.Parallel()
	var asked []string
	d := newCodedDesk(t, func(r capability.Request) (int, string) {
		asked = append(asked, r.URL)
		n := len(asked)
		more := ""
		if n%3 != 0 {
			more = fmt.Sprintf(`"continue":{"cmcontinue":"page|%d","continue":"-||"},`, n)
		}
		return http.StatusOK, fmt.Sprintf(`{%s"query":{"categorymembers":[{"pageid":%d,"ns":0,"title":"Tea %d"}]}}`, more, n, n)
	})
	d.install(t, "paged-fetch.ts")
	run, got := d.call(t, nil, tool.Chain{tool.Call("category-pages", map[string]any{"category": "Tea & more"})})
	wantValue(t, run, got, `{"titles":["Tea 1","Tea 2","Tea 3"],"complete":true}`)
	const first = "https://en.wikipedia.org/w/api.php?action=query&list=categorymembers&cmtype=page&cmlimit=50&format=json&formatversion=2&cmtitle=Category%3ATea+%26+more"
	if diff := cmp.Diff([]string{first, first + "&cmcontinue=page%7C1", first + "&cmcontinue=page%7C2"}, asked); diff != "" {
		t.Errorf("the requests (-want +got):\n%s", diff)
	}
	run, got = d.call(t, nil, tool.Chain{tool.Call("category-pages", map[string]any{"category": "Tea & more", "requests": 2})})
	wantValue(t, run, got, `{"titles":["Tea 4","Tea 5"],"complete":false}`)
}

func TestANoteIsAskedForAndFiled(t *testing.T) {
	t.Parallel()
	d := newCodedDesk(t, nil)
	d.install(t, "ask-and-file.ts")
	d.reply = func(f consent.Form) consent.Answer {
		if f.Title != "A note about tea" {
			t.Errorf("asked is %q", f.Title)
		}
		return consent.Answer{Allow: true, HasValue: true, Value: map[string]any{"title": "Tea", "content": "It was hot.", "mood": "well"}}
	}
	run, _ := d.call(t, nil, tool.Chain{tool.Call("ask-and-file", map[string]any{"about": "tea"})})
	if run.Status != task.RunSucceeded {
		t.Fatalf("the run is %s: %v", run.Status, run.Failure)
	}
	d.read(t, func(book *local.Book) error {
		notes, err := book.Notes(t.Context(), local.List{})
		if len(notes.Records) != 1 || notes.Records[0].Title != "Tea" || notes.Records[0].Content != "It was hot.\n\nIt went well." {
			t.Errorf("filed are %+v", notes.Records)
		}
		return err
	})
	d.reply = func(consent.Form) consent.Answer { return consent.Answer{Reason: "not today"} }
	run, got := d.call(t, nil, tool.Chain{tool.Call("ask-and-file", map[string]any{"about": "tea"})})
	wantValue(t, run, got, `"No note about tea was filed. You did not want to write one."`)
	if left := d.left(t); left != 1 {
		t.Errorf("%d records are left", left)
	}
}

func TestIssuesAreReadWithATokenThatNobodySees(t *testing.T) {
	t.Parallel()
	const token = "ghx-0123456789-mine"
	d := newCodedDesk(t, func(r capability.Request) (int, string) {
		if r.Headers["authorization"] != "Bearer "+token {
			return http.StatusUnauthorized, `{"message":"Bad credentials"}`
		}
		return http.StatusOK, `[{"title":"Leaks ` + token + `","html_url":"https://github.com/tea/pot/issues/1","updated_at":"2026-11-27T16:00:00Z","repository":{"full_name":"tea/pot"}}]`
	})
	d.install(t, "my-issues.ts")
	namespace, err := d.engine.Namespace(t.Context(), "my-issues")
	if err != nil {
		t.Fatal(err)
	}
	for kept, want := range map[string]string{
		"ghx-9876543210-old": "TOKEN_REFUSED",
		token:                "",
	} {
		if _, err := d.vault.Set(t.Context(), namespace, "github-token", kept, secret.Attributes{}); err != nil {
			t.Fatal(err)
		}
		run, got := d.call(t, nil, tool.Chain{tool.Call("my-issues", map[string]any{})})
		if want == "" {
			wantValue(t, run, got, `[{"repository":"tea/pot","title":"Leaks [secret github-token]","address":"https://github.com/tea/pot/issues/1","changed":"2026-11-27T16:00:00Z"}]`)
		} else if run.Failure == nil || run.Failure.Code != want || !strings.Contains(run.Failure.Message, "toolsmith secrets set my-issues github-token") {
			t.Errorf("the run is %s: %v", run.Status, run.Failure)
		}
	}
}

// TestTheCommandsOfTheREADME name files, tools and inputs that there are; what one that reaches nobody
// is said to print is what it comes to.
func TestTheCommandsOfTheREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, coded, _ := strings.Cut(string(text), "## TypeScript")
	blocks := strings.Split(coded, "```")
	installed := map[string]bool{}
	ran := 0
	for i := 1; i < len(blocks); i += 2 {
		commands, isShell := strings.CutPrefix(blocks[i], "sh\n")
		if !isShell {
			continue
		}
		for line := range strings.Lines(commands) {
			c := parseCommand(t, strings.TrimSpace(line))
			if c.verb == "install" {
				installed[declared(t, c.subject)[0].Name()] = true
			}
			if c.verb != "run" {
				continue
			}
			if installed[c.subject] {
				accepts(t, declared(t, c.subject+codeEnding)[0], c.input)
				continue
			}
			called, others := c.tools(t)
			arguments := accepts(t, called, c.input)
			want, hasWant := strings.CutPrefix(strings.Join(blocks[min(i+2, len(blocks)-1):min(i+3, len(blocks))], ""), "json\n")
			if !hasWant {
				continue
			}
			run, got := newCodedDesk(t, nil).call(t, append(others, called), tool.Chain{tool.Call(called.Name(), arguments)})
			wantValue(t, run, got, want)
			ran++
		}
	}
	if ran < 5 {
		t.Errorf("only %d commands were tried", ran)
	}
}

// command is one line of a shell: toolsmith VERB SUBJECT --tool NAME --input 'JSON'.
type command struct{ verb, subject, tool, input string }

func parseCommand(t *testing.T, line string) command {
	t.Helper()
	words, input, _ := strings.Cut(line, " --input ")
	c := command{input: strings.Trim(input, "'")}
	fields := strings.Fields(words)
	if len(fields) < 3 || fields[0] != "toolsmith" {
		t.Fatalf("%q is no command", line)
	}
	c.verb, c.subject = fields[1], strings.TrimPrefix(fields[2], "examples/")
	if at := slices.Index(fields, "--tool"); at > 0 {
		c.tool = fields[at+1]
	}
	return c
}

// tools gives the tool that is called, and the others of its file.
func (c command) tools(t *testing.T) (called *check.Checked, others []*check.Checked) {
	t.Helper()
	for _, one := range declared(t, c.subject) {
		if one.Name() == c.tool || c.tool == "" && called == nil {
			called = one
		} else {
			others = append(others, one)
		}
	}
	if called == nil || c.tool == "" && len(others) > 0 {
		t.Fatalf("%s has no such tool: %+v", c.subject, c)
	}
	return called, others
}
