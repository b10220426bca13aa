package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"toolsmith/internal/value"
)

// Line is one line of the append-only audit.
type Line struct {
	// Seq is given by the store, from 1 upwards without gaps.
	Seq int64
	// At is kept to the microsecond.
	At time.Time
	// Who did it, and From where: "terminal", "mcp", or the name of a program. From is "" in
	// lines from before it was noted.
	Who, From string
	Action    string
	ToolID    string
	// Version that the action was about; 0 where there is none.
	Version int64
	// Detail in words.
	Detail string
	// Data is what programs may want to read of it, as JSON text; "" for none.
	Data string
}

// Canonical gives the text that is hashed: an object in canonical JSON (RFC 8785). The time
// is in microseconds since 1970. Fields that came later are left out where they are empty, so
// that a line has the same text as before they came.
func (l Line) Canonical() []byte {
	object := map[string]any{
		"seq": number(l.Seq), "at": number(l.At.UnixMicro()), "who": text(l.Who), "action": text(l.Action),
		"tool": text(l.ToolID), "version": number(l.Version), "detail": text(l.Detail),
	}
	for name, later := range map[string]string{"from": l.From, "data": l.Data} {
		if later != "" {
			object[name] = text(later)
		}
	}
	const usual = 256
	return value.AppendCanonical(make([]byte, 0, usual), object)
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// text gives a text as JSON has it. One that JSON cannot hold is written as its bytes, so
// that no two different texts are written alike.
func text(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return map[string]any{"hex": hex.EncodeToString([]byte(s))}
}

// Digest is a SHA-256.
type Digest [sha256.Size]byte

// String writes the digest in lower-case hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Hash gives the hash of a line in its chain: the SHA-256 of the 32 bytes of the hash of the
// line before it, and the canonical text of the line. Before the first line it is all zeros.
func Hash(previous Digest, line Line) Digest {
	return sha256.Sum256(append(previous[:], line.Canonical()...))
}
