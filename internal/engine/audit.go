package engine

import (
	"cmp"
	"context"
	"slices"

	"toolsmith/internal/audit"
	"toolsmith/internal/check"
	"toolsmith/internal/registry"
)

// Audit lists what was done to tools, and what was answered about their calls, newest first:
// of one tool, or (name "") of all. limit 0 is no limit.
func (e *Engine) Audit(ctx context.Context, name string, limit int) ([]registry.AuditLine, error) {
	return e.auditLines(ctx, name, limit, func(r *registry.Registry, id string) ([]registry.AuditLine, error) {
		return r.AuditLines(ctx, id, limit)
	})
}

// AuditBefore is Audit for the lines below a number, such as that of the last line of a page.
// limit is above 0.
func (e *Engine) AuditBefore(ctx context.Context, name string, before int64, limit int) ([]registry.AuditLine, error) {
	return e.auditLines(ctx, name, limit, func(r *registry.Registry, id string) ([]registry.AuditLine, error) {
		return r.AuditBefore(ctx, id, before, limit)
	})
}

func (e *Engine) auditLines(ctx context.Context, name string, limit int, read func(r *registry.Registry, id string) ([]registry.AuditLine, error)) (lines []registry.AuditLine, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		id, err := r.IDOf(ctx, name)
		if err != nil {
			return err
		}
		if lines, err = read(r, id); err != nil || name == "" {
			return err
		}
		// What is about calls has the whole name.
		calls, err := read(r, check.ToolName(id))
		lines = append(lines, calls...)
		slices.SortFunc(lines, func(a, b registry.AuditLine) int { return cmp.Compare(b.Seq, a.Seq) })
		if limit > 0 {
			lines = lines[:min(limit, len(lines))]
		}
		return err
	})
	return lines, err
}

// VerifyAudit walks over the whole audit and reports what is wrong with it, in the order of
// its lines. expected is a head that somebody noted earlier; nil for none. Where nothing is
// wrong, the file with the head is brought up to date.
func (e *Engine) VerifyAudit(ctx context.Context, expected *audit.Head, report func(audit.Finding)) (sum audit.Summary, err error) {
	known := audit.Known{File: e.o.Store.AuditFile(), Expected: expected} // before the lines, since it may be older but not newer
	again := false
	verify := func(r *registry.Registry) error {
		table, ok, err := r.AuditHead(ctx)
		if err != nil {
			return err
		}
		if ok {
			known.Table = &table
		}
		if again = ok && table.Filed && known.File.Missing() && !again; again {
			return nil
		}
		sum, err = audit.Verify(registry.WalkAudit(ctx, r), known, report)
		return err
	}
	if err = e.read(ctx, verify); err == nil && again { // another process may have just written the first one
		known.File = e.o.Store.AuditFile()
		err = e.read(ctx, verify)
	}
	if err == nil && sum.OK() {
		err = e.o.Store.KeepAuditFile(ctx, false)
	}
	return sum, err
}

// RenewAuditFile writes the file with the head of the audit anew, whatever it has now. It is
// for a person who knows why the file is gone, or does not fit. A line of the audit says what
// it had.
func (e *Engine) RenewAuditFile(ctx context.Context) error {
	file := e.o.Store.AuditFile()
	had := "it was missing"
	switch {
	case file.Head != nil:
		had = "it had " + file.Head.String()
	case file.Fault != "":
		had = "it could not be read: " + file.Fault
	}
	if err := e.write(ctx, func(r *registry.Registry) error {
		return r.Note(ctx, registry.ActionRenewHead, "", 0, had)
	}); err != nil {
		return err
	}
	return e.o.Store.KeepAuditFile(ctx, true)
}
