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
	if !strings.Contains(text, Prefix) { // nearly always true
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, Prefix)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := 0
		for n < len(rest) && n < length-len(Prefix) && inAlphabet(rest[n]) {
			n++
		}
		if next := strings.Index(rest, Prefix); next >= 0 {
			n = min(n, next) // another key may start before this one ends
		}
		b.WriteString(Prefix)
		if n >= maxShown { // even part of a key may reveal too much
			b.WriteString(rest[:4] + "…redacted")
		} else {
			b.WriteString(rest[:n])
		}
		text = rest[n:]
	}
}

// maxShown is the number of characters after the prefix from which Redact treats a string as a
// key.
const maxShown = 12

// LogHandler passes log records to the next handler with all keys redacted: in the message, and
// in strings, errors and other values whose printed form contains a key.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ next slog.Handler }

// Enabled implements slog.Handler.
func (h logHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, Redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAttr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.next.WithAttrs(redactAttrs(attrs))}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.next.WithGroup(Redact(name))}
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
