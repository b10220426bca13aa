package audit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/audit"
)

var dawn = time.Date(2026, 11, 30, 6, 30, 0, 123_456_000, time.UTC)

// kept is an audit as a store has it: old lines without a hash, and others with one.
type kept struct {
	lines []audit.Kept
	table *audit.Table
	file  audit.File
	want  *audit.Head
}

func line(seq int64) audit.Line {
	l := audit.Line{
		Seq: seq, At: dawn.Add(time.Duration(seq) * time.Second), Who: "ada", Action: "enable",
		ToolID: fmt.Sprint("tool-", seq%3), Version: seq, Detail: "détail",
	}
	if seq%2 == 0 {
		l.From, l.Data = "terminal", `{"answer":"yes"}`
	}
	return l
}

// chain makes an audit of lines, the first of them old.
func chain(old, lines int64) *kept {
	k := &kept{table: &audit.Table{}}
	sum := audit.Digest{}
	for seq := int64(1); seq <= lines; seq++ {
		one := audit.Kept{Line: line(seq), Chained: seq > old}
		sum = audit.Hash(sum, one.Line)
		k.table.Count = seq
		if one.Chained {
			one.Hash, k.table.Hash, k.table.At = sum, sum, one.At
			if k.table.First == 0 {
				k.table.First = seq
			}
		}
		k.lines = append(k.lines, one)
	}
	return k
}

// at is the line with a number, when lines are as they were.
func (k *kept) at(seq int64) *audit.Kept { return &k.lines[seq-1] }

func (k *kept) head(seq int64) *audit.Head { return &audit.Head{Count: seq, Hash: k.at(seq).Hash} }

func (k *kept) all() iter.Seq2[audit.Kept, error] {
	return func(yield func(audit.Kept, error) bool) {
		for _, one := range k.lines {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (k *kept) drop(first, last int64) {
	k.lines = append(k.lines[:first-1:first-1], k.lines[last:]...)
}

func (k *kept) verify(t interface{ Fatal(args ...any) }) (found []audit.Finding, sum audit.Summary) {
	sum, err := audit.Verify(k.all(), audit.Known{Table: k.table, File: k.file, Expected: k.want},
		func(f audit.Finding) { found = append(found, f) })
	if err != nil {
		t.Fatal(err)
	}
	return found, sum
}

// texts writes findings down: "changed 7–7: Line 7 was…".
func texts(found []audit.Finding) (out []string) {
	for _, f := range found {
		kind := f.Kind
		if f.Warning {
			kind += "?"
		}
		out = append(out, fmt.Sprintf("%s %d–%d: %s", kind, f.First, f.Last, f.Message))
	}
	return out
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	stray := func(seq int64) audit.Kept { return audit.Kept{Line: line(seq)} }
	forged := func(seq int64) audit.Kept {
		return audit.Kept{Line: line(seq), Chained: true, Hash: audit.Digest{1, 2, 3}}
	}
	for name, c := range map[string]struct {
		old, lines int64
		do         func(*kept)
		want       []string
	}{
		"nothing":                    {0, 10, func(*kept) {}, nil},
		"nothing, with old lines":    {4, 10, func(*kept) {}, nil},
		"nothing, all old":           {10, 10, func(*kept) {}, nil},
		"nothing at all":             {0, 0, func(*kept) {}, nil},
		"a file that is earlier":     {2, 10, func(k *kept) { k.file = audit.File{Path: "f", Head: k.head(7)} }, nil},
		"a file that is up to date":  {2, 10, func(k *kept) { k.file = audit.File{Path: "f", Head: k.head(10)} }, nil},
		"what was noted":             {2, 10, func(k *kept) { k.want = k.head(5) }, nil},
		"what was noted of no lines": {0, 10, func(k *kept) { k.want = &audit.Head{} }, nil},
		"a field": {0, 10, func(k *kept) { k.at(7).Who = "eve" }, []string{
			"changed 7–7: Line 7 was changed, or line 6 was and its hash was made anew."}},
		"the first line": {0, 10, func(k *kept) { k.at(1).Who = "eve" }, []string{"changed 1–1: Line 1 was changed."}},
		"the last line": {0, 10, func(k *kept) { k.at(10).Who = "eve" }, []string{
			"changed 10–10: Line 10 was changed, or line 9 was and its hash was made anew."}},
		"a hash": {0, 10, func(k *kept) { k.at(7).Hash[0]++ }, []string{
			"changed 7–7: Line 7 was changed, or line 6 was and its hash was made anew."}},
		"a line and its hash": {0, 10, func(k *kept) { k.at(7).Who, k.at(7).Hash = "eve", audit.Digest{} }, []string{
			"changed 7–8: Lines 7–8 do not follow from each other: some of them were changed, or the line before them was."}},
		"a line with its hash made anew": {0, 10, func(k *kept) {
			k.at(7).Who = "eve"
			k.at(7).Hash = audit.Hash(k.at(6).Hash, k.at(7).Line)
		}, []string{"changed 8–8: Line 8 was changed, or line 7 was and its hash was made anew."}},
		"the last line with its hash made anew": {0, 10, func(k *kept) {
			k.at(10).Who = "eve"
			k.at(10).Hash = audit.Hash(k.at(9).Hash, k.at(10).Line)
		}, []string{"head 10–10: The head in the database has another hash than line 10: one of them was changed."}},
		"two lines": {0, 10, func(k *kept) { k.at(3).Who, k.at(8).Detail = "eve", "" }, []string{
			"changed 3–3: Line 3 was changed, or line 2 was and its hash was made anew.",
			"changed 8–8: Line 8 was changed, or line 7 was and its hash was made anew."}},
		"an old line": {4, 10, func(k *kept) { k.at(2).Who = "eve" }, []string{
			"changed 1–5: Lines 1–5 are not what they were when line 5 was written: some of them were changed or removed."}},
		"an old line that got a hash": {4, 10, func(k *kept) { k.at(2).Chained = true; k.at(3).Chained = true }, []string{
			"changed 2–3: Lines 2–3 were given a hash, though from before the chain."}},
		"lines that lost their hash": {0, 10, func(k *kept) { k.at(4).Chained, k.at(5).Chained = false, false }, []string{
			"added 4–5: Lines 4–5 were written past the chain, or robbed of the hash."}},
		"the first lines lost their hash": {0, 10, func(k *kept) { k.at(1).Chained = false }, []string{
			"added 1–1: Line 1 was written past the chain, or robbed of the hash."}},
		"a line is gone": {0, 10, func(k *kept) { k.drop(4, 4) }, []string{
			"missing 4–4: Line 4 is missing. Whether line 5 is as it was cannot be told without."}},
		"the first lines are gone": {0, 10, func(k *kept) { k.drop(1, 3) }, []string{
			"missing 1–3: Lines 1–3 are missing. Whether line 4 is as it was cannot be told without."}},
		"old lines are gone": {4, 10, func(k *kept) { k.drop(2, 3) }, []string{
			"missing 2–3: Lines 2–3 are missing.",
			"changed 1–5: Lines 1–5 are not what they were when line 5 was written: some of them were changed or removed."}},
		"the end is cut": {0, 10, func(k *kept) { k.drop(9, 10) }, []string{
			"cut 9–10: The end is cut: the last line is 8, and the head in the database says that there were 10."}},
		"all are cut": {0, 10, func(k *kept) { k.lines = nil }, []string{
			"cut 1–10: The end is cut: the last line is 0, and the head in the database says that there were 10."}},
		"old lines are cut": {5, 5, func(k *kept) { k.drop(5, 5) }, []string{
			"cut 5–5: The end is cut: the last line is 4, and the head in the database says that there were 5."}},
		"the end is cut, and the head with it": {0, 10, func(k *kept) {
			k.file = audit.File{Path: "f", Head: k.head(9)}
			k.table.Head, k.table.At = *k.head(8), k.at(8).At
			k.drop(9, 10)
		}, []string{"file 9–9: The end is cut: the last line is 8, and f says that there were 9."}},
		"all is made anew": {0, 10, func(k *kept) {
			k.want = k.head(6)
			*k = kept{lines: chain(1, 10).lines, table: chain(1, 10).table, want: k.want}
			k.at(1).Who = "eve"
			sum := audit.Digest{}
			for i := range k.lines {
				sum = audit.Hash(sum, k.lines[i].Line)
				k.lines[i].Hash = sum
			}
			k.table.Hash = sum
		}, []string{"expected 6–6: Line 6 has another hash than the head that is expected says: it, or a line before it, was changed."}},
		"a line past the head": {0, 10, func(k *kept) { k.lines = append(k.lines, stray(11), forged(12)) }, []string{
			"added 11–12: Lines 11–12 were added past the head, which says that the last is 10."}},
		"a line past the head, the last gone": {0, 10, func(k *kept) { k.drop(10, 10); k.lines = append(k.lines, stray(12)) }, []string{
			"missing 10–10: Line 10 is missing. Whether line 11 is as it was cannot be told without.",
			"added 12–12: Line 12 was added past the head, which says that the last is 10."}},
		"a line that others follow": {0, 10, func(k *kept) {
			k.lines = append(k.lines, forged(11))
			next := audit.Kept{Line: line(12), Chained: true, Hash: audit.Hash(k.at(10).Hash, line(12))}
			k.lines = append(k.lines, next)
			k.table.Head, k.table.At = audit.Head{Count: 12, Hash: next.Hash}, next.At
		}, []string{"changed 11–11: Line 11 was changed, or line 10 was and its hash was made anew."}},
		"a line far off that others follow": {0, 10, func(k *kept) {
			k.lines = append(k.lines, forged(14))
			next := audit.Kept{Line: line(15), Chained: true, Hash: audit.Hash(k.at(10).Hash, line(15))}
			k.lines = append(k.lines, next)
			k.table.Head, k.table.At = audit.Head{Count: 15, Hash: next.Hash}, next.At
		}, []string{"missing 11–13: Lines 11–13 are missing. Whether line 14 is as it was cannot be told without."}},
		"a line twice": {0, 3, func(k *kept) { k.lines = append(k.lines, k.lines[2]) }, []string{"added 3–3: Line 3 is there more than once."}},
		"no head":      {0, 10, func(k *kept) { k.table = nil }, []string{"head 0–0: The head in the database is missing."}},
		"no head, and no line": {0, 0, func(k *kept) { k.table = nil }, []string{
			"head 0–0: The head in the database is missing."}},
		"a head that forgot the chain": {2, 10, func(k *kept) { *k.table = audit.Table{Head: audit.Head{Count: 10}} }, []string{
			"head 0–0: The head in the database says that no line has a hash, and line 3 has one."}},
		"a head with another hash": {0, 10, func(k *kept) { k.table.Hash[31]++ }, []string{
			"head 10–10: The head in the database has another hash than line 10: one of them was changed."}},
		"a head with another time": {0, 10, func(k *kept) { k.table.At = dawn }, []string{
			"head 10–10: The head in the database has another time than line 10: one of them was changed."}},
		"a head with another beginning": {2, 10, func(k *kept) { k.table.First = 2 }, []string{
			"added 2–2: Line 2 was written past the chain, or robbed of the hash."}},
		"a file of another chain": {0, 10, func(k *kept) { k.file = audit.File{Path: "f", Head: &audit.Head{Count: 4}} }, []string{
			"file 4–4: Line 4 has another hash than f says: it, or a line before it, was changed."}},
		"a file that is ahead": {0, 10, func(k *kept) { k.file = audit.File{Path: "f", Head: &audit.Head{Count: 14}} }, []string{
			"file 11–14: The end is cut: the last line is 10, and f says that there were 14."}},
		"a file whose line is gone": {0, 10, func(k *kept) { k.file = audit.File{Path: "f", Head: k.head(4)}; k.drop(4, 4) }, []string{
			"missing 4–4: Line 4 is missing. Whether line 5 is as it was cannot be told without.",
			"file 4–4: Line 4, with which f ends, is missing."}},
		"a file that cannot be read": {0, 10, func(k *kept) { k.file = audit.File{Path: "f", Fault: "is a directory"} }, []string{
			"file 0–0: f cannot be read: is a directory."}},
		"a file that is missing": {0, 10, func(k *kept) { k.file = audit.File{Path: "f"}; k.table.Filed = true }, []string{
			"file 0–0: f is missing. It was written before, so somebody removed it."}},
		"a file that may be missing":  {0, 10, func(k *kept) { k.file = audit.File{Path: "f"} }, []string{"file? 0–0: f is missing. It may not have been written yet."}},
		"a file that nobody wrote":    {0, 0, func(k *kept) { k.file = audit.File{Path: "f"} }, nil},
		"a file not written, all old": {3, 3, func(k *kept) { k.file = audit.File{Path: "f"} }, nil},
		"what was noted does not fit": {0, 10, func(k *kept) { k.want = &audit.Head{Hash: audit.Digest{1}} }, []string{
			"expected 0–0: Line 0 has another hash than the head that is expected says: it, or a line before it, was changed."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := chain(c.old, c.lines)
			c.do(k)
			found, sum := k.verify(t)
			if diff := cmp.Diff(c.want, texts(found)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			faults := 0
			for _, f := range found {
				if !f.Warning {
					faults++
				}
			}
			if sum.Faults != faults || sum.Warnings != len(found)-faults || sum.OK() != (faults == 0) || sum.Lines != int64(len(k.lines)) {
				t.Errorf("the summary is %+v", sum)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	k := chain(3, 10)
	_, sum := k.verify(t)
	want := audit.Summary{Lines: 10, Old: 3, Since: k.at(4).At, Head: *k.head(10)}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

func TestLinesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk I/O error")
	sum, err := audit.Verify(func(yield func(audit.Kept, error) bool) {
		_ = yield(chain(0, 1).lines[0], nil) && yield(audit.Kept{}, disk)
	}, audit.Known{}, func(audit.Finding) {})
	if !errors.Is(err, disk) || sum.Lines != 1 {
		t.Errorf("%v after %d lines", err, sum.Lines)
	}
}

// TestTheFormatStays holds the text and the hash of a line against what they are in every
// audit that was ever written.
func TestTheFormatStays(t *testing.T) {
	t.Parallel()
	old := audit.Line{Seq: 7, At: time.UnixMicro(1764484200123456), Who: "ada", Action: "install", ToolID: "keep", Version: 2, Detail: "1 → 2"}
	later := old
	later.From, later.Data = "mcp", `{"b":1, "a":2}`
	odd := old
	odd.Who = "\xff"
	const rest = `"seq":7,"tool":"keep","version":2,"who":`
	for text, l := range map[string]audit.Line{
		`{"action":"install","at":1764484200123456,"detail":"1 → 2",` + rest + `"ada"}`:                                          old,
		`{"action":"install","at":1764484200123456,"data":"{\"b\":1, \"a\":2}","detail":"1 → 2","from":"mcp",` + rest + `"ada"}`: later,
		`{"action":"install","at":1764484200123456,"detail":"1 → 2",` + rest + `{"hex":"ff"}}`:                                   odd,
	} {
		if got := string(l.Canonical()); got != text {
			t.Errorf("the text is %s; want %s", got, text)
		}
	}
	const want = "dd6094a06b9dbba2d37f56c20b8581dcfa43a6425ca124ecc2cde4238de8f3a5"
	if got := audit.Hash(audit.Digest{1}, old).String(); got != want {
		t.Errorf("the hash is %s; want %s", got, want)
	}
}

// lineOf draws a line.
func lineOf(t *rapid.T, label string) audit.Line {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "ada", "\xff", "\uFFFD", `{"hex":"ff"}`, "\xed\xa0\x80", "a\x00b"}))
	number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 3))
	return audit.Line{
		Seq: number.Draw(t, label+" seq"), At: time.UnixMicro(rapid.Int64Range(0, 3).Draw(t, label+" at")),
		Who: text.Draw(t, label+" who"), From: text.Draw(t, label+" from"), Action: text.Draw(t, label+" action"),
		ToolID: text.Draw(t, label+" tool"), Version: number.Draw(t, label+" version"),
		Detail: text.Draw(t, label+" detail"), Data: text.Draw(t, label+" data"),
	}
}

// TestDifferentLinesAreWrittenDifferently has lines that differ in as little as one field.
func TestDifferentLinesAreWrittenDifferently(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := lineOf(t, "a")
		b, other := a, lineOf(t, "b")
		for i, take := range []func(){
			func() { b.Seq = other.Seq }, func() { b.At = other.At }, func() { b.Who = other.Who },
			func() { b.From = other.From }, func() { b.Action = other.Action }, func() { b.ToolID = other.ToolID },
			func() { b.Version = other.Version }, func() { b.Detail = other.Detail }, func() { b.Data = other.Data },
		} {
			if rapid.Bool().Draw(t, fmt.Sprint("take ", i)) {
				take()
			}
		}
		x, y := a.Canonical(), b.Canonical()
		if (a == b) != (string(x) == string(y)) {
			t.Errorf("%+v is %s\n%+v is %s", a, x, b, y)
		}
		if !json.Valid(x) {
			t.Errorf("no JSON: %s", x)
		}
	})
}

func TestHeads(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0f", 32)
	for text, ok := range map[string]bool{
		"0:" + hash: true, "412:" + hash: true, "412:" + strings.ToUpper(hash): true, "9223372036854775807:" + hash: true,
		"": false, ":": false, "412": false, "412:": false, ":" + hash: false, "-1:" + hash: false, "+1:" + hash: false, "01:" + hash: false,
		"9223372036854775808:" + hash: false, "412:" + hash[1:]: false, "412:" + hash + "00": false, "412:" + hash + "\n": false,
		" 412:" + hash: false, "412:x" + hash[1:]: false, "4:12:" + hash: false,
	} {
		head, err := audit.ParseHead(text)
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
		if ok && head.String() != strings.ToLower(text) {
			t.Errorf("%q is written %q", text, head)
		}
	}
}

func FuzzParseHead(f *testing.F) {
	f.Add("412:" + strings.Repeat("0f", 32))
	f.Add("412:")
	f.Fuzz(func(t *testing.T, text string) {
		head, err := audit.ParseHead(text)
		if err != nil {
			return
		}
		if head.String() != strings.ToLower(text) {
			t.Errorf("%q is written %q", text, head)
		}
	})
}
