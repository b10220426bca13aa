package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"toolsmith/internal/httpapi"
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
	var ready struct{ URL, File, Open string }
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		t.Fatalf("%v: %s", err, &errOut)
	}
	text, err := os.ReadFile(ready.File)
	if err != nil {
		t.Fatal(err)
	}
	var known httpapi.Known
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

	opened(t, path, data, ready.URL, ready.Open)

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

// opened opens the page: by the address that the server has printed, and by new ones.
func opened(t *testing.T, path, data, url, first string) {
	t.Helper()
	visit := func(address string) (status int, to string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Header.Get("Location")
	}
	open := func(more []string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, append([]string{"open"}, args...)...)
		cmd.Env = append(os.Environ(), append(more, "TOOLSMITH_DATA="+data)...)
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return strings.TrimSpace(string(text))
	}
	var asked struct{ Open, ExpiresAt string }
	if err := json.Unmarshal([]byte(open(nil, "--json")), &asked); err != nil || asked.ExpiresAt == "" {
		t.Errorf("%+v, %v", asked, err)
	}
	// A browser that writes down what it is to open.
	bin := t.TempDir()
	note := filepath.Join(bin, "opened")
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >"+note+"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	screen := []string{"DISPLAY=:0", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	list := []string{first, asked.Open, open([]string{"DISPLAY=", "WAYLAND_DISPLAY="}), open(screen, "--print")}
	if runtime.GOOS == "linux" {
		if out := open(screen); out != "" {
			t.Errorf("it prints %s although there is a browser", out)
		}
		text, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.TrimSpace(string(text)))
	}
	for _, address := range list {
		if status, to := visit(address); !strings.HasPrefix(address, url+"/docs?token=") || status != http.StatusSeeOther || to != "/docs" {
			t.Errorf("%q gives %d to %q", address, status, to)
		}
		if status, _ := visit(address); status != http.StatusUnauthorized {
			t.Errorf("%q lets in twice: %d", address, status)
		}
	}
}

// TestOpenWithoutAServer says how to begin one.
func TestOpenWithoutAServer(t *testing.T) {
	t.Parallel()
	stranger := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]struct{ file, code string }{
		"none":              {"", "SERVE_NOT_RUNNING"},
		"it has ended":      {`{"url": "` + gone.URL + `", "token": "x"}`, "SERVE_NOT_RUNNING"},
		"somebody else":     {`{"url": "` + stranger.URL + `", "token": "x"}`, "SERVE_NOT_RUNNING"},
		"a file of no sort": {`{`, "FILE_UNREADABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(data, "server.json"), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errOut bytes.Buffer
			if code := run(t.Context(), []string{"open", "--print", "--json", "--data", data}, strings.NewReader(""), &out, &errOut); code == 0 || !strings.Contains(out.String()+errOut.String(), c.code) {
				t.Errorf("%d: %s%s", code, &out, &errOut)
			}
		})
	}
}
