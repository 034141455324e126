package safetext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote returns a text in double quotes, with characters that a terminal
// interprets or hides escaped.
func Quote(s string) string { return Escape(strconv.Quote(s)) }

// Printable returns a text unchanged if a terminal shows all of it, and quoted
// otherwise.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) && !Contains(s) {
		return s
	}
	return Quote(s)
}
