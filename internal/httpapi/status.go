package httpapi

import (
	"net/http"

	"toolsmith/internal/audit"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
)

// statusOf is the status of an answer that is an error with a code.
func statusOf(code string) int {
	switch code {
	case registry.CodeNotFound, registry.CodeVersionNotFound, engine.CodeRunNotFound, engine.CodeTaskNotFound, consent.CodeNotFound,
		engine.CodeGrantNotFound, task.CodeToolUnknown, local.CodeNotFound, secret.CodeMissing, engine.CodeTokenNotFound:
		return http.StatusNotFound
	case CodeTokenRefused:
		return http.StatusUnauthorized
	case consent.CodeDenied, consent.CodeTimeout, consent.CodeForbidden:
		return http.StatusForbidden
	case registry.CodeVersionNotNewer, registry.CodeNameTaken, registry.CodeTooMany, registry.CodeOff, registry.CodeBroken, registry.CodeCredentials,
		engine.CodeKeyReused, engine.CodeRunSettled, engine.CodeRunUnsettled, engine.CodeRunAmbiguous, engine.CodeTaskAmbiguous, engine.CodeToolInUse,
		engine.CodeTokenExists, worker.CodeRunBusy, worker.CodeNothingUnknown, consent.CodeAnswered, consent.CodeClosed, consent.CodeGrown,
		local.CodeAmbiguous, local.CodeChanged:
		return http.StatusConflict
	case engine.CodeStopped, check.CodeUnavailable, store.CodeUnavailable, store.CodeBusy, store.CodeNewer, audit.CodeBroken,
		secret.CodeKeyMissing, secret.CodeKeyUnsafe, secret.CodeKeyInvalid:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}
