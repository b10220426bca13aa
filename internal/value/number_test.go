package value_test

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

// TestNumberText sees that the text of a number is kept from reading to writing.
func TestNumberText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0", "-0", "-0.0", "1.0", "1e0", "1E+0", "0.1", "0.10", "9007199254740993", "12345678901234567890",
		"-9223372036854775809", "1.7976931348623157e308", "5e-324", "-1e-320", "0e9999", "1e0000000000000000000001",
		"0." + strings.Repeat("0", 300) + "1", strings.Repeat("9", 308), "1." + strings.Repeat("0", 1022),
	} {
		root, problems := value.Parse([]byte("[" + text + "]"))
		if len(problems) > 0 {
			t.Errorf("%.40s: %v", text, problems)
			continue
		}
		if got := value.JSON(root.Value()); got != "["+text+"]" {
			t.Errorf("%.40s is written as %.40s", text, got)
		}
	}
}

func TestCheckNumber(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1e400", "-1e400", "1e309", "1.8e308", "1e-400", "-1e-400", "0.0001e-400",
		"0e99999", "0e99999999", "-0.0e-99999999", "0e00099999", "1e99999999999999999999",
		strings.Repeat("9", 309), strings.Repeat("1", 1024), strings.Repeat("1", 2000), "0." + strings.Repeat("3", 1999),
		"0." + strings.Repeat("0", 1100) + "1",
	} {
		err := value.CheckNumber(text)
		if err == nil || !strings.HasPrefix(err.Error(), "This number is outside ") {
			t.Errorf("%.40s (%d characters): error is %v, want that it is outside the range", text, len(text), err)
		}
	}
	for _, text := range []string{
		"0", "-0", "999999999999999", "-99999999999999", "1234567890123456", "1e308", "1.7976931348623157e308", "5e-324", "3e-324",
		"0e9999", "0e-9999", "0e00000", "0." + strings.Repeat("3", 1022), strings.Repeat("0", 0) + "0." + strings.Repeat("0", 1000),
	} {
		if err := value.CheckNumber(text); err != nil {
			t.Errorf("%.40s (%d characters): %v", text, len(text), err)
		}
	}
}

func TestInts(t *testing.T) {
	t.Parallel()
	if got := value.Int(-7); got != "-7" {
		t.Errorf("Int(-7) is %s", got)
	}
	if got := value.Int64(math.MinInt64); got != "-9223372036854775808" {
		t.Errorf("Int64 of the smallest is %s", got)
	}
}

func TestCompareNumbers(t *testing.T) {
	t.Parallel()
	// Each line is below the next; the numbers of one line are equal.
	ascending := [][]json.Number{
		{"-1e308"},
		{"-12345678901234567891", "-12345678901234567891.0"},
		{"-12345678901234567890", "-1234567890123456789e1"},
		{"-9007199254740993"},
		{"-9007199254740992"},
		{"-10", "-1e1", "-10.0"},
		{"-9.99"},
		{"-1", "-1.0", "-1e0", "-0.1e1"},
		{"-5e-324"},
		{"0", "-0", "0.0", "-0.0", "0e0", "-0e10", "0e9999"},
		{"5e-324"},
		{"0.1", "0.10", "1e-1", "10e-2"},
		{"0.10000000000000000000000000000001"},
		{"0.5", "5e-1"},
		{"1", "1.0", "1e0", "1E+0", "100e-2", "0.001e3"},
		{"1.5"},
		{"2"},
		{"10", "1e1"},
		{"99"},
		{"100", "1e2"},
		{"9007199254740992"},
		{"9007199254740993", "9007199254740993.000", "9.007199254740993e15"},
		{"999999999999999999"},
		{"1000000000000000000", "1e18"},
		{"12345678901234567890"},
		{"12345678901234567891"},
		{"1e308"},
		{"1.0000000000000000000001e308"},
	}
	for i, low := range ascending {
		for j, high := range ascending {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			for _, a := range low {
				for _, b := range high {
					if got := value.CompareNumbers(a, b); got != want {
						t.Errorf("CompareNumbers(%s, %s) is %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}

func TestInteger(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text json.Number
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"0.0", 0, true}, {"-0.0", 0, true}, {"0e5", 0, true}, {"0.000e-9999", 0, true},
		{"1", 1, true}, {"1.0", 1, true}, {"1e0", 1, true}, {"-1.000", -1, true}, {"1.5e1", 15, true}, {"1200e-2", 12, true},
		{"1.5", 0, false}, {"1e-1", 0, false}, {"-0.5", 0, false}, {"12345678901234567890.5", 0, false},
		{"9007199254740993", 9007199254740993, true},
		{"9223372036854775807", math.MaxInt64, true}, {"9223372036854775807.0", math.MaxInt64, true},
		{"-9223372036854775808", math.MinInt64, true}, {"-9223372036854775808e0", math.MinInt64, true},
		{"1e18", 1_000_000_000_000_000_000, true},
	}
	for _, test := range tests {
		got, ok := value.Integer(test.text)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("Integer(%s) is %d, %v, want %d, %v", test.text, got, ok, test.want, test.ok)
		}
	}
	for _, tooLarge := range []json.Number{"9223372036854775808", "-9223372036854775809", "1e19", "1e308", "-12345678901234567890"} {
		if got, ok := value.Integer(tooLarge); ok {
			t.Errorf("Integer(%s) is %d, and it does not fit", tooLarge, got)
		}
	}
}

// TestPlainNumber has what ECMAScript's String(n) gives, and exact texts where that rounds.
func TestPlainNumber(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.0", "0"}, {"-0.00e5", "0"}, {"0e9999", "0"},
		{"1", "1"}, {"1.0", "1"}, {"1e0", "1"}, {"-1.50", "-1.5"}, {"10", "10"}, {"100e-2", "1"},
		{"0.1", "0.1"}, {"1e-1", "0.1"}, {"123e-20", "1.23e-18"}, {"123.456", "123.456"}, {"-0.00001", "-0.00001"},
		{"1e-6", "0.000001"}, {"0.000001", "0.000001"}, {"1.5e-6", "0.0000015"},
		{"1e-7", "1e-7"}, {"0.0000001", "1e-7"}, {"-1.5e-7", "-1.5e-7"}, {"12.5e-9", "1.25e-8"},
		{"1e20", "100000000000000000000"}, {"123456789012345680000", "123456789012345680000"},
		{"1e21", "1e+21"}, {"1000000000000000000000", "1e+21"}, {"-12e20", "-1.2e+21"}, {"1.5e300", "1.5e+300"},
		{"5e-324", "5e-324"}, {"1.7976931348623157e308", "1.7976931348623157e+308"},
		// ECMAScript would round these.
		{"9007199254740993", "9007199254740993"}, {"12345678901234567890", "12345678901234567890"},
		{"12345678901234567890.50", "12345678901234567890.5"}, {"123456789012345678901.25", "123456789012345678901.25"},
		{"1234567890123456789012.5", "1.2345678901234567890125e+21"}, {"1234567890123456789012", "1.234567890123456789012e+21"},
		{"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
	}
	for _, test := range tests {
		if got := value.PlainNumber(json.Number(test.text)); got != test.want {
			t.Errorf("PlainNumber(%s) is %s, want %s", test.text, got, test.want)
		}
	}
}

// ecmaScript writes a number as ECMAScript does, from the shortest digits that strconv finds.
func ecmaScript(f float64) string {
	if f == 0 {
		return "0"
	}
	if size := math.Abs(f); size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	text := strconv.FormatFloat(f, 'e', -1, 64)
	return regexp.MustCompile(`e([+-])0+(\d)`).ReplaceAllString(text, "e$1$2")
}

// TestPlainNumberLikeECMAScript compares the layout for numbers whose text has all their
// digits, where ECMAScript does not round.
func TestPlainNumberLikeECMAScript(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }).Draw(t, "f")
		want := ecmaScript(f)
		for _, format := range []byte{'e', 'g'} {
			text := strconv.FormatFloat(f, format, -1, 64)
			if got := value.PlainNumber(json.Number(text)); got != want {
				t.Errorf("PlainNumber(%s) is %s, want %s", text, got, want)
			}
		}
	})
}

// exact is a number's value by math/big.
func exact(t interface{ Fatalf(string, ...any) }, n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		t.Fatalf("%s is no number", n)
	}
	return r
}

// checkNumberLaws compares what is said of one number with math/big.
func checkNumberLaws(t interface {
	Fatalf(string, ...any)
	Errorf(string, ...any)
}, n json.Number) {
	want := exact(t, n)
	plain := json.Number(value.PlainNumber(n))
	if exact(t, plain).Cmp(want) != 0 {
		t.Errorf("PlainNumber(%s) is %s, another value", n, plain)
	}
	if again := value.PlainNumber(plain); again != string(plain) {
		t.Errorf("PlainNumber(%s) is %s, and of that %s", n, plain, again)
	}
	if value.CompareNumbers(n, plain) != 0 || !value.Equal(n, plain) {
		t.Errorf("%s and its plain form %s are not equal", n, plain)
	}
	i, ok := value.Integer(n)
	if fits := want.IsInt() && want.Num().IsInt64(); ok != fits || ok && i != want.Num().Int64() {
		t.Errorf("Integer(%s) is %d, %v", n, i, ok)
	}
}

func TestNumberLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		checkNumberLaws(t, a)
		want := exact(t, a).Cmp(exact(t, b))
		if got := value.CompareNumbers(a, b); got != want {
			t.Errorf("CompareNumbers(%s, %s) is %d, want %d", a, b, got, want)
		}
		if got := value.Equal(a, b); got != (want == 0) {
			t.Errorf("Equal(%s, %s) is %v", a, b, got)
		}
	})
}

// TestCheckNumberLikeFloat holds the bounds against the nearest float of math/big.
func TestCheckNumberLikeFloat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?`).Draw(t, "digits")
		text := digits + "e" + strconv.Itoa(rapid.OneOf(rapid.IntRange(-360, 360), rapid.IntRange(270, 310), rapid.IntRange(-350, -290)).Draw(t, "exponent"))
		r := exact(t, json.Number(text))
		f, _ := r.Float64()
		holds := !math.IsInf(f, 0) && (f != 0 || r.Sign() == 0)
		if err := value.CheckNumber(text); (err == nil) != holds {
			t.Errorf("CheckNumber(%s): %v, and the nearest float is %v", text, err, f)
		}
	})
}
