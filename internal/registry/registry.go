package registry

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// Codes of the errors of this package.
const (
	// CodeNotFound: no tool with this id is installed.
	CodeNotFound = "TOOL_NOT_FOUND"
	// CodeVersionNotFound: the tool has no such version.
	CodeVersionNotFound = "TOOL_VERSION_NOT_FOUND"
	// CodeVersionNotNewer: what is to be installed is not above what is there.
	CodeVersionNotNewer = "FORGE_VERSION_NOT_NEWER"
	// CodeNameTaken: another tool's name would read as the same.
	CodeNameTaken = check.CodeNameTaken
	// CodeTooMany: no more tools may be installed.
	CodeTooMany = "FORGE_TOO_MANY_TOOLS"
	// CodeOff: the tool is off.
	CodeOff = "TOOL_OFF"
	// CodeBroken: what is kept of the tool no longer passes the check.
	CodeBroken = "TOOL_BROKEN"
	// CodeCredentials: a key or an account that the tool needs is not there.
	CodeCredentials = "TOOL_CREDENTIALS_MISSING"
)

// DefaultMaxTools is how many tools may be installed.
const DefaultMaxTools = 1000

// The actions that an audit line may tell of.
const (
	ActionInstall  = "install"
	ActionEnable   = "enable"
	ActionDisable  = "disable"
	ActionRollback = "rollback"
	ActionRemove   = "remove"
	// ActionApprove is of lines from before there were questions and grants.
	ActionApprove = "approve"
	ActionAllow   = "allow"
	ActionDeny    = "deny"
	ActionGrant   = "grant"
	ActionRevoke  = "revoke"
	ActionSet     = "set"
	ActionUnset   = "unset"
	ActionStop    = "stop"
	ActionStart   = "start"
	// ActionRenewHead is about the audit itself: a person had its file written anew.
	ActionRenewHead = "renew-head"
	// Programs are let in, or no more; the detail is the name of the token.
	ActionTokenAdd    = "token-add"
	ActionTokenRemove = "token-remove"
	// The detail of these is the name of the secret.
	ActionSecretSet    = "secret-set"
	ActionSecretDelete = "secret-delete"
)

// Registry applies the rules within one transaction of a store.
type Registry struct {
	Store
	// Catalogue that tools are checked against.
	Catalogue *tool.Catalogue
	// Kept checks a text that is kept, perhaps without doing it again; nil is check.Kept.
	Kept func(text []byte) check.Result
	// Now tells the time.
	Now func() time.Time
	// Who, and From where, is written into the audit.
	Who, From string
	// MaxTools is how many tools may be installed; 0 is DefaultMaxTools.
	MaxTools int
	// Names gives those of the tools that are part of the program; nil for none. No installed
	// tool may be called like one of them, nor like a capability of the catalogue.
	Names func() []string
	// SecretNames looks up which secrets there are in a namespace; nil for none anywhere.
	SecretNames func(ctx context.Context, namespace string) ([]string, error)
}

// Entry is an installed tool as it is now.
type Entry struct {
	Tool Tool
	// Version that is active.
	Version Version
	// Checked is nil where the kept text no longer passes the check.
	Checked *check.Checked
	// Diagnostics of the kept text.
	Diagnostics []manifest.Diagnostic
	// Secrets are the names of those that the tool has; looked up only for a tool that needs
	// credentials.
	Secrets []string
}

// Name under which the tool is called.
func (e Entry) Name() string { return check.ToolName(e.Tool.ID) }

// Obstacle says why the tool cannot run even when it is on; nil where nothing stands in
// its way.
func (e Entry) Obstacle() error {
	if e.Checked == nil {
		return &tool.Error{Code: CodeBroken, Message: fmt.Sprintf(
			"Version %d of %s no longer passes the check, so it cannot run. Install a mended version or roll back.", e.Tool.Active, e.Name())}
	}
	return MissingCredentials(e.Checked, e.HasSecret)
}

// IDOf gives the id that a tool has here, whose name somebody wrote: with the prefix "dynamic:" or
// without, or that of a coded tool. Where there is no such tool, it is one that was removed, or the
// id that a manifest would have.
func (r *Registry) IDOf(ctx context.Context, name string) (string, error) {
	if id, ok := strings.CutPrefix(name, check.NamePrefix); ok {
		return id, nil
	}
	inCode := check.CodedPrefix + name
	for _, id := range []string{inCode, name} {
		_, installed, err := r.Tool(ctx, id)
		if err != nil {
			return "", fmt.Errorf("read tool %s: %w", id, err)
		}
		if installed {
			return id, nil
		}
	}
	lines, err := r.AuditLines(ctx, inCode, 1)
	if err != nil {
		return "", fmt.Errorf("read the audit of %s: %w", name, err)
	}
	if len(lines) > 0 {
		return inCode, nil
	}
	return name, nil
}

// Get gives an installed tool, checked again. The error has CodeNotFound if there is none.
func (r *Registry) Get(ctx context.Context, id string) (Entry, error) {
	row, ok, err := r.Tool(ctx, id)
	if err != nil {
		return Entry{}, fmt.Errorf("read tool %s: %w", id, err)
	}
	if !ok {
		return Entry{}, notFound(id)
	}
	return r.entry(ctx, row)
}

func notFound(id string) error {
	return &tool.Error{Code: CodeNotFound, Message: fmt.Sprintf("No tool %q is installed. See all with: toolsmith tools", check.ToolName(id))}
}

func (r *Registry) entry(ctx context.Context, row Tool) (Entry, error) {
	version, err := r.Version(ctx, row.ID, row.Active)
	if err != nil {
		return Entry{}, err
	}
	result := r.check(version.Text)
	e := Entry{Tool: row, Version: version, Checked: numbered(result.Tool, version.Version), Diagnostics: result.Diagnostics}
	return e, r.lookUpSecrets(ctx, &e, 0)
}

// check checks a kept text.
func (r *Registry) check(text []byte) check.Result {
	if r.Kept != nil {
		return r.Kept(text)
	}
	return check.Kept(text, r.Catalogue)
}

// numbered gives a tool with the version under which it is kept.
func numbered(c *check.Checked, version int64) *check.Checked {
	if c == nil {
		return nil
	}
	return c.Numbered(version)
}

// Version gives one kept version, also of a tool that was removed.
func (r *Registry) Version(ctx context.Context, id string, number int64) (Version, error) {
	versions, err := r.Versions(ctx, id, number)
	if err != nil {
		return Version{}, fmt.Errorf("read versions of %s: %w", id, err)
	}
	for _, v := range versions {
		if v.Version == number {
			return v, nil
		}
	}
	return Version{}, &tool.Error{Code: CodeVersionNotFound, Message: fmt.Sprintf(
		"%q has no version %d. See all with: toolsmith versions %s", check.ToolName(id), number, check.ToolName(id))}
}

// List gives all installed tools, sorted by id.
func (r *Registry) List(ctx context.Context) ([]Entry, error) {
	rows, err := r.Tools(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	entries := make([]Entry, 0, len(rows))
	for _, row := range rows {
		e, err := r.entry(ctx, row)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Installed tells what an install did.
type Installed struct {
	Entry Entry
	// Before is the tool as it was; nil for a new one.
	Before *Entry
	// Same: this very text is active already, so nothing was changed.
	Same bool
}

// Install keeps a new version and makes it the active one, off. The versions of a coded tool are
// counted here: 1, 2, 3 and so on.
func (r *Registry) Install(ctx context.Context, c *check.Checked) (Installed, error) {
	row, exists, err := r.Tool(ctx, c.ID())
	if err != nil {
		return Installed{}, fmt.Errorf("read tool %s: %w", c.ID(), err)
	}
	var before *Entry
	if exists {
		e, err := r.entry(ctx, row)
		if err != nil {
			return Installed{}, err
		}
		if e.Version.Digest == c.Digest() {
			return Installed{Entry: e, Before: &e, Same: true}, nil
		}
		before = &e
	}
	if c, err = r.admit(ctx, c, before); err != nil {
		return Installed{}, err
	}
	if !exists {
		// Versions of a removed tool of this id were kept for export only.
		if err := r.DropVersions(ctx, c.ID()); err != nil {
			return Installed{}, fmt.Errorf("install %s: %w", c.ID(), err)
		}
	}
	now := r.Now()
	version := Version{
		ToolID: c.ID(), Version: c.Version(), Text: c.Text(), Digest: c.Digest(), InstalledAt: now, InstalledBy: r.Who,
	}
	if err := r.PutVersion(ctx, version); err != nil {
		return Installed{}, fmt.Errorf("install %s: %w", c.ID(), err)
	}
	row = Tool{ID: c.ID(), Active: c.Version(), NameKey: check.NameKey(c.ID()), ChangedAt: now}
	if err := r.PutTool(ctx, row); err != nil {
		return Installed{}, fmt.Errorf("install %s: %w", c.ID(), err)
	}
	detail := "new"
	if before != nil {
		detail = fmt.Sprintf("version %d → %d", before.Tool.Active, c.Version())
	}
	if err := r.Note(ctx, ActionInstall, c.ID(), c.Version(), detail); err != nil {
		return Installed{}, err
	}
	e := Entry{Tool: row, Version: version, Checked: c}
	err = r.lookUpSecrets(ctx, &e, 0)
	return Installed{Entry: e, Before: before}, err
}

// admit checks that a tool may be installed beside and after what is there, and gives it its version.
func (r *Registry) admit(ctx context.Context, c *check.Checked, before *Entry) (*check.Checked, error) {
	if before != nil {
		return r.newer(ctx, c)
	}
	rows, err := r.Tools(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	most := r.MaxTools
	if most == 0 {
		most = DefaultMaxTools
	}
	if len(rows) >= most {
		return nil, &tool.Error{Code: CodeTooMany, Message: fmt.Sprintf("%d tools are installed, which is the most allowed. Remove one first.", len(rows))}
	}
	return c.Numbered(1), r.nameFree(c.ID(), rows)
}

// nameFree checks that the id of a new tool cannot be taken for another tool.
func (r *Registry) nameFree(id string, rows []Tool) error {
	field, what := "$.id", "id"
	if bare := check.BareName(id); bare != id {
		id, field, what = bare, "$.name", "name"
	}
	taken := func(format string, args ...any) error {
		return &tool.Error{Code: CodeNameTaken, Field: field, Message: fmt.Sprintf(format, args...) + " Choose another " + what + "."}
	}
	for _, row := range rows {
		if why := check.ReadsAlike(id, row.ID); why != "" {
			return taken("%q reads like the installed tool %q: %s.", id, check.BareName(row.ID), why)
		}
	}
	for _, name := range r.Catalogue.Names() {
		if visible.Alike(id, name) {
			return taken("%q reads like the capability %q, which is a tool too.", id, name)
		}
	}
	if r.Names == nil {
		return nil
	}
	for _, name := range r.Names() {
		if visible.Alike(id, name) {
			return taken("%q reads like the tool %q, which is part of the program.", id, name)
		}
	}
	return nil
}

// newer checks that a version is above every one that is kept. The next version of a coded tool is.
func (r *Registry) newer(ctx context.Context, c *check.Checked) (*check.Checked, error) {
	versions, err := r.Versions(ctx, c.ID(), 0)
	if err != nil {
		return nil, fmt.Errorf("read versions of %s: %w", c.ID(), err)
	}
	highest := versions[0].Version
	_, inCode := c.Coded()
	if !inCode && c.Version() > highest {
		return c, nil
	}
	for _, v := range versions {
		if v.Digest == c.Digest() {
			return nil, &tool.Error{Code: CodeVersionNotNewer, Field: "$.version", Message: fmt.Sprintf(
				"Version %d is kept already. Go back to it with: toolsmith rollback %s --to %d", v.Version, c.Name(), v.Version)}
		}
	}
	if inCode {
		return c.Numbered(highest + 1), nil
	}
	return nil, &tool.Error{Code: CodeVersionNotNewer, Field: "$.version", Message: fmt.Sprintf(
		"Version %d is installed already, so a change needs a higher one: set \"version\" to %d or more. This says %d.", highest, highest+1, c.Version())}
}

// Enable turns a tool on. changed is false if it was on.
func (r *Registry) Enable(ctx context.Context, id string) (e Entry, changed bool, err error) {
	return r.turn(ctx, id, true)
}

// Disable turns a tool off. changed is false if it was off.
func (r *Registry) Disable(ctx context.Context, id string) (e Entry, changed bool, err error) {
	return r.turn(ctx, id, false)
}

func (r *Registry) turn(ctx context.Context, id string, on bool) (Entry, bool, error) {
	e, err := r.Get(ctx, id)
	if err != nil {
		return e, false, err
	}
	if on && e.Checked == nil {
		return e, false, e.Obstacle()
	}
	if e.Tool.Enabled == on {
		return e, false, nil
	}
	action := ActionDisable
	if on {
		action = ActionEnable
	}
	e.Tool.Enabled, e.Tool.ChangedAt = on, r.Now()
	if err := r.PutTool(ctx, e.Tool); err != nil {
		return e, false, fmt.Errorf("%s %s: %w", action, id, err)
	}
	return e, true, r.Note(ctx, action, id, e.Tool.Active, "")
}

// Rollback makes an earlier version the active one, off. to 0 is the version before the
// active one; any other is that kept version, which may also be a later one.
func (r *Registry) Rollback(ctx context.Context, id string, to int64) (now Entry, from int64, err error) {
	e, err := r.Get(ctx, id)
	if err != nil {
		return Entry{}, 0, err
	}
	from = e.Tool.Active
	if to == 0 {
		earlier, ok, err := r.Before(ctx, id, from)
		if err != nil {
			return Entry{}, 0, err
		}
		if !ok {
			return Entry{}, 0, &tool.Error{Code: CodeVersionNotFound, Message: fmt.Sprintf(
				"There is no version of %q before version %d.", e.Name(), from)}
		}
		to = earlier.Version
	}
	if to == from {
		return Entry{}, 0, &tool.Error{Code: CodeVersionNotFound, Message: fmt.Sprintf("Version %d of %s is the active one already.", to, e.Name())}
	}
	if _, err := r.Version(ctx, id, to); err != nil {
		return Entry{}, 0, err
	}
	e.Tool.Active, e.Tool.Enabled, e.Tool.ChangedAt = to, false, r.Now()
	if err := r.PutTool(ctx, e.Tool); err != nil {
		return Entry{}, 0, fmt.Errorf("roll back %s: %w", id, err)
	}
	if err := r.Note(ctx, ActionRollback, id, to, fmt.Sprintf("version %d → %d", from, to)); err != nil {
		return Entry{}, 0, err
	}
	now, err = r.entry(ctx, e.Tool)
	return now, from, err
}

// Before gives the highest kept version below a number; ok is false where there is none.
func (r *Registry) Before(ctx context.Context, id string, number int64) (v Version, ok bool, err error) {
	versions, err := r.Versions(ctx, id, 0)
	if err != nil {
		return Version{}, false, fmt.Errorf("read versions of %s: %w", id, err)
	}
	for _, v := range versions { // highest first
		if v.Version < number {
			return v, true, nil
		}
	}
	return Version{}, false, nil
}

// Remove takes a tool away. The audit stays, and the versions stay for Version until a
// tool with the same id is installed.
func (r *Registry) Remove(ctx context.Context, id string) (Tool, error) {
	row, ok, err := r.Tool(ctx, id)
	if err != nil {
		return Tool{}, fmt.Errorf("read tool %s: %w", id, err)
	}
	if !ok {
		return Tool{}, notFound(id)
	}
	if err := r.DeleteTool(ctx, id); err != nil {
		return Tool{}, fmt.Errorf("remove %s: %w", id, err)
	}
	return row, r.Note(ctx, ActionRemove, id, row.Active, "")
}

// Note adds a line to the audit.
func (r *Registry) Note(ctx context.Context, action, id string, version int64, detail string) error {
	return r.Record(ctx, AuditLine{Action: action, ToolID: id, Version: version, Detail: detail})
}

// Audited names the tool that a line of the audit is about, by its whole name; "" where it is about
// none.
func Audited(line AuditLine) string {
	switch line.Action {
	case ActionAllow, ActionDeny, ActionGrant, ActionRevoke:
		return line.ToolID // about anything that can be called, which stands there as it is called
	}
	if line.ToolID == "" || strings.Contains(check.BareName(line.ToolID), ":") { // of a port or of a program, named as a whole
		return line.ToolID
	}
	return check.ToolName(line.ToolID)
}

// Record adds a line to the audit. At, Who and From are those of the registry where the line
// leaves them empty.
func (r *Registry) Record(ctx context.Context, line AuditLine) error {
	line.Who, line.From = cmp.Or(line.Who, r.Who), cmp.Or(line.From, r.From)
	if line.At.IsZero() {
		line.At = r.Now()
	}
	if err := r.AppendAudit(ctx, line); err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	return nil
}

// At gives a tool as it was up to a line of the audit: the version that was active and on
// then, checked again. The error has CodeNotFound, CodeOff or CodeVersionNotFound where it
// could not be called.
func (r *Registry) At(ctx context.Context, id string, pin int64) (*check.Checked, error) {
	// What was in force lately is asked for most, so that the newest lines do as a rule.
	const newest = 8
	for _, limit := range []int{newest, 0} {
		lines, err := r.AuditLines(ctx, id, limit)
		if err != nil {
			return nil, fmt.Errorf("read the audit of %s: %w", id, err)
		}
		for _, line := range lines { // newest first
			if line.Seq > pin {
				continue
			}
			switch line.Action {
			case ActionEnable:
				return r.checked(ctx, id, line.Version, pin)
			case ActionInstall, ActionDisable, ActionRollback:
				return nil, &tool.Error{Code: CodeOff, Message: fmt.Sprintf("%q is off. Turn it on with: toolsmith enable %s", check.ToolName(id), check.ToolName(id))}
			case ActionRemove:
				return nil, notFound(id)
			}
		}
		if len(lines) < limit {
			break
		}
	}
	return nil, notFound(id)
}

func (r *Registry) checked(ctx context.Context, id string, number, pin int64) (*check.Checked, error) {
	version, err := r.Version(ctx, id, number)
	if err != nil {
		return nil, err
	}
	e := Entry{Tool: Tool{ID: id, Active: number}, Checked: numbered(r.check(version.Text).Tool, number)}
	if err := r.lookUpSecrets(ctx, &e, pin); err != nil {
		return nil, err
	}
	return e.Checked, e.Obstacle()
}
