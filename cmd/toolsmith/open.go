package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/httpapi"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// codeNoServer: no server answers for the data folder.
const codeNoServer = "SERVE_NOT_RUNNING"

func (a *app) openCommand() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use: "open", Short: "Open the server's page in your browser",
		Long: `Open asks the running server (toolsmith serve) for an address that lets a browser in once,
within five minutes, and opens it. Where there is no browser, or with --print, it prints
the address.`,
		Example: `  toolsmith open
  toolsmith open --print`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.openPage(cmd.Context(), only) },
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address and open nothing")
	return cmd
}

func (a *app) openPage(ctx context.Context, only bool) error {
	known, err := a.running()
	if err != nil {
		return err
	}
	page, until, err := login(ctx, known)
	if err != nil {
		return err
	}
	opened := !only && !a.json && browse(ctx, page) == nil
	switch {
	case a.json:
		a.printJSON(map[string]any{"open": page, "expiresAt": value.Time(until)})
	case opened:
		a.say("Opened %s in your browser.", known.URL)
	default:
		a.print("%s", page)
		a.say("It lets a browser in once, until %s.", until.In(a.zone).Format(time.TimeOnly))
	}
	return nil
}

// running reads how the server of the data folder is reached.
func (a *app) running() (httpapi.Known, error) {
	path := filepath.Join(a.folder(), httpapi.ServerFile)
	text, err := os.ReadFile(path) //nolint:gosec // it is our own file
	var known httpapi.Known
	switch {
	case errors.Is(err, os.ErrNotExist):
		return known, noServer(nil)
	case err != nil:
		return known, fileError(path, err)
	case json.Unmarshal(text, &known) != nil || known.URL == "":
		return known, &tool.Error{Code: "FILE_UNREADABLE", Message: fmt.Sprintf("%s is not what a server has written. Begin it anew: toolsmith serve", visible.Line(path))}
	}
	return known, nil
}

func noServer(cause error) error {
	return &tool.Error{Code: codeNoServer, Message: "No server is running for this data folder. Begin one: toolsmith serve", Cause: cause}
}

// login asks the server for an address that lets a browser in once.
func login(ctx context.Context, s httpapi.Known) (page string, until time.Time, err error) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/logins", http.NoBody)
	if err != nil {
		return "", until, fmt.Errorf("ask the server: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r) // no proxy
	if err != nil {
		return "", until, noServer(err)
	}
	defer response.Body.Close()
	var made struct {
		Path    string    `json:"path"`
		Expires time.Time `json:"expiresAt"`
	}
	const most = 1 << 16
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&made); err != nil || response.StatusCode != http.StatusOK || made.Path == "" {
		// Another program has the port by now, or another server the address.
		return "", until, noServer(err)
	}
	return s.URL + made.Path, made.Expires, nil
}

// browse opens an address in the browser of the person.
func browse(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errors.New("there is no screen")
		}
	}
	if err := exec.CommandContext(ctx, name, args...).Run(); err != nil { //nolint:gosec // the address is our own
		return fmt.Errorf("open the browser: %w", err)
	}
	return nil
}
