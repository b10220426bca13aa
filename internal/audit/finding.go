package audit

import "fmt"

// The kinds of a finding.
const (
	// KindChanged: lines do not follow from those before them.
	KindChanged = "changed"
	// KindMissing: lines between others are not there.
	KindMissing = "missing"
	// KindCut: lines at the end are not there.
	KindCut = "cut"
	// KindAdded: lines are there that were not appended.
	KindAdded = "added"
	// KindHead: the head that is kept with the lines is missing, or does not fit them.
	KindHead = "head"
	// KindFile: the head that is kept apart is missing, cannot be read, or does not fit.
	KindFile = "file"
	// KindExpected: the head that somebody noted does not fit.
	KindExpected = "expected"
)

// Finding is one thing that is wrong with an audit.
type Finding struct {
	Kind string
	// Warning: it may be as it should.
	Warning bool
	// First and Last line that it is about; 0 where it is about none.
	First, Last int64
	// Message in words.
	Message string
}

// changed is about lines from first to last that have another hash than they would have.
func changed(first, last int64) Finding {
	f := Finding{Kind: KindChanged, First: first, Last: last}
	switch {
	case first < last:
		f.Message = fmt.Sprintf("%s do not follow from each other: some of them were changed, or the line before them was.", span(first, last))
	case first == 1:
		f.Message = "Line 1 was changed."
	default:
		f.Message = fmt.Sprintf("Line %d was changed, or line %d was and its hash was made anew.", first, first-1)
	}
	return f
}

// changedOld is about lines from before the chain, which only the first line with a hash covers.
func changedOld(chained int64) Finding {
	return Finding{Kind: KindChanged, First: 1, Last: chained, Message: fmt.Sprintf(
		"Lines 1–%d are not what they were when line %d was written: some of them were changed or removed.", chained, chained)}
}

// hashed is about lines from before the chain that have a hash all the same.
func hashed(first, last int64) Finding {
	return Finding{Kind: KindChanged, First: first, Last: last, Message: span(first, last) + " " + was(first, last) +
		" given a hash, though from before the chain."}
}

func unchained(first, last int64) Finding {
	return Finding{Kind: KindAdded, First: first, Last: last, Message: span(first, last) + " " + was(first, last) +
		" written past the chain, or robbed of the hash."}
}

func twice(seq int64) Finding {
	return Finding{Kind: KindAdded, First: seq, Last: seq, Message: fmt.Sprintf("Line %d is there more than once.", seq)}
}

// beyond is about lines past the end that the head has.
func beyond(end, first, last int64) Finding {
	return Finding{Kind: KindAdded, First: first, Last: last, Message: fmt.Sprintf(
		"%s %s added past the head, which says that the last is %d.", span(first, last), was(first, last), end)}
}

// missing is about a gap. unchecked: the hash before the next line is gone with it.
func missing(first, last int64, unchecked bool) Finding {
	f := Finding{Kind: KindMissing, First: first, Last: last, Message: span(first, last) + " " + is(first, last) + " missing."}
	if unchecked {
		f.Message += fmt.Sprintf(" Whether line %d is as it was cannot be told without.", last+1)
	}
	return f
}

// cut is about an end that is nearer than a source has it.
func cut(kind, source string, end, count int64) Finding {
	return Finding{Kind: kind, First: end + 1, Last: count, Message: fmt.Sprintf(
		"The end is cut: the last line is %d, and %s says that there were %d.", end, source, count)}
}

// span names lines at the beginning of a sentence.
func span(first, last int64) string {
	if first == last {
		return fmt.Sprintf("Line %d", first)
	}
	return fmt.Sprintf("Lines %d–%d", first, last)
}

func was(first, last int64) string {
	if first == last {
		return "was"
	}
	return "were"
}

func is(first, last int64) string {
	if first == last {
		return "is"
	}
	return "are"
}
