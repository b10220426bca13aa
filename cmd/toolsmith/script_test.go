package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/scrub"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument { // the command begins itself to translate code
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	testscript.Main(m, map[string]func(){
		"toolsmith": func() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts types the commands of testdata/*.txtar. Beside the usual commands of
// testscript there are
//
//	exits CODE COMMAND [ARG…]    run a command that must end with this exit code
//	capture NAME REGEXP          set a variable to what the group of the regexp, or all of it,
//	                             matches in the last standard output
//	meddle STATEMENT…            change the audit in $TOOLSMITH_DATA behind its back
//	asked NAME COUNT             wait until as many questions are open, and set a variable to the
//	                             id of the newest
//	supply                       supply the tools of survey_test.go to the server, as a program
//	hides FILE FOLDER            no file in a folder shows the text of the file, however written
//
// $TOOLSMITH_DATA is a folder that does not exist yet, $EXAMPLES that of the examples; the time
// zone is UTC. The condition [served] is met where a server holds the data folder.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scriptParams(t, false))
}

// TestScriptsWithAServer types the same while a server holds the data folder and does all of it:
// nobody can tell.
func TestScriptsWithAServer(t *testing.T) {
	t.Parallel()
	p := scriptParams(t, true)
	p.Files, p.Dir = nil, ""
	all, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if !slices.Contains(notServed, filepath.Base(file)) {
			p.Files = append(p.Files, file)
		}
	}
	alone := p.Setup
	p.Setup = func(env *testscript.Env) error {
		if err := alone(env); err != nil {
			return err
		}
		return serveFor(env)
	}
	testscript.Run(t, p)
}

// notServed are the scripts that are about what a command does by itself.
var notServed = []string{
	"audit.txtar", // it changes the database behind the server's back
	"serve.txtar", // it begins servers
}

// serveFor begins a server over the data folder of a script.
func serveFor(env *testscript.Env) error {
	path, err := exec.LookPath("toolsmith")
	if err != nil {
		return err
	}
	serve := exec.Command(path, "serve", "--listen", "127.0.0.1:0")
	serve.Env, serve.Stderr = env.Vars, os.Stderr
	out, err := serve.StdoutPipe()
	if err != nil {
		return err
	}
	if err := serve.Start(); err != nil {
		return err
	}
	env.Defer(func() {
		_ = serve.Process.Kill()
		_ = serve.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("the server said %q and ended: %w", line, err)
	}
	return nil
}

func scriptParams(t *testing.T, served bool) testscript.Params {
	t.Helper()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache") // to make the sandbox anew in each command takes long
	return testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TOOLSMITH_CACHE", cache)
			for name, folder := range map[string]string{"HOME": "home", "XDG_DATA_HOME": "share", "TOOLSMITH_DATA": "data"} {
				env.Setenv(name, filepath.Join(env.WorkDir, folder))
			}
			env.Setenv("TZ", "UTC")
			env.Setenv("TOOLSMITH_KEYRING", "off") // that of whoever runs the tests is left alone
			env.Setenv("LC_ALL", "C.UTF-8")
			env.Setenv("EXAMPLES", examples)
			// Else each command would wait for a second at its end under the race detector.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "served" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return served, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "capture": capture, "meddle": meddle, "hides": hides, "asked": asked, "supply": supply},
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, not %d", args[1], got, want)
	}
}

func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME REGEXP")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("nothing in the standard output matches %q", args[1])
	}
	ts.Setenv(args[0], found[len(found)-1])
}

// asked looks until another process has asked what it has to ask.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: asked NAME COUNT")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	var out struct {
		Consents []struct {
			ID    string
			Count int
		}
	}
	for range 1000 { // each look takes a while
		ts.Check(ts.Exec("toolsmith", "consents", "--json"))
		ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
		if len(out.Consents) == want {
			ts.Setenv(args[0], out.Consents[0].ID)
			return
		}
	}
	ts.Fatalf("%d questions are open, not %d", len(out.Consents), want)
}

// meddle runs SQL on a database, without what keeps the audit as it is.
func meddle(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: meddle STATEMENT…")
	}
	db, err := sql.Open("sqlite", filepath.Join(ts.Getenv("TOOLSMITH_DATA"), "toolsmith.db"))
	ts.Check(err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	var drops string
	ts.Check(db.QueryRow("SELECT coalesce(group_concat('DROP TRIGGER ' || name, ';'), '') FROM sqlite_schema WHERE type = 'trigger' AND tbl_name LIKE 'audit%'").
		Scan(&drops))
	for _, statement := range append([]string{drops}, args...) {
		if _, err := db.Exec(statement); err != nil {
			ts.Fatalf("%s: %v", statement, err)
		}
	}
}

func hides(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hides FILE FOLDER")
	}
	scrubber := scrub.New([]scrub.Secret{{Name: args[0], Value: strings.TrimSpace(ts.ReadFile(args[0]))}})
	looked := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		looked++
		data, err := os.ReadFile(path)
		if !bytes.Equal(scrubber.Bytes(data), data) {
			ts.Fatalf("%s shows what is in %s", path, args[0])
		}
		return err
	}))
	if scrubber == nil || looked == 0 {
		ts.Fatalf("there was nothing to look for, or nothing to look at")
	}
}
