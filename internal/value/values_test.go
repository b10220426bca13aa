package value_test

import (
	"encoding/json"
	"unicode/utf16"

	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

// numbers draws number texts in every spelling: small and large, with zeros at either end,
// with and without exponent.
var numbers = rapid.Map(rapid.OneOf(
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})`),
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,8})?`),
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})(\.[0-9]{0,3}0)?[eE][+-]?0?[0-9]{1,2}`),
	rapid.StringMatching(`-?1(\.[05])?e-?[12][0-9]{2}`),
	rapid.StringMatching(`-?92233720368547758[01][0-9](\.0)?`),
), func(text string) json.Number { return json.Number(text) })

// plainNumbers draws numbers in their plain form.
var plainNumbers = rapid.Map(numbers, func(n json.Number) json.Number { return json.Number(value.PlainNumber(n)) })

// texts draws texts as they can come out of JSON: any characters, and halves of surrogate pairs.
var texts = rapid.Map(rapid.SliceOfN(rapid.OneOf(
	rapid.Map(rapid.Byte(), func(b byte) uint16 { return uint16(b) }),
	rapid.Map(rapid.IntRange(0xD780, 0xE07F), func(u int) uint16 { return uint16(u) }),
	rapid.SampledFrom([]uint16{'"', '\\', '/', 0x7F, 0x2028, 0x212A, 0xD83D, 0xDE00, 0xFEFF, 0xFFFD, 0xFFFF}),
), 0, 8), textOfUnits)

// textOfUnits makes a text of UTF-16 units; a unit without its other half keeps its value.
func textOfUnits(units []uint16) string {
	var text []byte
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		switch {
		case utf16.IsSurrogate(r) && i+1 < len(units) && utf16.DecodeRune(r, rune(units[i+1])) != '\uFFFD':
			text = append(text, string(utf16.DecodeRune(r, rune(units[i+1])))...)
			i++
		case utf16.IsSurrogate(r):
			text = append(text, 0xE0|byte(r>>12), 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
		default:
			text = append(text, string(r)...)
		}
	}
	return string(text)
}

// names draws member names, among them many that meet.
var names = rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "0", "1", "length", "", "constructor", "ü"}), texts)

// values draws values with numbers from a generator, at most depth levels deep.
func values(numbers *rapid.Generator[json.Number], depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), numbers.AsAny(), texts.AsAny(),
	}
	if depth > 0 {
		inner := values(numbers, depth-1)
		kinds = append(kinds,
			rapid.SliceOfN(inner, 0, 4).AsAny(),
			rapid.MapOfN(names, inner, 0, 4).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// anyValue draws values of every shape.
var anyValue = values(numbers, 3)
