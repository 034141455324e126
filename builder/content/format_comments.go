package content

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// comment is one comment of a file, with its #.
type comment struct {
	position
	text string
	own  bool // nothing stands before it on its line
}

// comments lists the comments of a file in order. They are taken from the
// lexer, since the parser loses and moves some; the lines of the file have the
// last word on where they stand.
func (d *document) comments(text string, lines []string) ([]comment, error) {
	var list []comment
	for _, t := range lexer.Tokenize(text) {
		if t.Type != token.CommentType {
			continue
		}
		c := comment{position: at(t), text: strings.TrimRight("#"+t.Value, " ")}
		before, found := "", false
		if c.line <= len(lines) {
			before, found = strings.CutSuffix(strings.TrimRight(lines[c.line-1], " "), c.text)
		}
		if !found {
			d.add(c.line, c.col, Problem{Message: "cannot be formatted: the comment " + shown(c.text) + " is not at the end of its line"})
			return nil, d.report()
		}
		c.col = utf8.RuneCountInString(before) + 1
		before = strings.TrimSpace(before)
		c.own = before == "" || before == "---" || before == "..."
		list = append(list, c)
	}
	return list, nil
}

// attach puts every comment, and every blank line that separates something,
// where it belongs.
func (r *reader) attach(root *placed, comments []comment) {
	i := 0 // of the first item behind the comment
	for _, c := range comments {
		for i < len(r.placed) && r.placed[i].start.before(c.position) {
			r.separate(i)
			i++
		}
		var previous, next *placed
		if i > 0 {
			previous = r.placed[i-1]
		}
		if i < len(r.placed) {
			next = r.placed[i]
		}
		for previous != nil && previous != root && previous.parent.flow && !previous.parent.open(c.position) {
			previous = previous.parent
		}
		switch {
		case len(r.placed) == 0:
			root.head = append(root.head, c.text)
		case previous == nil:
			r.above(next, c)
		case previous == root:
			r.below(root, c)
		case c.own:
			r.between(root, previous, next, c)
		default:
			previous.behind(c)
		}
	}
	for ; i < len(r.placed); i++ {
		r.separate(i)
	}
}

// separate notes a blank line right above an item: below the comments above it,
// or instead of them.
func (r *reader) separate(i int) {
	p := r.placed[i]
	switch {
	case !r.blankAbove(p.start.line) || i > 0 && r.placed[i-1].start.line == p.start.line:
	case len(p.head) == 0:
		p.gap = true
	default:
		p.head = append(p.head, "")
	}
}

// blankAbove tells whether the line above shows nothing.
func (r *reader) blankAbove(line int) bool {
	if line < 2 {
		return false
	}
	text := strings.TrimSpace(r.lines[line-2])
	return text == "" || text == "---" || text == "..."
}

// between finds the owner of a comment on a line of its own: the item below,
// unless its column says that it belongs to the set or list that ends here.
func (r *reader) between(root, previous, next *placed, c comment) {
	brackets := previous.parent
	if previous.open(c.position) {
		brackets = previous
	}
	switch {
	case (previous.kind == leaf || previous.flow) && c.before(previous.value): // below the name, above the value
		previous.head = append(previous.head, c.text)
	case next != nil && next.parent == previous:
		r.above(next, c)
	case brackets.open(c.position) && (next == nil || next.parent != brackets):
		r.below(brackets, c)
	case brackets.open(c.position):
		r.above(next, c)
	default:
		owner := previous.parent
		for owner != root && (owner.inner > c.col || owner.parent.inner == owner.inner) {
			owner = owner.parent
		}
		if next != nil && (c.col <= next.start.col || owner.depth <= next.parent.depth) {
			r.above(next, c)
		} else {
			r.below(owner, c)
		}
	}
}

func (r *reader) above(p *placed, c comment) {
	switch blank := r.blankAbove(c.line); {
	case len(p.head) == 0:
		p.gap = blank
	case blank:
		p.head = append(p.head, "")
	}
	p.head = append(p.head, c.text)
}

func (r *reader) below(p *placed, c comment) {
	if len(p.items) == 0 { // there is no room inside
		p.head = append(p.head, c.text)
		return
	}
	if r.blankAbove(c.line) {
		p.foot = append(p.foot, "")
	}
	p.foot = append(p.foot, c.text)
}

// behind takes a comment at the end of a line. There is room for one only.
func (p *placed) behind(c comment) {
	if !p.named && p.kind != leaf && !p.flow && c.before(p.value) { // behind a dash
		p.head = append(p.head, c.text)
		return
	}
	if p.line != "" {
		p.head = append(p.head, p.line)
	}
	p.line, p.column = c.text, c.col
}

// modeline begins the comment that tells an editor the schema of a file.
const modeline = "# yaml-language-server:"

// raiseHeader takes the comments that are about the file from its first field,
// so that they stay on top wherever that goes: the modeline, and what a blank
// line sets apart.
func (l *layout) raiseHeader() {
	if len(l.items) == 0 {
		return
	}
	first := l.items[0]
	raise := func(lines []string, gap bool) {
		if len(l.head) > 0 && first.gap {
			l.head = append(l.head, "")
		}
		l.head, first.gap = append(l.head, lines...), gap
	}
	for i := len(first.head) - 1; i >= 0; i-- {
		if first.head[i] == "" {
			lines := first.head[:i]
			first.head = first.head[i+1:]
			raise(lines, true)
			break
		}
	}
	if i := slices.IndexFunc(first.head, isModeline); i >= 0 && !slices.ContainsFunc(l.head, isModeline) {
		line := first.head[i]
		first.head = slices.Delete(slices.Clone(first.head), i, i+1)
		if len(l.head) > 0 {
			first.gap = true
			l.head = append([]string{line}, l.head...)
		} else {
			raise([]string{line}, false)
		}
	}
	if i := slices.IndexFunc(l.head, isModeline); i > 0 {
		line := l.head[i]
		l.head = append([]string{line}, slices.Delete(slices.Clone(l.head), i, i+1)...)
	}
	l.head = slices.CompactFunc(l.head, func(a, b string) bool { return a == "" && b == "" })
	if n := len(l.head); n > 0 && l.head[n-1] == "" {
		l.head = l.head[:n-1]
	}
}

func isModeline(s string) bool { return strings.HasPrefix(s, modeline) }
