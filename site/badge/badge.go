// Package badge draws badges as SVG and determines what an entity's badge shows.
package badge

import (
	"fmt"
	"html"
	"math"
	"strings"
	"unicode"

	"kindex/exports/record"
	"kindex/exports/safetext"
)

// The colours of badges. White text has a contrast of at least 4.5:1 on each (WCAG 2.2,
// success criterion 1.4.3).
const (
	labelColour = "#444"
	Grey        = "#5f6368" // unknown
	Green       = "#1b7a34"
	Olive       = "#5b7000"
	Amber       = "#9a5b00"
	Red         = "#b3261e"
	Teal        = "#0b6e63" // neither good nor bad
)

// ScoreColour returns the colour of a score.
func ScoreColour(s record.Score) string {
	switch {
	case !s.Known():
		return Grey
	case s.Float() >= 75:
		return Green
	case s.Float() >= 50:
		return Olive
	case s.Float() >= 25:
		return Amber
	}
	return Red
}

// MaxLabelLen is the length, in characters, to which labels and messages are truncated.
const MaxLabelLen = 60

// SVG draws a label and a message as an SVG image, 20 pixels high. The image is
// self-contained, free of scripts, and accessible. The label and the message may contain any
// characters; both are truncated to MaxLabelLen characters.
func SVG(label, message, colour string) []byte {
	label, message = plain(label), plain(message)
	whole := html.EscapeString(label + ": " + message)
	left, right := width(label), width(message)
	const gap = 10 // total horizontal padding of a half
	a, b := left+gap, right+gap
	var w strings.Builder
	fmt.Fprintf(&w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" aria-label="%s"><title>%s</title>`, a+b, whole, whole)
	fmt.Fprintf(&w, `<clipPath id="r"><rect width="%d" height="20" rx="3"/></clipPath>`, a+b)
	fmt.Fprintf(&w, `<g clip-path="url(#r)"><rect width="%d" height="20" fill="%s"/><rect x="%d" width="%d" height="20" fill="%s"/></g>`,
		a, labelColour, a, b, html.EscapeString(colour))
	w.WriteString(`<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" aria-hidden="true">`)
	for _, t := range []struct {
		text     string
		x, width int
	}{{label, gap / 2, left}, {message, a + gap/2, right}} {
		if t.width > 0 {
			fmt.Fprintf(&w, `<text x="%d" y="14" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`, t.x, t.width, html.EscapeString(t.text))
		}
	}
	w.WriteString("</g></svg>\n")
	return []byte(w.String())
}

// plain reduces a string to one line of visible characters that are valid in XML.
func plain(s string) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(safetext.OneLine(s)) {
		if n > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			if n++; n > MaxLabelLen {
				return b.String() + "…"
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// verdana holds the widths of the characters from space to tilde in Verdana, the
// preferred font of the image, in units of 1/2048 em.
var verdana = [95]uint16{
	720, 806, 940, 1676, 1302, 2204, 1488, 550, 930, 930, 1302, 1676, 745, 930, 745, 930,
	1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 930, 930, 1676, 1676, 1676, 1117,
	2048, 1400, 1404, 1430, 1578, 1295, 1177, 1588, 1539, 862, 931, 1419, 1140, 1726, 1532, 1612,
	1235, 1612, 1424, 1400, 1262, 1499, 1400, 2025, 1403, 1260, 1403, 930, 930, 930, 1676, 1302,
	1302, 1230, 1276, 1067, 1276, 1220, 720, 1276, 1296, 562, 705, 1212, 562, 1992, 1296, 1243,
	1276, 1276, 874, 1067, 807, 1296, 1212, 1676, 1212, 1212, 1076, 1300, 930, 1300, 1676,
}

// width returns the width of a string in pixels, rounded up. The image stretches the string
// to that width, so that the badge also looks right with other fonts and with characters of
// unknown width.
func width(s string) int {
	units := 0
	for _, r := range s {
		switch {
		case r >= ' ' && int(r-' ') < len(verdana):
			units += int(verdana[r-' '])
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x1f000 || r >= 0xff00 && r <= 0xff60:
			units += 2048
		default:
			units += 1302
		}
	}
	return int(math.Ceil(float64(units) * 11 / 2048))
}
