package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServe begins a server as a process, asks it, and ends it.
func TestServe(t *testing.T) {
	t.Parallel()
	path, data := buildCommand(t), t.TempDir()
	serve := exec.CommandContext(t.Context(), path, "serve", "--listen", "127.0.0.1:0", "--json")
	serve.Env = append(os.Environ(), "TOOLSMITH_DATA="+data)
	var errOut bytes.Buffer
	serve.Stderr = &errOut
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill() })
	var ready struct{ URL, File string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		t.Fatalf("%v: %s", err, &errOut)
	}
	text, err := os.ReadFile(ready.File)
	if err != nil {
		t.Fatal(err)
	}
	var known server
	if err := json.Unmarshal(text, &known); err != nil || known.URL != ready.URL || len(known.Token) < 20 || known.PID != serve.Process.Pid {
		t.Errorf("%s says %+v, %v", ready.File, known, err)
	}
	if info, err := os.Stat(ready.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	ask := func(token string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ready.URL+"/v1/peer", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if yes, no := ask(known.Token), ask("guess"); yes != http.StatusOK || no != http.StatusUnauthorized {
		t.Errorf("with the token %d, without %d", yes, no)
	}

	// A program with a token is let in until it is taken back.
	tokens := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, append([]string{"tokens"}, args...)...)
		cmd.Env = append(os.Environ(), "TOOLSMITH_DATA="+data)
		text, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	editor := tokens("add", "editor")
	if status := ask(editor); status != http.StatusOK {
		t.Errorf("a program is let in with %d", status)
	}
	tokens("remove", "editor")
	if status := ask(editor); status != http.StatusUnauthorized {
		t.Errorf("a program whose token was taken back gets %d", status)
	}

	// Another one cannot have the address.
	second := exec.CommandContext(t.Context(), path, "serve", "--listen", strings.TrimPrefix(ready.URL, "http://"))
	second.Env = append(os.Environ(), "TOOLSMITH_DATA="+t.TempDir())
	if text, err := second.CombinedOutput(); err == nil || !bytes.Contains(text, []byte("SERVE_FAILED")) || !bytes.Contains(text, []byte("is in use")) {
		t.Errorf("%v: %s", err, text)
	}

	if err := serve.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("it ends with %v: %s", err, &errOut)
	}
	if _, err := os.Stat(filepath.Join(data, "server.json")); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
}
