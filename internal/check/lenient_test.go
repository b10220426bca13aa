//go:build !defects

package check_test

// strict turns on what is known to fail; see defects_test.go.
const strict = false
