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
	"strings"
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
