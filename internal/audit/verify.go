package audit

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// Known is what is known of an audit beside its lines.
type Known struct {
	// Table is the head that is kept with the lines; nil where it is missing.
	Table *Table
	// File is the head that is kept apart. It must have been read before the lines.
	File File
	// Expected is a head that somebody noted at an earlier time; nil for none.
	Expected *Head
}

// Summary is what Verify saw.
type Summary struct {
	// Lines that are there, and Old ones among them, from before the chain.
	Lines, Old int64
	// Since is the time of the first line that has a hash, from which on every change is seen;
	// the zero time where none has.
	Since time.Time
	// Head after the newest line that has a hash.
	Head Head
	// Faults and Warnings that were reported.
	Faults, Warnings int
}

// OK reports whether nothing is wrong; there may be warnings.
func (s Summary) OK() bool { return s.Faults == 0 }

// Verify walks over the lines of an audit, oldest first, and reports what is wrong, in the
// order of the lines. It keeps no more than one of them. The error is one of lines.
//
// A change of one line is told as such. Where a line was changed and its hash made anew, the
// next line is the first that does not fit, or the heads where there is none.
func Verify(lines iter.Seq2[Kept, error], known Known, report func(Finding)) (Summary, error) {
	w := &walker{known: known, report: report, knows: true}
	if known.Table == nil {
		w.tell(Finding{Kind: KindHead, Message: "The head in the database is missing."})
	} else {
		w.first = known.Table.First
	}
	if known.File.Head != nil {
		w.points = append(w.points, point{*known.File.Head, KindFile, known.File.Path})
	}
	if known.Expected != nil {
		w.points = append(w.points, point{*known.Expected, KindExpected, "the head that is expected"})
	}
	w.pass(0, Digest{})
	for k, err := range lines {
		if err != nil {
			return w.sum, err
		}
		w.line(k)
	}
	w.end()
	return w.sum, nil
}

// point is a head that the chain must have passed through.
type point struct {
	Head
	kind, source string
}

// walker is a walk over the lines.
type walker struct {
	known  Known
	report func(Finding)
	points []point // not yet passed
	sum    Summary
	// first line with a hash; 0 where it is not known yet.
	first int64
	// last is the number of the line before.
	last int64

	// knows: what the next line has to follow from is among these three, which are the same
	// unless lines do not fit. good is the hash of the last line that fitted, kept the one that
	// is kept of the line before, and made what it would be if all since good are as they were.
	knows            bool
	good, kept, made Digest

	// run is what is wrong with several lines in a row, told once it ends.
	run struct {
		kind        int
		first, last int64
	}
}

// The kinds of a run.
const (
	noRun = iota
	runChanged
	runHashed
	runUnchained
	runBeyond
)

func (w *walker) line(k Kept) {
	w.sum.Lines++
	if k.Seq <= w.last {
		w.tell(twice(k.Seq))
		return
	}
	table := w.known.Table
	within := table == nil || k.Seq <= table.Count
	end := k.Seq - 1
	if !within {
		end = table.Count
	}
	if end > w.last {
		chained := w.first != 0 && k.Seq > w.first
		w.tell(missing(w.last+1, end, chained))
		w.knows = !chained
	}
	w.last = k.Seq
	hashes := w.chain(k, within)
	if table != nil && k.Seq == table.Count && table.First != 0 {
		w.checkTable(table, k, hashes)
	}
	w.pass(k.Seq, hashes...)
}

// chain holds a line against those before it, and gives the hashes that it may have had.
func (w *walker) chain(k Kept, within bool) []Digest {
	made := Hash(w.made, k.Line)
	hashes := []Digest{made}
	if !w.knows {
		hashes = nil
	}
	if k.Chained {
		hashes = append(hashes, k.Hash)
		w.sum.Head = Head{Count: k.Seq, Hash: k.Hash}
		if w.first == 0 {
			w.begin(k.Seq)
		}
	}
	if k.Seq == w.first {
		w.sum.Since = k.At
	}
	old := w.first == 0 || k.Seq < w.first
	switch {
	case !within:
		w.wrong(runBeyond, k.Seq)
	case old && k.Chained:
		w.wrong(runHashed, k.Seq)
	case !old && !k.Chained:
		w.wrong(runUnchained, k.Seq)
	case !old && !w.fits(k, made):
		w.kept, w.made = k.Hash, made
		if k.Seq == w.first && k.Seq > 1 {
			w.tell(changedOld(k.Seq))
		} else {
			w.wrong(runChanged, k.Seq)
		}
		return hashes
	case !old:
		if w.knows {
			w.good = k.Hash
		}
		w.kept, w.made, w.knows = k.Hash, k.Hash, true
		return hashes
	}
	if old {
		w.sum.Old++
		w.good, w.kept = made, made
	}
	w.made = made
	return hashes
}

// begin is called for the first line with a hash where no head says which that is.
func (w *walker) begin(seq int64) {
	w.first = seq
	if w.known.Table != nil {
		w.tell(Finding{Kind: KindHead, Message: fmt.Sprintf("The head in the database says that no line has a hash, and line %d has one.", seq)})
	}
}

// fits reports whether a line follows from what is before it, as far as that is known.
func (w *walker) fits(k Kept, made Digest) bool {
	if !w.knows || k.Hash == made {
		return true
	}
	return slices.ContainsFunc([]Digest{w.good, w.kept}, func(previous Digest) bool {
		return previous != w.made && Hash(previous, k.Line) == k.Hash
	})
}

func (w *walker) checkTable(table *Table, k Kept, hashes []Digest) {
	switch {
	case !slices.Contains(hashes, table.Hash):
		w.tell(Finding{Kind: KindHead, First: k.Seq, Last: k.Seq, Message: fmt.Sprintf(
			"The head in the database has another hash than line %d: one of them was changed.", k.Seq)})
	case !table.At.Equal(k.At):
		w.tell(Finding{Kind: KindHead, First: k.Seq, Last: k.Seq, Message: fmt.Sprintf(
			"The head in the database has another time than line %d: one of them was changed.", k.Seq)})
	}
}

// pass takes out the points that the chain passes with a line, and reports those that do not
// fit the hashes that it may have had.
func (w *walker) pass(seq int64, hashes ...Digest) {
	w.points = slices.DeleteFunc(w.points, func(p point) bool {
		if p.Count > seq {
			return false
		}
		switch {
		case p.Count < seq:
			w.tell(Finding{Kind: p.kind, First: p.Count, Last: p.Count, Message: fmt.Sprintf(
				"Line %d, with which %s ends, is missing.", p.Count, p.source)})
		case !slices.Contains(hashes, p.Hash):
			w.tell(Finding{Kind: p.kind, First: p.Count, Last: p.Count, Message: fmt.Sprintf(
				"Line %d has another hash than %s says: it, or a line before it, was changed.", p.Count, p.source)})
		}
		return true
	})
}

// end reports what is only seen once there are no more lines.
func (w *walker) end() {
	w.flush()
	table, file := w.known.Table, w.known.File
	if table != nil && table.Count > w.last {
		w.tell(cut(KindCut, "the head in the database", w.last, table.Count))
	}
	for _, p := range w.points {
		w.tell(cut(p.kind, p.source, w.last, p.Count))
	}
	switch {
	case file.Path == "" || file.Head != nil:
	case file.Fault != "":
		w.tell(Finding{Kind: KindFile, Message: fmt.Sprintf("%s cannot be read: %s.", file.Path, file.Fault)})
	case table != nil && table.Filed:
		w.tell(Finding{Kind: KindFile, Message: fmt.Sprintf("%s is missing. It was written before, so somebody removed it.", file.Path)})
	case w.first != 0:
		w.tell(Finding{Kind: KindFile, Warning: true, Message: fmt.Sprintf("%s is missing. It may not have been written yet.", file.Path)})
	}
}

// wrong adds a line to a run of lines with which the same is wrong.
func (w *walker) wrong(kind int, seq int64) {
	if w.run.kind == kind && w.run.last == seq-1 {
		w.run.last = seq
		return
	}
	w.flush()
	w.run.kind, w.run.first, w.run.last = kind, seq, seq
}

// flush tells of the run that has ended.
func (w *walker) flush() {
	first, last, kind := w.run.first, w.run.last, w.run.kind
	w.run.kind = noRun
	switch kind {
	case runChanged:
		w.tell(changed(first, last))
	case runHashed:
		w.tell(hashed(first, last))
	case runUnchained:
		w.tell(unchained(first, last))
	case runBeyond:
		w.tell(beyond(w.known.Table.Count, first, last))
	}
}

func (w *walker) tell(f Finding) {
	w.flush()
	if f.Warning {
		w.sum.Warnings++
	} else {
		w.sum.Faults++
	}
	w.report(f)
}
