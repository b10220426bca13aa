package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/audit"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

// filing is a store that says what a test wants of the file with the head.
type filing struct {
	store.Store
	// files are what each look at it gives; the last one stays.
	files []audit.File
	fail  string
	kept  []bool // each time it was to be written: anew or not
}

func (f *filing) AuditFile() audit.File {
	file := f.files[0]
	if len(f.files) > 1 {
		f.files = f.files[1:]
	}
	return file
}

func (f *filing) KeepAuditFile(_ context.Context, anew bool) error {
	f.kept = append(f.kept, anew)
	return brittleRuns{fail: f.fail}.ask("KeepAuditFile")
}

func (f *filing) Read(ctx context.Context, fn func(store.Tx) error) error {
	return f.Store.Read(ctx, func(tx store.Tx) error { return fn(filingTx{tx, f.fail}) })
}

type filingTx struct {
	store.Tx
	fail string
}

func (t filingTx) Registry() registry.Store { return filingTools{t.Tx.Registry(), t.fail} }

// filingTools remembers that there was a file.
type filingTools struct {
	registry.Store
	fail string
}

func (r filingTools) AuditHead(ctx context.Context) (audit.Table, bool, error) {
	head, ok, err := r.Store.AuditHead(ctx)
	head.Filed = true
	return head, ok && r.fail != "gone", errors.Join(brittleRuns{fail: r.fail}.ask("AuditHead"), err)
}

func (r filingTools) AuditChain(ctx context.Context, after int64, limit int) ([]audit.Kept, error) {
	lines, err := r.Store.AuditChain(ctx, after, limit)
	return lines, errors.Join(brittleRuns{fail: r.fail}.ask("AuditChain"), err)
}

func TestVerifyAudit(t *testing.T) {
	t.Parallel()
	head := func(t *testing.T, h *house) *audit.Head {
		t.Helper()
		sum, err := h.VerifyAudit(t.Context(), nil, func(audit.Finding) {})
		if err != nil {
			t.Fatal(err)
		}
		return &sum.Head
	}
	missing, other := audit.File{Path: "f"}, audit.File{Path: "f", Head: &audit.Head{Count: 1}}
	for name, c := range map[string]struct {
		files    []audit.File
		fits     bool // the last of them has the head
		fail     string
		expected *audit.Head
		failed   bool
		want     string // kinds
		kept     int
	}{
		"it fits":                       {files: []audit.File{missing}, fits: true, kept: 1},
		"it cannot be written":          {files: []audit.File{missing}, fits: true, fail: "KeepAuditFile", failed: true, kept: 1},
		"it is gone":                    {files: []audit.File{missing}, want: "file"},
		"it is written just now":        {files: []audit.File{missing, missing}, fits: true, kept: 1},
		"it is of another audit":        {files: []audit.File{other}, want: "file"},
		"it comes, and is of another":   {files: []audit.File{missing, other}, want: "file"},
		"what is expected does not fit": {files: []audit.File{missing}, fits: true, expected: other.Head, want: "expected"},
		"the head is gone":              {files: []audit.File{missing}, fits: true, fail: "gone", want: "head"},
		"the head cannot be read":       {files: []audit.File{missing}, fits: true, fail: "AuditHead", failed: true},
		"the lines cannot be read":      {files: []audit.File{missing}, fits: true, fail: "AuditChain", failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.installed(t, text("made-up", 1, ""))
			if c.fits {
				c.files[len(c.files)-1] = audit.File{Path: "f", Head: head(t, h)}
			}
			s := &filing{Store: h.store, files: c.files, fail: c.fail}
			var kinds []string
			sum, err := engine.New(engine.Options{Store: s}).VerifyAudit(t.Context(), c.expected, func(f audit.Finding) { kinds = append(kinds, f.Kind) })
			if errors.Is(err, errDisk) != c.failed {
				t.Errorf("the error is %v", err)
			}
			if diff := cmp.Diff(c.want, strings.Join(kinds, " ")); diff != "" || sum.Faults != len(kinds) {
				t.Errorf("found (-want +got):\n%s%+v", diff, sum)
			}
			if len(s.kept) != c.kept {
				t.Errorf("it was written %d times; want %d", len(s.kept), c.kept)
			}
		})
	}
}

func TestRenewAuditFile(t *testing.T) {
	t.Parallel()
	for file, detail := range map[audit.File]string{
		{Path: "f"}:                              "it was missing",
		{Path: "f", Head: &audit.Head{Count: 7}}: "it had 7:" + strings.Repeat("0", 64),
		{Path: "f", Fault: "is a directory"}:     "it could not be read: is a directory",
	} {
		h := newHouse(t)
		s := &filing{Store: h.store, files: []audit.File{file}}
		e := engine.New(engine.Options{Store: s, Who: "ada", From: "terminal"})
		if err := e.RenewAuditFile(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"ada renew-head  0 " + detail}, h.audit(t)); diff != "" {
			t.Errorf("audit (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]bool{true}, s.kept); diff != "" {
			t.Errorf("written anew (-want +got):\n%s", diff)
		}
	}
	h := newHouse(t)
	h.store.set("AppendAudit")
	s := &filing{Store: h.store, files: []audit.File{{Path: "f"}}}
	if err := engine.New(engine.Options{Store: s}).RenewAuditFile(t.Context()); !errors.Is(err, errDisk) || len(s.kept) > 0 {
		t.Errorf("%v; written: %v", err, s.kept)
	}
}

// TestAuditBefore goes on below a line, of all tools or of one: what was done to it, and what was
// answered about its calls.
func TestAuditBefore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.installed(t, text("made-up", 1, ""))
	h.installed(t, text("another", 1, ""))
	if _, _, err := h.Enable(t.Context(), "made-up"); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Write(t.Context(), func(tx store.Tx) error {
		return tx.Registry().AppendAudit(t.Context(), registry.AuditLine{Action: registry.ActionAllow, ToolID: "dynamic:made-up"})
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		before int64
		limit  int
		want   string
	}{
		{"", 9, 2, "allow enable"}, {"", 3, 9, "install install"}, {"", 1, 9, ""},
		{"made-up", 9, 9, "allow enable install"}, {"dynamic:made-up", 4, 1, "enable"}, {"another", 9, 9, "install"}, {"nobody", 9, 9, ""},
	} {
		lines, err := h.AuditBefore(t.Context(), c.name, c.before, c.limit)
		var got []string
		for _, line := range lines {
			got = append(got, line.Action)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%d of %q below %d are %q, %v; want %q", c.limit, c.name, c.before, got, err, c.want)
		}
	}
	for _, name := range []string{"", "made-up"} {
		h.store.set("AuditBefore")
		if _, err := h.AuditBefore(t.Context(), name, 9, 9); !errors.Is(err, errDisk) {
			t.Errorf("the error is %v", err)
		}
	}
}
