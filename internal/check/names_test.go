package check_test

import (
	"testing"

	"toolsmith/internal/check"
)

func TestNameKey(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"read-file": "read_file", "read_file": "read_file", "read.file": "read_file", "AZ-az.09": "az_az_09", "a1--b": "a1__b", "ä": "_", "code:Read-File": "read_file",
	} {
		if got := check.NameKey(id); got != want {
			t.Errorf("NameKey(%q) is %q; want %q", id, got, want)
		}
	}
}
