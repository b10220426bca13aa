package value

import (
	"fmt"
	"strings"
	"testing"
)

func benchText() []byte {
	var b strings.Builder
	b.WriteString(`{"schema":"talos.local-tool.v1","flow":{"entry":"s0","nodes":[`)
	for i := range 64 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":"step-%d","type":"capability","capability":"notes.create","input":{"title":{"$ref":"$.input.item"},"content":{"$ref":"$.found.0.title"}},"target":"$.made","retry":{"maxAttempts":2,"backoffMs":250},"next":"step-%d"}`, i, i+1)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	text := benchText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, p := Parse(text); len(p) > 0 {
			b.Fatal(p)
		}
	}
}
