package chart

import (
	"html"
	"html/template"
	"math"
	"unicode/utf8"
)

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
