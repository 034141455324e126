package chart

import "html/template"

// Line is one of several values over time that share a chart.
type Line struct {
	Class  string // CSS class l1 or l2, which sets the colour
	Points []Point
}

// Steps draws lines that keep each value until the next point. The line ends at a point
// whose value is unknown, and the last value lasts until To. marks are as in Draw.
func (p *Plot) Steps(class string, lines []Line, marks []float64, word func(float64) string) template.HTML {
	d := &drawing{}
	whole := plotAbove + p.Height + plotBelow
	p.axis(d, marks, word)
	d.add(`<svg class="plot %s" width="100%%" height="%s" aria-hidden="true" focusable="false">`, class, Number(whole))
	for _, m := range marks {
		d.add(`<line class="grid" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, Number(p.y(m)))
	}
	d.add(`<svg x="0" y="0" width="100%%" height="%s" viewBox="0 0 100 %[1]s" preserveAspectRatio="none">`, Number(whole))
	for _, l := range lines {
		d.add(`<path class="course %s" vector-effect="non-scaling-stroke" d="%s"/>`, l.Class, p.steps(l.Points))
	}
	d.add(`</svg>`)
	for _, l := range lines {
		for _, o := range l.Points {
			if o.Known {
				d.add(`<circle class="point %s" cx="%s%%" cy="%s" r="3"/><circle class="touch" cx="%[2]s%%" cy="%[3]s" r="9"><title>%[4]s</title></circle>`, l.Class, Number(p.x(o.At)), Number(p.y(o.Value)), o.Title)
			}
		}
	}
	y := Number(whole - 5)
	d.add(`<text x="%s%%" y="%s">%s</text>`, Number(plotSide-1), y, day(p.From))
	d.add(`<text x="%s%%" y="%s" text-anchor="end">%s</text>`, Number(100-plotSide+1), y, day(p.To))
	d.add(`</svg>`)
	return d.html()
}

// steps returns the path of a line.
func (p *Plot) steps(points []Point) string {
	d := &drawing{}
	for i, o := range points {
		if !o.Known {
			continue
		}
		if i == 0 || !points[i-1].Known {
			d.add(`M%s %s`, Number(p.x(o.At)), Number(p.y(o.Value)))
		} else {
			d.add(`V%s`, Number(p.y(o.Value)))
		}
		end := p.To
		if i+1 < len(points) {
			end = points[i+1].At
		}
		d.add(`H%s`, Number(p.x(end)))
	}
	return d.String()
}
