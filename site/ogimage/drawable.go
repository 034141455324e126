package ogimage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// drawable makes a text one line of characters for which there are letters, of most
// characters at most. It is "" when more than a third of what a reader would see is
// lost.
func drawable(s string, most int) string {
	begin, whole := head(s, most)
	w := line{}
	for _, r := range norm.NFC.String(begin) {
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r):
			w.space()
		case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Mc, unicode.Variation_Selector):
			// Nothing by itself: joiners, turns of direction, marks of a letter before.
		case w.has(r):
			w.seen++
			w.put(r)
		default:
			w.seen++
			w.replace(r)
		}
	}
	if w.lost*3 > w.seen {
		return ""
	}
	if !whole {
		w.put('…')
	}
	return strings.TrimRight(w.text.String(), " ")
}

// line is a text under construction.
type line struct {
	text       strings.Builder
	last       rune
	seen, lost int // characters that a reader would see
	buffer     sfnt.Buffer
}

func (w *line) put(r rune) {
	w.text.WriteRune(r)
	w.last = r
}

func (w *line) space() {
	if w.last != 0 && w.last != ' ' {
		w.put(' ')
	}
}

// replace puts what comes nearest to a character without a letter: the letters it is
// made of, such as ﬀ or ế without its marks, or a plain dash.
func (w *line) replace(r rune) {
	if unicode.Is(unicode.Pd, r) {
		w.put('-')
		return
	}
	if parts, ok := w.partsOf(r); ok {
		for _, part := range parts {
			w.put(part)
		}
		return
	}
	w.lost++
	if unicode.In(r, unicode.L, unicode.N) && w.last != '…' {
		w.put('…')
	}
}

// partsOf are the letters that a character is made of, without marks, if there are
// any and all can be drawn.
func (w *line) partsOf(r rune) ([]rune, bool) {
	var parts []rune
	for _, part := range norm.NFKD.String(string(r)) {
		switch {
		case unicode.Is(unicode.M, part):
		case !w.has(part):
			return nil, false
		default:
			parts = append(parts, part)
		}
	}
	return parts, len(parts) > 0
}

// head is the beginning of a text, in valid UTF-8, and whether that is all of it. Bytes
// are counted before characters, so that a long text costs no more than a short one.
func head(s string, most int) (string, bool) {
	begin := strings.ToValidUTF8(s[:min(len(s), 4*most)], " ")
	n := 0
	for i := range begin {
		if n++; n > most {
			return begin[:i], false
		}
	}
	return begin, len(s) <= 4*most
}

// has tells whether the fonts have a shape for a character; all three have the same
// ones. They have one for U+FFFD too, which says nothing.
func (w *line) has(r rune) bool {
	all, err := fonts()
	if err != nil || r == utf8.RuneError {
		return false
	}
	i, err := all[regular].GlyphIndex(&w.buffer, r)
	return err == nil && i != 0
}
