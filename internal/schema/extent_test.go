package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/schema"
)

// TestExtent counts what a schema leads to, which can be far more than what is written.
func TestExtent(t *testing.T) {
	t.Parallel()
	const most = 1000
	doubling := `{"$ref":"#/$defs/a0","$defs":{` + func() string {
		list := make([]string, 40)
		for i := range list {
			list[i] = fmt.Sprintf(`"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i, i+1, i+1)
		}
		return strings.Join(list, ",")
	}() + `,"a40":{"type":"string"}}}`
	for text, want := range map[string]int{
		`true`: 1, `{}`: 1, `{"type":"string"}`: 2, `{"items":[{},{}]}`: 4, `{"enum":[1,2,3]}`: 2, `{"default":{"$ref":"x"}}`: 2,
		`{"$ref":"#"}`: 3, `{"properties":{"$ref":{"type":"string"}}}`: 4, `{"$id":"https://example.org"}`: 2,
		`{"$defs":{"a/b~c d":{"type":"number"}},"$ref":"#/$defs/a~1b~0c%20d"}`: 6,
		`{"$defs":{"a":[{}]},"$ref":"#/$defs/a/0"}`:                            5,
		`{"$ref":"other.json"}`:                                                most + 1, `{"$ref":"#name"}`: most + 1, `{"$ref":"#/%zz"}`: most + 1, `{"$ref":"#/$defs/a"}`: most + 1,
		`{"items":[{}],"$ref":"#/items/1"}`: most + 1, `{"type":"string","$ref":"#/type/x"}`: most + 1,
		`{"$dynamicRef":"#a"}`: most + 1, `{"items":{"$id":"x"}}`: most + 1, doubling: most + 1,
	} {
		if got := schema.Extent(decode(t, text), most); got != want {
			t.Errorf("%.80s: %d places, want %d", text, got, want)
		}
	}
}
