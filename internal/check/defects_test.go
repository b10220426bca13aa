//go:build defects

package check_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/check"
)

// Each test of this file fails: it says what should be true and is not yet. One that
// passes moves to where its kind is tested:
//
//	go test -tags defects -run Defect -timeout 20s ./internal/check

// Of many tokens only the first are hidden.
func TestDefectManyTokensShown(t *testing.T) {
	t.Parallel()
	var parts, secrets []string
	for i := range 130 {
		secret := noise(160-i, lower+digits)
		secrets = append(secrets, secret)
		parts = append(parts, fmt.Sprintf(`"sk-%s": {"$ref": "$.a[0]"}`, secret))
	}
	list := check.Run(flow(returns("{"+strings.Join(parts, ", ")+"}")), builtin).Diagnostics
	shown := 0
	for _, secret := range secrets {
		if strings.Contains(show(list), secret) {
			shown++
		}
	}
	if shown > 0 {
		t.Errorf("%d of %d are shown, such as:\n%s", shown, len(secrets), show(list[len(list)-2:]))
	}
}

// The value of a secret by its name is shown by what is said of a default.
func TestDefectNamedSecretInDefault(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"12345678", "9.8765432"} {
		property := `{"type": "object", "properties": {"password": {"type": "integer", "maximum": 5}}, "default": {"password": ` + secret + `}}`
		list := check.Run(draft{more: `"inputSchema": {"properties": {"a": ` + property + `}}`}.text(), builtin).Diagnostics
		if strings.Contains(show(list), secret) {
			t.Error(show(list))
		}
	}
}

// What stands deeper below such a name is shown, too.
func TestDefectNamedSecretBelow(t *testing.T) {
	t.Parallel()
	list := check.Run(flow(returns(`{"password": {"$ref": "my hunter2"}}`)), builtin).Diagnostics
	if strings.Contains(show(list), "hunter2") {
		t.Error(show(list))
	}
}
