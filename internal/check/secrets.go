package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// shape is the form of a well-known token, found whatever its entropy.
type shape struct {
	rule    string
	pattern *regexp.Regexp
	// marks are texts of which one has to be there; looking for them first is cheap.
	marks []string
}

var shapes = []shape{
	{"API key (sk-)", regexp.MustCompile(`(?:^|[^A-Za-z0-9_])sk-[A-Za-z0-9_-]{16,}`), []string{"sk-"}},
	{"GitHub token", regexp.MustCompile(`(?:^|[^A-Za-z0-9_])gh[a-z]_[A-Za-z0-9]{20,}`), []string{"gh"}},
	{"GitHub personal access token", regexp.MustCompile(`github_pat_[A-Za-z0-9_]{20,}`), []string{"github_pat_"}},
	{"AWS access key", regexp.MustCompile(`(?:^|[^A-Za-z0-9])A[KS]IA[A-Z0-9]{16}`), []string{"AKIA", "ASIA"}},
	{"Google API key", regexp.MustCompile(`(?:^|[^A-Za-z0-9])AIza[A-Za-z0-9_-]{20,}`), []string{"AIza"}},
	{"Slack token", regexp.MustCompile(`(?:^|[^A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}`), []string{"xox"}},
	{"private key", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY`), []string{"PRIVATE KEY"}},
	{"JSON Web Token", regexp.MustCompile(`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`), []string{"eyJ"}},
	{"bearer token", regexp.MustCompile(`(?i)(?:^|[^a-z0-9])bearer\s+[A-Za-z0-9._~+/=-]{12,}`), []string{"earer", "EARER"}},
}

// minToken is the shortest text that a shape can be found in.
const minToken = 15

// secretEndings are how names of data that holds secrets end, folded to small letters
// without separators: "apiKey", "API-KEY" and "my_api_key" all end in "apikey". They are
// asked for by their last two letters, so that nearly every name is done with after one
// look; those with the same two stand in one text.
func secretEndings(name string) string {
	const small = 0x20
	switch uint16(name[len(name)-2]|small)<<8 | uint16(name[len(name)-1]|small) {
	case 'r'<<8 | 'd':
		return "password"
	case 'w'<<8 | 'd':
		return "passwd pwd"
	case 'e'<<8 | 'n':
		return "token"
	case 'n'<<8 | 's':
		return "tokens"
	case 's'<<8 | 'e':
		return "passphrase"
	case 'i'<<8 | 'e':
		return "cookie"
	case 'a'<<8 | 'l':
		return "credential"
	case 'o'<<8 | 'n':
		return "authorization"
	case 'e'<<8 | 'r':
		return "authheader"
	case 'e'<<8 | 's':
		return "cookies"
	case 'l'<<8 | 's':
		return "credentials"
	case 'e'<<8 | 't':
		return "secret"
	case 'e'<<8 | 'y':
		return "secretkey apikey accesskey privatekey signingkey"
	}
	return ""
}

// tokenOwners are what may stand before "token": a token of a page of results is none.
var tokenOwners = []string{
	"", "access", "refresh", "auth", "id", "bearer", "session", "api", "csrf", "xsrf", "oauth",
	"client", "security", "user", "personalaccess", "bot", "app",
}

// secretName reports whether a name says that what stands behind it is a secret.
func secretName(name string) bool {
	if len(name) < 3 || len(name) > 64 {
		return false
	}
	if last := len(name) - 1; separator(name[last]) || separator(name[last-1]) {
		if name = foldName(name); len(name) < 3 {
			return false
		}
	}
	endings := secretEndings(name)
	if endings == "" {
		return false
	}
	for endings != "" {
		var ending string
		ending, endings, _ = strings.Cut(endings, " ")
		if !endsFolded(name, ending) {
			continue
		}
		switch ending {
		case "pwd":
			return len(foldName(name)) == len(ending)
		case "token", "tokens":
			return slices.Contains(tokenOwners, strings.TrimSuffix(foldName(name), ending))
		}
		return true
	}
	return false
}

// endsFolded reports whether a name, folded, has an ending. It folds as it compares.
func endsFolded(name, ending string) bool {
	i, j := len(name)-1, len(ending)-1
	for ; i >= 0 && j >= 0; i-- {
		c := name[i]
		if separator(c) {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != ending[j] {
			return false
		}
		j--
	}
	return j < 0
}

func separator(c byte) bool { return c == '_' || c == '-' || c == ' ' || c == '.' }

// secretScan looks for secrets in a text before anything else is made of it, and writes
// something else in their place: what is said of the text later cannot show them.
type secretScan struct {
	*manifest.Diagnostics
	// place says where keys belong.
	place string
	// hidden are the bytes at which values and names begin that have been written over.
	hidden map[int]bool
	// tokens are the texts that were found by their form, and the parts of them that a path
	// or another text may hold.
	tokens map[string]bool
}

// hideSecrets reports what looks like a secret, in every text and under every name, and
// takes it out of the tree.
func hideSecrets(root *value.Node, found *manifest.Diagnostics, whole role) *secretScan {
	s := &secretScan{Diagnostics: found, place: `Keep keys in "credentialRequirements".`}
	if whole == asDeclaration {
		s.place = `Name keys in "secrets", and read them with getSecret.`
	}
	s.walk(root, whole)
	if s.tokens != nil {
		s.hideTokens(root)
	}
	return s
}

// role says how the members of a node are to be understood: what a property of a schema is
// called is no data, and a manifest has schemas in few places.
type role int8

const (
	asData        role = iota
	asManifest         // the whole of a manifest
	asDeclaration      // the whole of what a coded tool declares
	asState            // its "state"
	asFlow             // its "flow"
	asSteps            // a list of steps
	asStep             // one of them
	asSchema           // members are keywords
	asSchemaMap        // members are properties, each a schema
)

func kidRole(name string, r role) role {
	switch r {
	case asData:
	case asDeclaration:
		switch name {
		case "parameters", "result":
			return asSchema
		}
	case asManifest:
		switch name {
		case "inputSchema", "outputSchema":
			return asSchema
		case "state":
			return asState
		case "flow":
			return asFlow
		}
	case asState:
		if name == "fields" {
			return asSchemaMap
		}
	case asFlow:
		if name == "nodes" {
			return asSteps
		}
	case asSteps:
		return asStep
	case asStep:
		switch name {
		case "outputSchema":
			return asSchema
		case "body":
			return asSteps
		}
	case asSchemaMap:
		return asSchema
	case asSchema:
		switch name {
		case "properties":
			return asSchemaMap
		case "items":
			return asSchema
		}
	}
	return asData
}

func (s *secretScan) walk(n *value.Node, r role) {
	switch n.Kind { //nolint:exhaustive // numbers and the like hold no text
	case value.String:
		if rule, match, ok := tokenIn(n.Name, n.Text); ok {
			s.report(n, rule)
			s.remember(match, n.Text)
			s.hideText(n)
		}
	case value.Array:
		for kid := range n.Kids() {
			s.walk(kid, kidRole("", r))
		}
	case value.Object:
		for kid := range n.Kids() {
			inner := kidRole(kid.Name, r) // before a name that is a token is written over
			named := s.name(n, kid, r)
			s.walk(kid, inner)
			if named {
				s.hideAll(kid)
			}
		}
	}
}

// name judges a name: as a text that could itself be a token, and as the label of what
// stands behind it. It reports whether that has to be hidden.
func (s *secretScan) name(parent, kid *value.Node, r role) bool {
	labels := secretName(kid.Name)
	token := false
	if labels && kid.Kind == value.String {
		_, _, token = tokenIn(kid.Name, kid.Text) // reported once, as the token that it is
	}
	if rule, match, ok := tokenIn("", kid.Name); ok {
		s.AtOffset(manifest.LevelError, CodeSecretFound, parent, kid.NameOffset, secretMessage(rule+" as a name"))
		s.remember(match, kid.Name)
		s.hideName(kid)
	}
	switch {
	case !labels:
	case r == asSchemaMap:
		s.At(manifest.LevelWarning, CodeSecretFound, kid, fmt.Sprintf(
			"A value called %s would pass through arguments, traces and perhaps a model. %s", manifest.Quote(kid.Name), s.place))
	case truthy(kid) && !token:
		s.report(kid, "a value named like a secret")
		return true
	}
	return false
}

func (s *secretScan) report(n *value.Node, rule string) {
	s.At(manifest.LevelError, CodeSecretFound, n, secretMessage(rule))
}

func secretMessage(rule string) string {
	return fmt.Sprintf("This looks like a secret (%s). Keys belong in credentials, never in the file; if it is real, have it replaced where it was issued.", rule)
}

// remember keeps a token, and the text that holds it, to be hidden wherever they stand.
func (s *secretScan) remember(token, whole string) {
	if s.tokens == nil {
		s.tokens = map[string]bool{}
	}
	s.tokens[whole], s.tokens[token] = true, true
	for part := range strings.SplitSeq(token, ".") {
		if len(part) >= minToken { // a path holds it part by part
			s.tokens[part] = true
		}
	}
}

// hideTokens takes what was found once out of all other places, where neither its form nor
// its name may have told it.
func (s *secretScan) hideTokens(n *value.Node) {
	for kid := range n.Kids() {
		if s.holdsToken(kid.Name) {
			s.hideName(kid)
		}
		if kid.Kind == value.String && s.holdsToken(kid.Text) {
			s.hideText(kid)
		}
		s.hideTokens(kid)
	}
}

func (s *secretScan) holdsToken(text string) bool {
	if len(text) < minToken {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '.' || r == ' ' }) {
		if s.tokens[part] {
			return true
		}
	}
	return s.tokens[text]
}

func (s *secretScan) hideText(n *value.Node) {
	s.hide(n.Offset)
	n.Text = mask(n.Text)
}

func (s *secretScan) hideName(n *value.Node) {
	s.hide(n.NameOffset)
	n.Name = mask(n.Name)
}

func (s *secretScan) hide(offset int32) {
	if s.hidden == nil {
		s.hidden = map[int]bool{}
	}
	s.hidden[int(offset)] = true
}

// hideAll hides a value that is a secret by its name, and so by no form: all of it, but for
// what a path needs to stay one.
func (s *secretScan) hideAll(n *value.Node) {
	s.hide(n.Offset)
	switch n.Kind { //nolint:exhaustive // the others tell nothing
	case value.Number:
		n.Text = "0"
	case value.String:
		if _, err := value.ParsePath(n.Text); err == nil && n.Name == "$ref" {
			n.Text = "$"
		} else {
			n.Text = "(hidden)"
		}
	}
	for kid := range n.Kids() {
		s.hideAll(kid)
	}
}

// mask writes over a text and keeps its form, so that what would be said of it otherwise
// is said still, of its length and of signs that it may not have.
func mask(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return 'x'
		case 'A' <= r && r <= 'Z':
			return 'X'
		case unicode.In(r, unicode.L, unicode.M, unicode.N):
			return '·'
		}
		return r
	}, text)
}

// without drops what else is said of the structure of what was hidden, and warnings about
// it: it has to go, whatever its form.
func (s *secretScan) without(list []manifest.Diagnostic) []manifest.Diagnostic {
	if s.hidden == nil {
		return list
	}
	return slices.DeleteFunc(list, func(d manifest.Diagnostic) bool {
		return s.hidden[d.Offset] && (d.Code == manifest.CodeStructure || d.Level == manifest.LevelWarning)
	})
}

// truthy is value.Truthy of a node; of a list or an object no value need be built.
func truthy(n *value.Node) bool {
	return n.Kind == value.Array || n.Kind == value.Object || value.Truthy(n.Value())
}

func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && separator(byte(r)) {
			return -1
		}
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// tokenIn looks for a token in a text, which stands under a name ("" for none).
func tokenIn(name, text string) (rule, match string, ok bool) {
	if len(text) < minToken || longestRun(text) < minRun && !strings.Contains(text, "earer") && !strings.Contains(text, "EARER") {
		return "", "", false
	}
	for _, shape := range shapes {
		if !slices.ContainsFunc(shape.marks, func(m string) bool { return strings.Contains(text, m) }) {
			continue
		}
		for rest := text; ; {
			at := shape.pattern.FindStringIndex(rest)
			if at == nil {
				break
			}
			if match := rest[at[0]:at[1]]; !prose(text, match) {
				return shape.rule, strings.TrimSpace(match), true
			}
			rest = rest[at[1]:] // a sentence may be followed by a token
		}
	}
	if tokenLike(text) {
		return detect(name, text)
	}
	return "", "", false
}

// minRun is how many of the characters of a token stand together somewhere in a text that any
// shape is found in, but for a bearer token, which dots may cut into small parts.
const minRun = 10

// longestRun is how many letters, digits, and signs of Base64 and of ids stand together in a
// text at most.
func longestRun(text string) int {
	run, longest := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '+', c == '/', c == '=':
			run++
			longest = max(longest, run)
		default:
			run = 0
		}
	}
	return longest
}

// prose reports whether a "bearer" and what follows are words of a sentence, such as
// "needs bearer authentication": small letters only, and not alone.
func prose(text, match string) bool {
	words := strings.Fields(match)
	last := strings.TrimRight(words[len(words)-1], ".,;:")
	return len(words) == 2 && strings.EqualFold(strings.TrimFunc(words[0], isNoLetter), "bearer") &&
		strings.Trim(last, "abcdefghijklmnopqrstuvwxyz") == "" && strings.TrimSpace(text) != strings.TrimSpace(match)
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

// tokenLike reports whether a text holds a run of characters that could be a token: at
// least 20 of letters, digits and a few signs, with letters and digits, or with letters
// large and small. It keeps the costly search away from nearly every manifest.
func tokenLike(text string) bool {
	run, lower, upper, digits := 0, 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			lower++
		case 'A' <= c && c <= 'Z':
			upper++
		case '0' <= c && c <= '9':
			digits++
		case c == '_', c == '-', c == '+', c == '/', c == '=':
		default:
			run, lower, upper, digits = 0, 0, 0, 0
			continue
		}
		if run++; run >= 20 && (digits > 0 && lower+upper > 0 || lower > 3 && upper > 3) {
			return true
		}
	}
	return false
}
