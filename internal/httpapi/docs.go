package httpapi

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
)

// docsPath is where the document can be read by people, and stylePath how it looks.
const (
	docsPath  = "/docs"
	stylePath = docsPath + "/style.css"
)

//go:embed page
var pageFiles embed.FS

// pages adds what is for people to read.
func (a *API) pages() {
	a.o.Guard.pages = append(a.o.Guard.pages, docsPath)
	a.o.Guard.secure = a.o.Proxied
	a.o.Guard.show = template.Must(template.New("").ParseFS(pageFiles, "page/*.html")) // part of the program
	a.o.Guard.Open = append(a.o.Guard.Open, stylePath)                                 // nothing in it is anybody's
	a.mux.HandleFunc("GET "+docsPath, a.docs)
	a.mux.HandleFunc("GET "+stylePath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, pageFiles, "page/style.css")
	})
}

// docs is the document as a page.
func (a *API) docs(w http.ResponseWriter, r *http.Request) {
	m, err := a.current(r.Context())
	if err != nil {
		a.failed(r.Context(), err).write(w)
		return
	}
	reader := &reader{schemas: objectIn(objectIn(m.document, "components"), "schemas"), server: a.addressOf(r)}
	var page bytes.Buffer
	if err := a.o.Guard.show.ExecuteTemplate(&page, "docs.html", reader.page(m)); err != nil {
		a.failed(r.Context(), fmt.Errorf("write the page: %w", err)).write(w)
		return
	}
	writePage(w, http.StatusOK, page.Bytes())
}

// writePage answers with a page that has nothing but text and the style sheet of this server.
func writePage(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever asked has gone where it fails
}
