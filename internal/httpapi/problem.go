package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"toolsmith/internal/visible"
)

// Problem is how every error is told (RFC 9457), with the code of Toolsmith and the field that
// is at fault.
type Problem struct {
	Type   string `json:"type" doc:"Always about:blank: the code says what it is."`
	Title  string `json:"title" doc:"What the status means."`
	Status int    `json:"status" doc:"The status of the answer."`
	Detail string `json:"detail" doc:"What is wrong, and what to do."`
	Code   string `json:"code" doc:"The code; all are explained in docs/codes.md."`
	Field  string `json:"field,omitempty" doc:"The path of what is at fault, such as $.title."`
	// Errors are all that is wrong, where there are several.
	Errors []Fault `json:"errors,omitempty" doc:"All that is wrong, where there are several."`
}

// Fault is one of several things that are wrong.
type Fault struct {
	Field   string `json:"field" doc:"The path of what is at fault."`
	Message string `json:"message" doc:"What is wrong with it."`
	Code    string `json:"code,omitempty" doc:"Its code."`
	Line    int    `json:"line,omitempty" doc:"The line of the place, from 1, where it is in a text."`
	Column  int    `json:"column,omitempty" doc:"The column of the place, from 1, in characters."`
}

// Error gives the text.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// GetStatus is the status of the answer.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of problems.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func problem(status int, code, format string, args ...any) *Problem {
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code,
		Detail: visible.Line(fmt.Sprintf(format, args...)),
	}
}

// write answers with the problem.
func (p *Problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // whoever asked has gone where it fails
}
