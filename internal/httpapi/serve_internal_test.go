package httpapi

import "testing"

func TestReached(t *testing.T) {
	t.Parallel()
	for listens, want := range map[string]string{
		"127.0.0.1:7420": "127.0.0.1:7420", "0.0.0.0:7420": "127.0.0.1:7420", "[::]:7420": "[::1]:7420", "192.168.0.7:80": "192.168.0.7:80", "?": "?",
	} {
		if got := reachedAt(listens); got != want {
			t.Errorf("%s is reached at %s", listens, got)
		}
	}
}
