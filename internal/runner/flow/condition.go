package flow

import (
	"encoding/json"
	"strings"

	"toolsmith/internal/value"
)

// holds decides a condition. A side that is not there is told apart from null.
func holds(operator string, left any, hasLeft bool, right any, hasRight bool) bool {
	switch operator {
	case "eq":
		return hasLeft == hasRight && (!hasLeft || value.Equal(left, right))
	case "neq":
		return hasLeft != hasRight || (hasLeft && !value.Equal(left, right))
	case "exists":
		return hasLeft && left != nil
	case "truthy":
		return hasLeft && value.Truthy(left)
	case "contains":
		return hasLeft && hasRight && contains(left, right)
	}
	if !hasLeft || !hasRight {
		return false
	}
	order, ok := compare(left, right)
	if !ok {
		return false
	}
	switch operator {
	case "gt":
		return order > 0
	case "gte":
		return order >= 0
	case "lt":
		return order < 0
	default: // lte; the check knows no other
		return order <= 0
	}
}

// contains looks for a text in a text (a number or a boolean counts as its JSON text), a
// value in a list, or a name in an object.
func contains(v, part any) bool {
	switch v := v.(type) {
	case string:
		switch part := part.(type) {
		case string:
			return value.ContainsText(v, part)
		case json.Number:
			return strings.Contains(v, value.PlainNumber(part))
		case bool:
			return strings.Contains(v, value.JSON(part))
		}
	case []any:
		for _, item := range v {
			if value.Equal(item, part) {
				return true
			}
		}
	case map[string]any:
		name, isText := part.(string)
		_, has := v[name]
		return isText && has
	}
	return false
}

// compare orders two numbers by value or two texts by code point; ok is false for any
// other pair.
func compare(a, b any) (order int, ok bool) {
	switch a := a.(type) {
	case json.Number:
		if b, isNumber := b.(json.Number); isNumber {
			return value.CompareNumbers(a, b), true
		}
	case string:
		if b, isText := b.(string); isText {
			return strings.Compare(a, b), true
		}
	}
	return 0, false
}
