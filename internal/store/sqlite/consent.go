package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/store/sqlite/dbsqlc"
	"toolsmith/tool"
)

// answers keeps what people have set, allowed and answered.
type answers struct{ tx }

func (a answers) Revision(ctx context.Context) (int64, error) {
	revision, err := a.query.PolicyRevision(ctx)
	return revision, a.fail("read the permissions", err)
}

func (a answers) Policy(ctx context.Context) (consent.Policy, error) {
	row, err := a.query.PolicyRow(ctx)
	if err != nil {
		return consent.Policy{}, a.fail("read the permissions", err)
	}
	policy := consent.Policy{
		Revision: row.Revision, Powers: map[tool.Power]consent.Permission{},
		Tools: map[string]consent.Permission{}, Hosts: map[string]consent.Permission{},
	}
	if row.StoppedAt.Valid {
		policy.Stopped = &consent.Stop{Who: row.StoppedBy, At: fromMicros(row.StoppedAt.Int64)}
	}
	set, err := a.query.Permissions(ctx)
	if err != nil {
		return consent.Policy{}, a.fail("read the permissions", err)
	}
	for _, one := range set {
		permission := consent.Permission(one.Permission)
		switch one.Kind {
		case consent.KindPower:
			policy.Powers[tool.Power(one.Name)] = permission
		case consent.KindTool:
			policy.Tools[one.Name] = permission
		case consent.KindHost:
			policy.Hosts[one.Name] = permission
		}
	}
	return policy, nil
}

// raise makes it known that something has changed, to all who keep what they read.
func (a answers) raise(ctx context.Context) error {
	return a.fail("write the permissions", a.query.RaisePolicy(ctx))
}

func (a answers) SetPermission(ctx context.Context, kind, name string, permission consent.Permission) error {
	var err error
	if permission == "" {
		err = a.query.DropPermission(ctx, kind, name)
	} else {
		err = a.query.PutPermission(ctx, kind, name, string(permission))
	}
	if err != nil {
		return a.fail("write the permissions", err)
	}
	return a.raise(ctx)
}

func (a answers) SetStopped(ctx context.Context, stop *consent.Stop) error {
	var at *time.Time
	who := ""
	if stop != nil {
		at, who = &stop.At, stop.Who
	}
	if err := a.query.PutStopped(ctx, microsOrNull(at), who); err != nil {
		return a.fail("write the stop", err)
	}
	return a.raise(ctx)
}

func (a answers) AddGrant(ctx context.Context, g consent.Grant) error {
	conditions, err := json.Marshal(g.Conditions)
	if err != nil {
		return fmt.Errorf("add the grant: %w", err)
	}
	err = a.query.AddGrant(ctx, dbsqlc.AddGrantParams{
		ID: g.ID, Tool: g.Tool, Version: g.Version, Approved: g.Approved, Run: g.Run, Conditions: string(conditions),
		ExpiresAt: microsOrNull(g.ExpiresAt), Who: g.Who, Place: g.From, At: micros(g.At), RevokedAt: microsOrNull(g.RevokedAt),
	})
	if err != nil {
		return a.fail("add the grant", err)
	}
	return a.raise(ctx)
}

func (a answers) ListGrants(ctx context.Context) ([]consent.Grant, error) {
	rows, err := a.query.Grants(ctx)
	if err != nil {
		return nil, a.fail("list the grants", err)
	}
	var list []consent.Grant
	for _, row := range rows {
		g := consent.Grant{
			ID: row.ID, Tool: row.Tool, Version: row.Version, Approved: row.Approved, Run: row.Run,
			ExpiresAt: fromMicrosOrNull(row.ExpiresAt), Who: row.Who, From: row.Place, At: fromMicros(row.At),
			RevokedAt: fromMicrosOrNull(row.RevokedAt),
		}
		if err := decodeExact([]byte(row.Conditions), &g.Conditions); err != nil {
			return nil, fmt.Errorf("read the conditions of grant %s: %w", row.ID, err)
		}
		list = append(list, g)
	}
	return list, nil
}

// decodeExact reads JSON whose numbers keep their text.
func decodeExact(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func (a answers) RevokeGrant(ctx context.Context, id string, at time.Time) (bool, error) {
	written, err := a.query.RevokeGrant(ctx, microsOrNull(&at), id)
	if err != nil || written == 0 {
		return false, a.fail("revoke the grant", err)
	}
	return true, a.raise(ctx)
}

func (a answers) PutQuestion(ctx context.Context, q consent.Question) error {
	data, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("write the question: %w", err)
	}
	return a.fail("write the question", a.query.PutQuestion(ctx, dbsqlc.PutQuestionParams{
		ID: q.ID, Run: q.Run, Shape: q.Shape, State: string(q.State), Data: data,
	}))
}

func (a answers) Question(ctx context.Context, id string) (consent.Question, bool, error) {
	row, err := a.query.Question(ctx, id)
	return a.question(row.State, row.Data, err)
}

func (a answers) OpenQuestion(ctx context.Context, run, shape string) (consent.Question, bool, error) {
	row, err := a.query.OpenQuestion(ctx, run, shape)
	return a.question(row.State, row.Data, err)
}

func (a answers) question(state string, data []byte, err error) (q consent.Question, ok bool, _ error) {
	if ok, err := a.found("read the question", err); !ok {
		return q, false, err
	}
	q, err = questionOf(state, data)
	return q, err == nil, err
}

// questionOf reads a question. Its state is that of the row, which closes it without looking
// at the rest.
func questionOf(state string, data []byte) (q consent.Question, err error) {
	if err := decodeExact(data, &q); err != nil {
		return q, fmt.Errorf("read a question: %w", err)
	}
	q.State = consent.State(state)
	return q, nil
}

func (a answers) ListQuestions(ctx context.Context, open bool, limit int) ([]consent.Question, error) {
	most := int64(limit)
	if most == 0 {
		most = -1 // no limit, to SQLite
	}
	var list []consent.Question
	add := func(state string, data []byte) error {
		q, err := questionOf(state, data)
		list = append(list, q)
		return err
	}
	if open {
		rows, err := a.query.ListOpenQuestions(ctx, most)
		for i := 0; err == nil && i < len(rows); i++ {
			err = add(rows[i].State, rows[i].Data)
		}
		return list, a.fail("list the questions", err)
	}
	rows, err := a.query.ListQuestions(ctx, most)
	for i := 0; err == nil && i < len(rows); i++ {
		err = add(rows[i].State, rows[i].Data)
	}
	return list, a.fail("list the questions", err)
}

func (a answers) PutAsked(ctx context.Context, asked consent.Asked) error {
	return a.fail("write the question", a.query.PutAsked(ctx, dbsqlc.PutAskedParams{
		Run: asked.Run, Seq: int64(asked.Seq), Part: asked.Key, Question: asked.Question, Digest: asked.Digest,
	}))
}

func (a answers) Asked(ctx context.Context, run string, seq int, key string) (consent.Asked, bool, error) {
	row, err := a.query.Asked(ctx, run, int64(seq), key)
	ok, err := a.found("read the question", err)
	return consent.Asked{Run: run, Seq: seq, Key: key, Question: row.Question, Digest: row.Digest}, ok, err
}

func (a answers) CloseQuestions(ctx context.Context, run string) error {
	if run == "" {
		return a.fail("close the questions", a.query.CloseAllQuestions(ctx))
	}
	return a.fail("close the questions", a.query.CloseQuestions(ctx, run))
}
