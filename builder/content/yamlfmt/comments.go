package yamlfmt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"kindex/builder/content/yamldoc"
)

// comment is a comment in a file, including its #.
type comment struct {
	position
	text    string
	ownLine bool // the comment is alone on its line
}

// readComments lists the comments of a file in order. They come from the lexer, since the parser
// loses some comments and moves others; their positions are checked against the lines of the
// file.
func readComments(d *yamldoc.Document, text string, lines []string) ([]comment, error) {
	var list []comment
	for _, t := range lexer.Tokenize(text) {
		if t.Type != token.CommentType {
			continue
		}
		c := comment{position: tokenPosition(t), text: strings.TrimRight("#"+t.Value, " ")}
		before, found := "", false
		if c.line <= len(lines) {
			before, found = strings.CutSuffix(strings.TrimRight(lines[c.line-1], " "), c.text)
		}
		if !found {
			d.Add(c.line, c.col, yamldoc.Problem{Message: "cannot be formatted: the comment " + yamldoc.Quote(c.text) + " is not at the end of its line"})
			return nil, d.Report()
		}
		c.col = utf8.RuneCountInString(before) + 1
		before = strings.TrimSpace(before)
		c.ownLine = before == "" || before == "---" || before == "..."
		list = append(list, c)
	}
	return list, nil
}

// attachComments attaches each comment, and each blank line between items, to the node to which
// it belongs.
func (r *layoutReader) attachComments(root *node, comments []comment) {
	i := 0 // index of the first item after the comment
	for _, c := range comments {
		for i < len(r.nodes) && r.nodes[i].start.before(c.position) {
			r.noteBlankLine(i)
			i++
		}
		var previous, next *node
		if i > 0 {
			previous = r.nodes[i-1]
		}
		if i < len(r.nodes) {
			next = r.nodes[i]
		}
		for previous != nil && previous != root && previous.parent.flow && !previous.parent.inBrackets(c.position) {
			previous = previous.parent
		}
		switch {
		case len(r.nodes) == 0:
			root.headComments = append(root.headComments, c.text)
		case previous == nil:
			r.attachAbove(next, c)
		case previous == root:
			r.attachBelow(root, c)
		case c.ownLine:
			r.attachOwnLine(root, previous, next, c)
		default:
			previous.addLineComment(c)
		}
	}
	for ; i < len(r.nodes); i++ {
		r.noteBlankLine(i)
	}
}

// noteBlankLine records a blank line directly above an item, after any comments.
func (r *layoutReader) noteBlankLine(i int) {
	p := r.nodes[i]
	switch {
	case !r.blankAbove(p.start.line) || i > 0 && r.nodes[i-1].start.line == p.start.line:
	case len(p.headComments) == 0:
		p.blankBefore = true
	default:
		p.headComments = append(p.headComments, "")
	}
}

// blankAbove reports whether the preceding line is blank or a document marker.
func (r *layoutReader) blankAbove(line int) bool {
	if line < 2 {
		return false
	}
	text := strings.TrimSpace(r.lines[line-2])
	return text == "" || text == "---" || text == "..."
}

// attachOwnLine attaches a comment that is alone on its line to the item below it, unless the
// comment's column shows that it belongs to the mapping or list that ends above it.
func (r *layoutReader) attachOwnLine(root, previous, next *node, c comment) {
	brackets := previous.parent
	if previous.inBrackets(c.position) {
		brackets = previous
	}
	switch {
	case (previous.kind == scalar || previous.flow) && c.before(previous.value): // the comment is between the name and the value
		previous.headComments = append(previous.headComments, c.text)
	case next != nil && next.parent == previous:
		r.attachAbove(next, c)
	case brackets.inBrackets(c.position) && (next == nil || next.parent != brackets):
		r.attachBelow(brackets, c)
	case brackets.inBrackets(c.position):
		r.attachAbove(next, c)
	default:
		owner := previous.parent
		for owner != root && (owner.itemColumn > c.col || owner.parent.itemColumn == owner.itemColumn) {
			owner = owner.parent
		}
		if next != nil && (c.col <= next.start.col || owner.depth <= next.parent.depth) {
			r.attachAbove(next, c)
		} else {
			r.attachBelow(owner, c)
		}
	}
}

func (r *layoutReader) attachAbove(p *node, c comment) {
	switch blank := r.blankAbove(c.line); {
	case len(p.headComments) == 0:
		p.blankBefore = blank
	case blank:
		p.headComments = append(p.headComments, "")
	}
	p.headComments = append(p.headComments, c.text)
}

func (r *layoutReader) attachBelow(p *node, c comment) {
	if len(p.items) == 0 { // the parent has no items
		p.headComments = append(p.headComments, c.text)
		return
	}
	if r.blankAbove(c.line) {
		p.footComments = append(p.footComments, "")
	}
	p.footComments = append(p.footComments, c.text)
}

// addLineComment adds a comment at the end of a line. A node can have only one.
func (p *node) addLineComment(c comment) {
	if !p.named && p.kind != scalar && !p.flow && c.before(p.value) { // the comment follows a dash
		p.headComments = append(p.headComments, c.text)
		return
	}
	if p.lineComment != "" {
		p.headComments = append(p.headComments, p.lineComment)
	}
	p.lineComment, p.commentColumn = c.text, c.col
}

// modeline is the start of the comment that specifies a file's schema for editors.
const modeline = "# yaml-language-server:"

// hoistHeader moves comments about the whole file from the first field to the layout: the
// modeline, and comments followed by a blank line. These comments then stay at the top even if
// the first field moves.
func (l *layout) hoistHeader() {
	if len(l.items) == 0 {
		return
	}
	first := l.items[0]
	raise := func(lines []string, gap bool) {
		if len(l.headComments) > 0 && first.blankBefore {
			l.headComments = append(l.headComments, "")
		}
		l.headComments, first.blankBefore = append(l.headComments, lines...), gap
	}
	for i := len(first.headComments) - 1; i >= 0; i-- {
		if first.headComments[i] == "" {
			lines := first.headComments[:i]
			first.headComments = first.headComments[i+1:]
			raise(lines, true)
			break
		}
	}
	if i := slices.IndexFunc(first.headComments, isModeline); i >= 0 && !slices.ContainsFunc(l.headComments, isModeline) {
		line := first.headComments[i]
		first.headComments = slices.Delete(slices.Clone(first.headComments), i, i+1)
		if len(l.headComments) > 0 {
			first.blankBefore = true
			l.headComments = append([]string{line}, l.headComments...)
		} else {
			raise([]string{line}, false)
		}
	}
	if i := slices.IndexFunc(l.headComments, isModeline); i > 0 {
		line := l.headComments[i]
		l.headComments = append([]string{line}, slices.Delete(slices.Clone(l.headComments), i, i+1)...)
	}
	l.headComments = slices.CompactFunc(l.headComments, func(a, b string) bool { return a == "" && b == "" })
	if n := len(l.headComments); n > 0 && l.headComments[n-1] == "" {
		l.headComments = l.headComments[:n-1]
	}
}

func isModeline(s string) bool { return strings.HasPrefix(s, modeline) }
