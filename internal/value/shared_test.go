package value_test

import (
	"encoding/json"
	"testing"
	"time"

	"toolsmith/internal/value"
)

func TestTruthy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"null": false, "false": false, "true": true, `""`: false, `" "`: true, `"false"`: true,
		"0": false, "-0": false, "0.00": false, "0e9": false, "-0.0E-5": false, "1": true, "-1": true, "1e-300": true,
		"[]": true, "{}": true, "[0]": true,
	} {
		v, err := value.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := value.Truthy(v); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if !value.Truthy(json.Number("5e-324")) {
		t.Error("a number close to zero counts as zero")
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 27, 1, 2, 3, 4_999_999, time.FixedZone("", 2*3600))
	for given, want := range map[time.Time]string{
		at:                                       "2026-11-26T23:02:03.004Z",
		at.Truncate(time.Second):                 "2026-11-26T23:02:03.000Z",
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC): "0001-01-01T00:00:00.000Z",
	} {
		if got := value.Time(given); got != want {
			t.Errorf("%v is written as %s, want %s", given, got, want)
		}
	}
}

func TestParseStrict(t *testing.T) {
	t.Parallel()
	if n, err := value.ParseStrict([]byte(`{"a": 1}`)); err != nil || n.Get("a").Text != "1" {
		t.Errorf("%v, %v", n, err)
	}
	// What Parse can pass is an error here, too.
	n, err := value.ParseStrict([]byte("{\"a\": 1,\n \"a\": 2}"))
	if want := `line 2, column 2: This field is given twice. Keep one.`; n != nil || err == nil || err.Error() != want {
		t.Errorf("%v, %v; want %s", n, err, want)
	}
}
