package pages

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
)

// drawing is an SVG. Nothing but numbers, our own words and dates is written into it:
// never what an entity says.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, a ...any) { fmt.Fprintf(d, format, a...) }

func (d *drawing) html() template.HTML { return template.HTML(d.String()) } //nolint:gosec // see above

// at writes a number of a drawing.
func at(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// stacked draws what each dimension brings to the composite, on a line from 0 to 100.
// What is not known, and counts with its prior, is hatched. The patterns are there for
// the other pictures of the page too.
func stacked(parts []part) template.HTML {
	d := &drawing{}
	d.add(`<svg class="stack" width="100%%" height="48" aria-hidden="true" focusable="false"><defs>`)
	for i := 1; i <= 5; i++ {
		d.add(`<pattern id="unknown-%d" class="d%d" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">`+
			`<rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="2.4" height="6"/></pattern>`, i, i)
	}
	d.add(`</defs><rect class="meter-track" width="100%%" height="28" rx="3"/>`)
	x := 0.0
	for _, p := range parts {
		d.add(`<rect x="%s%%" width="%s%%" height="28" %s/>`, at(x), at(p.Exact), fill(p.Class, p.DimensionScore.Value == nil))
		x += p.Exact
		d.add(`<line class="stack-edge" x1="%s%%" x2="%[1]s%%" y1="0" y2="28"/>`, at(x))
	}
	for i, anchor := range []string{"start", "middle", "middle", "middle", "end"} {
		d.add(`<text x="%d%%" y="44" text-anchor="%s">%[1]d</text>`, 25*i, anchor)
	}
	d.add(`</svg>`)
	return d.html()
}

// fill paints with the colour of a dimension, hatched where it is not known.
func fill(class string, unknown bool) string {
	if unknown {
		return `class="` + class + `" fill="url(#unknown-` + strings.TrimPrefix(class, "d") + `)"`
	}
	return `class="` + class + ` solid"`
}

// meter draws a score from 0 to 100 in the colour of a dimension.
func meter(value float64, class string, unknown bool) template.HTML {
	d := &drawing{}
	d.add(`<svg class="meter" width="100%%" height="8" aria-hidden="true" focusable="false"><rect class="meter-track" width="100%%" height="8" rx="2"/>`+
		`<rect width="%s%%" height="8" rx="2" %s/></svg>`, at(value), fill(class, unknown))
	return d.html()
}

// plot is a line over time. The horizontal place is in percent of the width, so that
// letters and dots keep their size on any screen; the line alone is stretched.
type plot struct {
	from, to  time.Time
	low, high float64 // values at the lower and upper edge; low may be above high
	height    float64
}

// Room above the upper and below the lower edge, and percent beside the outermost dots.
const (
	plotAbove = 18
	plotBelow = 24
	plotSide  = 2.5
)

// dot is a value on a day.
type dot struct {
	day   string
	at    time.Time
	value float64
	known bool
	words string // what the dot says
}

func (p *plot) x(t time.Time) float64 {
	if !p.to.After(p.from) {
		return 50
	}
	return plotSide + (100-2*plotSide)*t.Sub(p.from).Hours()/p.to.Sub(p.from).Hours()
}

func (p *plot) y(v float64) float64 {
	return plotAbove + p.height*(p.high-v)/(p.high-p.low)
}

// draw draws dots joined by lines, with a gap where nothing is known. marks are the
// values that have a line across and a number at its left end.
func (p *plot) draw(class string, dots []dot, marks []float64, word func(float64) string) template.HTML {
	d := &drawing{}
	whole := plotAbove + p.height + plotBelow
	d.add(`<svg class="axis" width="34" height="%s" aria-hidden="true" focusable="false">`, at(whole))
	for _, m := range marks {
		d.add(`<text x="28" y="%s" text-anchor="end">%s</text>`, at(p.y(m)+4), word(m))
	}
	d.add(`</svg><svg class="plot %s" width="100%%" height="%s" aria-hidden="true" focusable="false">`, class, at(whole))
	for _, m := range marks {
		d.add(`<line class="grid" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, at(p.y(m)))
	}
	p.lines(d, dots)
	p.dots(d, dots, word)
	p.days(d, dots)
	d.add(`</svg>`)
	return d.html()
}

// lines joins the known dots that follow each other.
func (p *plot) lines(d *drawing, dots []dot) {
	d.add(`<svg x="0" y="0" width="100%%" height="%s" viewBox="0 0 100 %[1]s" preserveAspectRatio="none"><path class="course" vector-effect="non-scaling-stroke" d="`, at(plotAbove+p.height+plotBelow))
	pen := "M"
	for _, o := range dots {
		if !o.known {
			pen = "M"
			continue
		}
		d.add(`%s%s %s`, pen, at(p.x(o.at)), at(p.y(o.value)))
		pen = "L"
	}
	d.add(`"/></svg>`)
}

// dots draws each value, and writes the first and the last one.
func (p *plot) dots(d *drawing, dots []dot, word func(float64) string) {
	first, last := -1, -1
	for i, o := range dots {
		if !o.known {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		d.add(`<circle class="point" cx="%s%%" cy="%s" r="3"/><circle class="touch" cx="%[1]s%%" cy="%[2]s" r="9"><title>%s</title></circle>`, at(p.x(o.at)), at(p.y(o.value)), o.words)
	}
	if first < 0 {
		return
	}
	label := func(o dot, anchor string) {
		y := p.y(o.value) - 9
		if y < 12 {
			y = p.y(o.value) + 19
		}
		d.add(`<text class="value" x="%s%%" y="%s" text-anchor="%s">%s</text>`, at(p.x(o.at)), at(y), anchor, word(o.value))
	}
	if first == last {
		label(dots[last], "middle")
		return
	}
	label(dots[last], "end")
	if p.x(dots[last].at)-p.x(dots[first].at) > 20 {
		label(dots[first], "start")
	}
}

// days writes the first and the last day.
func (p *plot) days(d *drawing, dots []dot) {
	y := at(plotAbove + p.height + plotBelow - 5)
	if len(dots) == 1 {
		d.add(`<text x="50%%" y="%s" text-anchor="middle">%s</text>`, y, day(dots[0].day))
		return
	}
	d.add(`<text x="%s%%" y="%s">%s</text>`, at(plotSide-1), y, day(dots[0].day))
	d.add(`<text x="%s%%" y="%s" text-anchor="end">%s</text>`, at(100-plotSide+1), y, day(dots[len(dots)-1].day))
}
