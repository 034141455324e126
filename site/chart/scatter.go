package chart

import (
	"html"
	"html/template"
	"math"
)

// Scatter is a chart of points with a logarithmic horizontal scale. Horizontal positions are
// percentages of the width, as in Plot.
type Scatter struct {
	Left, Right float64 // values at the left and right edge; positive
	Low, High   float64 // values at the lower and upper edge
	Height      float64
}

// Spot is a point of a Scatter.
type Spot struct {
	X, Y  float64
	Front bool   // drawn in the accent colour, and joined with the other ones of the front
	Title string // tooltip
}

func (s *Scatter) x(v float64) float64 {
	v = min(max(v, s.Left), s.Right)
	return plotSide + (100-2*plotSide)*math.Log(v/s.Left)/math.Log(s.Right/s.Left)
}

func (s *Scatter) y(v float64) float64 { return plotAbove + s.Height*(s.High-v)/(s.High-s.Low) }

// Draw draws the spots, those of the front last and joined by steps: from left to right,
// each is the highest so far. across and up are the values of the grid lines.
func (s *Scatter) Draw(spots []Spot, across, up []float64, acrossWord, upWord func(float64) string) template.HTML {
	d := &drawing{}
	whole := plotAbove + s.Height + plotBelow
	p := Plot{Low: s.Low, High: s.High, Height: s.Height}
	p.axis(d, up, upWord)
	d.add(`<svg class="plot scatter" width="100%%" height="%s" aria-hidden="true" focusable="false">`, Number(whole))
	for _, m := range up {
		d.add(`<line class="grid" x1="0" x2="100%%" y1="%s" y2="%[1]s"/>`, Number(s.y(m)))
	}
	for _, m := range across {
		d.add(`<line class="grid" x1="%s%%" x2="%[1]s%%" y1="%d" y2="%s"/>`, Number(s.x(m)), plotAbove, Number(plotAbove+s.Height))
		d.add(`<text x="%s%%" y="%s" text-anchor="middle">%s</text>`, Number(s.x(m)), Number(whole-5), acrossWord(m))
	}
	path := &drawing{}
	for _, o := range spots {
		switch {
		case !o.Front:
		case path.Len() == 0:
			path.add(`M%s %s`, Number(s.x(o.X)), Number(s.y(o.Y)))
		default:
			path.add(`H%sV%s`, Number(s.x(o.X)), Number(s.y(o.Y)))
		}
	}
	d.add(`<svg x="0" y="0" width="100%%" height="%s" viewBox="0 0 100 %[1]s" preserveAspectRatio="none"><path class="course front" vector-effect="non-scaling-stroke" d="%s"/></svg>`, Number(whole), path.String())
	for _, front := range []bool{false, true} {
		for _, o := range spots {
			if o.Front == front {
				d.add(`<circle class="%s" cx="%s%%" cy="%s" r="4"/><circle class="touch" cx="%[2]s%%" cy="%[3]s" r="9"><title>%[4]s</title></circle>`,
					map[bool]string{true: "spot spot-front", false: "spot"}[front], Number(s.x(o.X)), Number(s.y(o.Y)), html.EscapeString(o.Title))
			}
		}
	}
	d.add(`</svg>`)
	return d.html()
}
