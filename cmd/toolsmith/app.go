package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"toolsmith/internal/capability"
	"toolsmith/internal/compile"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/logs"
	"toolsmith/internal/port"
	"toolsmith/internal/runner/native"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/scrub"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// app is one invocation of the command: its streams, its flags, and what it opened.
type app struct {
	args      []string
	in        io.Reader
	out       *stream
	errOut    *stream
	json      bool
	dataDir   string
	style     style
	catalogue *tool.Catalogue
	newID     func() string
	store     store.Store
	works     *worker.Worker
	vault     *secret.Vault
	// ports are those of programs that supply tools; nil where there is no server.
	ports   *port.Hub
	toolbox func() *engine.Toolbox
	// standIn: the store is an empty one in memory, since there is none on disk yet.
	standIn bool
	// said: the command has printed its one JSON document.
	said bool
	// typed are the lines that a person types, once somebody has begun to read them.
	typed chan string
	// stale: the last question was settled elsewhere, while an answer may have been typed.
	stale  bool
	typing sync.Once
	// terminal is where a person sees a question although errOut goes elsewhere.
	terminal func() (out io.Writer, done func())
	// scripts runs tools in code, and sources checks files; both make what they need when it is needed
	// for the first time.
	scripts func() *script.Runner
	sources func() *compile.Checker
	// server is the one that does this command; nil where it is done in this process.
	server *app
	// zone is that of whoever typed the command.
	zone *time.Location
	// workdir is where files with a relative name are; "" is that of the process.
	workdir string
	// ended is closed at the end of the command.
	ended chan struct{}
}

func newApp(in io.Reader, out, errOut io.Writer) *app {
	a := dressed(in, out, errOut, styleFor(errOut, out))
	a.catalogue, a.newID = capability.Builtin(), local.NewIDs(time.Now)
	a.toolbox = sync.OnceValue(func() *engine.Toolbox { return builtinTools(a.catalogue) })
	a.scripts, a.sources = sync.OnceValue(a.newScripts), sync.OnceValue(a.newSources)
	a.terminal = a.ownTerminal
	return a
}

// dressed is an invocation with its streams, and nothing else.
func dressed(in io.Reader, out, errOut io.Writer, dress style) *app {
	return &app{
		in: in, out: &stream{raw: out, own: dress.sequences()}, errOut: &stream{raw: errOut, own: dress.sequences()}, style: dress,
		ended: make(chan struct{}), zone: time.Local,
	}
}

// closeTime is how long calls under way are waited for at the end of a command.
const closeTime = 5 * time.Second

const longHelp = `Toolsmith makes, checks and runs tools for AI agents.

A tool is a .talostool file, a flow of steps over what this machine can do, or
TypeScript or JavaScript (.ts, .js), which runs in a sandbox. It is checked before
it installs, shows what it may do, and stays off until you turn it on. Everything
is kept in one data folder on this machine.`

// command builds the tree of commands.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use: "toolsmith", Short: "Make, check and run tools for AI agents", Long: longHelp,
		Example: `  toolsmith check my-tool.talostool          find everything that is wrong with it
  toolsmith try my-tool.talostool            run it dry: nothing is written
  toolsmith run my-tool.talostool            see what it may do, then run it
  toolsmith install my-tool.talostool        keep it (off until you turn it on)
  toolsmith enable dynamic:my-tool           turn it on
  toolsmith run summarize.ts                 the same, with a tool in TypeScript`,
		SilenceErrors: true, SilenceUsage: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("there is no command %q.%s", args[0], suggest(cmd, args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%s. See: %s --help", flagMessage(err), cmd.CommandPath())
	})
	root.PersistentPreRunE = a.forward
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON document on standard output, and nothing else there")
	root.PersistentFlags().StringVar(&a.dataDir, "data", "", "the data `folder` (default: $TOOLSMITH_DATA, else the platform's data folder)")
	root.AddGroup(&cobra.Group{ID: "make", Title: "Making tools:"}, &cobra.Group{ID: "keep", Title: "Keeping tools:"},
		&cobra.Group{ID: "use", Title: "Using tools:"}, &cobra.Group{ID: "allow", Title: "Deciding what may run:"},
		&cobra.Group{ID: "more", Title: "More:"})
	group := func(id string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	group("make", a.checkCommand(), a.tryCommand(), a.capabilitiesCommand())
	group("keep", a.installCommand(), a.enableCommand(), a.disableCommand(), a.rollbackCommand(), a.removeCommand(),
		a.exportCommand(), a.toolsCommand(), a.versionsCommand(), a.diffCommand(), a.auditCommand(), a.secretsCommand())
	group("use", a.runCommand(), a.runsCommand(), a.treeCommand(), a.cancelCommand(), a.resumeCommand(), a.dataCommand(), a.serveCommand(), a.openCommand())
	group("allow", a.consentsCommand(), a.allowCommand(), a.denyCommand(), a.grantsCommand(), a.revokeCommand(),
		a.settingsCommand(), a.tokensCommand(), a.stopCommand(), a.startCommand())
	group("more", a.versionCommand())
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	return root
}

// flagMessage takes the words of the Go library for a number out of an error of a flag, which
// quotes what was typed.
func flagMessage(err error) string {
	message, _, isNumber := strings.Cut(err.Error(), ": strconv.")
	if isNumber {
		message += ": it has to be a whole number"
	}
	return visible.Line(message)
}

func suggest(cmd *cobra.Command, word string) string {
	if near := nearCommand(cmd, word); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return " See: toolsmith --help"
}

// nearCommand gives the command below cmd that was probably meant; "" where none is near.
func nearCommand(cmd *cobra.Command, word string) string {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return near[0]
	}
	return ""
}

// folder is the data folder that is meant.
func (a *app) folder() string {
	switch {
	case a.server != nil:
		return a.server.folder()
	case a.dataDir != "":
		return a.dataDir
	case os.Getenv("TOOLSMITH_DATA") != "":
		return os.Getenv("TOOLSMITH_DATA")
	}
	return filepath.Join(xdg.DataHome, "toolsmith")
}

// open opens the store, making it where it does not exist yet.
func (a *app) open(ctx context.Context) (store.Store, error) {
	if a.store != nil {
		return a.store, nil
	}
	s, err := sqlite.Open(ctx, a.folder())
	if err != nil {
		return nil, err
	}
	a.store = s
	a.vault = a.newVault(s, secret.InFolder(a.folder(), secret.RingFor(os.Getenv("TOOLSMITH_KEYRING"))))
	return s, nil
}

// newVault makes the vault over a store. It asks for no key before a secret is used.
func (a *app) newVault(s store.Store, keys secret.Keys) *secret.Vault {
	e := a.engine(s)
	return secret.New(secret.Options{
		Store: s, Keys: keys, Who: who(), Audit: e.AuditSecrets})
}

// look opens the store for reading. Where there is none yet it makes none: it gives an
// empty one that lives in memory.
func (a *app) look(ctx context.Context) (store.Store, error) {
	if a.store != nil {
		return a.store, nil
	}
	there, err := sqlite.Exists(a.folder())
	if err != nil {
		return nil, err
	}
	if there {
		return a.open(ctx)
	}
	s, err := sqlite.OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	a.store, a.standIn = s, true
	a.vault = a.newVault(s, secret.InMemory())
	return s, nil
}

// upgrade opens the store for changing, also when an empty one in memory stood in for it.
func (a *app) upgrade(ctx context.Context) (store.Store, error) {
	if a.store != nil && a.standIn {
		if err := a.store.Close(); err != nil {
			return nil, fmt.Errorf("close the empty store: %w", err)
		}
		a.store, a.standIn = nil, false
	}
	return a.open(ctx)
}

func (a *app) close() {
	close(a.ended)
	if a.server != nil { // whose worker and store it has used
		return
	}
	a.endWorker()
	if a.store != nil {
		_ = a.store.Close() // nothing is lost: what was acknowledged is on disk
	}
}

// endWorker waits for the calls under way, for a while.
func (a *app) endWorker() {
	if a.works == nil {
		return
	}
	ended, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = a.works.Close(ended) // what it leaves is taken up again
}

func (a *app) engine(s store.Store) *engine.Engine {
	return engine.New(engine.Options{Store: s, Catalogue: a.catalogue, Toolbox: a.toolbox(), NewID: a.newID, Who: who(), From: "terminal", Checker: a.sources()})
}

// worker gives the worker of this invocation over a store.
func (a *app) worker(s store.Store) *worker.Worker {
	if a.works == nil || a.works.Store != s {
		o := worker.Options{Store: s, Engine: a.engine(s), Vault: a.vault, Scripts: a.scripts(), NewID: a.newID, Log: a.log()}
		if a.ports != nil {
			o.Ports = a.ports
		}
		a.works = worker.New(o)
	}
	return a.works
}

// builtinTools are the capabilities and the tools that every Toolsmith has. They are part of
// the program: where they cannot be made, every build is broken.
func builtinTools(catalogue *tool.Catalogue) *engine.Toolbox {
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		panic(err)
	}
	list, err := native.Builtin(time.Now)
	if err != nil {
		panic(err)
	}
	for _, t := range list {
		if err := box.Register(t); err != nil {
			panic(err)
		}
	}
	return box
}

// log takes the private causes of failures, which no result shows.
func (a *app) log() *slog.Logger {
	return slog.New(logs.Handler(slog.NewTextHandler(a.errOut, nil), func() *scrub.Scrubber {
		if a.vault == nil {
			return nil
		}
		return a.vault.Scrubber()
	}))
}

// reading gives an engine for commands that only look.
func (a *app) reading(ctx context.Context) (*engine.Engine, error) {
	s, err := a.look(ctx)
	if err != nil {
		return nil, err
	}
	return a.engine(s), nil
}

// changing gives an engine for commands that change something.
func (a *app) changing(ctx context.Context) (*engine.Engine, error) {
	s, err := a.upgrade(ctx)
	if err != nil {
		return nil, err
	}
	return a.engine(s), nil
}

// who names the person at the terminal for the audit.
func who() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}

// interactive reports whether a person sits at the terminal and can be asked.
func (a *app) interactive() bool { return isTerminal(a.in) }

// question gives the place where a question is seen: standard error, or the terminal
// itself where standard error goes elsewhere.
func (a *app) question() (out io.Writer, done func()) {
	if isTerminal(a.errOut) {
		return a.errOut, func() {}
	}
	return a.terminal()
}

// ownTerminal is the terminal of this process, or standard error where there is none.
func (a *app) ownTerminal() (out io.Writer, done func()) {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return a.errOut, func() {}
	}
	return &stream{raw: tty, own: a.style.sequences()}, func() { _ = tty.Close() }
}
