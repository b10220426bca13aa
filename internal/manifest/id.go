package manifest

// IDRule says in words what an id is, to follow "has".
const IDRule = `3 to 64 characters: small letters, digits, ".", "_" and "-", the first a letter or a digit`

// ValidID reports whether a text is an id: of a tool, a step, a credential or a trigger.
func ValidID(id string) bool {
	if len(id) < 3 || len(id) > 64 {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == '-'):
		default:
			return false
		}
	}
	return true
}
