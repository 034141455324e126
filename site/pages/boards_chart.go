package pages

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"kindex/exports/record"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// maxSpots is the number of points of a chart, and maxLabels that of the names on it besides those of
// the front.
const (
	maxSpots  = 120
	maxLabels = 10
)

// scatter is a chart of a board: scores against prices.
type scatter struct {
	drawing
	Front int // entities of the Pareto front: each is better than all that are cheaper
}

// scatter draws the scores of a board against prices, or returns nil if too few of its entities have one.
func (b *ranking) scatter() *scatter {
	var spots []*chart.Spot
	for _, o := range b.ordinals {
		e := b.from.Entity(o)
		if price, score := e.Price.Blended, b.scoresOf(e).Composite; price.Known() {
			name := textfmt.Name(e.Name)
			spots = append(spots, &chart.Spot{X: price.Float(), Y: score.Float(), Label: name,
				Title: fmt.Sprintf("%s: score %s, %s per million tokens", name, score, textfmt.Price(price))})
		}
	}
	if len(spots) < 4 {
		return nil
	}
	x, best := &scatter{}, math.Inf(-1)
	for _, s := range slices.SortedStableFunc(slices.Values(spots), func(a, b *chart.Spot) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(b.Y, a.Y)) }) {
		if s.Y > best {
			s.Front, best = true, s.Y
			x.Front++
		}
	}
	slices.SortStableFunc(spots, func(a, b *chart.Spot) int { return record.CompareBools(b.Front, a.Front) })
	spots = spots[:min(maxSpots, len(spots))]
	for i := x.Front + maxLabels; i < len(spots); i++ {
		spots[i].Label = ""
	}
	x.draw(spots)
	return x
}

func (x *scatter) draw(spots []*chart.Spot) {
	slices.SortStableFunc(spots, func(a, b *chart.Spot) int { return cmp.Compare(a.X, b.X) })
	least, most, free := 1.0, 1.0, spots[0].X == 0
	if i := slices.IndexFunc(spots, func(s *chart.Spot) bool { return s.X > 0 }); i >= 0 { // not all are free
		least, most = spots[i].X, spots[len(spots)-1].X
	}
	byScore := func(a, b *chart.Spot) int { return cmp.Compare(a.Y, b.Y) }
	low, high := slices.MinFunc(spots, byScore).Y, slices.MaxFunc(spots, byScore).Y
	across := steps(least, most)
	if free || len(across) == 1 {
		across = slices.Insert(across, 0, across[0]/10)
	}
	from, to := across[0], across[len(across)-1]
	c := chart.Scatter{Plot: chart.Plot{Low: 10 * math.Floor(low/10), High: 10 * math.Ceil(high/10), Height: 250}, Left: from, Right: to,
		Across: "Price of a million tokens, 3 parts input to 1 part output", Up: "Score on this board"}
	if c.Low == c.High {
		c.Low, c.High = c.Low-10, c.High+10
	}
	var up []float64
	for v := c.Low; v <= c.High; v += 10 {
		up = append(up, v)
	}
	x.Chart = c.Draw(spots, across, up, func(v float64) string {
		if v == from && free {
			return "free"
		}
		return "$" + strconv.FormatFloat(v, 'g', 6, 64)
	}, chart.Number)
	x.Words = fmt.Sprintf("%s by score and price, from %s to %s per million tokens; %d of them are on the front. The table has all values.",
		textfmt.Plural(len(spots), "entry", "entries"), dollars(spots[0].X), dollars(spots[len(spots)-1].X), x.Front)
}

// steps returns 1, 2 and 5 times powers of ten, from the last that is not above low to the first that is
// not below high. Many are too many to write, so then only the powers are.
func steps(low, high float64) (list []float64) {
	for power := math.Pow(10, math.Floor(math.Log10(low))); ; power *= 10 {
		for _, f := range []float64{1, 2, 5} {
			if f*power <= low*(1+1e-9) {
				list = nil // a later one is closer
			}
			if list = append(list, f*power); f*power < high*(1-1e-9) {
				continue
			}
			if len(list) > 7 {
				ends := [2]float64{list[0], list[len(list)-1]}
				list = slices.DeleteFunc(list, func(v float64) bool {
					return v != ends[0] && v != ends[1] && math.Abs(math.Log10(v)-math.Round(math.Log10(v))) > 1e-9
				})
			}
			return list
		}
	}
}
