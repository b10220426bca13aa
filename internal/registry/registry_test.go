package registry_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/registry"
	"toolsmith/tool"
)

func TestInstallANewTool(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	text := parts{version: 3}.text()

	done, err := s.install(text)

	if err != nil {
		t.Fatal(err)
	}
	c := s.check(text)
	want := registry.Entry{
		Tool:    registry.Tool{ID: "made-up", Active: 3, NameKey: "made_up", ChangedAt: dawn},
		Version: registry.Version{ToolID: "made-up", Version: 3, Text: []byte(text), Digest: c.Digest(), InstalledAt: dawn, InstalledBy: "ada"},
	}
	kept, err := s.get("made-up")
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]registry.Entry{"installed": done.Entry, "kept": kept} {
		if e.Checked == nil || e.Checked.Digest() != c.Digest() || e.Name() != "dynamic:made-up" || e.Obstacle() != nil {
			t.Errorf("%s: %+v", name, e)
		}
		e.Checked = nil
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if done.Before != nil || done.Same {
		t.Errorf("a new tool is told to be %+v", done)
	}
	if diff := cmp.Diff([]string{"1 06:30 ada install made-up 3 new"}, s.audit("")); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestALife has every verb in the life of a tool, and its audit to the letter.
func TestALife(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { _, err := s.install(parts{version: 1}.text()); return err }, "made-up 1 off"},
		{func() error { _, _, err := s.enable("made-up"); return err }, "made-up 1 on"},
		{func() error { _, err := s.install(parts{version: 1}.text()); return err }, "made-up 1 on"}, // the same bytes: nothing changes
		{func() error { _, err := s.install(parts{version: 5}.text()); return err }, "made-up 5 off"},
		{func() error { _, _, err := s.enable("made-up"); return err }, "made-up 5 on"},
		{func() error { s.who = "bob"; _, _, err := s.rollback("made-up", 0); return err }, "made-up 1 off"},
		{func() error { _, _, err := s.enable("made-up"); return err }, "made-up 1 on"},
		{func() error { _, _, err := s.disable("made-up"); return err }, "made-up 1 off"},
		{func() error { _, _, err := s.rollback("made-up", 5); return err }, "made-up 5 off"}, // a later one
		{func() error {
			return s.do(func(ctx context.Context, r *registry.Registry) error {
				return r.Note(ctx, registry.ActionApprove, "made-up", 5, "may run")
			})
		}, "made-up 5 off"},
		{func() error { _, err := s.remove("made-up"); return err }, ""},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		var want []string
		if step.want != "" {
			want = []string{step.want}
		}
		if got := s.show(); !slices.Equal(got, want) {
			t.Fatalf("after step %d: %q; want %q", i, got, want)
		}
	}
	want := []string{
		"1 06:30 ada install made-up 1 new",
		"2 06:32 ada enable made-up 1",
		"3 06:36 ada install made-up 5 version 1 → 5",
		"4 06:38 ada enable made-up 5",
		"5 06:40 bob rollback made-up 1 version 5 → 1",
		"6 06:42 bob enable made-up 1",
		"7 06:44 bob disable made-up 1",
		"8 06:46 bob rollback made-up 5 version 1 → 5",
		"9 06:48 bob approve made-up 5 may run",
		"10 06:50 bob remove made-up 5",
	}
	if diff := cmp.Diff(want, s.audit("made-up")); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestTurningOnAndOff says whether anything changed, and writes no line where nothing did.
func TestTurningOnAndOff(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{}.text())
	for i, step := range []struct {
		turn    func(string) (registry.Entry, bool, error)
		changed bool
		on      bool
	}{{s.disable, false, false}, {s.enable, true, true}, {s.enable, false, true}, {s.disable, true, false}, {s.disable, false, false}} {
		e, changed, err := step.turn("made-up")
		if err != nil || changed != step.changed || e.Tool.Enabled != step.on {
			t.Errorf("step %d: changed %v, on %v, %v", i, changed, e.Tool.Enabled, err)
		}
		if changed && !e.Tool.ChangedAt.Equal(s.now) {
			t.Errorf("step %d: changed at %s; it is %s", i, e.Tool.ChangedAt, s.now)
		}
	}
	if got := s.audit(""); len(got) != 3 {
		t.Errorf("audit: %q", got)
	}
}

// TestVersionRules tries to put a version on top of others.
func TestVersionRules(t *testing.T) {
	t.Parallel()
	other := "Another title"
	for name, c := range map[string]struct {
		kept     []int
		rollback int64 // 0 for none
		install  parts
		code     string
		says     string
		active   int64
	}{
		"a higher one":                      {[]int{1}, 0, parts{version: 2}, "", "", 2},
		"a much higher one":                 {[]int{1}, 0, parts{version: 900}, "", "", 900},
		"the same number with other bytes":  {[]int{2}, 0, parts{version: 2, title: other}, registry.CodeVersionNotNewer, `set "version" to 3 or more. This says 2`, 2},
		"a lower one":                       {[]int{2}, 0, parts{version: 1}, registry.CodeVersionNotNewer, `Version 2 is installed already`, 2},
		"the active bytes again":            {[]int{1, 2}, 0, parts{version: 2}, "", "", 2},
		"kept bytes of an earlier version":  {[]int{1, 2}, 0, parts{version: 1}, registry.CodeVersionNotNewer, "Version 1 is kept already. Go back to it with: toolsmith rollback dynamic:made-up --to 1", 2},
		"after a rollback, a higher one":    {[]int{1, 2, 3}, 1, parts{version: 4}, "", "", 4},
		"after a rollback, a kept one":      {[]int{1, 2, 3}, 1, parts{version: 3}, registry.CodeVersionNotNewer, "rollback dynamic:made-up --to 3", 1},
		"after a rollback, one in between":  {[]int{1, 3}, 1, parts{version: 2}, registry.CodeVersionNotNewer, `set "version" to 4 or more. This says 2`, 1},
		"after a rollback, the active one":  {[]int{1, 3}, 1, parts{version: 1}, "", "", 1},
		"after a rollback, the same number": {[]int{1, 3}, 1, parts{version: 3, title: other}, registry.CodeVersionNotNewer, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			for _, v := range c.kept {
				s.installed(parts{version: v}.text())
			}
			if c.rollback != 0 {
				if _, _, err := s.rollback("made-up", c.rollback); err != nil {
					t.Fatal(err)
				}
			}
			before := s.audit("")

			done, err := s.install(c.install.text())

			wantCode(t, err, c.code, c.says)
			if got := s.show(); got[0] != fmt.Sprintf("made-up %d off", c.active) {
				t.Errorf("installed is %q; want version %d", got, c.active)
			}
			isNew := c.code == "" && !done.Same
			if got := len(s.audit("")) - len(before); got == 1 != isNew {
				t.Errorf("%d new lines in the audit; anything new: %v", got, isNew)
			}
			if done.Same && (done.Before == nil || done.Before.Tool != done.Entry.Tool) {
				t.Errorf("nothing changed, and before it was %+v", done.Before)
			}
			if isNew && (done.Before == nil || done.Before.Checked == nil) {
				t.Error("it is not told what was there before")
			}
		})
	}
}

// TestAllVersionsAreKept, with who and when.
func TestAllVersionsAreKept(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i, who := range []string{"ada", "bob", "eve"} {
		s.who = who
		s.installed(parts{version: i + 1, title: "By " + who}.text())
	}
	if _, _, err := s.rollback("made-up", 1); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := s.do(func(ctx context.Context, r *registry.Registry) error {
		for _, n := range []int64{1, 2, 3} {
			v, err := r.Version(ctx, "made-up", n)
			if err != nil {
				return err
			}
			c := check.Run(v.Text, lab)
			got = append(got, fmt.Sprint(v.Version, " ", v.InstalledBy, " ", v.InstalledAt.Format("15:04"), " ", c.Tool.Title(), " ", c.Tool.Digest() == v.Digest))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 ada 06:30 By ada true", "2 bob 06:31 By bob true", "3 eve 06:32 By eve true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps []int64 // where to, one after the other
		code  string
		says  string
		want  string
	}{
		"to the one before":         {[]int64{0}, "", "", "made-up 4 off"},
		"and again":                 {[]int64{0, 0}, "", "", "made-up 2 off"},
		"to a named one":            {[]int64{2}, "", "", "made-up 2 off"},
		"to a later one":            {[]int64{2, 7}, "", "", "made-up 7 off"},
		"to the one before a later": {[]int64{2, 7, 0}, "", "", "made-up 4 off"},
		"before the first":          {[]int64{2, 0}, registry.CodeVersionNotFound, `no version of "dynamic:made-up" before version 2`, "made-up 2 off"},
		"to one that is not kept":   {[]int64{3}, registry.CodeVersionNotFound, `"dynamic:made-up" has no version 3. See all with: toolsmith versions dynamic:made-up`, "made-up 7 on"},
		"to a negative one":         {[]int64{-1}, registry.CodeVersionNotFound, "no version -1", "made-up 7 on"},
		"to the active one":         {[]int64{7}, registry.CodeVersionNotFound, "Version 7 of dynamic:made-up is the active one already", "made-up 7 on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t)
			s.installed(parts{version: 2}.text(), parts{version: 4}.text(), parts{version: 7}.text())
			if _, _, err := s.enable("made-up"); err != nil {
				t.Fatal(err)
			}
			active := int64(7)
			for i, to := range c.steps {
				e, from, err := s.rollback("made-up", to)
				if i == len(c.steps)-1 {
					wantCode(t, err, c.code, c.says)
				} else if err != nil {
					t.Fatal(err)
				}
				if err == nil && (from != active || e.Version.Version != e.Tool.Active || e.Checked.Version() != e.Tool.Active) {
					t.Errorf("from %d to %+v; it was at %d", from, e.Tool, active)
				}
				active = e.Tool.Active
			}
			if diff := cmp.Diff([]string{c.want}, s.show()); diff != "" {
				t.Errorf("installed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]int64{7, 4, 2}, s.versions("made-up")); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatIsNotInstalled is not found by any verb.
func TestWhatIsNotInstalled(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{}.text())
	for name, verb := range map[string]func() error{
		"get":      func() error { _, err := s.get("no-such"); return err },
		"enable":   func() error { _, _, err := s.enable("no-such"); return err },
		"disable":  func() error { _, _, err := s.disable("no-such"); return err },
		"rollback": func() error { _, _, err := s.rollback("no-such", 0); return err },
		"remove":   func() error { _, err := s.remove("no-such"); return err },
		"a prefix": func() error { _, err := s.get("made"); return err },
		"the name": func() error { _, err := s.get("dynamic:made-up"); return err }, // verbs take ids
	} {
		t.Run(name, func(t *testing.T) {
			wantCode(t, verb(), registry.CodeNotFound, "No tool", "toolsmith tools")
		})
	}
	if got := s.audit(""); len(got) != 1 {
		t.Errorf("audit: %q", got)
	}
}

// TestRemove keeps the audit, and the versions until a tool of the same id comes.
func TestRemove(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{version: 1}.text(), parts{version: 2}.text(), parts{id: "other"}.text())

	row, err := s.remove("made-up")

	if err != nil || row.Active != 2 {
		t.Errorf("removed %+v, %v", row, err)
	}
	if diff := cmp.Diff([]string{"other 1 off"}, s.show()); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{2, 1}, s.versions("made-up")); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if _, err := s.get("made-up"); tool.Code(err) != registry.CodeNotFound {
		t.Errorf("a removed tool can be had: %v", err)
	}
	// What comes again is new, whatever its version, and off.
	done, err := s.install(parts{version: 1, title: "Again"}.text())
	if err != nil || done.Before != nil || done.Same {
		t.Fatalf("installed again: %+v, %v", done, err)
	}
	if diff := cmp.Diff([]int64{1}, s.versions("made-up")); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	want := []string{
		"1 06:30 ada install made-up 1 new", "2 06:31 ada install made-up 2 version 1 → 2",
		"4 06:33 ada remove made-up 2", "5 06:37 ada install made-up 1 new",
	}
	if diff := cmp.Diff(want, s.audit("made-up")); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestTheSameBytesAfterARemoval are installed anew.
func TestTheSameBytesAfterARemoval(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{}.text())
	if _, err := s.remove("made-up"); err != nil {
		t.Fatal(err)
	}
	done, err := s.install(parts{}.text())
	if err != nil || done.Same || done.Before != nil {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestNamesThatReadAlike cannot be installed beside each other; the first keeps working.
func TestNamesThatReadAlike(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{id: "read-file"}.text())
	if _, _, err := s.enable("read-file"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"read_file", "read.file"} {
		_, err := s.install(parts{id: id}.text())
		wantCode(t, err, registry.CodeNameTaken, `"`+id+`" reads like the installed tool "read-file"`, `as "read_file"`, "$.id")
	}
	s.installed(parts{id: "readfile"}.text(), parts{id: "read-file-2"}.text(), parts{id: "read-file", version: 2}.text())
	if _, _, err := s.enable("read-file"); err != nil {
		t.Fatal(err)
	}
	want := []string{"read-file 2 on", "read-file-2 1 off", "readfile 1 off"}
	if diff := cmp.Diff(want, s.show()); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	// A name is free again when its tool is gone.
	if _, err := s.remove("read-file"); err != nil {
		t.Fatal(err)
	}
	s.installed(parts{id: "read_file"}.text())
}

// TestNamesThatLookAlike cannot be installed beside what they are taken for: a tool, a
// capability, or a tool of the program.
func TestNamesThatLookAlike(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.names = []string{"map", "wait"}
	s.installed(parts{id: "paypal"}.text(), parts{id: "modern"}.text(), parts{id: "t0d0"}.text())
	for id, want := range map[string]string{
		"paypa1":   `reads like the installed tool "paypal": the two are easily taken for each other. Choose another id.`,
		"modem":    `reads like the installed tool "modern"`,
		"todo":     `reads like the installed tool "t0d0"`,
		"lab.make": `reads like the capability "lab.make", which is a tool too. Choose another id.`,
		"1ab-make": `reads like the capability "lab.make"`,
		"vva1t":    `reads like the tool "wait", which is part of the program. Choose another id.`,
	} {
		_, err := s.install(parts{id: id}.text())
		wantCode(t, err, registry.CodeNameTaken, `"`+id+`" `+want, "$.id")
	}
	s.installed(parts{id: "paypal", version: 2}.text(), parts{id: "paypol"}.text(), parts{id: "pay-pal"}.text(), parts{id: "lab-makes"}.text(), parts{id: "maps"}.text())
}

// TestTheMostTools may be installed, and no more; newer versions of them may.
func TestTheMostTools(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.maxTools = 2
	s.installed(parts{id: "one"}.text(), parts{id: "two"}.text())
	_, err := s.install(parts{id: "three"}.text())
	wantCode(t, err, registry.CodeTooMany, "2 tools are installed, which is the most allowed. Remove one first.")
	s.installed(parts{id: "two", version: 2}.text())
	if _, err := s.remove("one"); err != nil {
		t.Fatal(err)
	}
	s.installed(parts{id: "three"}.text())

	// Nothing said is a thousand.
	s = newShelf(t)
	err = s.do(func(ctx context.Context, r *registry.Registry) error {
		for i := range registry.DefaultMaxTools - 1 {
			id := fmt.Sprintf("tool-%d", i)
			if err := r.PutTool(ctx, registry.Tool{ID: id, Active: 1, NameKey: id, ChangedAt: dawn}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.installed(parts{id: "the-last"}.text())
	_, err = s.install(parts{id: "one-more"}.text())
	wantCode(t, err, registry.CodeTooMany, "1000 tools")
}

// TestABrokenTool was installed on a host that had its capability: it is listed with what
// is wrong, cannot be turned on, and can be rolled back and removed.
func TestABrokenTool(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{version: 1}.text(), parts{version: 2, nodes: call("lab.list"), entry: "call"}.text(), parts{id: "other", nodes: call("lab.make"), entry: "call"}.text())
	if _, _, err := s.enable("other"); err != nil {
		t.Fatal(err)
	}
	s.catalogue = bare

	if diff := cmp.Diff([]string{"made-up 2 off broken", "other 1 on broken"}, s.show()); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
	e := s.list()[0]
	if len(e.Diagnostics) != 1 || e.Diagnostics[0].Code != check.CodeCapabilityUnknown || e.Diagnostics[0].Path != "$.flow.nodes[0].capability" {
		t.Errorf("diagnostics: %v", e.Diagnostics)
	}
	wantCode(t, e.Obstacle(), registry.CodeBroken, "Version 2 of dynamic:made-up no longer passes the check", "roll back")
	for _, id := range []string{"made-up", "other"} { // also the one that is on
		_, changed, err := s.enable(id)
		wantCode(t, err, registry.CodeBroken)
		if changed {
			t.Errorf("%s was turned on", id)
		}
	}
	if _, changed, err := s.disable("other"); err != nil || !changed {
		t.Errorf("a broken tool cannot be turned off: %v", err)
	}
	if e, from, err := s.rollback("made-up", 0); err != nil || from != 2 || e.Checked == nil {
		t.Errorf("rolled back to %+v, %v", e.Tool, err)
	}
	if e, _, err := s.rollback("made-up", 2); err != nil || e.Checked != nil || len(e.Diagnostics) == 0 {
		t.Errorf("rolled forward to %+v, %v", e.Tool, err)
	}
	s.installed(parts{version: 3}.text()) // a mended version
	if _, err := s.remove("other"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"made-up 3 off"}, s.show()); diff != "" {
		t.Errorf("installed (-want +got):\n%s", diff)
	}
}

// TestMissingCredentials keep a tool from running, and it may be looked at and turned on.
func TestMissingCredentials(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{credentials: `{"id": "mail-key", "kind": "api_profile", "purpose": "sends mail", "outboundScope": []},
		{"id": "calendar", "kind": "oauth_profile", "purpose": "reads dates", "outboundScope": []}`}.text())
	e, changed, err := s.enable("made-up")
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	wantCode(t, e.Obstacle(), registry.CodeCredentials, "mail-key (sends mail), calendar (reads dates)", "$.credentialRequirements")
	if err := registry.MissingCredentials(s.check(parts{}.text()), nil); err != nil {
		t.Errorf("a tool that needs none lacks %v", err)
	}
}

// TestAuditLinesAreBounded and told newest first, of one tool or of all.
func TestAuditLinesAreBounded(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{id: "one"}.text(), parts{id: "two"}.text(), parts{id: "one", version: 2}.text())
	for _, c := range []struct {
		id    string
		limit int
		want  []int64
	}{{"", 0, []int64{3, 2, 1}}, {"", 2, []int64{3, 2}}, {"one", 0, []int64{3, 1}}, {"one", 1, []int64{3}}, {"none", 0, nil}} {
		var got []int64
		err := s.do(func(ctx context.Context, r *registry.Registry) error {
			lines, err := r.AuditLines(ctx, c.id, c.limit)
			for _, l := range lines {
				got = append(got, l.Seq)
			}
			return err
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("of %q, at most %d: %v, %v; want %v", c.id, c.limit, got, err, c.want)
		}
	}
}

// TestTimesAreTheCallers: what is kept has the time of the registry, to the microsecond.
func TestTimesAreTheCallers(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.now = dawn.Add(1234 * time.Microsecond)
	s.installed(parts{}.text())
	e, err := s.get("made-up")
	if want := dawn.Add(time.Minute + 1234*time.Microsecond); err != nil || !e.Version.InstalledAt.Equal(want) || !e.Tool.ChangedAt.Equal(want) {
		t.Errorf("installed at %s, changed at %s; want %s (%v)", e.Version.InstalledAt, e.Tool.ChangedAt, want, err)
	}
}

func TestAudited(t *testing.T) {
	t.Parallel()
	for line, want := range map[registry.AuditLine]string{
		{Action: registry.ActionInstall, ToolID: "made-up"}:        "dynamic:made-up",
		{Action: registry.ActionAllow, ToolID: "notes.create"}:     "notes.create",
		{Action: registry.ActionSecretSet, ToolID: "go:summarize"}: "go:summarize",
		{Action: registry.ActionStop}:                              "",
	} {
		if got := registry.Audited(line); got != want {
			t.Errorf("%s of %q is about %q; want %q", line.Action, line.ToolID, got, want)
		}
	}
}
