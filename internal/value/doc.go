// Package value reads and writes JSON without losing anything that matters to a person
// or a program: every value and key of a text has its place, numbers keep their text,
// and a half of a surrogate pair stays what it is. It also holds the paths by which a
// flow refers to values.
//
// A value is one of nil, bool, string, json.Number (of encoding/json), []any and
// map[string]any. Values are never changed in place once they are shared: whoever wants
// another value makes one, so that a reference read earlier stays what it was.
//
// A string may hold a lone surrogate, written as the three bytes that UTF-8 would use if
// it allowed them (WTF-8). Bytes of such strings still sort by code point.
package value
