package consent

import (
	"context"
	"time"
)

// Kinds of what a permission can be set for.
const (
	KindPower = "power"
	KindTool  = "tool"
	// KindHost is a host that may have a private address; its permission is Allow or none.
	KindHost = "host"
)

// Store keeps what people have decided, within one transaction.
type Store interface {
	Policies
	Grants
	Questions
}

// Policies keeps what people have set.
type Policies interface {
	// Revision of the policy and the grants. It grows with each change of one of them.
	Revision(ctx context.Context) (int64, error)
	// Policy as it is set.
	Policy(ctx context.Context) (Policy, error)
	// SetPermission sets the permission of one of a kind; "" takes it away.
	SetPermission(ctx context.Context, kind, name string, permission Permission) error
	// SetStopped notes that everything was stopped; nil that it goes on.
	SetStopped(ctx context.Context, stop *Stop) error
}

// Grants keeps what was allowed for longer.
type Grants interface {
	AddGrant(ctx context.Context, grant Grant) error
	// ListGrants gives all grants, those that do not hold any more included, newest first.
	ListGrants(ctx context.Context) ([]Grant, error)
	// RevokeGrant takes a grant back; ok is false where there is none that is not taken back.
	RevokeGrant(ctx context.Context, id string, at time.Time) (ok bool, err error)
}

// Asked is a call that a question is about.
type Asked struct {
	Run string
	// Seq is the number of the call in the run.
	Seq int
	// Key names what is asked for within the call; "" for whether it may run.
	Key string
	// Question by its id.
	Question string
	// Digest of the call as it was proposed, or of the form.
	Digest string
}

// Questions keeps questions and their answers.
type Questions interface {
	// PutQuestion adds a question or replaces it.
	PutQuestion(ctx context.Context, q Question) error
	// Question by its id; ok is false if there is none.
	Question(ctx context.Context, id string) (q Question, ok bool, err error)
	// OpenQuestion of a run with a shape; ok is false if there is none.
	OpenQuestion(ctx context.Context, run, shape string) (q Question, ok bool, err error)
	// ListQuestions gives the newest questions, newest first; open: only those that are, in
	// runs that are not over. limit 0 is no limit.
	ListQuestions(ctx context.Context, open bool, limit int) ([]Question, error)
	// PutAsked notes what question a call was asked about in, in the place of an earlier one.
	PutAsked(ctx context.Context, asked Asked) error
	// Asked of a call under a key; ok is false if it was not asked about.
	Asked(ctx context.Context, run string, seq int, key string) (asked Asked, ok bool, err error)
	// CloseQuestions closes the open questions of a run; "" closes all.
	CloseQuestions(ctx context.Context, run string) error
}
