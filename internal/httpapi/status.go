package httpapi

import (
	"net/http"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
)

// statusOf is the status of an answer that is an error with a code.
func statusOf(code string) int {
	switch code {
	case registry.CodeNotFound, registry.CodeVersionNotFound, engine.CodeRunNotFound, engine.CodeTaskNotFound, consent.CodeNotFound,
		engine.CodeGrantNotFound, task.CodeToolUnknown:
		return http.StatusNotFound
	case CodeTokenRefused:
		return http.StatusUnauthorized
	case consent.CodeDenied, consent.CodeTimeout, consent.CodeForbidden:
		return http.StatusForbidden
	case registry.CodeVersionNotNewer, registry.CodeNameTaken, registry.CodeOff, engine.CodeKeyReused, engine.CodeRunSettled, engine.CodeRunAmbiguous,
		engine.CodeTaskAmbiguous, worker.CodeRunBusy, consent.CodeAnswered, consent.CodeClosed, consent.CodeGrown:
		return http.StatusConflict
	case engine.CodeStopped, store.CodeUnavailable, store.CodeBusy, store.CodeNewer:
		return http.StatusServiceUnavailable
	}
	return http.StatusUnprocessableEntity
}
