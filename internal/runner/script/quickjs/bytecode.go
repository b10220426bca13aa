package quickjs

import (
	"errors"
	"fmt"
)

// errBytecode says that a text is no WebAssembly module of the kind that is read here.
var errBytecode = errors.New("not a WebAssembly module that can be metered")

// bytecode reads the binary format of WebAssembly. The first problem stays in err, and from then
// on everything read is zero and done is true, so that loops end.
type bytecode struct {
	text []byte
	at   int
	err  error
}

func (b *bytecode) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("%w: at byte %d: %s", errBytecode, b.at, fmt.Sprintf(format, args...))
	}
}

func (b *bytecode) done() bool { return b.err != nil || b.at >= len(b.text) }

func (b *bytecode) byte() byte {
	if b.err != nil {
		return 0
	}
	if b.at >= len(b.text) {
		b.fail("it ends too early")
		return 0
	}
	v := b.text[b.at]
	b.at++
	return v
}

// unsigned reads a number of at most 32 bits.
func (b *bytecode) unsigned() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		x := b.byte()
		v |= uint64(x&0x7f) << shift
		if x < 0x80 {
			if v > 1<<32-1 {
				b.fail("a number has more than 32 bits")
				return 0
			}
			return uint32(v)
		}
	}
	b.fail("a number is too long")
	return 0
}

// skipNumber passes over a number of at most 64 bits, signed or not.
func (b *bytecode) skipNumber() {
	for range 10 {
		if b.byte() < 0x80 {
			return
		}
	}
	b.fail("a number is too long")
}

// bytes gives the next n bytes.
func (b *bytecode) bytes(n uint32) []byte {
	if b.err != nil {
		return nil
	}
	if uint64(n) > uint64(len(b.text)-b.at) {
		b.fail("it ends too early")
		return nil
	}
	v := b.text[b.at : b.at+int(n)]
	b.at += int(n)
	return v
}

// part gives a reader of the next n bytes.
func (b *bytecode) part(n uint32) *bytecode { return &bytecode{text: b.bytes(n), err: b.err} }

// close takes over what a part ran into.
func (b *bytecode) close(part *bytecode) {
	if part.err != nil && b.err == nil {
		b.err = part.err
	}
}

// skipLimits passes over the limits of a memory or table.
func (b *bytecode) skipLimits() {
	flags := b.byte()
	b.unsigned()
	if flags&1 != 0 {
		b.unsigned()
	}
	if flags > 3 {
		b.fail("limits of kind %d", flags)
	}
}

// appendUnsigned writes a number as unsigned reads it.
func appendUnsigned(to []byte, v uint32) []byte {
	for v >= 0x80 {
		to = append(to, byte(v)|0x80)
		v >>= 7
	}
	return append(to, byte(v))
}

// appendSigned writes a number as i32.const has it.
func appendSigned(to []byte, v int32) []byte {
	for {
		x := byte(v & 0x7f)
		v >>= 7
		if v == 0 && x&0x40 == 0 || v == -1 && x&0x40 != 0 {
			return append(to, x)
		}
		to = append(to, x|0x80)
	}
}
