package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// mostWire is how many characters a name on the wire has at most. Several clients refuse more.
const mostWire = 64

// wireName is a name with nothing but letters, digits, "_" and "-".
func wireName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// wireNames gives each of several names one of its own on the wire, after a prefix. One that is
// too long, or that another would have as well, is cut and ends in eight digits of its hash; a
// name that is written the same on the wire keeps it. What comes out depends on the names alone,
// and not on their order.
func wireNames(prefix string, names []string, taken func(string) bool) map[string]string {
	out, used, count := make(map[string]string, len(names)), map[string]bool{}, map[string]int{}
	for _, name := range names {
		count[wireName(name)]++
	}
	var hashed []string
	for _, name := range names {
		short := wireName(name)
		wire := prefix + short
		if len(wire) > mostWire || count[short] > 1 && short != name || taken(wire) {
			hashed = append(hashed, name)
			continue
		}
		out[name], used[wire] = wire, true
	}
	slices.Sort(hashed)
	for _, name := range hashed {
		for again := 0; out[name] == ""; again++ {
			wire := withHash(prefix+wireName(name), name, again)
			if !used[wire] && !taken(wire) {
				out[name], used[wire] = wire, true
			}
		}
	}
	return out
}

// withHash cuts a name so that it ends in its hash. again is above 0 where somebody has chosen a
// name that ends in the hash of another.
func withHash(wire, name string, again int) string {
	if again > 0 {
		name += "\x00" + strconv.Itoa(again)
	}
	sum := sha256.Sum256([]byte(name))
	const digits = 8
	end := "_" + hex.EncodeToString(sum[:])[:digits]
	return wire[:min(len(wire), mostWire-len(end))] + end
}
