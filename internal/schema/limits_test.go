package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/schema"
	"toolsmith/internal/value"
)

// names lists numbered names as JSON texts.
func names(format string, count int) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ",")
}

// TestHostileSizes has schemas and values of at most 64 KiB that together would keep the
// machine busy for minutes, or fill its memory, were every pair looked at or told.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, text string
		first, last        string
	}{
		{
			"every item with every choice", `{"items":{"enum":[` + strings.Repeat("0,", 15_000) + `0]}}`, `[` + strings.Repeat("1,", 15_000) + `1]`,
			"$[0]: has to be one of 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 and 14989 more.", "$: There are 14001 more violations.",
		},
		{
			"a long choice for every item", `{"items":{"enum":["` + strings.Repeat("x", 30_000) + `"]}}`, `[` + strings.Repeat("1,", 15_000) + `1]`,
			`$[0]: has to be "` + strings.Repeat("x", 30_000) + `".`, "$: There are 14001 more violations.",
		},
		{
			"every name missing in every item", `{"items":{"required":[` + names(`"%04d"`, 8000) + `]}}`, `[` + strings.Repeat("{},", 9000) + `{}]`,
			"$[0].0000: is required.", "$: There are 899100 more violations.",
		},
		{
			"every unknown name with every known one", `{"properties":{` + names(`"known%04d":{}`, 4000) + `},"additionalProperties":false}`,
			`{` + names(`"nowkn%04d":0`, 4000) + `}`,
			`$.nowkn0000: is no field that is known here. Did you mean "known0000"?`, "$: There are 3000 more violations.",
		},
		{
			"unknown names in every item", `{"items":{"properties":{` + names(`"known%04d":{}`, 4000) + `},"additionalProperties":false}}`,
			`[` + strings.Repeat(`{"nowkn0000":0},`, 4999) + `{"nowkn0000":0}]`,
			`$[0].nowkn0000: is no field that is known here. Did you mean "known0000"?`, "$: There are 4000 more violations.",
		},
		{
			"a long missing name in every item", `{"items":{"required":["` + strings.Repeat("x", 30_000) + `"]}}`, `[` + strings.Repeat("{},", 9000) + `{}]`,
			`$[0]["` + strings.Repeat("x", 128) + `…"]: is required.`, "$: There are 8001 more violations.",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			list := compile(t, test.schema).Validate(decode(t, test.text))
			if len(list) != 1001 {
				t.Fatalf("%d violations are told", len(list))
			}
			if got := list[0].String(); got != test.first {
				t.Errorf("the first is %.200s, want %.200s", got, test.first)
			}
			if got := list[1000].String(); got != test.last {
				t.Errorf("the last is %.200s, want %.200s", got, test.last)
			}
		})
	}
}

// TestGuesses sees that only the first of many unknown names come with a guess.
func TestGuesses(t *testing.T) {
	t.Parallel()
	list := compile(t, `{"properties":{`+names(`"known%04d":{}`, 100)+`},"additionalProperties":false}`).
		Validate(decode(t, `{`+names(`"nowkn%04d":0`, 300)+`}`))
	if len(list) != 300 {
		t.Fatalf("%d violations", len(list))
	}
	for i, v := range list {
		if guessed := strings.Contains(v.Message, "Did you mean"); guessed != (i < 200) {
			t.Errorf("violation %d: %s", i, v)
		}
	}
}

func TestAsManyAsAreTold(t *testing.T) {
	t.Parallel()
	for _, count := range []int{999, 1000} {
		list := compile(t, `{"items":{"type":"null"}}`).Validate(decode(t, "["+strings.Repeat("1,", count-1)+"1]"))
		if len(list) != count {
			t.Errorf("%d violations are told, want %d", len(list), count)
		}
		if got, want := list[len(list)-1].Path, fmt.Sprintf("$[%d]", count-1); got != want {
			t.Errorf("the last is at %s, want %s", got, want)
		}
	}
	list := compile(t, `{"required":[`+names(`"r%03d"`, 150)+`]}`).Validate(decode(t, `{"r000":0}`))
	if len(list) != 100 || list[0].Path != "$.r001" || list[99].Path != "$.r100" {
		t.Errorf("%d missing fields are told: %v", len(list), list)
	}
}

// TestFillBounds sees that defaults do not make a small value a thousand times as large.
func TestFillBounds(t *testing.T) {
	t.Parallel()
	list := func(count int) string { return "[" + strings.Repeat("{},", count-1) + "{}]" }
	// A name of one byte and a text of 1023 with its quotes.
	kilobyte := `{"items":{"properties":{"a":{"default":"` + strings.Repeat("x", 1021) + `"}}}}`
	inner := `{"items":{"properties":{"a":{"default":` + list(1000) + `,"items":{"properties":{"b":{"default":"` + strings.Repeat("x", 97) + `"}}}}}}}`
	tests := []struct {
		name, schema, v string
		grows           bool
	}{
		{"a megabyte", kilobyte, list(1024), true},
		{"more than a megabyte", kilobyte, list(1025), false},
		{"a default too large", `{"properties":{"a":{"default":"` + strings.Repeat("x", 1<<20) + `"}}}`, `{}`, false},
		{"fields of a default", inner, list(10), true},
		{"too many fields of a default", inner, list(11), false},
		{"many small fields", `{"items":{"properties":{` + names(`"p%d":{"default":0}`, 2000) + `}}}`, list(20_000), false},
		{"a long list without defaults", `{"items":{"properties":{}}}`, list(200_000), false},
	}
	for _, test := range tests {
		s, err := schema.CompileJSON([]byte(test.schema))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		v := decode(t, test.v)
		before := value.Size(v)
		if grown := value.Size(s.Fill(v)) > before; grown != test.grows {
			t.Errorf("%s: grown is %v, want %v", test.name, grown, test.grows)
		}
	}
}
