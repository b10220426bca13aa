package value

import "encoding/json"

// Equal compares two values deeply: numbers by value, objects without regard to order.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && a == b
	case json.Number:
		b, ok := b.(json.Number)
		return ok && CompareNumbers(a, b) == 0
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, x := range a {
			y, ok := b[name]
			if !ok || !Equal(x, y) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// Truthy is false for null, false, numbers that are 0 and "".
func Truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		return CompareNumbers(v, "0") != 0
	default:
		return true
	}
}

// KindOf gives the kind of a value.
func KindOf(v any) Kind {
	switch v.(type) {
	case bool:
		return Bool
	case string:
		return String
	case json.Number:
		return Number
	case []any:
		return Array
	case map[string]any:
		return Object
	default:
		return Null
	}
}

// Greater reports whether a is a number above the number b; false where one is none.
func Greater(a, b any) bool {
	x, ok := a.(json.Number)
	y, both := b.(json.Number)
	return ok && both && CompareNumbers(x, y) > 0
}
