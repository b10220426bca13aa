package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/registry"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Namespace is where the secrets of a tool are kept: of an installed one (see
// registry.Namespace), or of one that is part of this program or comes from a port, or, named
// "go:NAME" or "port:PORT/NAME", of some program. The error has registry.CodeNotFound where
// there is no such tool.
func (e *Engine) Namespace(ctx context.Context, name string) (namespace string, err error) {
	for _, prefix := range []string{nativePrefix, portPrefix} {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return name, nil
		}
	}
	if e.o.Toolbox != nil {
		if found, ok := e.o.Toolbox.Find(name); ok && found.Namespace != "" {
			return found.Namespace, nil
		}
	}
	err = e.read(ctx, func(r *registry.Registry) error {
		id, err := r.IDOf(ctx, name)
		if err != nil {
			return err
		}
		namespace, err = r.Namespace(ctx, id, 0)
		return err
	})
	return namespace, err
}

// SecretOwner is the whole name of the tool whose namespace it is: one that is installed, "go:NAME" for
// one of a program that is written in Go, or "port:PORT/NAME" for one that comes from a port.
func SecretOwner(namespace string) string {
	if id, ok := registry.ToolOf(namespace); ok {
		return check.ToolName(id)
	}
	return namespace
}

// Undeclared says that a tool has no use for a secret, where it declares its credentials; "" where
// it may have one. A tool of a program that is written in Go is not known here.
func Undeclared(entry registry.Entry, secretName string) string {
	if entry.Checked == nil {
		return ""
	}
	ids := entry.Checked.Credentials()
	switch {
	case slices.Contains(ids, secretName):
		return ""
	case len(ids) == 0:
		if _, inCode := entry.Checked.Coded(); inCode {
			return fmt.Sprintf("%s declares no secrets, so nothing of it asks for this one.", entry.Name())
		}
		return fmt.Sprintf("%s declares no credentials, so nothing of it asks for this one.", entry.Name())
	}
	return fmt.Sprintf("%s declares no credential %s; it has: %s.", entry.Name(), secretName, strings.Join(ids, ", "))
}

// NoteSecret notes in the audit what is done to a secret, within the transaction in which it
// is done. action is registry.ActionSecretSet or registry.ActionSecretDelete. A secret of an
// installed tool that was removed in the meantime, or removed and installed again, is not to
// be set: nothing could reach it. The error has registry.CodeNotFound then.
func (e *Engine) NoteSecret(ctx context.Context, tx store.Tx, action, namespace, name string) error {
	r := e.registry(ctx, tx)
	id, ok := registry.ToolOf(namespace)
	switch {
	case !ok:
		id = namespace
	case action == registry.ActionSecretSet:
		now, err := r.Namespace(ctx, id, 0)
		if err != nil {
			return err
		}
		if now != namespace {
			return tool.Errorf(registry.CodeNotFound, "The tool %q was removed and installed again in the meantime. Set its secret again.", check.ToolName(id))
		}
	}
	row, _, err := r.Tool(ctx, id) // without a row there is no version to name
	if err != nil {
		return fmt.Errorf("read tool %s: %w", id, err)
	}
	return r.Note(ctx, action, id, row.Active, name)
}

// secretKey is under which key a call asks for a secret.
const secretKey = "secret "

// AskSecret asks a person for a secret that a call lacks, unless the run asks for it already. The
// error has secret.CodeMissing where the call has asked for it before, and is not going to get it.
func (e *Engine) AskSecret(ctx context.Context, a Asking, name string) (q consent.Question, err error) {
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		q, err = e.askSecret(ctx, tx, a, name)
		return err
	})
	switch {
	case err != nil:
		return q, fmt.Errorf("ask for a secret of %s: %w", a.Call.Name, err)
	case q.State == consent.Answered:
		reason := ""
		if q.Answer.Reason != "" {
			reason = " The reason: " + q.Answer.Reason
		}
		return q, tool.Errorf(secret.CodeMissing, "%s did not give the secret %q.%s", q.Answer.Who, q.Secret, reason)
	case q.State == consent.Expired, !e.o.Now().Before(q.ExpiresAt):
		return q, tool.Errorf(secret.CodeMissing, "Nobody gave the secret %q within %s.", q.Secret, q.ExpiresAt.Sub(q.AskedAt))
	}
	return q, nil
}

// askSecret keeps a question for a secret, has a call join one that is open, or gives the one that it
// has asked before, unless that was answered with the secret.
func (e *Engine) askSecret(ctx context.Context, tx store.Tx, a Asking, name string) (q consent.Question, err error) {
	asked, has, err := tx.Consent().Asked(ctx, a.Run.ID, a.Seq, secretKey+name)
	if err != nil {
		return q, err
	}
	if has {
		if q, has, err = tx.Consent().Question(ctx, asked.Question); err != nil {
			return q, err
		}
	}
	if has && q.State != consent.Closed && (q.State != consent.Answered || !q.Answer.Allow) {
		return q, nil
	}
	shape := value.JSON([]any{"secret", a.Call.Name, name})
	q, open, err := tx.Consent().OpenQuestion(ctx, a.Run.ID, shape)
	if err != nil {
		return q, err
	}
	now := e.o.Now()
	if open && now.Before(q.ExpiresAt) {
		q.Join(a.Arguments)
	} else {
		q = e.questionOf(a, e.callOf(a), now)
		q.Reason, q.Secret, q.Shape = consent.NeedsSecret, name, shape
	}
	if err := tx.Consent().PutQuestion(ctx, q); err != nil {
		return q, err
	}
	return q, tx.Consent().PutAsked(ctx, consent.Asked{Run: a.Run.ID, Seq: a.Seq, Key: secretKey + name, Question: q.ID})
}

// SecretGiven answers the questions that ask for a secret of a tool that is kept by now. The
// workers whose runs they are have to be told.
func (e *Engine) SecretGiven(ctx context.Context, name, secretName string) (answered []consent.Question, err error) {
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		answered = nil
		list, err := tx.Consent().ListQuestions(ctx, true, 0)
		if err != nil {
			return err
		}
		for _, q := range list {
			if q.Tool != trimPrefixes(name) || q.Secret != secretName {
				continue
			}
			q.State = consent.Answered
			q.Answer = &consent.Answer{Allow: true, Who: e.actor(ctx).Who, From: e.actor(ctx).From, At: e.o.Now()}
			if err := tx.Consent().PutQuestion(ctx, q); err != nil {
				return err
			}
			answered = append(answered, q)
		}
		return nil
	})
	return answered, err
}

// trimPrefixes gives the name under which a tool is called that is named as its secrets are.
func trimPrefixes(name string) string {
	if rest, ok := strings.CutPrefix(name, portPrefix); ok {
		_, called, _ := strings.Cut(rest, "/")
		return called
	}
	return strings.TrimPrefix(name, nativePrefix)
}

// AuditSecrets is NoteSecret for the vault.
func (e *Engine) AuditSecrets(ctx context.Context, tx store.Tx, done secret.Action, namespace, name string) error {
	action := registry.ActionSecretSet
	if done == secret.ActionDelete {
		action = registry.ActionSecretDelete
	}
	return e.NoteSecret(ctx, tx, action, namespace, name)
}

// dropSecrets forgets the secrets of a tool that is about to be removed.
func (e *Engine) dropSecrets(ctx context.Context, tx store.Tx, id string) error {
	namespace, err := e.registry(ctx, tx).Namespace(ctx, id, 0)
	if errors.Is(err, &tool.Error{Code: registry.CodeNotFound}) {
		return nil // Remove says so
	}
	if err != nil {
		return err
	}
	list, err := tx.Secrets().List(ctx, namespace)
	if err != nil {
		return fmt.Errorf("look for the secrets of %s: %w", id, err)
	}
	for _, s := range list {
		if err := e.NoteSecret(ctx, tx, registry.ActionSecretDelete, namespace, s.Name); err != nil {
			return err
		}
	}
	if _, err := tx.Secrets().DeleteNamespace(ctx, namespace); err != nil {
		return fmt.Errorf("delete the secrets of %s: %w", id, err)
	}
	return nil
}
