package safetext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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
