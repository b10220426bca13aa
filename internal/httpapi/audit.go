package httpapi

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/audit"
	"toolsmith/internal/registry"
)

type auditShown struct {
	Seq     int64           `json:"seq" doc:"Its number."`
	At      time.Time       `json:"at" doc:"When."`
	Who     string          `json:"who" doc:"Who did it."`
	From    string          `json:"from,omitempty" doc:"From where."`
	Action  string          `json:"action" doc:"What was done."`
	Tool    string          `json:"tool,omitempty" doc:"To which tool, by its whole name."`
	Version int64           `json:"version,omitempty" doc:"Which version of it."`
	Detail  string          `json:"detail,omitempty" doc:"More of it."`
	Data    json.RawMessage `json:"data,omitempty" doc:"What programs may want to read of it: any JSON."`
}

type auditList struct {
	Audit []auditShown `json:"audit" nullable:"false" doc:"The lines, the newest first."`
	Next  string       `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// findingShown is one thing that is wrong with the audit.
type findingShown struct {
	Kind    string `json:"kind" enum:"changed,missing,cut,added,head,file,expected" doc:"What it is: lines that were changed, are missing, were cut off or added, or a head that does not fit."`
	Level   string `json:"level" enum:"fault,warning" doc:"A warning may be as it should."`
	Message string `json:"message" doc:"What is wrong."`
	First   int64  `json:"first,omitempty" doc:"The first line that it is about, where it is about some."`
	Last    int64  `json:"last,omitempty" doc:"The last line that it is about."`
}

type verifyShown struct {
	OK        bool           `json:"ok" doc:"Whether the audit is as it was written."`
	Lines     int64          `json:"lines" doc:"How many lines it has."`
	Unchained int64          `json:"unchained" doc:"How many of them are from before the chain."`
	Since     *time.Time     `json:"since,omitempty" doc:"Since when it is chained; not there where it is not."`
	Head      string         `json:"head,omitempty" doc:"Where the chain ends, COUNT:HASH. Note it somewhere else, to compare with it later."`
	Findings  []findingShown `json:"findings" nullable:"false" doc:"What is wrong."`
}

// dataOf is what programs may want to read of a line. What is no JSON was put there by somebody
// else, which a verification finds.
func dataOf(l registry.AuditLine) json.RawMessage {
	if l.Data == "" || !json.Valid([]byte(l.Data)) {
		return nil
	}
	return json.RawMessage(l.Data)
}

// audited adds what was done, and whether that is still as it was written.
func (a *API) audited() {
	tags := []string{"audit"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "listAudit", Method: http.MethodGet, Path: "/v1/audit", Summary: "What was done, by whom, and from where", Tags: tags,
	}, own(a, func(ctx context.Context, in *struct {
		Page
		Tool string `query:"tool" maxLength:"200" doc:"The lines about one tool; all if nothing is said."`
	}) (auditList, error) {
		before := int64(math.MaxInt64)
		if in.Cursor != "" {
			var err error
			if before, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || before < 1 {
				return auditList{}, invalidField("query.cursor", "The cursor is none: use \"next\" of the page before.")
			}
		}
		lines, err := a.o.Engine.AuditBefore(ctx, in.Tool, before, in.Limit+1) // one more tells whether there are more
		if err != nil {
			return auditList{}, err //nolint:wrapcheck // own words it
		}
		var out auditList
		if len(lines) > in.Limit {
			lines = lines[:in.Limit]
			out.Next = strconv.FormatInt(lines[in.Limit-1].Seq, 10)
		}
		out.Audit = make([]auditShown, len(lines))
		for i, l := range lines {
			out.Audit[i] = auditShown{l.Seq, l.At.UTC(), l.Who, l.From, l.Action, registry.Audited(l), l.Version, l.Detail, dataOf(l)}
		}
		return out, nil
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "verifyAudit", Method: http.MethodGet, Path: "/v1/audit/verify", Summary: "Find out whether somebody changed the audit", Tags: tags,
		Description: "It walks over every line. Whoever can write to the whole data folder could make all of it anew: note the head that it gives somewhere else, and hand it in with expect later.",
	}, own(a, func(ctx context.Context, in *struct {
		Expect string `query:"expect" maxLength:"100" doc:"A head that was given earlier, COUNT:HASH: it must be an earlier point of the same chain."`
	}) (verifyShown, error) {
		var expected *audit.Head
		if in.Expect != "" {
			head, err := audit.ParseHead(in.Expect)
			if err != nil {
				return verifyShown{}, invalidField("query.expect", "This is no head: %s.", err)
			}
			expected = &head
		}
		out := verifyShown{OK: true, Findings: []findingShown{}}
		sum, err := a.o.Engine.VerifyAudit(ctx, expected, func(f audit.Finding) {
			level := "fault"
			if f.Warning {
				level = "warning"
			}
			out.OK = out.OK && f.Warning
			out.Findings = append(out.Findings, findingShown{f.Kind, level, f.Message, f.First, f.Last})
		})
		if err != nil {
			return verifyShown{}, err //nolint:wrapcheck // own words it
		}
		out.Lines, out.Unchained = sum.Lines, sum.Old
		if !sum.Since.IsZero() {
			out.Since, out.Head = inUTC(&sum.Since), sum.Head.String()
		}
		return out, nil
	}))
}
