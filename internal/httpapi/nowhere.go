package httpapi

import (
	"net/http"
	"strings"

	"toolsmith/internal/visible"
)

// codeMethod: there is no such method at a path.
const codeMethod = "HTTP_METHOD"

// nowhere answers what nothing else does: a path that is not there, or a method that a path does
// not have.
func (a *API) nowhere(w http.ResponseWriter, r *http.Request) {
	path := visible.Cut(r.URL.Path, mostRepeated)
	allowed := a.methodsOf(r)
	if len(allowed) == 0 {
		problem(http.StatusNotFound, "NOT_FOUND", "There is nothing at %s %s. What there is stands in %s", r.Method, path, documentPath).write(w)
		return
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	problem(http.StatusMethodNotAllowed, codeMethod, "%s cannot be asked for with %s; it takes %s.", path, visible.Cut(r.Method, mostRepeated), list).write(w)
}

// methodsOf lists the methods that there are at the path of a request.
func (a *API) methodsOf(r *http.Request) (list []string) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := a.mux.Handler(other); strings.HasPrefix(pattern, method+" ") || method == http.MethodHead && strings.HasPrefix(pattern, http.MethodGet+" ") {
			list = append(list, method)
		}
	}
	return list
}
