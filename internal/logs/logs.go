// Package logs makes what goes into a log safe: secrets are taken out of it, and characters
// that a terminal would not show, or would obey, are shown by their code point.
package logs

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"toolsmith/internal/scrub"
	"toolsmith/internal/visible"
)

// Handler gives a handler that hands safe records on to another. scrubber is asked at each
// record, also for what was put into the logger before it: a secret may have become known in
// the meantime. nil, or what it gives being nil, takes no secrets out.
func Handler(to slog.Handler, scrubber func() *scrub.Scrubber) slog.Handler {
	if scrubber == nil {
		scrubber = func() *scrub.Scrubber { return nil }
	}
	return &handler{to: to, scrubber: scrubber}
}

type handler struct {
	to       slog.Handler
	scrubber func() *scrub.Scrubber
	// added are the groups and attributes of the logger, in their order.
	added []added
}

// added is a group that was opened, or attributes that were given.
type added struct {
	group string
	attrs []slog.Attr
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.to.Enabled(ctx, level)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler { return h.with(added{attrs: attrs}) }

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(added{group: name})
}

func (h *handler) with(more added) slog.Handler {
	return &handler{to: h.to, scrubber: h.scrubber, added: append(slices.Clone(h.added), more)}
}

func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	c := cleaner{h.scrubber()}
	to := h.to
	for _, more := range h.added {
		if more.group != "" {
			to = to.WithGroup(c.text(more.group))
		} else {
			to = to.WithAttrs(c.attrs(more.attrs))
		}
	}
	clean := slog.NewRecord(record.Time, record.Level, c.text(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(c.attr(a))
		return true
	})
	return to.Handle(ctx, clean) //nolint:wrapcheck // it stands in for this handler
}

// cleaner makes the parts of one record safe.
type cleaner struct{ scrubber *scrub.Scrubber }

// text takes the secrets out first: shown by code points, one would no longer be found.
func (c cleaner) text(text string) string { return visible.Line(c.scrubber.Text(text)) }

func (c cleaner) attrs(list []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(list))
	for i, a := range list {
		clean[i] = c.attr(a)
	}
	return clean
}

func (c cleaner) attr(a slog.Attr) slog.Attr {
	return slog.Attr{Key: c.text(a.Key), Value: c.value(a.Value.Resolve())}
}

func (c cleaner) value(v slog.Value) slog.Value {
	switch v.Kind() {
	case slog.KindGroup:
		return slog.GroupValue(c.attrs(v.Group())...)
	case slog.KindString:
		return slog.StringValue(c.text(v.String()))
	case slog.KindAny:
		return c.any(v)
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64:
		text := v.String()
		if clean := c.text(text); clean != text {
			return slog.StringValue(clean)
		}
	default: // times, durations and truths say nothing
	}
	return v
}

// any makes a value safe that a handler writes in its own way: one that gives a text of
// itself becomes that text, and anything else stays unless a text of it holds a secret. One
// that panics, such as an error that is a nil pointer, must not end what only wanted to log.
func (c cleaner) any(v slog.Value) (safe slog.Value) {
	defer func() {
		if p := recover(); p != nil {
			safe = slog.StringValue(c.text(fmt.Sprintf("!PANIC: %v", p)))
		}
	}()
	switch kept := v.Any().(type) {
	case error:
		return slog.StringValue(c.text(kept.Error()))
	case []byte:
		return slog.StringValue(c.text(string(kept)))
	case encoding.TextMarshaler:
		if text, err := kept.MarshalText(); err == nil {
			return slog.StringValue(c.text(string(text)))
		}
	case fmt.Stringer:
		return slog.StringValue(c.text(kept.String()))
	}
	shown := fmt.Sprintf("%+v", v.Any())
	if clean := c.text(shown); clean != shown {
		return slog.StringValue(clean)
	}
	if written, err := json.Marshal(v.Any()); err == nil && c.scrubber.Text(string(written)) != string(written) {
		return slog.StringValue(c.text(string(written)))
	}
	return v
}
