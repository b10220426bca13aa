package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/httpapi"
)

// desk is a data folder with a server over it and the command beside it.
type desk struct {
	path, data, url, token string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{path: buildCommand(t), data: t.TempDir()}
	serve := d.command(t, "serve", "--listen", "127.0.0.1:0")
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Kill()
		_ = serve.Wait()
	})
	var ready struct{ File string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(ready.File)
	if err != nil {
		t.Fatal(err)
	}
	var known httpapi.Known
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	d.url, d.token = known.URL, known.Token
	return d
}

func (d *desk) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), d.path, append(args, "--json")...)
	cmd.Env = append(os.Environ(), "TOOLSMITH_DATA="+d.data, "TOOLSMITH_KEYRING=off")
	return cmd
}

// run runs a command, and gives the document that it prints.
func (d *desk) run(t *testing.T, input string, args ...string) (document any) {
	t.Helper()
	cmd := d.command(t, args...)
	cmd.Stdin = strings.NewReader(input)
	text, _ := cmd.Output() // a check of what is wrong ends with another code
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatalf("toolsmith %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return document
}

// ask asks the server.
func (d *desk) ask(t *testing.T, method, path string, body any) (document any) {
	t.Helper()
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, d.url+path, &text)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s gives %d: %v %v", method, path, response.StatusCode, document, err)
	}
	return document
}

// at gives what stands under some names and numbers.
func at(document any, path ...any) any {
	for _, part := range path {
		switch part := part.(type) {
		case string:
			object, _ := document.(map[string]any)
			document = object[part]
		case int:
			list, _ := document.([]any)
			if part >= len(list) {
				return nil
			}
			document = list[part]
		}
	}
	return document
}

// lacks lists what a command prints and an answer has not, or has otherwise. What is not there may
// be left out of the answer, which may also have more, and times that are nearer.
func lacks(where string, printed, answered any) []string {
	var found []string
	switch printed := printed.(type) {
	case map[string]any:
		object, _ := answered.(map[string]any)
		for name, v := range printed {
			found = append(found, lacks(where+"."+name, v, object[name])...)
		}
		return found
	case []any:
		list, _ := answered.([]any)
		if len(list) != len(printed) {
			return []string{fmt.Sprintf("%s has %d items, and the answer %d", where, len(printed), len(list))}
		}
		for i, v := range printed {
			found = append(found, lacks(fmt.Sprintf("%s[%d]", where, i), v, list[i])...)
		}
		return found
	case string:
		told, _ := answered.(string)
		one, err := time.Parse(time.RFC3339, printed)
		if other, otherErr := time.Parse(time.RFC3339, told); err == nil && otherErr == nil && one.Truncate(time.Second).Equal(other.Truncate(time.Second)) {
			return nil
		}
		if printed == "" && answered == nil {
			return nil
		}
	case float64:
		if printed == 0 && answered == nil {
			return nil
		}
	}
	if fmt.Sprintf("%T %v", printed, printed) != fmt.Sprintf("%T %v", answered, answered) {
		found = append(found, fmt.Sprintf("%s is %v, and the answer has %v", where, printed, answered))
	}
	return found
}

// made matches what each dry run makes anew: ids and times.
var made = regexp.MustCompile(`\b01[0-9A-Z]{24}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// unmade gives a document with the same in the place of each of them.
func unmade(t *testing.T, document any) (out any) {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(made.ReplaceAll(text, []byte("made anew")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTheServerAnswersAsTheCommandPrints holds the two to one shape.
func TestTheServerAnswersAsTheCommandPrints(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const file = "../../examples/friday-review.talostool"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(text), `"version": 1`, `"version": 2`, 1)
	broken := strings.NewReplacer("tasks.list", "tasks.lists", `"version": 1`, `"version": 0`).Replace(string(text))
	const name, one = "dynamic:friday-review", "/v1/forge/tools/friday-review"
	body := func(text string) map[string]any { return map[string]any{"text": text} }
	same := func(what string, printed, answered any) {
		t.Helper()
		if printed == nil || answered == nil {
			t.Errorf("%s: printed %v, answered %v", what, printed, answered)
		}
		for _, difference := range lacks(what, printed, answered) {
			t.Error(difference)
		}
	}

	checked, _ := at(d.run(t, "", "check", file), "files", 0).(map[string]any)
	delete(checked, "file")
	same("check", checked, d.ask(t, "POST", "/v1/forge/check", body(string(text))))
	same("check of errors", at(d.run(t, broken, "check", "-"), "files", 0, "diagnostics"), at(d.ask(t, "POST", "/v1/forge/check", body(broken)), "diagnostics"))
	same("try", unmade(t, d.run(t, "", "try", file)), unmade(t, d.ask(t, "POST", "/v1/forge/try", body(string(text)))))
	same("capabilities", d.run(t, "", "capabilities"), d.ask(t, "GET", "/v1/forge/capabilities?limit=500", nil))

	kept := d.run(t, "", "install", file)
	again := d.ask(t, "POST", "/v1/forge/tools", body(string(text)))
	same("install", at(kept, "tool"), at(again, "tool"))
	same("what the install has to say", at(kept, "diagnostics"), at(again, "diagnostics"))
	if at(kept, "installed") != true || at(again, "installed") != false {
		t.Errorf("installed by the command %v, and again by the server %v", at(kept, "installed"), at(again, "installed"))
	}
	installed := d.ask(t, "POST", "/v1/forge/tools", body(newer))
	same("enable", at(d.run(t, "", "enable", name), "tool"), at(d.ask(t, "POST", one+"/enable", nil), "tool"))
	same("tools", d.run(t, "", "tools"), d.ask(t, "GET", "/v1/forge/tools", nil))
	same("one tool", at(d.run(t, "", "tools", name), "tool"), d.ask(t, "GET", one, nil))
	same("versions", d.run(t, "", "versions", name), d.ask(t, "GET", one+"/versions", nil))
	same("diff", d.run(t, "", "diff", name), d.ask(t, "GET", one+"/diff", nil))
	same("the difference of an install", at(d.run(t, "", "diff", name), "facts"), at(installed, "diff"))
	same("export", d.run(t, "", "export", name), d.ask(t, "GET", one+"/export", nil))
	same("disable", at(d.run(t, "", "disable", name), "tool"), at(d.ask(t, "POST", one+"/disable", nil), "tool"))
	same("try of an installed one", unmade(t, d.run(t, "", "try", name)), unmade(t, d.ask(t, "POST", "/v1/forge/try", map[string]any{"tool": name})))

	for kind, args := range map[string][]string{
		"notes": {"add", "Tea", "green"}, "tasks": {"add", "Milk", "--due", "2026-12-01", "--priority", "high"}, "memory": {"add", "Coffee", "black", "--kind", "preference"},
	} {
		single := map[string]string{"notes": "note", "tasks": "task", "memory": "memory"}[kind]
		added := at(d.run(t, "", append([]string{"data", kind}, args...)...), single)
		path := fmt.Sprintf("/v1/data/%s/%v", kind, at(added, "id"))
		same(kind+" add", added, d.ask(t, "GET", path, nil))
		same(kind, d.run(t, "", "data", kind), d.ask(t, "GET", "/v1/data/"+kind, nil))
		undone := d.run(t, "", "data", kind, "undo", fmt.Sprint(at(added, "id")))
		back := d.ask(t, "POST", path+"/undo", nil)
		same(kind+" undo that brings back", added, at(back, single))
		gone := d.ask(t, "POST", path+"/undo", nil)
		same(kind+" undo", unmade(t, undone), unmade(t, gone))
	}

	d.run(t, "a-value-that-is-kept", "secrets", "set", name, "my-key")
	same("secrets", d.run(t, "", "secrets"), d.ask(t, "GET", "/v1/secrets", nil))
	same("secrets set", d.run(t, "another-value", "secrets", "set", name, "my-key"), d.ask(t, "PUT", "/v1/secrets/"+name+"/my-key", map[string]any{"value": "another-value"}))
	d.run(t, "", "tokens", "add", "editor", "--tools", "notes.list")
	same("tokens", d.run(t, "", "tokens"), d.ask(t, "GET", "/v1/tokens", nil))
	same("audit", d.run(t, "", "audit"), d.ask(t, "GET", "/v1/audit?limit=100", nil))
	same("audit of a tool", d.run(t, "", "audit", name), d.ask(t, "GET", "/v1/audit?limit=100&tool="+name, nil))
	same("audit verify", d.run(t, "", "audit", "verify"), d.ask(t, "GET", "/v1/audit/verify", nil))
	same("remove", at(d.run(t, "", "remove", name), "removed"), func() any {
		d.ask(t, "POST", "/v1/forge/tools", body(newer))
		return at(d.ask(t, "DELETE", one, nil), "removed")
	}())
}

// TestTheServerAnswersAsTheCommandPrintsOfCode holds the two to one shape for tools in code.
func TestTheServerAnswersAsTheCommandPrintsOfCode(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const source = `import { createTool, toolCall } from 'toolsmith'
const parameters = { type: 'object', properties: { text: { type: 'string', default: 'tea' } } } as const
createTool({ name: 'shout', description: 'Writes in capitals.', parameters, function({ text }) { console.log(text); return text.toUpperCase() } })
createTool({
  name: 'twice', description: 'Shouts.', parameters, calls: ['shout'], secrets: ['token'],
  function({ text }, context) { return context.createSubtasksResult(toolCall({ name: 'shout', arguments: { text } })) },
})
`
	body := func(text string) map[string]any { return map[string]any{"text": text, "file": "stdin.ts"} }
	same := func(what string, printed, answered any) {
		t.Helper()
		if printed == nil || answered == nil {
			t.Errorf("%s: printed %v, answered %v", what, printed, answered)
		}
		for _, difference := range lacks(what, printed, answered) {
			t.Error(difference)
		}
	}
	checked, _ := at(d.run(t, source, "check", "--language", "ts", "-"), "files", 0).(map[string]any)
	delete(checked, "file")
	same("check", checked, d.ask(t, "POST", "/v1/forge/check", body(source)))
	for _, name := range []string{"shout", "twice"} {
		given := body(source)
		given["tool"] = name
		same("try of "+name, unmade(t, d.run(t, source, "try", "--language", "ts", "-", "--tool", name)), unmade(t, d.ask(t, "POST", "/v1/forge/try", given)))
	}
	kept := d.run(t, source, "install", "--language", "ts", "-")
	again := d.ask(t, "POST", "/v1/forge/tools", body(source))
	same("install", at(kept, "tool"), at(again, "tool"))
	same("the other one", at(kept, "others", 0, "tool"), at(again, "others", 0, "tool"))
	newer := d.run(t, strings.Replace(source, "secrets:", "network: ['api.example.com'], secrets:", 1), "install", "--language", "ts", "-")
	same("diff", d.run(t, "", "diff", "twice"), d.ask(t, "GET", "/v1/forge/tools/twice/diff", nil))
	same("the difference of an install", at(newer, "others", 0, "diff"), at(d.ask(t, "GET", "/v1/forge/tools/twice/diff", nil), "facts"))
	same("tools", d.run(t, "", "tools"), d.ask(t, "GET", "/v1/forge/tools", nil))
	same("one tool", at(d.run(t, "", "tools", "twice"), "tool"), d.ask(t, "GET", "/v1/forge/tools/twice", nil))
	same("versions", d.run(t, "", "versions", "twice"), d.ask(t, "GET", "/v1/forge/tools/twice/versions", nil))
	same("export", d.run(t, "", "export", "shout"), d.ask(t, "GET", "/v1/forge/tools/shout/export", nil))
}
