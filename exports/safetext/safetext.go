// Package safetext finds, removes and escapes hidden characters in text.
//
// The text may reach people, terminals, spreadsheets and agents.
//
// A character is hidden if it is invisible or changes how its neighbours are shown:
// controls, format characters and other default ignorable code points
// (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point), line and
// paragraph separators, private-use characters, noncharacters, and symbols that are
// drawn as blanks. Correct spelling needs a few of these characters in certain
// places. There they do not count as hidden:
//
//   - ZERO WIDTH JOINER and NON-JOINER after a letter or mark of a script that
//     joins letters, such as Arabic or Devanagari;
//   - ZERO WIDTH JOINER between two symbols, and one variation selector after a
//     symbol: emoji sequences (https://www.unicode.org/reports/tr51/);
//   - one registered variation selector after an ideograph
//     (https://www.unicode.org/reports/tr37/).
//
// Unassigned code points do not count as hidden: fonts draw a box for them, and
// they may be letters or emoji that are newer than the program. The functions may
// be called concurrently.
package safetext

import (
	"fmt"
	"iter"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden returns the hidden characters of s and the offsets of their first bytes.
// They include line breaks and tabs. A byte that is not valid UTF-8 is returned as
// utf8.RuneError. A correctly encoded U+FFFD does not count as hidden.
func Hidden(s string) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		previous := rune(-1)
		for i := 0; i < len(s); {
			if c := s[i]; c >= ' ' && c < 0x7f {
				previous = rune(c)
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(s[i:])
			if (r == utf8.RuneError && n == 1 || isIgnorable(r) && !joinsNeighbours(r, previous, s[i+n:])) && !yield(i, r) {
				return
			}
			previous = r
			i += n
		}
	}
}

// Contains reports whether s contains a hidden character.
func Contains(s string) bool {
	for range Hidden(s) {
		return true
	}
	return false
}

// Strip returns s without its hidden characters.
func Strip(s string) string { return Replace(s, "") }

// Replace returns s with each hidden character replaced.
func Replace(s, replacement string) string {
	return replace(s, func(rune) string { return replacement })
}

// Escape returns s with each hidden character, including line breaks, written as an
// escape sequence that YAML and Go share: \u200b, or \U000e0041 above U+FFFF. It is
// for terminals and for reviewers, who must see every character.
func Escape(s string) string { return replace(s, escape) }

// EscapeLines is like Escape, but leaves line feeds and tabs unchanged.
func EscapeLines(s string) string {
	return replace(s, func(r rune) string {
		if r == '\n' || r == '\t' {
			return string(r)
		}
		return escape(r)
	})
}

// OneLine returns s on one line: each run of white space and hidden characters
// becomes one space, and none remains at either end.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(Replace(s, " "), func(r rune) bool { return unicode.IsSpace(r) || r == utf8.RuneError }), " ")
}

// Shorten returns s or, if it has more than limit characters, its first limit
// characters and an ellipsis. It is for messages and logs that quote input.
func Shorten(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// EscapeJSON is like EscapeLines, but writes characters above U+FFFF as surrogate pairs, so
// that a JSON document keeps its meaning when it is escaped.
func EscapeJSON(s string) string {
	return replace(s, func(r rune) string {
		if r == '\n' || r == '\t' {
			return string(r)
		}
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			return escape(high) + escape(low)
		}
		return escape(r)
	})
}

// Describe returns the code point and name of a character for a message, such as "U+200B
// (zero width space)".
func Describe(r rune) string {
	if name := names[r]; name != "" {
		return fmt.Sprintf("%U (%s)", r, name)
	}
	switch {
	case r >= 0xe0020 && r <= 0xe007f:
		return fmt.Sprintf("%U (tag character)", r)
	case unicode.Is(unicode.Variation_Selector, r):
		return fmt.Sprintf("%U (variation selector)", r)
	case unicode.Is(unicode.Co, r):
		return fmt.Sprintf("%U (private use)", r)
	case unicode.IsControl(r):
		return fmt.Sprintf("%U (control character)", r)
	}
	return fmt.Sprintf("%U", r)
}

func replace(s string, replacement func(rune) string) string {
	var b strings.Builder
	done := 0
	for i, r := range Hidden(s) {
		b.WriteString(s[done:i])
		b.WriteString(replacement(r))
		_, n := utf8.DecodeRuneInString(s[i:])
		done = i + n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Quote returns a string in double quotes and escapes the characters that a
// terminal interprets or hides.
func Quote(s string) string { return Escape(strconv.Quote(s)) }

// Printable returns a string unchanged if a terminal shows all of it. Otherwise it
// quotes the string.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) && !Contains(s) {
		return s
	}
	return Quote(s)
}

// Address returns an address for a message, quoted: without user information, query and fragment,
// each of which can be a secret. A text that is no address is cut the same way.
func Address(s string) string {
	rest := ""
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s, rest = s[:i], s[i:i+1]+"…"
	}
	scheme := ""
	if i := strings.Index(s, "://"); i >= 0 {
		scheme, s = s[:i+3], s[i+3:]
	}
	// A password can contain slashes and more than one @.
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = "…" + s[i:]
	}
	return Quote(scheme + s + rest)
}

// credentials match user information, and the values of parameters that are named after secrets.
var credentials = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*:/{1,2})[^\s"'/?#]+@|([?&][^=&\s"']*(?i:token|key|secret|sig|pass|credential)[^=&\s"']*=)[^&\s"'#]+`)
})

// WithoutCredentials returns a message in which the addresses that it repeats have lost their credentials: people
// also paste addresses where none is expected.
func WithoutCredentials(message string) string {
	return credentials().ReplaceAllStringFunc(message, func(found string) string {
		m := credentials().FindStringSubmatch(found)
		switch {
		case m[2] != "":
			return m[2] + "…"
		case strings.HasSuffix(found, ":xxxxx@"): // it was left out before
			return found
		}
		return m[1] + "…@"
	})
}

// Loopback reports whether a host name or IP address is always this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
