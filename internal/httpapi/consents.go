package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/consent"
	"toolsmith/internal/value"
)

// answerGiven is the answer of a person.
type answerGiven struct {
	Allow     bool            `json:"allow" doc:"Yes or no."`
	For       string          `json:"for,omitempty" enum:"once,run,always" doc:"For what a yes counts; once by default."`
	Reason    string          `json:"reason,omitempty" maxLength:"1000" doc:"What whoever called is told with a no."`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"Other arguments than those that were proposed."`
	Answer    json.RawMessage `json:"answer,omitempty" doc:"The answer to a form, where the question has one: a value that fits its schema, true or false where it has none, and nothing for a page."`
	Count     int             `json:"count,omitempty" minimum:"0" doc:"How many calls were shown."`
	Until     *time.Time      `json:"until,omitempty" doc:"When a yes for further calls ends."`
	// Conditions hold a yes for further calls to some arguments.
	Conditions []conditionGiven `json:"conditions,omitempty" nullable:"false" maxItems:"100" doc:"What the arguments of further calls must meet for a yes to count for them: all of it."`
}

// conditionGiven fixes one argument; the others may vary.
type conditionGiven struct {
	Path     string          `json:"path" maxLength:"500" doc:"The argument, such as to or $.item.price."`
	Operator string          `json:"operator" enum:"equals,prefix,one-of,at-most" doc:"Whether it has to be the value, begin with it, be in it (a list), or be at most it (a number)."`
	Value    json.RawMessage `json:"value" doc:"The value: any JSON that fits the operator."`
}

// conditions reads the conditions of an answer.
func (g answerGiven) conditions() ([]consent.Condition, error) {
	var list []consent.Condition
	for i, one := range g.Conditions {
		v, err := value.Decode(one.Value)
		if err != nil {
			return nil, invalidField(fmt.Sprintf("body.conditions[%d].value", i), "The value cannot be read: %s", err)
		}
		list = append(list, consent.Condition{Path: one.Path, Operator: consent.Operator(one.Operator), Value: v})
	}
	return list, nil
}

type consentList struct {
	Consents []consent.Question `json:"consents" doc:"The questions, the newest first."`
	Next     string             `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// question finds a question that whoever asks may see: the person sees all, a program those of
// what it has begun.
func (a *API) question(ctx context.Context, id string) (consent.Question, error) {
	q, err := a.o.Engine.Question(ctx, id)
	if err != nil {
		return q, err //nolint:wrapcheck // failed words it
	}
	if who := whoOf(ctx); !who.Person && q.Caller != callerOf(who) {
		return q, problem(http.StatusNotFound, consent.CodeNotFound, "There is no question %q of yours.", id)
	}
	return q, nil
}

func (a *API) consents() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "listConsents", Method: http.MethodGet, Path: "/v1/consents", Summary: "The questions that wait for an answer", Tags: []string{"consents"},
	}, func(ctx context.Context, in *struct {
		Page
		All bool `query:"all" doc:"Also those that are answered or over."`
	}) (*output[consentList], error) {
		list, err := a.o.Engine.Questions(ctx, !in.All, 0)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		who := whoOf(ctx)
		list = slices.DeleteFunc(list, func(q consent.Question) bool { return !who.Person && q.Caller != callerOf(who) })
		part, next, err := cutPage(list, in.Page)
		if err != nil {
			return nil, err
		}
		out := &output[consentList]{}
		out.Body.Consents, out.Body.Next = append([]consent.Question{}, part...), next
		return out, nil
	})
	type QuestionPath struct {
		ID string `path:"question" maxLength:"100" doc:"The id of the question, or a beginning of it."`
	}
	give := func(ctx context.Context, q consent.Question, err error) (*output[consent.Question], error) {
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[consent.Question]{q}, nil
	}
	huma.Register(a.huma, huma.Operation{
		OperationID: "getConsent", Method: http.MethodGet, Path: "/v1/consents/{question}", Summary: "One question", Tags: []string{"consents"},
	}, func(ctx context.Context, in *QuestionPath) (*output[consent.Question], error) {
		q, err := a.question(ctx, in.ID)
		return give(ctx, q, err)
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "answerConsent", Method: http.MethodPost, Path: "/v1/consents/{question}/answer", Summary: "Answer a question, as the person", Tags: []string{"consents"},
		Description: "The first answer counts. Only the person may answer; the token of a program never can.",
	}, func(ctx context.Context, in *struct {
		QuestionPath
		Body answerGiven
	}) (*output[consent.Question], error) {
		answer := consent.Answer{Allow: in.Body.Allow, For: consent.Scope(in.Body.For), Reason: in.Body.Reason, Count: in.Body.Count, Until: in.Body.Until}
		if len(in.Body.Arguments) > 0 {
			v, err := value.Decode(in.Body.Arguments)
			if err != nil {
				return nil, problem(http.StatusUnprocessableEntity, "INVALID", "The arguments are no JSON: %s", err)
			}
			answer.Edited, answer.Arguments = true, v
		}
		if len(in.Body.Answer) > 0 {
			v, err := value.Decode(in.Body.Answer)
			if err != nil {
				return nil, invalidField("body.answer", "The answer cannot be read: %s", err)
			}
			answer.HasValue, answer.Value = true, v
		}
		var err error
		if answer.Conditions, err = in.Body.conditions(); err != nil {
			return nil, err
		}
		if _, err := a.question(ctx, in.ID); err != nil {
			return nil, a.failed(ctx, err)
		}
		q, _, err := a.o.Worker.Decide(ctx, in.ID, answer)
		return give(ctx, q, err)
	})
}
