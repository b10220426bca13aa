package tool

import (
	"fmt"
	"slices"
	"strings"
)

// Power is what a step needs to be allowed to do.
type Power string

// The powers that a tool can need.
const (
	Outbound Power = "outbound" // reach out of this machine
	Read     Power = "read"     // read local data
	Write    Power = "write"    // change local data
)

// Risk ranks what a capability can do at worst, from R1 (reads what is easily seen)
// to R4 (leaves the machine or cannot be undone). The zero value is no risk at all and
// is below R1.
type Risk int8

// The risks, lowest first.
const (
	R1 Risk = 1 + iota
	R2
	R3
	R4
)

// String gives "R1" to "R4".
func (r Risk) String() string {
	if r < R1 || r > R4 {
		return "R?"
	}
	return "R" + string(rune('0'+r))
}

// MarshalText writes a risk as String does.
func (r Risk) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Risk) UnmarshalText(text []byte) error {
	for _, known := range []Risk{R1, R2, R3, R4} {
		if string(text) == known.String() {
			*r = known
			return nil
		}
	}
	return fmt.Errorf("%q is no risk: R1, R2, R3 or R4", text)
}

// Reversibility says whether what a tool did can be taken back.
type Reversibility string

// The kinds of reversibility.
const (
	ReadOnly     Reversibility = "read-only"    // nothing is written
	Compensable  Reversibility = "compensable"  // every write names what truly undoes it
	Irreversible Reversibility = "irreversible" // some write cannot be undone by the tool itself
)

// Marks are the facts about a tool that are worked out from what it can reach, never
// taken from what it says of itself.
type Marks struct {
	// Powers over all reachable steps and their compensations, sorted by name.
	Powers []Power `json:"powers"`
	// Risk is the highest of the capabilities reached; R1 when there is none.
	Risk Risk `json:"risk"`
	// Reversibility of all reachable writes taken together.
	Reversibility Reversibility `json:"reversibility"`
	// Capabilities reached, sorted by name.
	Capabilities []string `json:"capabilities"`
	// ReadsPrivate: reaches tasks, notes or memory.
	ReadsPrivate bool `json:"readsPrivate"`
	// ReadsUntrusted: reaches content that others may have written.
	ReadsUntrusted bool `json:"readsUntrusted"`
	// CanTransmit: has the power outbound.
	CanTransmit bool `json:"canTransmit"`
	// ModelPrivacy lists what the reachable model steps allow their data to be sent to
	// ("local-only", "local-preferred", "remote-allowed"), sorted; empty without such steps.
	ModelPrivacy []string `json:"modelPrivacy,omitempty"`
}

// UsesModel reports whether a model step can be reached.
func (m Marks) UsesModel() bool { return len(m.ModelPrivacy) > 0 }

// Has reports whether the marks include a power.
func (m Marks) Has(p Power) bool { return slices.Contains(m.Powers, p) }

// PowerNames joins the powers for people: "read, write", or "none".
func (m Marks) PowerNames() string {
	if len(m.Powers) == 0 {
		return "none"
	}
	names := make([]string, len(m.Powers))
	for i, p := range m.Powers {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// With gives the marks of doing both: what is allowed to either of the two.
func (m Marks) With(other Marks) Marks {
	sum := Marks{
		Powers:         union(m.Powers, other.Powers),
		Risk:           max(m.Risk, other.Risk),
		Reversibility:  m.Reversibility,
		Capabilities:   union(m.Capabilities, other.Capabilities),
		ReadsPrivate:   m.ReadsPrivate || other.ReadsPrivate,
		ReadsUntrusted: m.ReadsUntrusted || other.ReadsUntrusted,
		CanTransmit:    m.CanTransmit || other.CanTransmit,
		ModelPrivacy:   union(m.ModelPrivacy, other.ModelPrivacy),
	}
	worse := []Reversibility{ReadOnly, Compensable, Irreversible}
	if slices.Index(worse, other.Reversibility) > slices.Index(worse, m.Reversibility) {
		sum.Reversibility = other.Reversibility
	}
	return sum
}

func union[T ~string](a, b []T) []T {
	both := append(slices.Clone(a), b...)
	slices.Sort(both)
	return slices.Compact(both)
}
