package worker_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
)

// canaries are parts of what stores say, which only the log may have.
var canaries = []string{"disk I/O", "page 7", "/home/ada", "secret.db", "disk is full", "(13)", "STORE_UNAVAILABLE"}

var logID = regexp.MustCompile(`\(log id (ID\d{24})\)`)

// TestWhatAStoreSaysIsForTheLog has a store fail in every place: nothing of its own text
// is in the result, and the log has it under the id that the message names.
func TestWhatAStoreSaysIsForTheLog(t *testing.T) {
	t.Parallel()
	const read = `{"id": "call", "type": "capability", "capability": "notes.list", "input": {}, "next": "end"}, ` + end
	const write = `{"id": "call", "type": "capability", "capability": "notes.create", "input": {"title": "x", "content": "y"}, "target": "$.made",
		"compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.made.id"}}}, "next": "end"}, ` + end
	stateful := `"state": {"schemaVersion": 1, "maxBytes": 100, "fields": {"n": {}}}`
	for name, c := range map[string]struct {
		nodes, extra string
		data         error
		// commit is the error of the transaction number at.
		commit error
		at     int
		code   string
		says   string
		logs   []string
	}{
		"a read fails": {read, "", errDisk, nil, 0, flow.CodeCapabilityFailed,
			`"notes.list" failed: The local data cannot be read or written just now. (log id `, []string{"capability=notes.list", "step=call", "disk I/O error at page 7"}},
		"a write fails": {write, "", errDisk, nil, 0, flow.CodeCapabilityFailed,
			`"notes.create" failed: The local data cannot be read or written just now. (log id `, []string{"disk I/O error at page 7"}},
		"a coded error inside": {write, "", errFull, nil, 0, flow.CodeCapabilityFailed,
			`"notes.create" failed: The local data cannot be read or written just now. (log id `, []string{"/home/ada/secret.db", "database or disk is full (13)"}},
		"the commit fails": {write, "", nil, errDisk, 2, flow.CodeCapabilityFailed,
			`"notes.create" failed: The local data could not be reached. (log id `, []string{"disk I/O error at page 7"}},
		"the commit fails with a code": {write, "", nil, errFull, 2, flow.CodeCapabilityFailed,
			`"notes.create" failed: The local data could not be reached. (log id `, []string{"STORE_UNAVAILABLE", "/home/ada/secret.db", "database or disk is full (13)"}},
		"the state cannot be committed": {end, stateful, nil, errFull, 3, flow.CodeStateInvalid,
			`The state could not be saved. The local data could not be reached. (log id `, []string{"step=state", "/home/ada/secret.db"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			var extra []string
			if c.extra != "" {
				extra = append(extra, c.extra)
			}
			tool := checked(t, c.nodes, extra...)
			d.store.set(c.data, nil, nil)
			d.store.count(func(number int, write func() error) error { // the first keeps the run
				if number == c.at {
					d.store.set(c.data, nil, c.commit)
					defer d.store.set(c.data, nil, nil)
				}
				return write()
			})

			out := d.run(t, tool)

			wantStatus(t, out.Result, flow.Failed, c.code)
			if !strings.HasPrefix(out.Failure.Message, c.says) {
				t.Errorf("says %q; want %q", out.Failure.Message, c.says)
			}
			shown := fmt.Sprintf("%s %+v", value.JSON(out.Value()), out)
			for _, canary := range canaries {
				if strings.Contains(shown, canary) {
					t.Errorf("the result has %q: %s", canary, shown)
				}
			}
			named := logID.FindStringSubmatch(out.Failure.Message)
			if named == nil {
				t.Fatalf("%q names no line of the log", out.Failure.Message)
			}
			lines := 0
			for _, line := range d.log.lines() {
				if !strings.Contains(line, "id="+named[1]) {
					continue
				}
				lines++
				for _, part := range c.logs {
					if !strings.Contains(line, part) {
						t.Errorf("the log lacks %q: %s", part, line)
					}
				}
			}
			if lines != 1 {
				t.Errorf("the log has the id in %d lines: %q", lines, d.log.lines())
			}
		})
	}
}

// TestADryRunHidesWhatAStoreSays too.
func TestADryRunHidesWhatAStoreSays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.store.set(errFull, nil, nil)
	out, err := d.Try(t.Context(), worker.Job{Tool: calls(t, "notes.list", `{}`), Input: map[string]any{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, out.Result, flow.Failed, flow.CodeCapabilityFailed)
	for _, canary := range canaries {
		if strings.Contains(value.JSON(out.Value()), canary) {
			t.Errorf("the result has %q", canary)
		}
	}
	if !strings.Contains(d.log.lines()[0], "/home/ada/secret.db") {
		t.Errorf("the log has %q", d.log.lines())
	}
}
