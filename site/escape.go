package site

import (
	"cmp"
	"net/url"
	"strings"

	"kindex/exports"
	"kindex/exports/safetext"
)

// Block escapes text for use as a one-line paragraph. If the text starts like a heading, a
// quotation or a list item, Block adds a backslash that prevents this meaning.
func Block(s string) string {
	s = Text(s)
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

// Text escapes a string for use within a line of CommonMark. Special punctuation is
// prefixed with a backslash (section 2.4); white space and hidden characters become a
// space.
func Text(s string) string {
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

// special reports whether r is special anywhere in a line: in CommonMark, or in tables,
// strikethrough and formulas, which are common extensions.
func special(r rune) bool { return strings.ContainsRune("\\`*_[]<|~&$", r) }

// Link returns a link, or only its text if the URL is invalid. The service's own URLs may
// be paths.
func Link(name, to string) string {
	if !strings.HasPrefix(to, "/") && !onTheWeb(to) {
		return Text(name)
	}
	return "[" + cmp.Or(Text(name), Text(to)) + "](<" + strings.ReplaceAll(target(to), "&", "&amp;") + ">)"
}

// Autolink returns a link whose text is its URL.
func Autolink(s string) string {
	if !onTheWeb(s) {
		return Text(s)
	}
	return "<" + target(s) + ">"
}

func onTheWeb(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// target escapes characters that would close the angle brackets or end a table cell.
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

// Reason describes a feature that two entities share. titles are the category titles by slug.
func Reason(f exports.Feature, titles map[string]string) string {
	switch f.Kind {
	case "category":
		return "same category: " + cmp.Or(titles[f.Value], f.Value)
	case "provider":
		return "same provider: " + f.Value
	case "tag":
		return "both tagged " + f.Value
	case "capability":
		return "both offer " + f.Value
	}
	return "both mention “" + f.Value + "”"
}
