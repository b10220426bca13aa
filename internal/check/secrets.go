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

// foundSecret is a text that must not be shown again, not even in a message.
type foundSecret struct {
	offset int
	// tokens are what was found by its form and the text that holds it, as they are and as
	// a path writes them. They are hidden wherever they stand. There are none for a value
	// that is a secret by its name only, and may be an ordinary word.
	tokens []string
	// whole is the quoted text or name that holds it, hidden where its own node is spoken of.
	whole string
}

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
// asked for by their last letter, so that nearly every name is done with after one look.
func secretEndings(last byte) []string {
	switch last {
	case 'd':
		return []string{"password", "passwd"}
	case 'e':
		return []string{"passphrase", "cookie"}
	case 'l':
		return []string{"credential"}
	case 'n':
		return []string{"authorization"}
	case 'r':
		return []string{"authheader"}
	case 's':
		return []string{"cookies", "credentials"}
	case 't':
		return []string{"secret"}
	case 'y':
		return []string{"secretkey", "apikey", "accesskey", "privatekey", "signingkey"}
	}
	return nil
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
	for separator(name[len(name)-1]) {
		if name = name[:len(name)-1]; name == "" {
			return false
		}
	}
	last := name[len(name)-1] | 0x20
	for _, ending := range secretEndings(last) {
		if endsFolded(name, ending) {
			return true
		}
	}
	if last == 'd' && foldName(name) == "pwd" {
		return true
	}
	if !endsFolded(name, "token") && !endsFolded(name, "tokens") {
		return false
	}
	owner := strings.TrimSuffix(strings.TrimSuffix(foldName(name), "s"), "token")
	return slices.Contains(tokenOwners, owner)
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

// secretScan looks for secrets in one manifest.
type secretScan struct {
	*checker
	// schemas are the nodes that are schemas, and schemaMaps objects whose members are:
	// what a property is called there is no data.
	schemas, schemaMaps map[*value.Node]bool
	found               []foundSecret
}

// secrets reports what looks like a secret, in every text and under every name.
func (c *checker) secrets() []foundSecret {
	s := &secretScan{checker: c, schemas: map[*value.Node]bool{}, schemaMaps: map[*value.Node]bool{}}
	c.eachSchema(func(n *value.Node) { s.schemas[n] = true })
	if c.m.State != nil && c.m.State.Fields != nil {
		s.schemaMaps[c.m.State.Fields] = true
	}
	s.walk(c.m.Root, asData)
	return s.found
}

// role says how the members of a node are to be understood.
type role int8

const (
	asData      role = iota
	asSchema         // members are keywords
	asSchemaMap      // members are properties, each a schema
)

func (s *secretScan) walk(n *value.Node, r role) {
	if s.schemas[n] {
		r = asSchema
	} else if s.schemaMaps[n] {
		r = asSchemaMap
	}
	if n.Kind == value.String {
		if rule, match, ok := tokenIn(n.Name, n.Text); ok {
			s.report(n.Offset, n.Path(), rule, match, n.Text)
			return
		}
	}
	for i := range n.Kids {
		kid := &n.Kids[i]
		if n.Kind == value.Object {
			s.name(n, kid, r)
		}
		s.walk(kid, kidRole(kid, r))
	}
}

func kidRole(kid *value.Node, r role) role {
	switch {
	case r == asSchemaMap:
		return asSchema
	case r == asSchema && kid.Name == "properties":
		return asSchemaMap
	case r == asSchema && kid.Name == "items":
		return asSchema
	}
	return asData
}

// name judges a name: as a text that could itself be a token, and as the label of what
// stands behind it.
func (s *secretScan) name(parent, kid *value.Node, r role) {
	if rule, match, ok := tokenIn("", kid.Name); ok {
		s.report(kid.NameOffset, parent.Path(), rule+" as a name", match, kid.Name)
	}
	if !secretName(kid.Name) {
		return
	}
	switch {
	case r == asSchemaMap:
		s.warn(CodeSecretFound, kid, fmt.Sprintf(
			"A value called %s would pass through arguments, traces and perhaps a model. Keep keys in \"credentialRequirements\".", manifest.Quote(kid.Name)))
	case truthy(kid):
		if kid.Kind == value.String {
			if _, _, ok := tokenIn(kid.Name, kid.Text); ok {
				return // reported once, as the token that it is
			}
		}
		s.report(kid.Offset, kid.Path(), "a value named like a secret", "", kid.Text)
	}
}

func (s *secretScan) report(offset int32, path, rule, token, whole string) {
	s.AtOffset(manifest.LevelError, CodeSecretFound, path, int(offset), fmt.Sprintf(
		"This looks like a secret (%s). Keys belong in credentials, never in the file; if it is real, have it replaced where it was issued.", rule))
	found := foundSecret{offset: int(offset), whole: manifest.Quote(whole)}
	if token != "" {
		texts := []string{token, whole}
		for part := range strings.SplitSeq(token, ".") {
			if len(part) >= minToken { // a path is spoken of part by part
				texts = append(texts, part)
			}
		}
		for _, text := range texts {
			found.tokens = append(found.tokens, text, strings.Trim(value.JSON(text), `"`))
		}
	}
	s.found = append(s.found, found)
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
	if len(text) < minToken {
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

// hideSecrets takes found secrets out of all messages and paths. What else is said of the
// structure of a text that is a secret is dropped, and so are warnings about it: it has to
// go, whatever its form.
func hideSecrets(list []manifest.Diagnostic, secrets []foundSecret) []manifest.Diagnostic {
	if len(secrets) == 0 {
		return list
	}
	at := map[int]foundSecret{}
	var tokens []string
	for _, s := range secrets {
		at[s.offset] = s
		for _, token := range s.tokens {
			if !slices.Contains(tokens, token) && len(tokens) < maxTokens {
				tokens = append(tokens, token)
			}
		}
	}
	// Longest first: a part taken out of the whole would leave the rest of it standing.
	slices.SortStableFunc(tokens, func(a, b string) int { return len(b) - len(a) })
	list = slices.DeleteFunc(list, func(d manifest.Diagnostic) bool {
		_, secret := at[d.Offset]
		return secret && (d.Code == manifest.CodeStructure || d.Level == manifest.LevelWarning)
	})
	for i := range list {
		d := &list[i]
		if s, ok := at[d.Offset]; ok && d.Code != CodeSecretFound {
			d.Message = strings.ReplaceAll(d.Message, s.whole, hidden)
		}
		for _, token := range tokens {
			d.Message, d.Path = hide(d.Message, token), hide(d.Path, token)
		}
	}
	return list
}

// hidden stands in place of a secret, and maxTokens is for how many of them messages are
// searched: a text with more is reported at each of them, and hardly with anything else.
const (
	hidden    = "(hidden)"
	maxTokens = 100
)

// hide takes a token out of a text, also where the text was cut within it: what stands
// before the sign of a cut is then its beginning.
func hide(text, token string) string {
	text = strings.ReplaceAll(text, token, hidden)
	const cut, shown = "…", 8 // so few characters of a token tell nothing
	var b strings.Builder
	for {
		at := strings.Index(text, cut)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		before := text[:at]
		for n := min(len(token)-1, at); n >= shown; n-- {
			if strings.HasSuffix(before, token[:n]) {
				before = before[:at-n] + hidden
				break
			}
		}
		b.WriteString(before + cut)
		text = text[at+len(cut):]
	}
}
