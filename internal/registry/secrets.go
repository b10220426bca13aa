package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/check"
	"toolsmith/tool"
)

// Namespace is where the secrets of an installed tool are kept: its name and the line of the
// audit at which it was first installed. A tool that is removed and installed again, or
// another one of its name, has another namespace. pin is the line of the audit up to which is
// looked, as of At; 0 is now. The error has CodeNotFound where the tool was not installed.
func (r *Registry) Namespace(ctx context.Context, id string, pin int64) (string, error) {
	lines, err := r.AuditLines(ctx, id, 0)
	if err != nil {
		return "", fmt.Errorf("read the audit of %s: %w", id, err)
	}
	first := int64(0)
	for _, line := range lines { // newest first
		if pin != 0 && line.Seq > pin {
			continue
		}
		if line.Action == ActionRemove {
			break
		}
		if line.Action == ActionInstall {
			first = line.Seq
		}
	}
	if first == 0 {
		return "", notFound(id)
	}
	return fmt.Sprintf("%s#%d", owner(id), first), nil
}

// owner begins the namespaces of a tool.
func owner(id string) string {
	if strings.HasPrefix(id, check.CodedPrefix) {
		return id // its bare name could be taken for that of a tool of a program
	}
	return check.ToolName(id)
}

// ToolOf gives the id of the tool whose namespace it is, or was; ok is false where it is that
// of no tool of the registry.
func ToolOf(namespace string) (id string, ok bool) {
	owner, _, separated := strings.Cut(namespace, "#")
	if strings.HasPrefix(owner, check.CodedPrefix) {
		return owner, separated
	}
	id, ok = strings.CutPrefix(owner, check.NamePrefix)
	return id, ok && separated
}

// lookUpSecrets notes which secrets a tool has, if it needs any.
func (r *Registry) lookUpSecrets(ctx context.Context, e *Entry, pin int64) error {
	if e.Checked == nil || len(e.Checked.Credentials()) == 0 || r.SecretNames == nil {
		return nil
	}
	namespace, err := r.Namespace(ctx, e.Tool.ID, pin)
	if err != nil {
		return err
	}
	if e.Secrets, err = r.SecretNames(ctx, namespace); err != nil {
		return fmt.Errorf("look for the secrets of %s: %w", e.Tool.ID, err)
	}
	return nil
}

// HasSecret reports whether the tool has a secret, as far as they were looked up.
func (e Entry) HasSecret(name string) bool { return slices.Contains(e.Secrets, name) }

// MissingCredentials reports the credentials that a tool needs and that are not there: each
// is a secret of its name. has says which secrets the tool has; nil is for a tool that is run
// from its file, which has no namespace and therefore none.
func MissingCredentials(c *check.Checked, has func(name string) bool) error {
	if c.Manifest() == nil { // a coded tool may ask the person for them, or do without
		return nil
	}
	var missing, commands []string
	for _, credential := range c.Manifest().Credentials {
		name := credential.ID.Value()
		if has != nil && has(name) {
			continue
		}
		missing = append(missing, fmt.Sprintf("%s (%s)", name, credential.Purpose.Value()))
		if command := fmt.Sprintf("toolsmith secrets set %s %s", c.Name(), name); !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	what := "Set it up with: "
	if has == nil {
		what = "A tool that is run from its file has no secrets: install it first. Then: "
	}
	return &tool.Error{Code: CodeCredentials, Field: "$.credentialRequirements", Message: fmt.Sprintf(
		"The tool needs access that is not set up: %s. It cannot run without. %s%s", strings.Join(missing, ", "), what, strings.Join(commands, ", then: "))}
}
