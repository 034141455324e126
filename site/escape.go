package site

import (
	"cmp"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
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
// what cannot be seen, such as marks that turn the direction of writing, becomes a
// space.
func text(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	before := ' '
	for _, r := range s {
		if r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || hidden(r) {
			r = ' '
		}
		if r == ' ' && before == ' ' {
			continue
		}
		if special(r) || r == '#' && b.Len() > 0 && (before == ' ' || before == '#') {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return strings.TrimSuffix(b.String(), " ")
}

// hidden tells of marks that cannot be seen and change what is: Unicode's controls of
// direction (UAX 9), tags, and the byte order mark. Joiners stay; words need them.
func hidden(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c ||
		r == 0x2028 || r == 0x2029 || r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
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
