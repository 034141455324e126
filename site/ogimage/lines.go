package ogimage

import (
	"strings"
	"unicode"
)

// cut shortens a line to a width in pixels. A shortened line ends in "…".
func (p *painter) cut(line string, t letters, width int) string {
	lines, _ := p.wrap(line, t, width, 1)
	return strings.Join(lines, "")
}

// fit sets a name as large as possible: on one line if the letters can be large enough,
// otherwise on two lines of similar length. Names that are too long even in small letters are
// cut.
func (p *painter) fit(name string, t letters, width int) ([]string, letters) {
	largest := t.size
	for ; t.size >= largest*3/4; t.size -= 2 {
		if p.width(name, t) <= width {
			return []string{name}, t
		}
	}
	for t.size = largest * 6 / 7; t.size > largest/2; t.size -= 2 {
		lines, whole := p.wrap(name, t, width, 2)
		if !whole {
			continue
		}
		for narrow := width - 8; narrow > width/3; narrow -= 8 {
			more, whole := p.wrap(name, t, narrow, 2)
			if !whole {
				break
			}
			lines = more
		}
		return lines, t
	}
	lines, _ := p.wrap(name, t, width, 2)
	return lines, t
}

// wrap breaks a text into lines; most is the maximum number of lines. whole reports whether no
// word was broken and nothing was cut.
func (p *painter) wrap(text string, t letters, width, most int) ([]string, bool) {
	rest, whole := []rune(text), true
	var lines []string
	for len(rest) > 0 {
		n := p.fitting(rest, t, width)
		if n == len(rest) {
			return append(lines, string(rest)), whole
		}
		if len(lines) == most-1 {
			return append(lines, p.shortened(rest, t, width)), false
		}
		at, clean := breakBefore(rest, n)
		whole = whole && clean
		lines = append(lines, strings.TrimRight(string(rest[:at]), " "))
		rest = trimLeft(rest[at:])
	}
	return lines, whole
}

// fitting returns how many characters of the text fit into the width.
func (p *painter) fitting(text []rune, t letters, width int) int {
	f := p.face(t)
	left := width * 64
	for i, r := range text {
		if left -= int(t.advance(f, r)); left < 0 {
			return i
		}
	}
	return len(text)
}

// breakBefore returns the position, at least 1 and at most n, at which to break a line:
// at a space, or after a joining mark such as a hyphen. If there is neither, it breaks
// within a word and returns false for clean.
func breakBefore(text []rune, n int) (at int, clean bool) {
	for i := n; i > 0; i-- {
		if text[i] == ' ' {
			return i, true
		}
	}
	for i := n; i > 1; i-- {
		if strings.ContainsRune("-/_:.@", text[i-1]) {
			return i, true
		}
	}
	return max(n, 1), false
}

// shortened returns as much of the text as fits before a "…": whole words, unless that
// would leave less than half.
func (p *painter) shortened(text []rune, t letters, width int) string {
	n := p.fitting(text, t, width-p.width("…", t))
	if at, clean := breakBefore(text, n); clean && at > n/2 {
		n = at
	}
	return strings.TrimRightFunc(string(text[:n]), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:.-–—(…", r)
	}) + "…"
}

func trimLeft(text []rune) []rune {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}
