package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"toolsmith/internal/console"
	"toolsmith/internal/httpapi"
)

// held is a server as a process, and the data folder that it holds.
type held struct {
	path, data string
	process    *exec.Cmd
	known      httpapi.Known
}

// hold begins a server over a folder, and waits until it is ready.
func hold(t *testing.T, path, data string) *held {
	t.Helper()
	h := &held{path: path, data: data, process: exec.CommandContext(t.Context(), path, "serve", "--listen", "127.0.0.1:0")}
	h.process.Env = append(os.Environ(), "TOOLSMITH_DATA="+data, "TOOLSMITH_KEYRING=off")
	out, err := h.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.process.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "is ready") {
		t.Fatalf("the server says %q, %v", line, err)
	}
	text, err := os.ReadFile(filepath.Join(data, httpapi.ServerFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &h.known); err != nil {
		t.Fatal(err)
	}
	return h
}

// command is one that has the folder.
func (h *held) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), h.path, args...)
	cmd.Env = append(os.Environ(), "TOOLSMITH_DATA="+h.data, "TOOLSMITH_KEYRING=off")
	return cmd
}

// post asks the server for something, as the person.
func (h *held) post(t *testing.T, path, body string) map[string]any {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.known.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.known.Token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(response.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// follower is a command that follows a run which waits for an answer, and has begun to.
func (h *held) follower(t *testing.T, run string) (cmd *exec.Cmd, errOut *bytes.Buffer) {
	t.Helper()
	cmd, errOut = h.command(t, "resume", run), new(bytes.Buffer)
	cmd.Stderr = errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	connections := func() int {
		text, err := os.ReadFile("/proc/net/unix")
		if err != nil {
			t.Skip("this system does not tell who is connected")
		}
		return strings.Count(string(text), h.data+"/toolsmith.sock")
	}
	for connections() < 2 { // the listener and the command
	}
	return cmd, errOut
}

// TestTheServerGoes in the middle of a command: what it has begun is left as it is, and goes on.
func TestTheServerGoes(t *testing.T) {
	t.Parallel()
	path, data := buildCommand(t), t.TempDir()
	h := hold(t, path, data)
	run, _ := h.post(t, "/v1/tools/notes.create/call?wait=0", `{"title": "Milk", "content": "two"}`)["run"].(string)
	for name, c := range map[string]struct {
		end  os.Signal
		says string
	}{
		"killed": {syscall.SIGKILL, "error SERVER_LOST: The server was ended in the middle of this command[.]"},
		"ended":  {syscall.SIGINT, "error (WORKER_CLOSED: The program that carries|SERVER_LOST: The server was ended|ABORTED: The command was interrupted)"}, // as far as it had come,
	} {
		cmd, errOut := h.follower(t, run)
		if err := h.process.Process.Signal(c.end); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitFailed || !regexp.MustCompile("(?m)^"+c.says).Match(errOut.Bytes()) {
			t.Errorf("%s: it ends with %v: %s", name, err, errOut)
		}
		_ = h.process.Wait()
		h = hold(t, path, data)
	}
	// Whoever has had enough of waiting does not end the run.
	cmd, _ := h.follower(t, run)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("interrupted, it ends well")
	}
	var out struct{ Consents []struct{ ID string } }
	if text, err := h.command(t, "consents", "--json").Output(); err != nil || json.Unmarshal(text, &out) != nil || len(out.Consents) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	if text, err := h.command(t, "allow", out.Consents[0].ID).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if text, err := h.command(t, "resume", run).CombinedOutput(); err != nil && !bytes.Contains(text, []byte("is over already: succeeded")) {
		t.Errorf("%v: %s", err, text)
	}
	if text, err := h.command(t, "data", "notes").CombinedOutput(); err != nil || !bytes.Contains(text, []byte("Milk")) {
		t.Errorf("%v: %s", err, text)
	}
}

// TestOneServerHoldsAFolder, and what it cannot be held for is said.
func TestOneServerHoldsAFolder(t *testing.T) {
	t.Parallel()
	path := buildCommand(t)
	h := hold(t, path, t.TempDir())
	text, err := h.command(t, "serve", "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("error SERVE_FAILED: A server holds the data folder ")) {
		t.Errorf("%v: %s", err, text)
	}
	// A copy of the folder is another folder.
	elsewhere := filepath.Join(t.TempDir(), "copy")
	if text, err := exec.CommandContext(t.Context(), "cp", "-r", h.data, elsewhere).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	there := &held{path: path, data: elsewhere}
	if text, err := there.command(t, "data", "notes", "add", "There").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if text, err := h.command(t, "data", "notes").CombinedOutput(); err != nil || bytes.Contains(text, []byte("There")) {
		t.Errorf("%v: %s", err, text)
	}

	long := filepath.Join(t.TempDir(), strings.Repeat("x", 100))
	far := hold(t, path, long)
	if text, err := far.command(t, "data", "notes", "add", "Far").CombinedOutput(); err != nil {
		t.Errorf("with a long path: %v: %s", err, text)
	}
	inWay := t.TempDir()
	if err := os.MkdirAll(filepath.Join(inWay, "toolsmith.sock", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	text, err = (&held{path: path, data: inWay}).command(t, "serve", "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !bytes.Contains(text, []byte("error SERVE_FAILED: The data folder "+inWay+" cannot be held for the server.")) {
		t.Errorf("%v: %s", err, text)
	}
}

// through does a command in a folder that a server in this process holds.
func through(t *testing.T, a *app, c console.Command) (exit int, out, errOut string) {
	t.Helper()
	folder := t.TempDir()
	socket, err := console.Listen(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	commands := a.commands()
	go commands.Serve(socket)
	defer commands.Close()
	var said, wrong bytes.Buffer
	exit, err = console.Run(t.Context(), folder, c, console.Streams{In: strings.NewReader(""), Out: &said, Err: &wrong, Question: &wrong}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return exit, said.String(), wrong.String()
}

// TestAFaultInACommand does not end the server, and another version of the program is told.
func TestAFaultInACommand(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := newApp(nil, io.Discard, &log)
	a.dataDir = t.TempDir()
	if _, err := a.upgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer a.close()
	exit, out, errOut := through(t, a, console.Command{Args: []string{"tools", "--json"}, Version: "0.0.1"})
	if exit != exitDone || !strings.Contains(out, `"tools": []`) || !strings.HasPrefix(errOut, "The server that does this is of version dev, and this program of version 0.0.1.") {
		t.Errorf("%d %s%s", exit, out, errOut)
	}
	a.toolbox = nil // which nobody expects
	exit, _, errOut = through(t, a, console.Command{Args: []string{"tools"}, Version: version})
	if exit != exitFailed || !strings.Contains(errOut, "error FAILED: the command failed: ") || !strings.Contains(log.String(), "a command failed") {
		t.Errorf("%d %s; the log has %s", exit, errOut, &log)
	}
}
