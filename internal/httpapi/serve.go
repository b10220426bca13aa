package httpapi

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

	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// ServerFile is the file in the data folder where a running server says how it is reached. Only
// its owner may read it.
const ServerFile = "server.json"

// CodeServe is the code for a server that cannot begin.
const CodeServe = "SERVE_FAILED"

// Errors of an address to listen on.
var (
	// ErrNoAddress: it is no address with a port.
	ErrNoAddress = errors.New("it is no address with a port")
	// ErrReachable: others can reach it, and nothing before it speaks TLS.
	ErrReachable = errors.New("it can be reached from other machines, and what is sent there could be read on the way")
)

// Address reads an address to listen on. proxied: something before it speaks TLS, so that it may
// be one that other machines reach. The error is ErrNoAddress or ErrReachable.
func Address(text string, proxied bool) (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(text)
	switch {
	case err != nil:
		return at, ErrNoAddress
	case !at.Addr().IsLoopback() && !proxied:
		return at, ErrReachable
	}
	return at, nil
}

// Known is how a server is reached, as its file says it.
type Known struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// ServerOptions say where a server listens.
type ServerOptions struct {
	// Address as Address gives it.
	Address netip.AddrPort
	// Hosts and Origins are those of the Guard.
	Hosts, Origins []string
	// Person is the name of whoever has the token of the server.
	Person string
	// Folder is where ServerFile is written; "" writes none.
	Folder string
}

// Server is a surface that is reached over the network.
type Server struct {
	*API
	Known Known
	// Page is the address that lets a browser in once.
	Page string
	// File is the path of ServerFile; "" for none.
	File string

	listener net.Listener
	http     *http.Server
}

// Listen makes a surface that is reached at an address. o.Guard is made here. Requests are taken
// up by Serve. The error has CodeServe where the address cannot be had.
func Listen(ctx context.Context, s ServerOptions, o Options) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", s.Address.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &tool.Error{Code: CodeServe, Message: fmt.Sprintf("%s is in use. Is there a server of another data folder? Else take another port; 0 takes a free one: 127.0.0.1:0", s.Address), Cause: err}
	}
	if err != nil {
		return nil, &tool.Error{Code: CodeServe, Message: fmt.Sprintf("Nobody can listen on %s: %s.", s.Address, err), Cause: err}
	}
	out := &Server{
		Known:    Known{URL: "http://" + reachedAt(listener.Addr().String()), Token: rand.Text(), PID: os.Getpid(), Version: o.Version},
		listener: listener,
	}
	o.Guard = &Guard{
		Hosts: s.Hosts, Origins: s.Origins, PersonToken: out.Known.Token, Person: s.Person,
		Token: func(ctx context.Context, hash string) (Who, bool, error) {
			token, ok, err := o.Engine.TokenOf(ctx, hash)
			return Who{Name: token.Name, Tools: token.Tools}, ok, err //nolint:wrapcheck // the guard words it
		},
	}
	out.API = New(o)
	out.http = NewServer(out.Handler())
	base := out.Known.URL
	if o.Proxied && len(s.Hosts) > 0 {
		base = "https://" + s.Hosts[0]
	}
	page, _ := out.NewLogin()
	out.Page = base + page
	if s.Folder != "" {
		out.File = filepath.Join(s.Folder, ServerFile)
	}
	return out, nil
}

// reachedAt is where a server is reached on this machine that listens on an address, which may
// mean all of them.
func reachedAt(listens string) string {
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

// Serve writes the file, tells that the server is ready, and takes requests up until ctx ends.
// Then it ends the streams, lets other requests under way come to their ends, and takes the file
// away. ready is nil where nobody need be told.
func (s *Server) Serve(ctx context.Context, ready func()) error {
	forget, err := s.announce()
	if err != nil {
		return err
	}
	defer forget()
	ended := make(chan error, 1)
	go func() { ended <- s.http.Serve(s.listener) }()
	if ready != nil {
		ready()
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.http.RegisterOnShutdown(s.API.Close)
	const patience = 5 * time.Second
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if s.http.Shutdown(closing) != nil {
		_ = s.http.Close() // those under way are taken up again
	}
	return nil
}

// Close ends a server that does not serve, or not any more.
func (s *Server) Close() {
	s.API.Close()
	_ = s.listener.Close() // it may be closed already
}

// announce writes the file, and gives what takes it away.
func (s *Server) announce() (forget func(), err error) {
	if s.File == "" {
		return func() {}, nil
	}
	text, err := json.Marshal(s.Known)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", ServerFile, err)
	}
	const onlyOwner = 0o600
	_ = os.Remove(s.File) // so that its mode is ours
	if err := os.WriteFile(s.File, text, onlyOwner); err != nil {
		return nil, &tool.Error{Code: CodeServe, Message: fmt.Sprintf("The file %s cannot be written.", visible.Line(s.File)), Cause: err}
	}
	return func() {
		if now, err := os.ReadFile(s.File); err == nil && string(now) == string(text) {
			_ = os.Remove(s.File)
		}
	}, nil
}
