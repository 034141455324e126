// Package chart draws scores, ranks, prices and quotas as SVG.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kindex/exports/record"
	"kindex/site/textfmt"
)

// drawing is an SVG image. Only numbers, dates, constants and escaped text are written to it.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, a ...any) { fmt.Fprintf(d, format, a...) }

func (d *drawing) html() template.HTML { return template.HTML(d.String()) } //nolint:gosec // see above

// Number formats a number for a drawing.
func Number(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// Segment is one part of a stacked bar.
type Segment struct {
	Width   float64 // in percent
	Class   string  // CSS class d1 to d5, which sets the colour
	Unknown bool    // hatched
}

// Stacked draws segments along a line from 0 to 100. It also defines the hatch patterns
// that the page's other charts use.
func Stacked(segments []Segment) template.HTML {
	d := &drawing{}
	d.add(`<svg class="stack" width="100%%" height="48" aria-hidden="true" focusable="false"><defs>`)
	for i := 1; i <= 5; i++ {
		d.add(`<pattern id="unknown-%d" class="d%d" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">`+
			`<rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="2.4" height="6"/></pattern>`, i, i)
	}
	d.add(`</defs><rect class="meter-track" width="100%%" height="28" rx="3"/>`)
	x := 0.0
	for _, s := range segments {
		d.add(`<rect x="%s%%" width="%s%%" height="28" %s/>`, Number(x), Number(s.Width), fill(s.Class, s.Unknown))
		x += s.Width
		d.add(`<line class="stack-edge" x1="%s%%" x2="%[1]s%%" y1="0" y2="28"/>`, Number(x))
	}
	for i, anchor := range []string{"start", "middle", "middle", "middle", "end"} {
		d.add(`<text x="%d%%" y="44" text-anchor="%s">%[1]d</text>`, 25*i, anchor)
	}
	d.add(`</svg>`)
	return d.html()
}

// fill returns attributes that set the colour of a dimension. The colour is hatched if the
// dimension's score is unknown.
func fill(class string, unknown bool) string {
	if unknown {
		return `class="` + class + `" fill="url(#unknown-` + strings.TrimPrefix(class, "d") + `)"`
	}
	return `class="` + class + ` solid"`
}

// Meter draws a score from 0 to 100 in the colour of a dimension.
func Meter(value float64, class string, unknown bool) template.HTML {
	d := &drawing{}
	d.add(`<svg class="meter" width="100%%" height="8" aria-hidden="true" focusable="false"><rect class="meter-track" width="100%%" height="8" rx="2"/>`+
		`<rect width="%s%%" height="8" rx="2" %s/></svg>`, Number(value), fill(class, unknown))
	return d.html()
}

// Plot is a line chart over time. Horizontal positions are percentages of the width, so that
// text and dots have the same size on any screen, and only the line is stretched.
type Plot struct {
	From, To  time.Time
	Low, High float64 // values at the lower and upper edge; Low may be greater than High
	Height    float64
}

// Padding above and below, in pixels, and to the left and right of the outermost dots, in
// percent.
const (
	plotAbove = 18
	plotBelow = 24
	plotSide  = 2.5
)

// Point is a value on a day.
type Point struct {
	Day   string
	At    time.Time
	Value float64
	Known bool
	Title string // tooltip of the dot
}

func (p *Plot) x(t time.Time) float64 {
	if !p.To.After(p.From) {
		return 50
	}
	return plotSide + (100-2*plotSide)*t.Sub(p.From).Hours()/p.To.Sub(p.From).Hours()
}

func (p *Plot) y(v float64) float64 {
	return plotAbove + p.Height*(p.High-v)/(p.High-p.Low)
}

// Line is one of several values over time that share a chart.
type Line struct {
	Class  string // CSS class l1 or l2, which sets the colour
	Points []Point
	Step   bool // each value lasts until the next one, and the last until To
}

// Draw draws lines with a dot for each value, and gaps where values are unknown. marks are the values
// of the grid lines, each labelled on the left.
func (p *Plot) Draw(class string, lines []Line, marks []float64, word func(float64) string) template.HTML {
	d := p.grid(class, marks, word)
	p.stretched(d)
	for _, l := range lines {
		d.add(`<path class="course %s" vector-effect="non-scaling-stroke" d="%s"/>`, l.Class, p.path(l))
	}
	d.add(`</svg>`)
	for _, l := range lines {
		for _, o := range l.Points {
			if o.Known {
				d.dot("point "+l.Class, p.x(o.At), p.y(o.Value), 3, o.Title)
			}
		}
	}
	if len(lines) == 1 {
		p.labels(d, slices.DeleteFunc(slices.Clone(lines[0].Points), func(o Point) bool { return !o.Known }), word)
	}
	if y := Number(p.whole() - 5); p.To.After(p.From) {
		d.add(`<text x="%s%%" y="%s">%s</text>`, Number(plotSide-1), y, day(p.From))
		d.add(`<text x="%s%%" y="%s" text-anchor="end">%s</text>`, Number(100-plotSide+1), y, day(p.To))
	} else {
		d.add(`<text x="50%%" y="%s" text-anchor="middle">%s</text>`, y, day(p.From))
	}
	d.add(`</svg>`)
	return d.html()
}

// path returns the path of a line.
func (p *Plot) path(l Line) string {
	d := &drawing{}
	pen := "M"
	for i, o := range l.Points {
		switch {
		case !o.Known:
			pen = "M"
			continue
		case l.Step && pen == "L":
			d.add(`V%s`, Number(p.y(o.Value)))
		default:
			d.add(`%s%s %s`, pen, Number(p.x(o.At)), Number(p.y(o.Value)))
		}
		pen = "L"
		end := p.To
		if i+1 < len(l.Points) {
			end = l.Points[i+1].At
		}
		if l.Step {
			d.add(`H%s`, Number(p.x(end)))
		}
	}
	return d.String()
}

// whole is the height of the drawing.
func (p *Plot) whole() float64 { return plotAbove + p.Height + plotBelow }

// dot draws a point with a tooltip, which a finger can hit.
func (d *drawing) dot(class string, x, y, radius float64, title string) {
	d.add(`<circle class="%s" cx="%s%%" cy="%s" r="%v"/><circle class="touch" cx="%[2]s%%" cy="%[3]s" r="9"><title>%[5]s</title></circle>`,
		class, Number(x), Number(y), radius, html.EscapeString(title))
}

// grid begins a drawing with grid lines, which are labelled to the left of the plot.
func (p *Plot) grid(class string, marks []float64, word func(float64) string) *drawing {
	d, width, whole := &drawing{}, 34, Number(p.whole())
	for _, m := range marks {
		width = max(width, 8*len(word(m))+8)
	}
	d.add(`<svg class="axis" width="%d" height="%s" aria-hidden="true" focusable="false">`, width, whole)
	for _, m := range marks {
		d.add(`<text x="%d" y="%s" text-anchor="end">%s</text>`, width-6, Number(p.y(m)+4), word(m))
	}
	d.add(`</svg><svg class="plot %s" width="100%%" height="%s" aria-hidden="true" focusable="false">`, class, whole)
	for _, m := range marks {
		d.add(`<line class="grid" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, Number(p.y(m)))
	}
	return d
}

// stretched begins the part of the drawing that is stretched to the width: the lines.
func (p *Plot) stretched(d *drawing) {
	d.add(`<svg x="0" y="0" width="100%%" height="%s" viewBox="0 0 100 %[1]s" preserveAspectRatio="none">`, Number(p.whole()))
}

// day formats a day for people.
func day(t time.Time) string { return textfmt.Day(t.UTC().Format(time.DateOnly)) }

// labels labels the first and the last of known dots with their values.
func (p *Plot) labels(d *drawing, dots []Point, word func(float64) string) {
	label := func(o Point, anchor string) {
		y := p.y(o.Value) - 9
		if y < 12 {
			y = p.y(o.Value) + 19
		}
		d.add(`<text class="value" x="%s%%" y="%s" text-anchor="%s">%s</text>`, Number(p.x(o.At)), Number(y), anchor, word(o.Value))
	}
	switch last := len(dots) - 1; {
	case last < 0:
	case last == 0:
		label(dots[0], "middle")
	default:
		label(dots[last], "end")
		if p.x(dots[last].At)-p.x(dots[0].At) > 20 {
			label(dots[0], "start")
		}
	}
}

// Bar draws a score from 0 to 100 as a bar, without its number.
func Bar(s record.Score) template.HTML {
	b := `<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="bar-track" width="100" height="4" rx="2"/>`
	if s.Known() {
		b += `<rect class="bar-fill" width="` + s.String() + `" height="4" rx="2"/>`
	}
	return template.HTML(b + `</svg>`) //nolint:gosec // only a number
}

// Quota draws how much of a limit has been used, as a bar with a mark at each quarter.
func Quota(used, limit int64) template.HTML {
	share := 0.0
	switch {
	case used >= limit:
		share = 1000
	case used > 0: // both the used and the remaining part stay visible
		share = min(max(1000*float64(used)/float64(limit), 4), 996)
	}
	d := &drawing{}
	d.add(`<svg class="use-bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="%s of %s requests used">`+
		`<rect class="use-track" width="1000" height="20"/><rect class="use-fill" width="%s" height="20"/>`,
		textfmt.Count(used), textfmt.Count(limit), strconv.FormatFloat(share, 'f', 1, 64))
	for _, x := range []string{"250", "500", "750"} {
		d.add(`<path class="use-mark" d="M%s 0V20"/>`, x)
	}
	d.add(`</svg>`)
	return d.html()
}

// Scatter is a chart of points with a logarithmic horizontal scale. Horizontal positions are
// percentages of the width, as in Plot.
type Scatter struct {
	Plot
	Left, Right float64 // values at the left and right edge; positive
	Across, Up  string  // titles of the axes
}

// Spot is a point of a Scatter.
type Spot struct {
	X, Y  float64
	Front bool   // drawn in the accent colour, and joined with the other ones of the front
	Title string // tooltip
	Label string // name beside the point, left out if there is no room; "" for none
}

func (s *Scatter) x(v float64) float64 {
	v = min(max(v, s.Left), s.Right)
	return plotSide + (100-2*plotSide)*math.Log(v/s.Left)/math.Log(s.Right/s.Left)
}

// Draw draws the spots, those of the front last and joined by steps: from left to right,
// each is the highest so far. across and up are the values of the grid lines.
func (s *Scatter) Draw(spots []*Spot, across, up []float64, acrossWord, upWord func(float64) string) template.HTML {
	d := s.grid("scatter", up, upWord)
	for _, m := range across {
		d.add(`<line class="grid" x1="%s%%" x2="%[1]s%%" y1="%d" y2="%s"/>`, Number(s.x(m)), plotAbove, Number(plotAbove+s.Height))
		d.add(`<text x="%s%%" y="%s" text-anchor="middle">%s</text>`, Number(s.x(m)), Number(s.whole()-5), acrossWord(m))
	}
	s.stretched(d)
	d.add(`<path class="course front" vector-effect="non-scaling-stroke" d="`)
	step := "M%s %s"
	for _, o := range spots {
		if o.Front {
			d.add(step, Number(s.x(o.X)), Number(s.y(o.Y)))
			step = "H%sV%s"
		}
	}
	d.add(`"/></svg>`)
	for _, front := range []bool{false, true} {
		for _, o := range spots {
			if o.Front == front {
				d.dot(map[bool]string{true: "spot spot-front", false: "spot"}[front], s.x(o.X), s.y(o.Y), 4, o.Title)
			}
		}
	}
	d.add(`<text class="axis-title" x="100%%" y="%s" text-anchor="end">%s</text><text class="axis-title" x="%s%%" y="%d">%s</text>`,
		Number(plotAbove+s.Height-6), html.EscapeString(s.Across), Number(plotSide), plotAbove-4, html.EscapeString(s.Up))
	s.label(d, spots)
	d.add(`</svg>`)
	return d.html()
}

// The room of a label, for a chart as wide as that of a desktop: a phone shows only those of the front.
const (
	labelLetter = 0.72 // width of a letter, in percent
	labelHeight = 14
)

// label writes the names of the spots that have room, those of the front first.
func (s *Scatter) label(d *drawing, spots []*Spot) {
	type box struct{ left, right, top, bottom float64 }
	var taken []box
	for _, o := range spots {
		x, y := s.x(o.X), s.y(o.Y)
		taken = append(taken, box{x - 0.5, x + 0.5, y - 4, y + 4})
	}
	free := func(b box) bool {
		for _, t := range taken {
			if b.left < t.right && t.left < b.right && b.top < t.bottom && t.top < b.bottom {
				return false
			}
		}
		return b.left >= 0 && b.right <= 100 && b.top >= 0
	}
	for _, front := range []bool{true, false} {
		for _, o := range spots {
			if o.Label == "" || o.Front != front {
				continue
			}
			width := labelLetter * float64(utf8.RuneCountInString(o.Label))
			// A phone shows only the names of the front, and has room for them on the wider side. The line
			// of the front goes on beside its spots, so their names are above it.
			anchor, side, places := "start", 1.0, [][2]float64{{0.8, 4}, {0, -8}, {0, 17}}
			if front {
				places = [][2]float64{{0, -8}, {0.8, 4}, {0, 17}}
			}
			if x := s.x(o.X); front && x > 50 || x > 90 {
				anchor, side = "end", -1
			}
			for _, at := range places {
				x, y := s.x(o.X)+side*at[0], s.y(o.Y)+at[1]
				b := box{x, x + width, y - labelHeight + 3, y + 3}
				if anchor == "end" {
					b.left, b.right = x-width, x
				}
				if !free(b) {
					continue
				}
				taken = append(taken, b)
				d.add(`<text class="%s" x="%s%%" y="%s" text-anchor="%s">%s</text>`, map[bool]string{true: "spot-name front-name", false: "spot-name"}[front], Number(x), Number(y), anchor, html.EscapeString(o.Label))
				break
			}
		}
	}
}
