// Package badge draws badges as SVG and determines what an entity's badge shows.
package badge

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"
	"unicode"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/store"
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

// Kinds lists what a badge can show, starting with the default.
var Kinds = []string{"score", "rank", "trend", "status", "price"}

// DefaultLabel returns the default text of the left half of a badge.
func DefaultLabel(m *store.Manifest, show string) string { return m.Title + " " + show }

// Deleted returns the text and colour of the right half of a deleted entity's badge.
func Deleted() (message, colour string) { return "deleted", Grey }

// Describe returns the text and colour of the right half of an entity's badge. show is
// one of Kinds; title returns the title of a category.
func Describe(b *exports.Build, own *board.List, title func(category string) string, o uint32, show string) (message, colour string, err error) {
	e := b.Entity(o)
	composite := e.Scores.Composite
	switch {
	case e.Status == record.Withdrawn:
		return "withdrawn", Grey, nil
	case show == "status":
		message, colour = status(e, b.Manifest.AsOf[:len(time.DateOnly)])
		return message, colour, nil
	case show == "price":
		message, colour = price(&e.Price)
		return message, colour, nil
	case !composite.Known():
		return "not ranked", Grey, nil
	case show == "score":
		return composite.String(), ScoreColour(composite), nil
	}
	at, err := own.Standing(o, e)
	switch {
	case err != nil:
		return "", "", err
	case at == nil:
		return "not ranked", Grey, nil
	case show == "trend":
		message, colour = trend(at)
		return message, colour, nil
	case at.Title == "":
		at.Title = title(at.Slug)
	}
	return fmt.Sprintf("#%d of %d, %s", at.Rank, at.Of, at.Title), ScoreColour(composite), nil
}

// status describes whether it is safe to depend on an entity on a day: its announced end, its
// status, or how it is maintained.
func status(e *record.Entity, day string) (message, colour string) {
	if l := e.Lifecycle; l != nil {
		switch {
		case l.Retires != "" && l.Retires <= day:
			return "retired", Red
		case l.Retires != "":
			return "retires " + l.Retires, Amber
		case l.Deprecated != "" && l.Deprecated <= day:
			return record.Deprecated, Amber
		}
	}
	switch m := e.Maintenance.State; {
	case e.Status == record.Deprecated:
		return e.Status, Amber
	case m == record.Archived, m == record.Dormant:
		return m, Amber
	}
	return e.Status, Green
}

// price describes what a model costs per million tokens.
func price(p *record.PriceSummary) (message, colour string) {
	switch {
	case !p.Input.Known() && !p.Output.Known():
		return "unknown", Grey
	case p.Input.Micros() == 0 && p.Output.Micros() == 0:
		return "free", Green
	case !p.Output.Known():
		return "$" + p.Input.String() + " in per 1M tokens", Teal
	case !p.Input.Known():
		return "$" + p.Output.String() + " out per 1M tokens", Teal
	}
	return "$" + p.Input.String() + " in, $" + p.Output.String() + " out per 1M tokens", Teal
}

// trend describes an entity's movement on its own board.
func trend(at *board.Standing) (message, colour string) {
	switch {
	case at.Since == "":
		return "no history", Grey
	case !at.Moved.Known:
		return "new", Green
	case at.Moved.By > 0:
		return fmt.Sprintf("up %d in %d days", at.Moved.By, history.MovementDays), Green
	case at.Moved.By < 0:
		return fmt.Sprintf("down %d in %d days", -at.Moved.By, history.MovementDays), Red
	}
	return "steady", Grey
}
