package engine

import (
	"context"
	"errors"
	"fmt"

	"toolsmith/internal/check"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// Namespace is where the secrets of an installed tool are kept (see registry.Namespace). The
// error has registry.CodeNotFound where no such tool is installed.
func (e *Engine) Namespace(ctx context.Context, name string) (namespace string, err error) {
	err = e.read(ctx, func(r *registry.Registry) error {
		namespace, err = r.Namespace(ctx, registry.TrimName(name), 0)
		return err
	})
	return namespace, err
}

// NoteSecret notes in the audit what is done to a secret, within the transaction in which it
// is done. action is registry.ActionSecretSet or registry.ActionSecretDelete. A secret of an
// installed tool that was removed in the meantime, or removed and installed again, is not to
// be set: nothing could reach it. The error has registry.CodeNotFound then.
func (e *Engine) NoteSecret(ctx context.Context, tx store.Tx, action, namespace, name string) error {
	r := e.registry(tx)
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

// dropSecrets forgets the secrets of a tool that is about to be removed.
func (e *Engine) dropSecrets(ctx context.Context, tx store.Tx, id string) error {
	namespace, err := e.registry(tx).Namespace(ctx, id, 0)
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
