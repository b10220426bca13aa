package value

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Int makes a number of an integer.
func Int(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// Int64 makes a number of an integer.
func Int64(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// errNumberRange is reported for numbers that other programs could not hold.
var errNumberRange = errors.New("This number is outside what JSON programs can hold (about 1e-308 to 1.8e308 in size). Write it as a text if it has to be kept.")

// maxNumberText bounds the digits of a number, so that comparing numbers stays cheap.
const maxNumberText = 1024

// CheckNumber refuses numbers that a 64-bit float cannot approximate: too large, too
// close to zero without being zero, or with an absurd number of digits. The text must be
// a JSON number.
func CheckNumber(text string) error {
	if len(text) <= 15 && !strings.ContainsAny(text, "eE") {
		return nil
	}
	if len(text) > maxNumberText {
		return errNumberRange
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return errNumberRange
	}
	if f == 0 && strings.ContainsAny(mantissa(text), "123456789") {
		return errNumberRange
	}
	if e := exponent(text); len(strings.TrimLeft(e, "+-0")) > 4 {
		return errNumberRange // 0e99999999: zero, but written to exhaust whoever expands it
	}
	return nil
}

func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}

func exponent(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[i+1:]
	}
	return ""
}

// decimal is a number taken apart: 0.DIGITS × 10^point. Zero has no digits.
type decimal struct {
	negative bool
	digits   string // without leading and trailing zeros
	point    int
}

func parseDecimal(text string) decimal {
	var d decimal
	if strings.HasPrefix(text, "-") {
		d.negative, text = true, text[1:]
	}
	m := mantissa(text)
	exp, _ := strconv.Atoi(exponent(text)) // bounded by CheckNumber; 0 where there is none
	whole, fraction, _ := strings.Cut(m, ".")
	digits := whole + fraction
	d.point = len(whole) + exp
	trimmed := strings.TrimLeft(digits, "0")
	d.point -= len(digits) - len(trimmed)
	d.digits = strings.TrimRight(trimmed, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// compare orders two decimals by value.
func (d decimal) compare(o decimal) int {
	if s, t := d.sign(), o.sign(); s != t || s == 0 {
		return s - t
	}
	sign := d.sign()
	if d.point != o.point {
		if d.point > o.point {
			return sign
		}
		return -sign
	}
	return sign * strings.Compare(d.digits, o.digits)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// CompareNumbers orders two numbers by their exact value: -1, 0 or 1. 1, 1.0 and 1e0
// are equal, and so are 0 and -0; 9007199254740993 is above 9007199254740992.
func CompareNumbers(a, b json.Number) int {
	if a == b {
		return 0
	}
	if x, ok := smallInteger(string(a)); ok {
		if y, ok := smallInteger(string(b)); ok {
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	c := parseDecimal(string(a)).compare(parseDecimal(string(b)))
	return min(1, max(-1, c))
}

// smallInteger reads an integer written with at most 18 characters.
func smallInteger(text string) (int64, bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	n, negative, i := int64(0), text[0] == '-', 0
	if negative {
		i = 1
	}
	for ; i < len(text); i++ {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// Integer reads a number as an integer: 1, 1.0 and 1e0 are 1, 1.5 is none. ok is false
// for what is not an integer or does not fit 64 bits.
func Integer(n json.Number) (i int64, ok bool) {
	if i, ok := smallInteger(string(n)); ok {
		return i, true
	}
	d := parseDecimal(string(n))
	switch {
	case d.digits == "":
		return 0, true
	case d.point < len(d.digits), d.point > 19:
		return 0, false
	}
	text := d.digits + strings.Repeat("0", d.point-len(d.digits))
	if d.negative {
		text = "-" + text
	}
	i, err := strconv.ParseInt(text, 10, 64)
	return i, err == nil
}

// PlainNumber writes a number's exact value in the shortest usual form: 1.0 and 1e0 as
// 1, 1e21 as 1e+21, -0 as 0 (the layout of ECMAScript's Number::toString, without its
// rounding).
func PlainNumber(n json.Number) string {
	if _, ok := smallInteger(string(n)); ok && n != "-0" {
		return string(n)
	}
	d := parseDecimal(string(n))
	if d.digits == "" {
		return "0"
	}
	return string(d.append(nil))
}

func (d decimal) append(b []byte) []byte {
	if d.negative {
		b = append(b, '-')
	}
	k := len(d.digits)
	switch {
	case k <= d.point && d.point <= 21:
		b = append(b, d.digits...)
		return append(b, strings.Repeat("0", d.point-k)...)
	case 0 < d.point && d.point <= 21:
		b = append(b, d.digits[:d.point]...)
		b = append(b, '.')
		return append(b, d.digits[d.point:]...)
	case -6 < d.point && d.point <= 0:
		b = append(b, "0."...)
		b = append(b, strings.Repeat("0", -d.point)...)
		return append(b, d.digits...)
	}
	b = append(b, d.digits[0])
	if k > 1 {
		b = append(b, '.')
		b = append(b, d.digits[1:]...)
	}
	b = append(b, 'e')
	if d.point-1 >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(d.point-1), 10)
}
