package ogimage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// drawable reduces text to one line of characters that the fonts have; most is the maximum
// number of characters. It returns "" if more than a third of the visible characters are lost.
func drawable(s string, most int) string {
	begin, whole := head(s, most)
	w := line{}
	for _, r := range norm.NFC.String(begin) {
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r):
			w.space()
		case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Mc, unicode.Variation_Selector):
			// Invisible on their own: joiners, direction marks, combining marks.
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

// line is a line of text under construction.
type line struct {
	text       strings.Builder
	last       rune
	seen, lost int // visible characters
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

// replace writes the closest equivalent of a character that the fonts lack: its
// decomposition without marks, as for ﬀ or ế, or a plain dash.
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

// partsOf returns the decomposition of a character without marks, if it has one that can
// be drawn.
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

// head returns the start of a text as valid UTF-8, and whether that is the whole text. It
// limits the number of bytes before characters are counted, so that a long text costs no more
// than a short one.
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

// has reports whether the fonts have a character. All three have the same characters. U+FFFD
// is excluded, although the fonts have it.
func (w *line) has(r rune) bool {
	all, err := fonts()
	if err != nil || r == utf8.RuneError {
		return false
	}
	i, err := all[regular].GlyphIndex(&w.buffer, r)
	return err == nil && i != 0
}
