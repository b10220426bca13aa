package audit

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// CodeBroken is that the audit was changed by something other than Toolsmith, or a head of it is gone.
const CodeBroken = "AUDIT_BROKEN"

// Head says where a chain ended once: after how many lines, and with which hash.
type Head struct {
	Count int64
	Hash  Digest
}

// String writes a head as ParseHead reads it: "412:9f2c…".
func (h Head) String() string { return strconv.FormatInt(h.Count, 10) + ":" + h.Hash.String() }

// ParseHead reads COUNT:HASH, the hash as 64 hexadecimal digits.
func ParseHead(text string) (Head, error) {
	count, hash, _ := strings.Cut(text, ":")
	n, err := strconv.ParseUint(count, 10, 63)
	digits, hexErr := hex.DecodeString(hash)
	h := Head{Count: int64(n)} //nolint:gosec // it has 63 bits
	if err != nil || hexErr != nil || len(digits) != len(h.Hash) || strconv.FormatInt(h.Count, 10) != count {
		return Head{}, errors.New("a head of the audit is COUNT:HASH, a number of lines and 64 hexadecimal digits")
	}
	copy(h.Hash[:], digits)
	return h, nil
}

// Table is the head that is kept with the lines. It moves with each of them, and never back.
type Table struct {
	// Head after the newest line. While no line is chained it has only the count.
	Head
	// First is the first line that has a hash; 0 while none has. Those before it are covered
	// by its hash.
	First int64
	// At is the time of the newest line that has a hash.
	At time.Time
	// Filed: the head was written into a file once, so that the file must be there.
	Filed bool
}

// File is the head that is kept apart from the lines, and may be somewhat older.
type File struct {
	// Path of the file, for messages; "" for a store that keeps none.
	Path string
	// Head that it has; nil where it is missing or cannot be read.
	Head *Head
	// Fault says why it cannot be read; "" where it can, or is missing.
	Fault string
}

// Missing reports whether there is no file where one may be.
func (f File) Missing() bool { return f.Path != "" && f.Head == nil && f.Fault == "" }

// Kept is a line as it is kept, with its hash.
type Kept struct {
	Line
	// Chained: it has a hash. Lines from before the chain have none.
	Chained bool
	Hash    Digest
}
