package apikey

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// Redact shortens every API key in a string, real or not, to its first four characters after
// the prefix. Clients may put keys into addresses or other strings that end up in logs or
// errors.
func Redact(text string) string {
	parts := strings.Split(text, Prefix)
	for i, rest := range parts[1:] {
		n := 0
		for n < min(len(rest), length-len(Prefix)) && inAlphabet(rest[n]) {
			n++
		}
		if n >= maxShown { // even part of a key may reveal too much
			parts[i+1] = rest[:4] + "…redacted" + rest[n:]
		}
	}
	return strings.Join(parts, Prefix)
}

// maxShown is the number of characters after the prefix from which Redact treats a string as a
// key.
const maxShown = 12

// LogHandler passes log records to the next handler with all keys redacted: in the message, and
// in strings, errors and other values whose printed form contains a key.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAttr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(redactAttrs(attrs))}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(Redact(name))}
}

func redactAttrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = redactAttr(a)
	}
	return clean
}

func redactAttr(a slog.Attr) slog.Attr {
	a.Key, a.Value = Redact(a.Key), a.Value.Resolve()
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Redact(a.Value.String()))
	case slog.KindGroup:
		a.Value = slog.GroupValue(redactAttrs(a.Value.Group())...)
	case slog.KindAny:
		if text := fmt.Sprintf("%+v", a.Value.Any()); strings.Contains(text, Prefix) {
			a.Value = slog.StringValue(Redact(text))
		}
	}
	return a
}
