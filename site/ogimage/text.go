package ogimage

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// drawable reduces text to one line of characters that the fonts have; most is the maximum
// number of characters. It returns "" if more than a third of the visible characters are lost.
func drawable(s string, most int) string {
	begin := []rune(strings.ToValidUTF8(s[:min(len(s), 4*most)], " ")) // a long text costs no more than a short one
	whole := len(begin) <= most && len(s) <= 4*most
	var line []rune
	var buffer sfnt.Buffer
	has := func(r rune) bool {
		i, err := fonts()[regular].GlyphIndex(&buffer, r)
		return err == nil && i != 0 && r != utf8.RuneError
	}
	seen, lost := 0, 0
	for _, r := range norm.NFC.String(string(begin[:min(len(begin), most)])) {
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r):
			line = append(line, ' ')
			continue
		case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Mc, unicode.Variation_Selector):
			continue // invisible on its own
		case unicode.Is(unicode.Pd, r) && !has(r):
			r = '-'
		}
		seen++
		parts := []rune{r}
		if !has(r) { // as for ﬀ or ế
			parts = []rune(strings.Map(func(r rune) rune {
				if unicode.Is(unicode.M, r) {
					return -1
				}
				return r
			}, norm.NFKD.String(string(r))))
		}
		drawn := 0
		for _, part := range parts {
			if has(part) {
				drawn++
			}
		}
		switch {
		case len(parts) > 0 && drawn == len(parts):
			line = append(line, parts...)
			continue
		case unicode.In(r, unicode.L, unicode.N) && (len(line) == 0 || line[len(line)-1] != '…'):
			line = append(line, '…')
		}
		lost++
	}
	if lost*3 > seen {
		return ""
	}
	if !whole {
		line = append(line, '…')
	}
	return strings.Join(strings.Fields(string(line)), " ")
}

// cut shortens a line to a width in pixels. A shortened line ends in "…".
func (p *painter) cut(line string, t letters, width int) string {
	if p.width(line, t) <= width {
		return line
	}
	runes := []rune(line)
	n := sort.Search(len(runes), func(n int) bool { return p.width(string(runes[:n+1])+"…", t) > width })
	return strings.TrimRight(string(runes[:n]), " ,;:.-–—(…") + "…"
}

// wrap breaks a text into lines; most is the maximum number of lines. whole reports whether
// nothing was cut.
func (p *painter) wrap(text string, t letters, width, most int) (lines []string, whole bool) {
	words := strings.Fields(text)
	for len(words) > 0 {
		n := 1
		for n < len(words) && p.width(strings.Join(words[:n+1], " "), t) <= width {
			n++
		}
		line := strings.Join(words[:n], " ")
		if last := len(lines) == most-1; last && n < len(words) || p.width(line, t) > width {
			return append(lines, p.cut(strings.Join(words, " "), t, width)), false
		}
		lines, words = append(lines, line), words[n:]
	}
	return lines, true
}

// fit sets a name as large as possible: on one line if the letters can be large enough,
// otherwise on two. Names that are too long even in small letters are cut.
func (p *painter) fit(name string, t letters, width int) (lines []string, _ letters) {
	for largest := t.size; t.size > largest/2; t.size -= 4 {
		most := 1
		if t.size < largest*3/4 {
			most = 2
		}
		var whole bool
		if lines, whole = p.wrap(name, t, width, most); whole {
			break
		}
	}
	return lines, t
}
