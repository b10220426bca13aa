package tool

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

// Here are the tags that go vet and staticcheck do not let into the types of other tests.
func TestParseTags(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{
		`minimum`, `minimum:1`, `minimum:"1`, `minimum:"1" x`, `:"1"`, `"x":"1"`, "minimum:`1`", `json:"a" minimum: "1"`, "min\timum:\"1\"", `minimum:'1'`,
	} {
		if tags, err := parseTags(reflect.StructTag(tag)); err == nil || !strings.HasPrefix(err.Error(), "its tags cannot be read from ") {
			t.Errorf("%s is read as %v, error %v", tag, tags, err)
		}
	}
	tags, err := parseTags(`  yaml:"x"   json:"a,omitempty" enum:"a,\"b\""  minimum:""  `)
	if want := map[string]string{"json": "a,omitempty", "enum": `a,"b"`, "minimum": ""}; err != nil || !maps.Equal(tags, want) {
		t.Errorf("read as %v, error %v, want %v", tags, err, want)
	}
}

func TestReadTags(t *testing.T) {
	t.Parallel()
	for tag, want := range map[reflect.StructTag]string{
		`json:"a,omitemtpy"`:        `its json tag has an unknown option "omitemtpy"`,
		`json:"a\"b"`:               `the name "a\"b" in its json tag`,
		`json:"a\x00"`:              `the name "a\x00" in its json tag`,
		`minimum:"1" minimum:"2"`:   `its tag minimum is there twice`,
		`json:"a,omitempty,string"`: `the option "string" of its json tag`,
	} {
		var s shaper
		if m := (member{at: "A"}); s.readTags(&m, tag) && len(s.problems) == 0 {
			t.Errorf("%s is read as %v", tag, m)
			continue
		}
		if got := s.problems[0].Error(); !strings.Contains(got, "result: field A: "+want) {
			t.Errorf("%s: %s, want %s", tag, got, want)
		}
	}
	var s shaper
	m := member{at: "A"}
	if !s.readTags(&m, `json:"-,"`) || m.name != "-" || len(s.problems) > 0 {
		t.Errorf("a field with the name - is read as %v, %v", m, s.problems)
	}
}
