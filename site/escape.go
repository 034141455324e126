package site

import (
	"cmp"
	"net/url"
	"strings"

	"kindex/exports/safetext"
)

// block makes a text a paragraph of one line that means itself: where it begins as a
// heading, a quotation or an item of a list would, it gets a backslash.
func block(s string) string {
	s = text(s)
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch rest := s[digits:]; {
	case rest == "":
		return s
	case digits == 0 && strings.ContainsRune("#>+-=", rune(rest[0])):
		return `\` + s
	case digits > 0 && strings.ContainsRune(".)", rune(rest[0])) && (len(rest) == 1 || rest[1] == ' '):
		return s[:digits] + `\` + rest
	}
	return s
}

// text makes a text a part of a line of CommonMark that means itself. Punctuation that
// could begin something gets a backslash (section 2.4); white space of any kind and
// hidden characters become a space.
func text(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	before := ' '
	for _, r := range safetext.OneLine(s) {
		if special(r) || r == '#' && b.Len() > 0 && (before == ' ' || before == '#') {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// special are characters with a meaning anywhere in a line: of CommonMark, and of the
// tables, strikethrough and formulas that readers add to it.
func special(r rune) bool { return strings.ContainsRune("\\`*_[]<|~&$", r) }

// link is a link with a text, or the text alone where the address is none. Addresses
// of the service itself may lack its host.
func link(name, to string) string {
	if !strings.HasPrefix(to, "/") && !onTheWeb(to) {
		return text(name)
	}
	return "[" + cmp.Or(text(name), text(to)) + "](<" + strings.ReplaceAll(target(to), "&", "&amp;") + ">)"
}

// address is a link that shows its address.
func address(s string) string {
	if !onTheWeb(s) {
		return text(s)
	}
	return "<" + target(s) + ">"
}

func onTheWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// target keeps an address from ending its brackets, or the cell of a table.
func target(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("<>\\`|\"", c) >= 0 {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
