package sqlite

import (
	"fmt"
	"testing"
	"time"

	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

// BenchmarkAudit measures lines of the audit: how long one takes within a transaction, and
// as a transaction of its own, and how long reading the last hundred of one tool takes.
func BenchmarkAudit(b *testing.B) {
	ctx := b.Context()
	line := registry.AuditLine{
		At: time.Now(), Who: "ada", Action: registry.ActionInstall, ToolID: "friday-review", Version: 12, Detail: "version 11 → 12",
	}
	begin := func(b *testing.B) *Store {
		b.Helper()
		s, err := Open(ctx, b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		return s
	}
	b.Run("line", func(b *testing.B) {
		s := begin(b)
		b.ReportAllocs()
		b.ResetTimer()
		if err := s.Write(ctx, func(tx store.Tx) error {
			for range b.N {
				if err := tx.Registry().AppendAudit(ctx, line); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("commit", func(b *testing.B) {
		s := begin(b)
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			if err := s.Write(ctx, func(tx store.Tx) error { return tx.Registry().AppendAudit(ctx, line) }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		s := begin(b)
		if err := s.Write(ctx, func(tx store.Tx) error {
			for n := range 1000 {
				line.ToolID = fmt.Sprint("tool-", n%10)
				if err := tx.Registry().AppendAudit(ctx, line); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			if err := s.Read(ctx, func(tx store.Tx) error {
				lines, err := tx.Registry().AuditLines(ctx, "tool-7", 0)
				if err == nil && len(lines) != 100 {
					b.Errorf("%d lines", len(lines))
				}
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
