package yamldoc

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// comment is a comment in a file, including its #.
type comment struct {
	position
	text    string
	ownLine bool // the comment is alone on its line
}

// Commented returns the root with the comments of the file, which must have no problems. If there are problems
// with a comment, it returns nil. It must be called only once.
func (d *Document) Commented() *Node {
	root := d.Root()
	comments := d.comments()
	if root != nil && len(d.Problems) == 0 {
		a := attacher{root: root, lines: d.lines}
		a.collect(root)
		a.attach(comments)
		return root
	}
	return nil
}

// comments lists the comments of the file. They come from the lexer, since the parser loses some and moves others;
// their positions are checked against the lines of the file.
func (d *Document) comments() (list []comment) {
	for _, t := range d.tokens {
		if t.Type != token.CommentType {
			continue
		}
		c := comment{position: tokenPosition(t), text: strings.TrimRight("#"+t.Value, " ")}
		before, found := strings.CutSuffix(strings.TrimRight(d.line(c.line), " "), c.text)
		if !found {
			d.Add(c.line, c.col, Problem{Message: "cannot be formatted: the comment " + Quote(c.text) + " is not at the end of its line"})
			return nil
		}
		c.col = utf8.RuneCountInString(before) + 1
		before = strings.TrimSpace(before)
		c.ownLine = before == "" || before == "---" || before == "..."
		list = append(list, c)
	}
	return list
}

// attacher attaches each comment, and each blank line between items, to the node to which it belongs.
type attacher struct {
	root  *Node
	nodes []*Node // in file order, without the root
	lines []string
}

func (r *attacher) collect(n *Node) {
	for _, item := range n.Items {
		r.nodes = append(r.nodes, item)
		r.collect(item)
	}
}

func (r *attacher) attach(comments []comment) {
	i := 0 // index of the first item after the comment
	for _, c := range comments {
		for i < len(r.nodes) && r.nodes[i].start.before(c.position) {
			r.noteBlankLine(i)
			i++
		}
		previous, next := r.root, (*Node)(nil)
		if i > 0 {
			previous = r.nodes[i-1]
		}
		if i < len(r.nodes) {
			next = r.nodes[i]
		}
		for previous != r.root && previous.parent.Flow && !previous.parent.inBrackets(c.position) {
			previous = previous.parent
		}
		switch {
		case previous == r.root && next != nil:
			r.attachAbove(next, c)
		case previous == r.root:
			r.attachBelow(r.root, c)
		case c.ownLine:
			r.attachOwnLine(previous, next, c)
		default:
			previous.addLineComment(c)
		}
	}
	for ; i < len(r.nodes); i++ {
		r.noteBlankLine(i)
	}
}

// noteBlankLine records a blank line directly above an item, after any comments.
func (r *attacher) noteBlankLine(i int) {
	p := r.nodes[i]
	if r.blankAbove(p.start.line) && (i == 0 || r.nodes[i-1].start.line != p.start.line) {
		p.Head = append(p.Head, "")
	}
}

// blankAbove reports whether the preceding line is blank or a document marker.
func (r *attacher) blankAbove(line int) bool {
	if line < 2 {
		return false
	}
	text := strings.TrimSpace(r.lines[line-2])
	return text == "" || text == "---" || text == "..."
}

// attachOwnLine attaches a comment alone on its line to the item below it or, if its column says so, to what ends above it.
func (r *attacher) attachOwnLine(previous, next *Node, c comment) {
	brackets := previous.parent
	if previous.inBrackets(c.position) {
		brackets = previous
	}
	isEmpty := previous.Raw && previous.Text == ""
	switch {
	case (previous.Kind == Scalar && !isEmpty || previous.Flow) && c.before(previous.at): // the comment is between the name and the value
		previous.Head = append(previous.Head, c.text)
		return
	case brackets.inBrackets(c.position) && (next == nil || next.parent != brackets):
		r.attachBelow(brackets, c)
		return
	case !brackets.inBrackets(c.position) && (next == nil || next.parent != previous):
		for ended := previous.parent; next == nil || ended != next.parent && c.col > next.start.col; ended = ended.parent {
			if ended == r.root || ended.itemColumn() <= c.col && ended.parent.itemColumn() != ended.itemColumn() {
				r.attachBelow(ended, c)
				return
			}
		}
	}
	r.attachAbove(next, c)
}

func (r *attacher) attachAbove(p *Node, c comment) {
	if r.blankAbove(c.line) {
		p.Head = append(p.Head, "")
	}
	p.Head = append(p.Head, c.text)
}

func (r *attacher) attachBelow(p *Node, c comment) {
	if len(p.Items) == 0 { // the parent has no items
		p.Head = append(p.Head, c.text)
		return
	}
	if r.blankAbove(c.line) {
		p.Foot = append(p.Foot, "")
	}
	p.Foot = append(p.Foot, c.text)
}

func (n *Node) addLineComment(c comment) {
	if !n.Named && n.Kind != Scalar && !n.Flow && c.before(n.at) { // the comment follows a dash
		n.Head = append(n.Head, c.text)
		return
	}
	if n.Comment != "" {
		n.Head = append(n.Head, n.Comment)
	}
	n.Comment, n.CommentColumn = c.text, c.col
}

func (n *Node) inBrackets(c position) bool { return n.Flow && c.before(n.end) }

func (n *Node) itemColumn() int { return n.Items[0].start.col }

// WarnOfCutText warns of values that end where a comment starts that was probably meant to belong to them: no space
// follows its number sign, as in "bug #12", or one space precedes it and a description ends before its sentence, as
// in "for C # and F". The file must have been parsed without errors.
func (d *Document) WarnOfCutText(data []byte) {
	if d.Value == nil || !bytes.Contains(data, []byte(" #")) {
		return
	}
	d.Root()
	for i, t := range d.tokens {
		if i == 0 || t.Type != token.CommentType {
			continue
		}
		value := d.tokens[i-1]
		if value.Type != token.StringType || value.Position.Line != t.Position.Line {
			continue // nothing precedes it on its line, or the value is quoted or ends with a bracket
		}
		field := ""
		if i > 2 && d.tokens[i-2].Type == token.MappingValueType {
			field = d.tokens[i-3].Value
		}
		rest := strings.TrimLeft(t.Value, "#")
		before, _, _ := strings.Cut(d.line(t.Position.Line), " #")
		aligned := strings.HasSuffix(before, " ") // more than one space precedes it
		endsSentence := strings.TrimRight(value.Value, ".!?") != value.Value
		if rest != "" && (rest[0] != ' ' || field == "description" && !endsSentence && !aligned) {
			d.Add(t.Position.Line, t.Position.Column, Problem{Severity: Warning, Field: field,
				Message: "what follows \" #\" is a comment, not part of the value; if it belongs to the value, put the value in quotes, otherwise put the comment on a line of its own"})
		}
	}
}
