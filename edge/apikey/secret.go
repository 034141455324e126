package apikey

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/big"
	"strings"
)

// Prefix starts every key.
const Prefix = "kx_"

// A key consists of "kx_", 32 random base62 characters (190 bits), and their CRC-32 (IEEE 802.3)
// as a base62 number of 6 digits, most significant first, which detects mistyped and truncated
// keys without a query, and spares scanners for leaked keys false positives.
const (
	randomLen   = 32
	checksumLen = 6
	length      = len(Prefix) + randomLen + checksumLen
	alphabet    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

const redacted = Prefix + "…redacted"

// Secret is a complete API key. Printing, logging or encoding it never shows it; only Reveal
// does. The string is behind a pointer because package fmt ignores the methods of unexported
// fields and prints their contents. The zero Secret is not a key.
type Secret struct{ text *string }

// Generate returns a new random key.
func Generate() Secret {
	body := make([]byte, randomLen)
	for i := range body {
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet)))) // never fails
		body[i] = alphabet[n.Int64()]
	}
	text := Prefix + string(body) + checksum(string(body))
	return Secret{&text}
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	var sum [checksumLen]byte
	for i := checksumLen - 1; i >= 0; i-- {
		sum[i] = alphabet[n%uint32(len(alphabet))]
		n /= uint32(len(alphabet))
	}
	return string(sum[:])
}

// Parse checks the format and the checksum of a key. Errors wrap ErrMalformed and state the
// reason, without repeating the input.
func Parse(s string) (Secret, error) {
	if err := check(s); err != nil {
		return Secret{}, err
	}
	return Secret{&s}, nil
}

func check(s string) error {
	malformed := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
	}
	switch {
	case s == "":
		return malformed("it is empty")
	case strings.TrimSpace(s) != s:
		return malformed("it has leading or trailing white space")
	case !strings.HasPrefix(s, Prefix):
		return malformed("keys start with %s", Prefix)
	case len(s) != length:
		return malformed("it has %d characters instead of %d", len(s), length)
	}
	for i := len(Prefix); i < length; i++ {
		if !inAlphabet(s[i]) {
			return malformed("character %d is neither a letter nor a digit", i+1)
		}
	}
	if checksum(s[len(Prefix):len(Prefix)+randomLen]) != s[len(Prefix)+randomLen:] {
		return malformed("its checksum does not match; it is mistyped or truncated")
	}
	return nil
}

func inAlphabet(c byte) bool { return strings.IndexByte(alphabet, c) >= 0 }

// Reveal returns the key itself, for the only response that shows it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Hash returns the stored form of the key: the SHA-256 of the complete key, in hexadecimal. A
// key is too random to be found by brute force, so no slow hash is needed.
func (s Secret) Hash() string {
	sum := sha256.Sum256([]byte(s.Reveal()))
	return hex.EncodeToString(sum[:])
}

// Masked returns the key with its middle omitted, such as kx_aBcD…wXyZ, to tell keys apart.
func (s Secret) Masked() string {
	if s.text == nil {
		return ""
	}
	t := *s.text
	return t[:len(Prefix)+4] + "…" + t[len(t)-4:]
}

// String implements fmt.Stringer, and hides the key.
func (s Secret) String() string { return redacted }

// Format implements fmt.Formatter, and hides the key for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue implements slog.LogValuer, and hides the key.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements encoding.TextMarshaler, and hides the key in JSON values, in JSON
// member names, and in other text encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

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
