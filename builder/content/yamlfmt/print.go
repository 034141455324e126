package yamlfmt

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/builder/content/schema"
)

// printer writes a layout as YAML.
type printer struct{ bytes.Buffer }

// printLayout returns a layout as the contents of a file. The shape determines which strings
// are dates.
func printLayout(root *layout, s *schema.Part) []byte {
	p := new(printer)
	p.comments(root.headComments, 0)
	if len(root.items) == 0 {
		p.value(root, s)
		p.WriteByte('\n')
	} else {
		p.block(root, s, 0, false)
	}
	p.comments(root.footComments, 0)
	return p.Bytes()
}

// comments writes comment lines at an indentation.
func (p *printer) comments(lines []string, indent int) {
	for _, line := range lines {
		if line != "" {
			p.indent(indent)
			p.WriteString(line)
		}
		p.WriteByte('\n')
	}
}

func (p *printer) indent(n int) { p.WriteString(strings.Repeat(" ", n)) }

// block writes the items of a mapping or list, one per line. If begun is set, the first item
// continues the current line.
func (p *printer) block(l *layout, s *schema.Part, indent int, begun bool) {
	for i, item := range l.items {
		if item.blankBefore {
			p.WriteByte('\n')
		}
		p.comments(item.headComments, indent)
		if i > 0 || !begun {
			p.indent(indent)
		}
		inner := s.Entry()
		if l.kind == mapping {
			inner = s.Member(item.name)
			p.WriteString(plainOrQuoted(item.name, false, false) + ":")
		} else {
			p.WriteByte('-')
		}
		p.item(item, inner, indent)
	}
}

// item writes whatever follows the name of a field or the dash of an entry.
func (p *printer) item(l *layout, s *schema.Part, indent int) {
	below := l.kind != scalar && !l.flow && len(l.items) > 0
	switch {
	case below && !l.named && l.lineComment == "": // a list of mappings: the first field follows the dash
		p.WriteByte(' ')
		p.block(l, s, indent+2, true)
	case below:
		p.endLine(l)
		p.block(l, s, indent+2, false)
	case l.block != nil:
		p.WriteString(" " + l.block[0])
		p.endLine(l)
		for _, line := range l.block[1:] {
			if line != "" {
				p.indent(indent + 2)
			}
			p.WriteString(line + "\n")
		}
	default:
		if l.kind != scalar || !l.raw || l.text != "" {
			p.WriteByte(' ')
		}
		p.value(l, s)
		p.endLine(l)
	}
	p.comments(l.footComments, indent+2)
}

// endLine ends a line. If the line has a comment, it first writes the comment, in its old
// column if there is room.
func (p *printer) endLine(l *layout) {
	if l.lineComment != "" {
		text := p.Bytes()
		width := utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:])
		p.indent(max(l.commentColumn-1-width, 1))
		p.WriteString(l.lineComment)
	}
	p.WriteByte('\n')
}

// value writes a value on the current line.
func (p *printer) value(l *layout, s *schema.Part) { p.inline(l, s, false) }

func (p *printer) inline(l *layout, s *schema.Part, brackets bool) {
	if l.kind == scalar {
		if l.raw {
			p.WriteString(l.text)
		} else if s.IsDate() && dateForm.MatchString(l.text) {
			p.WriteString(l.text)
		} else {
			p.WriteString(plainOrQuoted(l.text, brackets, false))
		}
		return
	}
	marks := "[]"
	if l.kind == mapping {
		marks = "{}"
	}
	p.WriteByte(marks[0])
	for i, item := range l.items {
		if i > 0 {
			p.WriteString(", ")
		}
		inner := s.Entry()
		if l.kind == mapping {
			inner = s.Member(item.name)
			p.WriteString(plainOrQuoted(item.name, true, true) + ":")
			if item.kind != scalar || !item.raw || item.text != "" {
				p.WriteByte(' ')
			}
		}
		p.inline(item, inner, true)
	}
	p.WriteByte(marks[1])
}

var (
	dateForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$`)

	// notText matches unquoted values that are not strings in YAML 1.2
	// (https://yaml.org/spec/1.2.2/#103-core-schema) or in YAML 1.1
	// (https://yaml.org/type/), which many programs still use. It need not match values with
	// a leading + or -, since strings that start with these characters are always quoted.
	notText = regexp.MustCompile(`(?i)^(` +
		`null|~|true|false|yes|no|on|off|y|n|=|` +
		`[0-9][0-9_,]*(\.[0-9_]*)?(e[-+0-9_]*)?|` +
		`\.[0-9_].*|` +
		`0[xob].*|` +
		`[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|` +
		`\.?(inf|nan|infinity)|` +
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t ].*)?` +
		`)$`)
)

// plainOrQuoted writes a string without quotes if every YAML program reads it as the same
// string, and in double quotes otherwise. Inside brackets, it also quotes strings of several
// words, since commas and colons are punctuation there.
func plainOrQuoted(s string, brackets, name bool) string {
	plain := s != "" && !strings.ContainsFunc(s, unprintable) &&
		!strings.ContainsRune(" +,[]{}#&*!|>'\"%@`-?:=", firstRune(s)) && !strings.HasSuffix(s, " ") &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #") && !strings.HasSuffix(s, ":") &&
		!strings.HasPrefix(s, "...") && !strings.Contains(s, "<<") && !notText.MatchString(s)
	if brackets {
		plain = plain && !strings.ContainsAny(s, " ,[]{}?") // many programs read any ? as punctuation there
	}
	if name {
		plain = plain && !strings.Contains(s, ":")
	}
	if plain {
		return s
	}
	return quoted(s)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// unprintable reports whether a character must be written as an escape sequence, because
// files must not contain it.
func unprintable(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || r == '\ufeff' ||
		r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// quoted writes a string in double quotes.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unprintable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
