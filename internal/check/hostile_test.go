package check_test

import (
	"fmt"
	"strings"

	"toolsmith/internal/manifest"
)

// hostile is a text that was made to cost whoever reads it much time or memory.
type hostile struct {
	name string
	text func() []byte
	// ok: it may be installed all the same.
	ok bool
}

// list writes n items, separated by commas.
func list(n int, item func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

func members(n int, name, value string) string {
	return list(n, func(i int) string { return fmt.Sprintf(`"%s%d":%s`, name, i, value) })
}

// nested writes a value that is n levels deep.
func nested(n int, open, inside, end string) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(end, n)
}

// padded fills a text up with spaces.
func padded(text []byte, size int) []byte {
	return append(text, strings.Repeat(" ", size-len(text))...)
}

// refused are texts that are refused before anything is built of them.
var refused = []hostile{
	{name: "one byte too large", text: func() []byte { return padded(draft{}.text(), manifest.MaxSize+1) }},
	{name: "64 MiB of spaces", text: func() []byte { return padded(draft{}.text(), 64<<20) }},
	{name: "a million keys", text: func() []byte { return []byte("{" + members(1_000_000, "k", "0") + "}") }},
	{name: "10,000 lists", text: func() []byte { return []byte(nested(10_000, "[", "", "]")) }},
	{name: "30,000 lists that do not end", text: func() []byte { return []byte(strings.Repeat("[", 30_000)) }},
	{name: "10,000 objects", text: func() []byte { return []byte(nested(10_000, `{"a":`, "1", "}")) }},
	{name: "10,000 lists in a step", text: func() []byte { return flow(returns(nested(10_000, "[", "", "]"))) }},
	{name: "10,000 objects in a schema", text: func() []byte {
		return draft{more: `"outputSchema": ` + nested(4_000, `{"items":`, "{}", "}")}.text()
	}},
	{name: "one level too deep", text: func() []byte { return flow(returns(nested(61, "[", "", "]"))) }},
}

// bounded are texts of at most 64 KiB that have to be checked in full, each with one kind
// of thing in great number.
var bounded = []hostile{
	{name: "as deep as allowed", ok: true, text: func() []byte { return flow(returns(nested(60, "[", "", "]"))) }},
	{name: "64 KiB exactly", ok: true, text: func() []byte { return padded(draft{}.text(), manifest.MaxSize) }},
	{name: "a value of many numbers", ok: true, text: func() []byte {
		return flow(returns("[" + list(30_000, func(int) string { return "1" }) + "]"))
	}},
	{name: "a value of many names", ok: true, text: func() []byte { return flow(returns("{" + members(6_000, "k", "1") + "}")) }},
	{name: "a deep schema", ok: true, text: func() []byte {
		return draft{more: `"inputSchema": ` + nested(28, `{"type": "object", "properties": {"a": `, `{"type": "string"}`, "}}")}.text()
	}},
	{name: "a wide schema", ok: true, text: func() []byte {
		return draft{more: `"inputSchema": {"properties": {` + members(5_000, "p", "{}") + `}}`}.text()
	}},
	{name: "many required properties", ok: true, text: func() []byte {
		return draft{more: `"inputSchema": {"properties": {` + members(2_500, "p", "{}") + `}, "required": [` +
			list(2_500, func(i int) string { return fmt.Sprintf(`"p%d"`, 2_499-i) }) + `]}`}.text()
	}},
	{name: "many defaults", ok: true, text: func() []byte {
		return draft{more: `"inputSchema": {"properties": {` + members(2_500, "p", `{"default":1}`) + `}}`}.text()
	}},
	{name: "many state fields", ok: true, text: func() []byte {
		return draft{more: `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {` + members(5_000, "f", "{}") + `}}`}.text()
	}},
	{name: "many hosts", ok: true, text: func() []byte {
		return draft{network: `{"mode": "allowlist", "domains": [` + list(5_000, func(i int) string { return fmt.Sprintf(`"h%d.a"`, i) }) + `]}`}.text()
	}},
	{name: "many references to one variable", ok: true, text: func() []byte {
		return flow(returns("[" + list(4_000, func(int) string { return `{"$ref":"$.a"}` }) + "]"))
	}},
	{name: "many texts like tokens", ok: true, text: func() []byte {
		return flow(returns("[" + list(2_500, func(i int) string { return fmt.Sprintf(`"a%020dz"`, i) }) + "]"))
	}},
	{name: "one long text like a token", ok: true, text: func() []byte { return flow(returns(quote(strings.Repeat("a0", 31_000)))) }},
	{name: "many words like tokens", ok: true, text: func() []byte { return flow(returns(quote(strings.Repeat("key=aB0", 8_800)))) }},
	{name: "many steps of one id", text: func() []byte {
		return flow(list(900, func(i int) string { return fmt.Sprintf(`{"id":"aaa","type":"return","value":%d}`, i) }))
	}},
	{name: "many cycles", text: func() []byte {
		return flow(list(600, func(i int) string {
			return fmt.Sprintf(`{"id":"n%04d","type":"if","condition":{"left":1,"op":"exists"},"then":"n%04d","else":"n0000"}`, i, i+1)
		}), `{"id": "n0600", "type": "return", "value": 1}`)
	}},
}

// slow are texts of at most 64 KiB that take much longer than their size, or much more
// memory: what they hold in great number is compared with itself, or named again and
// again. Benchmarks show how long.
var slow = []hostile{
	{name: "many unknown fields", text: func() []byte { return draft{more: members(5_000, "k", "1")}.text() }},
	{name: "many hosts of a wrong kind", text: func() []byte {
		return draft{network: `{"mode": "allowlist", "domains": [` + list(31_000, func(int) string { return "1" }) + `]}`}.text()
	}},
	{name: "many bad hosts", text: func() []byte {
		return draft{network: `{"mode": "allowlist", "domains": [` + list(15_000, func(int) string { return `"a"` }) + `]}`}.text()
	}},
	{name: "many doubled names", text: func() []byte {
		return flow(returns("{" + list(8_000, func(int) string { return `"k":1` }) + "}"))
	}},
	{name: "many secrets", text: func() []byte {
		return flow(returns("[" + list(3_600, func(i int) string { return fmt.Sprintf(`{"pwd":"xx%d"}`, i) }) + "]"))
	}},
	{name: "faults below a long name", text: func() []byte {
		return draft{more: `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {"` + strings.Repeat("n", 30_000) + `": {` + members(2_900, "a", "1") + `}}}`}.text()
	}},
	{name: "secrets below a long name", text: func() []byte {
		return flow(returns(`{"` + strings.Repeat("n", 30_000) + `": [` + list(1_900, func(i int) string { return fmt.Sprintf(`{"pwd":"xx%d"}`, i) }) + `]}`))
	}},
	{name: "many scopes against many hosts", text: func() []byte { return scopes("s%d.a") }},
	{name: "many scopes in other letter case", ok: true, text: func() []byte { return scopes("H%d.A") }},
	{name: "defaults of schemas in schemas", ok: true, text: func() []byte {
		return draft{more: `"inputSchema": ` + nested(27, `{"default": {}, "properties": {"a": `, `{"properties": {`+members(1_400, "p", `{"type":"string"}`)+`}}`, "}}")}.text()
	}},
	{name: "many unknown names of the input", ok: true, text: func() []byte {
		return draft{
			more:  `"inputSchema": {"type": "object", "additionalProperties": false, "properties": {` + members(2_200, "p", "{}") + `}}`,
			steps: []string{returns("[" + list(1_100, func(i int) string { return ref(fmt.Sprintf("input.q%d", i)) }) + "]")},
		}.text()
	}},
	{name: "many edges to nowhere", text: func() []byte {
		return flow(list(700, func(i int) string { return sets(fmt.Sprintf("n%03d", i), "a", "1", fmt.Sprintf("zzz%d", i)) }))
	}},
}

// scopes is a manifest with many hosts and as many scopes of one credential.
func scopes(scope string) []byte {
	const n = 2_600
	credential := `[{"id": "key", "kind": "api_profile", "purpose": "p", "outboundScope": [` +
		list(n, func(i int) string { return fmt.Sprintf(`"`+scope+`"`, i) }) + `]}]`
	text := draft{network: `{"mode": "allowlist", "domains": [` + list(n, func(i int) string { return fmt.Sprintf(`"h%d.a"`, i) }) + `]}`}.text()
	return []byte(strings.Replace(string(text), `"credentialRequirements": []`, `"credentialRequirements": `+credential, 1))
}
