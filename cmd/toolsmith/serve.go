package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"toolsmith/internal/console"
	"toolsmith/internal/httpapi"
	"toolsmith/internal/port"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

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
	at, err := httpapi.Address(o.listen, o.proxied)
	switch {
	case errors.Is(err, httpapi.ErrNoAddress):
		return usage("--listen has to be an address with a port, such as 127.0.0.1:7420; this is %q", visible.Cut(o.listen, 100))
	case err != nil:
		return usage("--listen %s: %s. Put something before it that speaks TLS and say --behind-proxy, or listen on 127.0.0.1", at, err)
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
	var s *httpapi.Server
	a.ports = port.NewHub(port.Options{
		Tools: a.engine(st), Version: version,
		Call: func(ctx context.Context, r port.CallRequest) (port.CallResult, error) { return s.CallOfPort(ctx, r) },
	})
	w := a.worker(st)
	s, err = httpapi.Listen(ctx, httpapi.ServerOptions{Address: at, Hosts: o.hosts, Origins: o.origins, Person: who(), Folder: a.folder()}, httpapi.Options{
		Proxied: o.proxied, Engine: w.Engine, Worker: w, Secrets: a.vault, Ports: a.ports, Version: version, NewID: a.newID, Log: a.log(),
	})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := w.Start(ctx); err != nil {
		return err
	}
	if _, err := w.ResumeAll(ctx, nil); err != nil {
		return err
	}
	if socket != nil {
		go commands.Serve(socket)
	}
	err = s.Serve(ctx, func() { a.announce(s) })
	a.endWorker() // so that commands see that their runs are left, and do not cancel them
	return err
}

// announce tells people, or a program that reads the output, how the server is reached.
func (a *app) announce(s *httpapi.Server) {
	if a.json {
		a.printJSON(map[string]any{"url": s.Known.URL, "file": s.File, "open": s.Page})
		return
	}
	a.print("Toolsmith is ready at %s", s.Known.URL)
	a.say("Open it once in your browser, within five minutes: %s", s.Page)
	a.say("Your token is in %s. End with Ctrl-C.", visible.Line(s.File))
}

// holdFolder makes the socket through which commands come; nil where there can be none.
func (a *app) holdFolder(ctx context.Context) (net.Listener, error) {
	socket, err := console.Listen(ctx, a.folder())
	switch {
	case errors.Is(err, console.ErrHeld):
		return nil, &tool.Error{Code: httpapi.CodeServe, Message: fmt.Sprintf("A server holds the data folder %s already. End it first, or name another folder with --data.", visible.Line(a.folder()))}
	case errors.Is(err, console.ErrTooLong):
		a.say("The path of the data folder is too long for a socket, so that commands do not go through this server.")
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, &tool.Error{Code: httpapi.CodeServe, Message: fmt.Sprintf("The data folder %s cannot be held for the server.", visible.Line(a.folder())), Cause: err}
	}
	return socket, nil
}
