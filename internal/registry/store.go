package registry

import (
	"context"
	"iter"
	"time"

	"toolsmith/internal/audit"
	"toolsmith/internal/coded"
)

// Tool is the row of an installed tool: which version of it counts, and whether it is on.
type Tool struct {
	// ID as in the manifest, without the prefix "dynamic:", or the name of a coded tool behind
	// check.CodedPrefix.
	ID string
	// Active is the version that counts now.
	Active int64
	// Enabled: a person turned this very version on.
	Enabled bool
	// NameKey is the folded name that no other tool may share (see NameKey).
	NameKey string
	// ChangedAt is when Active or Enabled last changed.
	ChangedAt time.Time
}

// Version is one kept version of a tool, with who installed it and when.
type Version struct {
	ToolID  string
	Version int64
	// Text of the manifest, byte for byte as it was given, or that under which a coded tool is kept.
	Text []byte
	// Digest is that of the checked tool.
	Digest      string
	InstalledAt time.Time
	InstalledBy string
}

// Source is the text as its author gave it: the manifest, or the source of a coded tool.
func (v Version) Source() []byte {
	if t, err := coded.Parse(v.Text); err == nil {
		return t.Source
	}
	return v.Text
}

// File is the base name of the source file of a coded tool; "" of a manifest.
func (v Version) File() string {
	t, _ := coded.Parse(v.Text)
	return t.File
}

// AuditLine is one line of the append-only audit.
type AuditLine = audit.Line

// Store is what the registry keeps, within one transaction. A missing tool or version
// is reported by ok, not by an error.
type Store interface {
	Tool(ctx context.Context, id string) (t Tool, ok bool, err error)
	// Tools lists all installed tools, sorted by id.
	Tools(ctx context.Context) ([]Tool, error)
	// PutTool inserts or replaces the row of a tool.
	PutTool(ctx context.Context, t Tool) error
	// DeleteTool removes the row; the kept versions stay until DropVersions.
	DeleteTool(ctx context.Context, id string) error

	// Versions lists the kept versions of a tool, highest first: all of them for only 0, else the one of
	// that number, if it is there.
	Versions(ctx context.Context, id string, only int64) ([]Version, error)
	// PutVersion adds a version; one that exists already is an error.
	PutVersion(ctx context.Context, v Version) error
	// DropVersions forgets all kept versions of a tool.
	DropVersions(ctx context.Context, id string) error
	Audit
}

// Audit is the append-only log of what was done to tools, chained by hashes.
type Audit interface {
	// AppendAudit adds a line under the next number, with its hash. Where the head of the
	// audit is gone it fails with audit.CodeBroken.
	AppendAudit(ctx context.Context, line AuditLine) error
	// AuditLines lists lines newest first, of one tool or (id "") of all; limit 0 is no limit.
	AuditLines(ctx context.Context, id string, limit int) ([]AuditLine, error)
	// AuditBefore lists lines below a number, newest first, of one tool or (id "") of all. limit is
	// above 0.
	AuditBefore(ctx context.Context, id string, before int64, limit int) ([]AuditLine, error)
	// AuditChain lists lines after a number, oldest first, with their hashes. limit is above 0.
	AuditChain(ctx context.Context, after int64, limit int) ([]audit.Kept, error)
	// AuditHead gives the head of the audit; ok is false where it is gone.
	AuditHead(ctx context.Context) (head audit.Table, ok bool, err error)
}

// WalkAudit gives all lines, oldest first, and reads some at a time.
func WalkAudit(ctx context.Context, from Audit) iter.Seq2[audit.Kept, error] {
	const some = 500
	return func(yield func(audit.Kept, error) bool) {
		for after := int64(0); ; {
			page, err := from.AuditChain(ctx, after, some)
			if err != nil {
				yield(audit.Kept{}, err)
				return
			}
			for _, kept := range page {
				if !yield(kept, nil) {
					return
				}
				after = kept.Seq
			}
			if len(page) < some {
				return
			}
		}
	}
}
