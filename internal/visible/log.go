package visible

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler makes the texts of log records safe to look at before h writes them: messages,
// keys, texts, errors and whatever else is written as text. Numbers, times and the like are
// left as they are.
func Handler(h slog.Handler) slog.Handler { return handler{h} }

type handler struct{ inner slog.Handler }

func (h handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.inner.Enabled(ctx, level)
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	shown := slog.NewRecord(r.Time, r.Level, Line(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		shown.AddAttrs(shownAttr(a))
		return true
	})
	return h.inner.Handle(ctx, shown)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.inner.WithAttrs(shownAttrs(attrs))}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.inner.WithGroup(Line(name))}
}

func shownAttrs(attrs []slog.Attr) []slog.Attr {
	shown := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		shown[i] = shownAttr(a)
	}
	return shown
}

func shownAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(Line(v.String()))
	case slog.KindGroup:
		v = slog.GroupValue(shownAttrs(v.Group())...)
	case slog.KindAny:
		if v.Any() == nil {
			break
		}
		// What a handler would make of it is not known here, so it is made a text at once.
		v = slog.StringValue(Line(fmt.Sprintf("%+v", v.Any())))
	default:
	}
	return slog.Attr{Key: Line(a.Key), Value: v}
}
