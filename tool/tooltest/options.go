package tooltest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"toolsmith/tool"
)

// Option supplies something to the tool.
type Option func(*fakes)

// WithContext sets the context of the call, for instance one that is cancelled. Default:
// that of the test.
func WithContext(ctx context.Context) Option { return func(f *fakes) { f.ctx = ctx } }

// WithChain supplies the chain, earliest first; without entries an empty one. A tool that
// asks for it flattened gets the same entries. Of more than the tool asks for, the last
// are given.
func WithChain(entries ...tool.Entry) Option {
	return func(f *fakes) { f.chain, f.hasChain = slices.Clone(entries), true }
}

// WithSecrets supplies the secrets, which the tool may change; nil for none at first. One
// that is not there fails with the code SECRET_MISSING.
func WithSecrets(secrets map[string]string) Option {
	return func(f *fakes) {
		if f.secrets = maps.Clone(secrets); f.secrets == nil {
			f.secrets = map[string]string{}
		}
	}
}

// WithCaller says who called.
func WithCaller(caller string) Option { return func(f *fakes) { f.caller = caller } }

// WithToolID sets the id under which the tool runs. Default: its name.
func WithToolID(id string) Option { return func(f *fakes) { f.toolID = id } }

// WithBegan says when the call was first made, for a tool that asks to be called Again.
func WithBegan(at time.Time) Option { return func(f *fakes) { f.began = at } }

// WithHTTPClient supplies the network: as a rule the client of an httptest.Server.
func WithHTTPClient(client *http.Client) Option { return func(f *fakes) { f.client = client } }

// WithProgress lets the tool report progress.
func WithProgress() Option { return func(f *fakes) { f.hasProgress = true } }

// WithPopup lets the tool show the addresses of pages, which somebody opens at once. An address
// that a host shows to nobody fails as there.
func WithPopup() Option { return func(f *fakes) { f.hasPopup = true } }

// WithAnswers supplies a person who answers each question in turn. An answer that is an
// error fails the question with it, such as &tool.Error{Code: tool.CodeInteractionRefused}. A form
// that a host puts before nobody fails as there. The test fails where there are more questions than
// answers, and where an answer does not fit the schema of its form.
func WithAnswers(answers ...any) Option {
	return func(f *fakes) { f.answers, f.hasAnswers = slices.Clone(answers), true }
}

// fakes stand in for a host, and record what is done with them.
type fakes struct {
	tb     testing.TB
	ctx    context.Context
	caller string
	toolID string
	began  time.Time
	client *http.Client
	chain  []tool.Entry

	hasChain, hasProgress, hasPopup, hasAnswers bool

	mu       sync.Mutex // of what is below: a tool may use several goroutines
	secrets  map[string]string
	answers  []any
	progress []Progress
	asked    []tool.Form
	popups   []string
	done     bool
}

func (f *fakes) host() tool.Host {
	h := tool.Host{ToolID: f.toolID, Caller: f.caller, Began: f.began, HTTPClient: f.client}
	if f.hasChain {
		h.Chain = f.giveChain
	}
	if f.secrets != nil {
		h.Secret, h.SetSecret = f.secret, f.setSecret
	}
	if f.hasProgress {
		h.Progress = f.noteProgress
	}
	if f.hasAnswers {
		h.Ask = f.answer
	}
	if f.hasPopup {
		h.Popup = f.popup
	}
	return h
}

// enter takes the lock. A tool that goes on after it has returned is a fault of the tool.
func (f *fakes) enter(ctx context.Context, method string) error {
	f.mu.Lock()
	if f.done {
		return tool.Errorf(tool.CodeContextUnavailable, "%s is not available here: the call is over.", method)
	}
	return ctx.Err()
}

func (f *fakes) giveChain(ctx context.Context, want tool.ChainRequest) ([]tool.Entry, error) {
	defer f.mu.Unlock()
	if err := f.enter(ctx, "Chain"); err != nil {
		return nil, err
	}
	first, size := len(f.chain), 0
	for first > 0 {
		size += len(f.chain[first-1].Data)
		if want.MaxBytes > 0 && size > want.MaxBytes || want.MaxTasks > 0 && len(f.chain)-first == want.MaxTasks {
			break
		}
		first--
	}
	return slices.Clone(f.chain[first:]), nil
}

func (f *fakes) secret(ctx context.Context, name string) (string, error) {
	defer f.mu.Unlock()
	if err := f.enter(ctx, "Secret"); err != nil {
		return "", err
	}
	value, ok := f.secrets[name]
	if !ok {
		return "", tool.Errorf(tool.CodeSecretMissing, "There is no secret %q.", name)
	}
	return value, nil
}

func (f *fakes) setSecret(ctx context.Context, name, value string) error {
	defer f.mu.Unlock()
	if err := f.enter(ctx, "SetSecret"); err != nil {
		return err
	}
	f.secrets[name] = value
	return nil
}

func (f *fakes) noteProgress(ctx context.Context, done, total float64, note string) error {
	defer f.mu.Unlock()
	if err := f.enter(ctx, "Progress"); err != nil {
		return err
	}
	f.progress = append(f.progress, Progress{Done: done, Total: total, Note: note})
	return nil
}

func (f *fakes) popup(ctx context.Context, url string) error {
	defer f.mu.Unlock()
	if err := f.enter(ctx, "Popup"); err != nil {
		return err
	}
	if err := tool.CheckPage(url); err != nil {
		return err
	}
	f.popups = append(f.popups, url)
	return nil
}

func (f *fakes) answer(ctx context.Context, form tool.Form) (any, error) {
	defer f.mu.Unlock()
	if err := f.enter(ctx, "Ask"); err != nil {
		return nil, err
	}
	if err := form.Check(); err != nil {
		return nil, err
	}
	f.asked = append(f.asked, form)
	if len(f.answers) == 0 {
		f.tb.Errorf("the tool asks %q, and no answer is left", form.Title)
		return nil, tool.Errorf(tool.CodeContextUnavailable, "Ask is not available here: the test has no answer left.")
	}
	next := f.answers[0]
	f.answers = f.answers[1:]
	if err, ok := next.(error); ok {
		return nil, err
	}
	return f.asAnswered(form, next), nil
}

// asAnswered is an answer as a host gives it: read from JSON, and valid.
func (f *fakes) asAnswered(form tool.Form, answer any) any {
	text, err := json.Marshal(answer)
	if err != nil {
		f.tb.Errorf("the answer to %q cannot be written as JSON: %v", form.Title, err)
		return nil
	}
	v, err := read(text)
	if err != nil {
		f.tb.Errorf("the answer to %q is no JSON: %v", form.Title, err)
		return nil
	}
	schema := form.Schema
	if schema == nil {
		schema = json.RawMessage(`{"type":"boolean"}`)
	}
	compiled, err := compiledSchema(schema)
	if err != nil {
		f.tb.Errorf("the schema of the form %q: %v", form.Title, err)
		return v
	}
	if violations := compiled.violations(v); violations != "" {
		f.tb.Errorf("the answer to %q does not fit its form: %s", form.Title, violations)
	}
	return v
}
