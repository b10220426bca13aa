package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/console"
	"toolsmith/internal/httpapi"
	"toolsmith/internal/port"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// serverFile is where a running server says how it is reached.
const serverFile = "server.json"

// codeServe: the server cannot begin.
const codeServe = "SERVE_FAILED"

// server is what the file says.
type server struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

type serveOptions struct {
	listen  string
	hosts   []string
	origins []string
	proxied bool
}

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve tools, runs and questions over HTTP",
		Long: `Serve answers programs over HTTP, and describes itself: what it can do right now stands
in the OpenAPI document at /resources/peers/local/api. Runs that were left before their
ends go on.

Every request needs a token. Yours is in the file server.json of the data folder, which
only you can read; it is a new one each time. Whoever has it is you, and may also install
and turn on tools, see and change your data, keep secrets and answer questions. A program
gets a token of its own, which may decide nothing: toolsmith tokens add NAME

A browser is let in once by the address that is printed, within five minutes; for another
one: toolsmith open

Meanwhile it holds the data folder: every command over that folder is done by the server,
so that it sees the tools of programs, and what it begins goes on when it ends.

It listens on this machine alone. To be reached from elsewhere it needs something before
it that speaks TLS: say so with --behind-proxy, and under what name with --host.`,
		Example: `  toolsmith serve
  toolsmith serve --listen 127.0.0.1:0
  toolsmith serve --listen 0.0.0.0:7420 --behind-proxy --host tools.example.com`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:7420", "the `ADDRESS` and port; port 0 takes a free one")
	cmd.Flags().StringArrayVar(&o.hosts, "host", nil, "a further `NAME` under which the server is reached")
	cmd.Flags().StringArrayVar(&o.origins, "origin", nil, "a page of somebody else that may ask, such as `http://localhost:5173`")
	cmd.Flags().BoolVar(&o.proxied, "behind-proxy", false, "something before the server speaks TLS, so that it may listen beyond this machine")
	return cmd
}

func (a *app) serve(ctx context.Context, o serveOptions) error {
	at, err := netip.ParseAddrPort(o.listen)
	if err != nil {
		return usage("--listen has to be an address with a port, such as 127.0.0.1:7420; this is %q", visible.Cut(o.listen, 100))
	}
	if !at.Addr().IsLoopback() && !o.proxied {
		return usage("--listen %s can be reached from other machines, and what is sent there could be read on the way. Put something before it that speaks TLS and say --behind-proxy, or listen on 127.0.0.1", at)
	}
	st, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	socket, err := a.holdFolder(ctx)
	if err != nil {
		return err
	}
	commands := a.commands()
	defer commands.Close()
	if socket != nil {
		defer socket.Close()
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", at.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return &tool.Error{Code: codeServe, Message: fmt.Sprintf("%s is in use. Is there a server of another data folder? Else take another port: --listen 127.0.0.1:0", at)}
	}
	if err != nil {
		return &tool.Error{Code: codeServe, Message: fmt.Sprintf("Nobody can listen on %s: %s.", at, err), Cause: err}
	}
	defer listener.Close()
	var api *httpapi.API
	a.ports = port.NewHub(port.Options{
		Tools: a.engine(st), Version: version,
		Call: func(ctx context.Context, r port.CallRequest) (port.CallResult, error) { return api.CallOfPort(ctx, r) },
	})
	w := a.worker(st)
	known := server{URL: "http://" + reached(listener.Addr().String()), Token: rand.Text(), PID: os.Getpid(), Version: version}
	api = httpapi.New(httpapi.Options{
		Proxied: o.proxied, Engine: w.Engine, Worker: w, Secrets: a.vault, Ports: a.ports, Version: known.Version, NewID: a.newID, Log: a.log(),
		Guard: &httpapi.Guard{
			Hosts: o.hosts, Origins: o.origins, PersonToken: known.Token, Person: who(),
			Token: func(ctx context.Context, hash string) (httpapi.Who, bool, error) {
				token, ok, err := w.Engine.TokenOf(ctx, hash)
				return httpapi.Who{Name: token.Name, Tools: token.Tools}, ok, err
			},
		},
	})
	if err := w.Start(ctx); err != nil {
		return err
	}
	if _, err := w.ResumeAll(ctx, nil); err != nil {
		return err
	}
	page, _ := api.NewLogin()
	base := known.URL
	if o.proxied && len(o.hosts) > 0 {
		base = "https://" + o.hosts[0]
	}
	forget, err := a.announce(known, base+page)
	if err != nil {
		return err
	}
	defer forget()
	if socket != nil {
		go commands.Serve(socket)
	}
	err = serveUntil(ctx, httpapi.NewServer(api.Handler()), listener, api.Close)
	a.endWorker() // so that commands see that their runs are left, and do not cancel them
	return err
}

// holdFolder makes the socket through which commands come; nil where there can be none.
func (a *app) holdFolder(ctx context.Context) (net.Listener, error) {
	socket, err := console.Listen(ctx, a.folder())
	switch {
	case errors.Is(err, console.ErrHeld):
		return nil, &tool.Error{Code: codeServe, Message: fmt.Sprintf("A server holds the data folder %s already. End it first, or name another folder with --data.", visible.Line(a.folder()))}
	case errors.Is(err, console.ErrTooLong):
		a.say("The path of the data folder is too long for a socket, so that commands do not go through this server.")
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, &tool.Error{Code: codeServe, Message: fmt.Sprintf("The data folder %s cannot be held for the server.", visible.Line(a.folder())), Cause: err}
	}
	return socket, nil
}

// reached is where a server is reached on this machine that listens on an address, which may
// mean all of them.
func reached(listens string) string {
	at, err := netip.ParseAddrPort(listens)
	if err != nil || !at.Addr().IsUnspecified() {
		return listens
	}
	here := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if at.Addr().Is6() {
		here = netip.IPv6Loopback()
	}
	return netip.AddrPortFrom(here, at.Port()).String()
}

// announce tells how the server is reached: people on standard output, programs in the file.
// page is where a browser is let in once.
func (a *app) announce(known server, page string) (forget func(), err error) {
	text, err := json.Marshal(known)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", serverFile, err)
	}
	path := filepath.Join(a.folder(), serverFile)
	const onlyOwner = 0o600
	_ = os.Remove(path) // so that its mode is ours
	if err := os.WriteFile(path, text, onlyOwner); err != nil {
		return nil, &tool.Error{Code: codeServe, Message: fmt.Sprintf("The file %s cannot be written.", path), Cause: err}
	}
	if a.json {
		a.printJSON(map[string]any{"url": known.URL, "file": path, "open": page})
	} else {
		a.print("Toolsmith is ready at %s", known.URL)
		a.say("Open it once in your browser, within five minutes: %s", page)
		a.say("Your token is in %s. End with Ctrl-C.", visible.Line(path))
	}
	return func() {
		if now, err := os.ReadFile(path); err == nil && string(now) == string(text) { //nolint:gosec // it is our own file
			_ = os.Remove(path)
		}
	}, nil
}

// serveUntil serves until ctx ends, ends the streams, and lets other requests under way come to
// their ends.
func serveUntil(ctx context.Context, s *http.Server, listener net.Listener, endStreams func()) error {
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.RegisterOnShutdown(endStreams)
	const patience = 5 * time.Second
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if s.Shutdown(closing) != nil {
		_ = s.Close() // those under way are taken up again
	}
	return nil
}
