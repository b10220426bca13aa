package toolsmith

import (
	"context"
	"errors"
	"fmt"

	"toolsmith/internal/httpapi"
	"toolsmith/tool"
)

// httpVersion is what programs are told that they speak with.
const httpVersion = "go"

// ListenOptions say how programs reach a runtime over HTTP. The zero value listens on this machine
// alone, as toolsmith serve does.
type ListenOptions struct {
	// Address and port; port 0 takes a free one. Default: 127.0.0.1:7420.
	Address string
	// BehindProxy: something before it speaks TLS, so that Address may be one that other machines
	// reach.
	BehindProxy bool
	// Hosts are further names under which it is reached, such as "tools.example.com".
	Hosts []string
	// Origins are pages of others that may ask, such as "http://localhost:5173".
	Origins []string
	// Ready is called once it answers; nil where nobody need know.
	Ready func(Listening)
}

// Listening is how a runtime is reached.
type Listening struct {
	// URL of its HTTP API, and Token with which the person asks. Both are in the file server.json
	// of the data folder too.
	URL, Token string
	// Page is an address that lets a browser in once, within five minutes.
	Page string
}

// Listen is Serve, and answers programs over HTTP until ctx ends: the tools that are registered are
// called there like all others, and programs may supply tools of theirs through ports. Everything
// that can be asked stands in the OpenAPI document at /resources/peers/local/api. A runtime listens
// once at a time. The error has the code SERVE_FAILED where it cannot.
func (r *Runtime) Listen(ctx context.Context, o ListenOptions) error {
	if o.Address == "" {
		o.Address = "127.0.0.1:7420"
	}
	at, err := httpapi.Address(o.Address, o.BehindProxy)
	switch {
	case errors.Is(err, httpapi.ErrNoAddress):
		return &tool.Error{Code: httpapi.CodeServe, Field: "Address", Message: fmt.Sprintf("%q is no address with a port, such as 127.0.0.1:7420.", o.Address)}
	case err != nil:
		return &tool.Error{Code: httpapi.CodeServe, Field: "Address", Message: fmt.Sprintf("%s: %s. Put something before it that speaks TLS and say BehindProxy, or listen on 127.0.0.1.", at, err)}
	}
	options := httpapi.ServerOptions{Address: at, Hosts: o.Hosts, Origins: o.Origins, Person: who(), Folder: r.options.Data}
	if r.options.InMemory {
		options.Folder = ""
	}
	s, err := httpapi.Listen(ctx, options, httpapi.Options{
		Proxied: o.BehindProxy, Engine: r.engine, Worker: r.worker, Secrets: r.vault, Ports: r.ports, Version: httpVersion, NewID: r.newID, Log: r.log,
	})
	if err != nil {
		return err //nolint:wrapcheck // it has its code
	}
	defer s.Close()
	if !r.server.CompareAndSwap(nil, s) {
		return &tool.Error{Code: httpapi.CodeServe, Message: "This runtime listens already."}
	}
	defer r.server.Store(nil)
	if _, err := r.worker.ResumeAll(ctx, r.observe); err != nil {
		return fmt.Errorf("take up runs: %w", err)
	}
	return s.Serve(ctx, func() { //nolint:wrapcheck // it says what it is
		if o.Ready != nil {
			o.Ready(Listening{URL: s.Known.URL, Token: s.Known.Token, Page: s.Page})
		}
	})
}
