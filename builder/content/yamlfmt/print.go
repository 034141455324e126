package yamlfmt

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
)

// printer writes nodes as YAML.
type printer struct{ bytes.Buffer }

// printFile returns a document as the contents of a file. The schema determines which strings are dates.
func printFile(root *yamldoc.Node, s *schema.Part) []byte {
	p := new(printer)
	p.comments(root.Head, 0)
	if len(root.Items) == 0 {
		p.inline(root, s, false)
		p.WriteByte('\n')
	} else {
		p.block(root, s, 0, false)
	}
	p.comments(root.Foot, 0)
	return p.Bytes()
}

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

// block writes the items of a mapping or list, one per line, the first one on the current line if begun is set.
func (p *printer) block(n *yamldoc.Node, s *schema.Part, indent int, begun bool) {
	for i, item := range n.Items {
		p.comments(item.Head, indent)
		if i > 0 || !begun {
			p.indent(indent)
		}
		if item.Named {
			p.WriteString(plainOrQuoted(item.Name, false, false) + ":")
		} else {
			p.WriteByte('-')
		}
		p.item(item, partOf(s, item), indent)
	}
}

// item writes whatever follows the name of a field or the dash of an entry.
func (p *printer) item(n *yamldoc.Node, s *schema.Part, indent int) {
	below := n.Kind != yamldoc.Scalar && !n.Flow && len(n.Items) > 0
	switch {
	case below && !n.Named && n.Comment == "": // a list of mappings: the first field follows the dash
		p.WriteByte(' ')
		p.block(n, s, indent+2, true)
	case below:
		p.endLine(n)
		p.block(n, s, indent+2, false)
	case n.Block != nil:
		p.WriteString(" " + n.Block[0])
		p.endLine(n)
		p.comments(n.Block[1:], indent+2)
	default:
		if !isEmpty(n) {
			p.WriteByte(' ')
		}
		p.inline(n, s, false)
		p.endLine(n)
	}
	p.comments(n.Foot, indent+2)
}

func isEmpty(n *yamldoc.Node) bool { return n.Kind == yamldoc.Scalar && n.Raw && n.Text == "" }

// endLine ends a line, with its comment in its old column if there is room.
func (p *printer) endLine(n *yamldoc.Node) {
	if n.Comment != "" {
		text := p.Bytes()
		width := utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:])
		p.indent(max(n.CommentColumn-1-width, 1))
		p.WriteString(n.Comment)
	}
	p.WriteByte('\n')
}

func (p *printer) inline(n *yamldoc.Node, s *schema.Part, brackets bool) {
	if n.Kind == yamldoc.Scalar {
		if n.Raw || s.IsDate() && dateForm.MatchString(n.Text) {
			p.WriteString(n.Text)
		} else {
			p.WriteString(plainOrQuoted(n.Text, brackets, false))
		}
		return
	}
	marks := "[]"
	if n.Kind == yamldoc.Mapping {
		marks = "{}"
	}
	p.WriteByte(marks[0])
	for i, item := range n.Items {
		if i > 0 {
			p.WriteString(", ")
		}
		if item.Named {
			p.WriteString(plainOrQuoted(item.Name, true, true) + ":")
			if !isEmpty(item) {
				p.WriteByte(' ')
			}
		}
		p.inline(item, partOf(s, item), true)
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

// plainOrQuoted writes a string without quotes if every YAML program reads it as the same string. Inside brackets, it
// also quotes strings of several words, since commas and colons are punctuation there.
func plainOrQuoted(s string, brackets, name bool) string {
	hidden := func(r rune) bool { return !unicode.IsGraphic(r) }
	plain := s != "" && !strings.ContainsFunc(s, hidden) && !strings.Contains(" +,[]{}#&*!|>'\"%@`-?:=", s[:1]) && !strings.HasSuffix(s, " ") &&
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
	return strconv.QuoteToGraphic(s) // its escape sequences are those of YAML
}
