package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/audit"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

// tampering is one thing that somebody with the database in an editor may do.
type tampering struct {
	name string
	// line that was changed, where it is no more than one that is still there; else 0.
	line int64
	do   func(ctx context.Context, t tx) error
}

func byHand(name string, line int64, texts ...string) tampering {
	return tampering{name, line, func(ctx context.Context, t tx) error {
		for _, text := range texts {
			if _, err := t.db.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	}}
}

// hashAnew makes the hash of a line fit the line before it.
func hashAnew(ctx context.Context, t tx, seq int64) error {
	lines, err := tools{t}.AuditChain(ctx, seq-2, 2)
	if err != nil {
		return err
	}
	previous := audit.Digest{}
	for _, kept := range lines {
		if kept.Seq == seq {
			hash := audit.Hash(previous, kept.Line)
			_, err = t.db.ExecContext(ctx, "UPDATE audit SET hash = ? WHERE seq = ?", hash[:], seq)
		}
		previous = kept.Hash
	}
	return err
}

// drawTampering draws one for an audit of so many lines.
func drawTampering(t *rapid.T, count int64) tampering {
	line := rapid.Int64Range(1, count)
	n := line.Draw(t, "line")
	switch kind := rapid.SampledFrom([]string{"edit", "hash", "forge", "delete", "cut", "swap", "number", "insert", "append", "head"}).Draw(t, "kind"); kind {
	case "edit":
		set := rapid.SampledFrom([]string{
			"at = at + 1", "who = who || 'x'", "who = ''", "origin = origin || char(0)", "action = 'remove'", "tool_id = 'other'",
			"version = version + 1", "version = -version", "detail = detail || ' '", "data = '{\"a\": 1}'", "data = CASE data WHEN '' THEN '{}' ELSE data || ' ' END",
		}).Draw(t, "set")
		return byHand(set, n, fmt.Sprintf("UPDATE audit SET %s WHERE seq = %d", set, n))
	case "hash":
		hash := rapid.SampledFrom([]string{"zeroblob(32)", "NULL", "(SELECT hash FROM audit_head)"}).Draw(t, "hash")
		return byHand(kind, n, fmt.Sprintf("UPDATE audit SET hash = %s WHERE seq = %d", hash, n))
	case "forge":
		edit := byHand(kind, 0, fmt.Sprintf("UPDATE audit SET who = 'eve' WHERE seq = %d", n))
		head := rapid.Bool().Draw(t, "and the head")
		return tampering{kind, 0, func(ctx context.Context, t tx) error {
			if err := edit.do(ctx, t); err != nil {
				return err
			}
			if err := hashAnew(ctx, t, n); err != nil || !head {
				return err
			}
			_, err := t.db.ExecContext(ctx, `UPDATE audit_head SET hash = audit.hash, at = audit.at FROM audit
				WHERE audit.seq = audit_head.count AND audit.hash IS NOT NULL`)
			return err
		}}
	case "delete":
		return byHand(kind, 0, fmt.Sprintf("DELETE FROM audit WHERE seq BETWEEN %d AND %d", n, line.Draw(t, "last")))
	case "cut":
		texts := []string{fmt.Sprintf("DELETE FROM audit WHERE seq > %d", n-1)}
		if rapid.Bool().Draw(t, "and the head") {
			texts = append(texts, `UPDATE audit_head SET count = seq, hash = audit.hash, at = audit.at
				FROM audit WHERE seq = (SELECT max(seq) FROM audit) AND audit.hash IS NOT NULL`)
		}
		return byHand(kind, 0, texts...)
	default:
		return drawMove(t, kind, n, line.Draw(t, "other"), count)
	}
}

// drawMove draws what is about the places of lines, and the head.
func drawMove(t *rapid.T, kind string, n, other, count int64) tampering {
	const columns = "at, who, origin, action, tool_id, version, detail, data"
	switch kind {
	case "swap": // what they say, but not their hashes
		return byHand(kind, 0,
			fmt.Sprintf("CREATE TEMP TABLE swapped AS SELECT seq, %s FROM audit WHERE seq IN (%d, %d)", columns, n, other),
			fmt.Sprintf(`UPDATE audit SET (%[1]s) = (SELECT %[1]s FROM swapped WHERE swapped.seq <> audit.seq)
				WHERE seq IN (SELECT seq FROM swapped) AND (SELECT count(*) FROM swapped) = 2`, columns),
			"DROP TABLE swapped")
	case "number": // the lines with their hashes change places
		return byHand(kind, 0,
			fmt.Sprintf("UPDATE audit SET seq = -seq WHERE seq IN (%d, %d)", n, other),
			fmt.Sprintf("UPDATE audit SET seq = %d + seq WHERE seq < 0", n+other))
	case "insert":
		hash := rapid.SampledFrom([]string{"NULL", "zeroblob(32)", "hash"}).Draw(t, "hash")
		return byHand(kind, 0,
			fmt.Sprintf("UPDATE audit SET seq = -seq WHERE seq >= %d", n),
			"UPDATE audit SET seq = 1 - seq WHERE seq < 0",
			fmt.Sprintf("INSERT INTO audit (seq, %[1]s, hash) SELECT %[2]d, %[1]s, %[3]s FROM audit WHERE seq = %[2]d + 1", columns, n, hash))
	case "append":
		fits := rapid.Bool().Draw(t, "fits")
		far := rapid.Int64Range(1, 3).Draw(t, "far")
		return tampering{kind, 0, func(ctx context.Context, t tx) error {
			_, err := t.db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO audit (seq, %[1]s, hash)
				SELECT (SELECT max(seq) FROM audit) + %[2]d, %[1]s, zeroblob(32) FROM audit ORDER BY seq LIMIT 1`, columns, far))
			if err != nil || !fits {
				return err
			}
			var newest int64
			if err := t.db.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM audit").Scan(&newest); err != nil {
				return err
			}
			return hashAnew(ctx, t, newest)
		}}
	default:
		set := rapid.SampledFrom([]string{
			"count = count + 1", "count = count - 1", "hash = zeroblob(32)", "at = at + 1", "first = first + 1", "first = first - 1",
			"hash = NULL, first = 0",
			fmt.Sprintf("count = %d, (hash, at) = (SELECT coalesce(audit.hash, audit_head.hash), audit.at FROM audit WHERE seq = %d)", n, n),
		}).Draw(t, "set")
		return byHand(set, 0, fmt.Sprintf(
			"UPDATE audit_head SET %s WHERE (SELECT count(*) FROM audit WHERE seq = %d) AND first BETWEEN 2 AND %d", set, n, count-1))
	}
}

// picture is everything that is to stay as it is.
func picture(ctx context.Context, t tx) (text string, err error) {
	err = t.db.QueryRowContext(ctx, `SELECT (SELECT json_group_array(json_array(seq, at, hex(who), hex(origin), hex(action), hex(tool_id), version,
			hex(detail), hex(data), hex(hash)) ORDER BY seq) FROM audit)
		|| (SELECT json_group_array(json_array(id, count, hex(hash), at, first)) FROM audit_head)`).Scan(&text)
	return text, err
}

// tamper does some things to the audit, and says whether it is another one then and what is
// found. Nothing of it stays.
func tamper(s *Store, all []tampering) (changed bool, found []audit.Finding, err error) {
	ctx := context.Background()
	known := audit.Known{File: s.AuditFile()}
	err = s.Trial(ctx, func(given store.Tx) error {
		t := given.(tx) //nolint:forcetypeassert // it is of this package
		before, err := picture(ctx, t)
		if err != nil {
			return err
		}
		for _, one := range all {
			if err := one.do(ctx, t); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
		}
		after, err := picture(ctx, t)
		if err != nil {
			return err
		}
		changed = before != after
		table, _, err := t.Registry().AuditHead(ctx)
		if err != nil {
			return err
		}
		known.Table = &table
		_, err = audit.Verify(registry.WalkAudit(ctx, t.Registry()), known, func(f audit.Finding) { found = append(found, f) })
		return err
	})
	return changed, found, err
}

// TestWhatSomebodyDoesToTheAuditIsFound does what comes to mind to copies of an audit: what
// makes it another one is found, and nothing is found where it is the same.
func TestWhatSomebodyDoesToTheAuditIsFound(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile("testdata/before-chain.sql")
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range map[string]string{"chained from the first line on": "", "with old lines": string(old)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			makeStore(t, dir, schema)
			s := open(t, dir)
			appendLines(t, s, 5, "ada")
			if err := s.KeepAuditFile(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			forget(t, s)
			count := headOf(t, s).Count
			rapid.Check(t, func(t *rapid.T) {
				all := make([]tampering, rapid.IntRange(0, 3).Draw(t, "how many"))
				for i := range all {
					all[i] = drawTampering(t, count)
				}
				changed, found, err := tamper(s, all)
				if err != nil {
					t.Fatal(err)
				}
				if changed != (len(found) > 0) {
					t.Errorf("changed: %v; found: %v", changed, found)
				}
				if len(all) != 1 || all[0].line == 0 || !changed {
					return
				}
				if !slices.ContainsFunc(found, func(f audit.Finding) bool { return f.First <= all[0].line && all[0].line <= f.Last }) {
					t.Errorf("line %d was changed; found: %v", all[0].line, found)
				}
			})
			wantFound(t, s) // it is as it was
		})
	}
}

// makeStore makes a database that has what the statements make.
func makeStore(t *testing.T, dir, text string) {
	t.Helper()
	db, err := connect(filepath.Join(dir, FileName), settings(true), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
