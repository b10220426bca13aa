package sqlite

import (
	"context"

	"toolsmith/internal/audit"
	"toolsmith/internal/registry"
	"toolsmith/internal/store/sqlite/dbsqlc"
	"toolsmith/tool"
)

// AppendAudit adds a line, and moves the head with it. Whoever is here has the database to
// itself until it commits, so that no other line comes between the head and this one.
func (t tools) AppendAudit(ctx context.Context, line audit.Line) error {
	const doing = "write the audit"
	end, err := t.query.AuditEnd(ctx)
	ok, err := t.found(doing, err)
	if err != nil {
		return err
	}
	if !ok {
		return &tool.Error{Code: audit.CodeBroken, Message: "The head of the audit is gone from the store " + t.store.path +
			", so nothing can be added. Bring back a backup of the data folder. See what is wrong with: toolsmith audit verify"}
	}
	// The two differ only in an audit that somebody changed. It goes on past both, so that
	// what is missing or too much stays visible.
	line.Seq = max(end.Count, end.Newest) + 1
	previous := digest(end.Hash)
	if end.Hash == nil {
		end.First = line.Seq
		if previous, err = t.beforeChain(ctx); err != nil {
			return err
		}
	}
	hash := audit.Hash(previous, line)
	if err := t.query.AppendAudit(ctx, dbsqlc.AppendAuditParams{
		Seq:     line.Seq,
		At:      micros(line.At),
		Who:     line.Who,
		Origin:  line.From,
		Action:  line.Action,
		ToolID:  line.ToolID,
		Version: line.Version,
		Detail:  line.Detail,
		Data:    line.Data,
		Hash:    hash[:],
	}); err != nil {
		return t.fail(doing, err)
	}
	t.store.heads.appended()
	return t.fail(doing, t.query.MoveAuditHead(ctx, line.Seq, hash[:], micros(line.At), end.First))
}

// beforeChain gives the hash that the lines from before the chain come to.
func (t tools) beforeChain(ctx context.Context) (sum audit.Digest, err error) {
	for kept, err := range registry.WalkAudit(ctx, t) {
		if err != nil {
			return sum, err
		}
		sum = audit.Hash(sum, kept.Line)
	}
	return sum, nil
}

func (t tools) AuditLines(ctx context.Context, id string, limit int) ([]audit.Line, error) {
	const doing = "read the audit"
	most := int64(limit)
	if most == 0 {
		most = -1 // no limit, to SQLite
	}
	if id == "" {
		rows, err := t.query.AuditLines(ctx, most)
		return mapAll(rows, lineOf), t.fail(doing, err)
	}
	rows, err := t.query.AuditLinesOf(ctx, id, most)
	return mapAll(rows, func(row dbsqlc.AuditLinesOfRow) audit.Line { return lineOf(dbsqlc.AuditLinesRow(row)) }), t.fail(doing, err)
}

func (t tools) AuditBefore(ctx context.Context, id string, before int64, limit int) ([]audit.Line, error) {
	const doing = "read the audit"
	if id == "" {
		rows, err := t.query.AuditBefore(ctx, before, int64(limit))
		return mapAll(rows, func(row dbsqlc.AuditBeforeRow) audit.Line { return lineOf(dbsqlc.AuditLinesRow(row)) }), t.fail(doing, err)
	}
	rows, err := t.query.AuditBeforeOf(ctx, id, before, int64(limit))
	return mapAll(rows, func(row dbsqlc.AuditBeforeOfRow) audit.Line { return lineOf(dbsqlc.AuditLinesRow(row)) }), t.fail(doing, err)
}

func lineOf(row dbsqlc.AuditLinesRow) audit.Line {
	return audit.Line{
		Seq:     row.Seq,
		At:      fromMicros(row.At),
		Who:     row.Who,
		From:    row.Origin,
		Action:  row.Action,
		ToolID:  row.ToolID,
		Version: row.Version,
		Detail:  row.Detail,
		Data:    row.Data,
	}
}

func (t tools) AuditChain(ctx context.Context, after int64, limit int) ([]audit.Kept, error) {
	rows, err := t.query.AuditChain(ctx, after, int64(limit))
	return mapAll(rows, func(row dbsqlc.Audit) audit.Kept {
		return audit.Kept{
			Line: lineOf(dbsqlc.AuditLinesRow{
				Seq: row.Seq, At: row.At, Who: row.Who, Origin: row.Origin, Action: row.Action,
				ToolID: row.ToolID, Version: row.Version, Detail: row.Detail, Data: row.Data,
			}),
			Chained: row.Hash != nil,
			Hash:    digest(row.Hash),
		}
	}), t.fail("read the audit", err)
}

func (t tools) AuditHead(ctx context.Context) (audit.Table, bool, error) {
	row, err := t.query.AuditHead(ctx)
	ok, err := t.found("read the head of the audit", err)
	if !ok {
		return audit.Table{}, false, err
	}
	head := audit.Table{Head: audit.Head{Count: row.Count, Hash: digest(row.Hash)}, First: row.First, Filed: row.Filed}
	if row.Hash != nil {
		head.At = fromMicros(row.At)
	}
	return head, true, nil
}

// digest gives a hash as it is kept; all zeros for none, and for what can be none.
func digest(hash []byte) (d audit.Digest) {
	if len(hash) == len(d) {
		copy(d[:], hash)
	}
	return d
}
