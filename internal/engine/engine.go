// Package engine is the one door in: what people and programs want of Toolsmith is a verb
// here, whatever surface they come through. It keeps no state of its own; it decides
// whether something may happen and has it done in one transaction.
package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/local"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// Options are what an engine needs.
type Options struct {
	// Store is where everything is kept; required.
	Store store.Store
	// Catalogue of capabilities that tools are checked against; required.
	Catalogue *tool.Catalogue
	// Toolbox holds what can be called beside the installed tools; nil is only for engines
	// that call nothing.
	Toolbox *Toolbox
	// Now tells the time; nil is the real one.
	Now func() time.Time
	// NewID makes ids of records; required.
	NewID func() string
	// Who acts, and From where, for the audit: "terminal", "mcp", or the name of a program.
	Who, From string
	// Agent: whoever acts is no person, and may not decide what may run.
	Agent bool
	// Wait is how long an answer is waited for; 0 is consent.DefaultWait.
	Wait time.Duration
	// MaxTools is how many tools may be installed; 0 is registry.DefaultMaxTools.
	MaxTools int
	// Checker reads files; nil is for engines that know manifests only.
	Checker Checker
}

// Checker checks the text of a file: a manifest, or the source of coded tools, of which it gives
// one result each. Where the source as a whole is at fault there is one result without a tool. The
// error is for what keeps the text from being checked.
type Checker interface {
	Check(ctx context.Context, file string, text []byte) ([]check.Result, error)
}

// Engine holds the verbs. It may be used from many goroutines at once.
type Engine struct {
	o Options
	// known is what was last read of the policy and the grants.
	known *known
	// offered is what could be called when it was last asked for.
	offered *offered
	// checks are those of texts that are kept.
	checks *checks
}

// Actor is who does something, where it is not whoever the engine was made for: somebody who
// asks through a surface that serves many.
type Actor struct {
	// Who acts, and From where, as in Options.
	Who, From string
	// Agent: whoever acts is no person, and may not decide what may run.
	Agent bool
}

type actorKey struct{}

// ActAs makes a context in which somebody acts.
func ActAs(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// actor is who acts. Whoever the engine was made for as an agent stays one.
func (e *Engine) actor(ctx context.Context) Actor {
	actor, ok := ctx.Value(actorKey{}).(Actor)
	if !ok {
		actor = Actor{Who: e.o.Who, From: e.o.From}
	}
	actor.Agent = actor.Agent || e.o.Agent
	return actor
}

// New makes an engine.
func New(o Options) *Engine {
	if o.Wait == 0 {
		o.Wait = consent.DefaultWait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Engine{o, &known{}, &offered{}, newChecks(o.Catalogue)}
}

// InvalidError is returned for a file that does not pass the check.
type InvalidError struct {
	// Diagnostics are complete and in the order of the text.
	Diagnostics []manifest.Diagnostic
}

// Error tells how many errors there are, and the first.
func (e *InvalidError) Error() string {
	errs, first := manifest.Errors(e.Diagnostics), ""
	if len(errs) > 0 {
		first = fmt.Sprintf("%s at %s: %s", errs[0].Code, errs[0].Path, errs[0].Message)
	}
	return fmt.Sprintf("the file has %d errors; the first: %s", len(errs), first)
}

func (e *Engine) registry(ctx context.Context, tx store.Tx) *registry.Registry {
	actor := e.actor(ctx)
	return &registry.Registry{
		Names: e.names, Store: tx.Registry(), Catalogue: e.o.Catalogue, Kept: e.checks.kept, Now: e.o.Now, Who: actor.Who, From: actor.From, MaxTools: e.o.MaxTools,
		SecretNames: func(ctx context.Context, namespace string) (names []string, err error) {
			list, err := tx.Secrets().List(ctx, namespace)
			for _, s := range list {
				names = append(names, s.Name)
			}
			return names, err
		},
	}
}

// names are those of the tools that are part of the program.
func (e *Engine) names() []string {
	if e.o.Toolbox == nil {
		return nil
	}
	return e.o.Toolbox.Names()
}

// read and write run fn over the registry in one transaction.
func (e *Engine) read(ctx context.Context, fn func(*registry.Registry) error) error {
	return e.o.Store.Read(ctx, func(tx store.Tx) error { return fn(e.registry(ctx, tx)) })
}

func (e *Engine) write(ctx context.Context, fn func(*registry.Registry) error) error {
	return e.keep(ctx, func(tx store.Tx) error { return fn(e.registry(ctx, tx)) })
}

// keep changes what is installed, and tells those who watch.
func (e *Engine) keep(ctx context.Context, fn func(store.Tx) error) error {
	err := e.o.Store.Write(ctx, fn)
	if err == nil && e.o.Toolbox != nil {
		e.o.Toolbox.touch()
	}
	return err
}

// Check checks the text of a file: a manifest, or, by the ending of its name, the source of coded
// tools. file "" is a manifest.
func (e *Engine) Check(ctx context.Context, file string, text []byte) ([]check.Result, error) {
	if e.o.Checker == nil {
		return []check.Result{check.Run(text, e.o.Catalogue)}, nil
	}
	return e.o.Checker.Check(ctx, file, text)
}

// Checked is Check for a file that is to have no fault: an *InvalidError tells all that it has. The
// warnings are those of all tools.
func (e *Engine) Checked(ctx context.Context, file string, text []byte) (tools []*check.Checked, warnings []manifest.Diagnostic, err error) {
	results, err := e.Check(ctx, file, text)
	if err != nil {
		return nil, nil, err
	}
	ok := true
	for _, r := range results {
		warnings = append(warnings, r.Diagnostics...)
		tools = append(tools, r.Tool)
		ok = ok && r.OK()
	}
	if !ok {
		return nil, nil, &InvalidError{warnings}
	}
	return tools, warnings, nil
}

// Capabilities lists what a step of a tool can call, sorted by name.
func (e *Engine) Capabilities() []tool.Capability { return e.o.Catalogue.All() }

// Install keeps checked tools, each as the active version of its name, off: all of them, or none.
func (e *Engine) Install(ctx context.Context, tools ...*check.Checked) (done []registry.Installed, err error) {
	err = e.write(ctx, func(r *registry.Registry) error {
		done = nil
		for _, c := range tools {
			one, err := r.Install(ctx, c)
			if err != nil {
				return err
			}
			done = append(done, one)
		}
		return nil
	})
	return done, err
}

// get gives an installed tool by a name that somebody wrote.
func get(ctx context.Context, r *registry.Registry, name string) (registry.Entry, error) {
	id, err := r.IDOf(ctx, name)
	if err != nil {
		return registry.Entry{}, err
	}
	return r.Get(ctx, id)
}

// Enable turns a tool on; changed is false if it was on. name may have the prefix
// "dynamic:" or not, here and in every other verb.
func (e *Engine) Enable(ctx context.Context, name string) (entry registry.Entry, changed bool, err error) {
	err = e.write(ctx, func(r *registry.Registry) error {
		id, err := r.IDOf(ctx, name)
		if err != nil {
			return err
		}
		entry, changed, err = r.Enable(ctx, id)
		return err
	})
	return entry, changed, err
}

// Disable turns a tool off; changed is false if it was off.
func (e *Engine) Disable(ctx context.Context, name string) (entry registry.Entry, changed bool, err error) {
	err = e.write(ctx, func(r *registry.Registry) error {
		id, err := r.IDOf(ctx, name)
		if err != nil {
			return err
		}
		entry, changed, err = r.Disable(ctx, id)
		return err
	})
	return entry, changed, err
}

// Rollback makes another kept version the active one, off: the one before (to 0), or the
// one named.
func (e *Engine) Rollback(ctx context.Context, name string, to int64) (entry registry.Entry, from int64, err error) {
	err = e.write(ctx, func(r *registry.Registry) error {
		id, err := r.IDOf(ctx, name)
		if err != nil {
			return err
		}
		entry, from, err = r.Rollback(ctx, id, to)
		return err
	})
	return entry, from, err
}

// Remove takes a tool away, with what it remembers between runs and its secrets. The audit
// stays.
func (e *Engine) Remove(ctx context.Context, name string) (removed registry.Tool, err error) {
	err = e.keep(ctx, func(tx store.Tx) error {
		id, err := e.registry(ctx, tx).IDOf(ctx, name)
		if err != nil {
			return err
		}
		if err := inUse(ctx, tx, check.ToolName(id)); err != nil {
			return err
		}
		if err := e.dropSecrets(ctx, tx, id); err != nil {
			return err
		}
		if removed, err = e.registry(ctx, tx).Remove(ctx, id); err != nil {
			return err
		}
		if err := tx.Runs().DropState(ctx, id); err != nil {
			return fmt.Errorf("drop state: %w", err)
		}
		if err := tx.Runs().DropBreakers(ctx, id); err != nil {
			return fmt.Errorf("drop breakers: %w", err)
		}
		return nil
	})
	return removed, err
}

// Tool gives one installed tool.
func (e *Engine) Tool(ctx context.Context, name string) (entry registry.Entry, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		entry, err = get(ctx, r, name)
		return err
	})
	return entry, err
}

// Tools lists the installed tools, sorted by id.
func (e *Engine) Tools(ctx context.Context) (list []registry.Entry, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		list, err = r.List(ctx)
		return err
	})
	return list, err
}

// Versions lists the kept versions of an installed tool, highest first.
func (e *Engine) Versions(ctx context.Context, name string) (entry registry.Entry, list []registry.Version, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		if entry, err = get(ctx, r, name); err != nil {
			return err
		}
		list, err = r.Versions(ctx, entry.Tool.ID, 0)
		return err
	})
	return entry, list, err
}

// Export gives the text of a kept version: the active one for number 0. A removed tool's
// last version can be had too, until a tool with its id is installed.
func (e *Engine) Export(ctx context.Context, name string, number int64) (version registry.Version, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		id, err := r.IDOf(ctx, name)
		if err != nil {
			return err
		}
		entry, err := r.Get(ctx, id)
		if errors.Is(err, &tool.Error{Code: registry.CodeNotFound}) {
			return e.exportRemoved(ctx, r, id, number, &version, err)
		}
		if err != nil {
			return err
		}
		if number == 0 {
			version = entry.Version
			return nil
		}
		version, err = r.Version(ctx, id, number)
		return err
	})
	return version, err
}

func (e *Engine) exportRemoved(ctx context.Context, r *registry.Registry, id string, number int64, version *registry.Version, notFound error) error {
	kept, err := r.Versions(ctx, id, 0)
	if err != nil {
		return fmt.Errorf("read versions: %w", err)
	}
	for _, v := range kept { // highest first
		if number == 0 || v.Version == number {
			*version = v
			return nil
		}
	}
	return notFound
}

// Difference is two versions of a tool side by side.
type Difference struct {
	From, To registry.Version
	// Facts of the difference; nil where one of the two no longer passes the check.
	Facts *registry.Diff
}

// Diff compares two kept versions. With to 0 it is the active one; with from 0 it is the
// one before to.
func (e *Engine) Diff(ctx context.Context, name string, from, to int64) (d Difference, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		entry, err := get(ctx, r, name)
		if err != nil {
			return err
		}
		if to == 0 {
			to = entry.Tool.Active
		}
		if d.To, err = r.Version(ctx, entry.Tool.ID, to); err != nil {
			return err
		}
		if d.From, err = e.earlier(ctx, r, entry.Tool.ID, from, to); err != nil {
			return err
		}
		a, b := e.checks.kept(d.From.Text), e.checks.kept(d.To.Text)
		if a.OK() && b.OK() {
			facts := registry.Compare(a.Tool.Numbered(d.From.Version), b.Tool.Numbered(d.To.Version))
			d.Facts = &facts
		}
		return nil
	})
	return d, err
}

func (e *Engine) earlier(ctx context.Context, r *registry.Registry, id string, from, to int64) (registry.Version, error) {
	if from != 0 {
		return r.Version(ctx, id, from)
	}
	v, ok, err := r.Before(ctx, id, to)
	if err != nil || ok {
		return v, err
	}
	return registry.Version{}, &tool.Error{Code: registry.CodeVersionNotFound, Message: fmt.Sprintf(
		"There is no version before version %d to compare with.", to)}
}

// Pin gives the tool that a call under a name would run now: installed, on, passing the
// check and with all that it needs.
func (e *Engine) Pin(ctx context.Context, name string) (*check.Checked, error) {
	entry, err := e.Tool(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := entry.Obstacle(); err != nil {
		return nil, err
	}
	if !entry.Tool.Enabled {
		return nil, &tool.Error{Code: registry.CodeOff, Message: fmt.Sprintf("%q is off. Look at it with: toolsmith tools %s. Turn it on with: toolsmith enable %s",
			entry.Checked.Title(), entry.Name(), entry.Name())}
	}
	return entry.Checked, nil
}

// Look reads the person's own records in one transaction.
func (e *Engine) Look(ctx context.Context, fn func(*local.Book) error) error {
	return e.o.Store.Read(ctx, func(tx store.Tx) error { return fn(e.book(tx)) })
}

// Change changes the person's own records in one transaction.
func (e *Engine) Change(ctx context.Context, fn func(*local.Book) error) error {
	return e.o.Store.Write(ctx, func(tx store.Tx) error { return fn(e.book(tx)) })
}

func (e *Engine) book(tx store.Tx) *local.Book { return local.NewBook(tx.Local(), e.o.Now, e.o.NewID) }
