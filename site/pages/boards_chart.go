package pages

import (
	"cmp"
	"fmt"
	"html/template"
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
	Chart template.HTML
	Words string // text alternative to the chart
	Count int
	Front int // entities of the front
}

// spot is an entity with a price.
type spot struct {
	name  string
	price record.Price
	score record.Score
	place int
	front bool // none is both at least as good and cheaper, or better and as cheap
}

// scatter draws the scores of a board against prices, or returns nil if too few of its entities have one.
func (b *ranking) scatter() *scatter {
	var spots []spot
	for i, o := range b.ordinals {
		e := b.from.Entity(o)
		if e.Price.Blended.Known() {
			spots = append(spots, spot{textfmt.Name(e.Name), e.Price.Blended, b.scoresOf(e).Composite, i, false})
		}
	}
	if len(spots) < 4 {
		return nil
	}
	x := &scatter{Count: len(spots), Front: markFront(spots)}
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(boolOrder(b.front)-boolOrder(a.front), a.place-b.place) })
	spots = spots[:min(maxSpots, len(spots))]
	x.draw(spots)
	return x
}

// markFront sorts entities by price, the better of equal prices first, and marks the Pareto front: each
// entity that is better than all before it. It returns their number.
func markFront(spots []spot) (n int) {
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.price.Micros(), b.price.Micros()), b.score.Compare(a.score), a.place-b.place)
	})
	best := record.Score{}
	for i := range spots {
		if !best.Known() || spots[i].score.Compare(best) > 0 {
			spots[i].front, best = true, spots[i].score
			n++
		}
	}
	return n
}

// draw draws the chart.
func (x *scatter) draw(list []spot) {
	least, most, low, high := math.Inf(1), 0.0, 100.0, 0.0
	var spots []chart.Spot
	for i, p := range list {
		price, score := p.price.Float(), p.score.Float()
		if price > 0 {
			least = min(least, price)
		}
		most, low, high = max(most, price), min(low, score), max(high, score)
		s := chart.Spot{X: price, Y: score, Front: p.front, Title: fmt.Sprintf("%s: score %s, %s per million tokens", p.name, p.score, textfmt.Price(p.price))}
		if p.front || i < x.Front+maxLabels {
			s.Label = p.name
		}
		spots = append(spots, s)
	}
	slices.SortStableFunc(spots, func(a, b chart.Spot) int { return cmp.Compare(a.X, b.X) })
	if most == 0 { // all are free
		least, most = 1, 1
	}
	free := spots[0].X == 0
	across := steps(least, most)
	if free || len(across) == 1 {
		across = slices.Insert(across, 0, across[0]/10)
	}
	from, to := across[0], across[len(across)-1]
	c := chart.Scatter{Left: from, Right: to, Low: 10 * math.Floor(low/10), High: 10 * math.Ceil(high/10), Height: 250,
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
