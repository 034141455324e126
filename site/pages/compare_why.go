package pages

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"kindex/exports/board"
	"kindex/exports/score"
	"kindex/site/textfmt"
)

// outranking says why one entity outranks another on a board.
type outranking struct {
	Better, Worse string
	By            string
	Parts         []string // the differences of points by dimension, the largest first
	Board, To     string
}

// outrankings explains the order of the compared entities on the first board that has two of them or, if
// there is none, by the formula of their kind where it compares the same figures.
func (r *request) outrankings(list []comparedEntity) (why []outranking) {
	type placed struct {
		name  string
		parts []dimension
		total float64
	}
	var order []placed
	add := func(c comparedEntity, x *score.Explanation) {
		p := placed{name: textfmt.Name(c.Name), parts: r.explain(c.Type, x).Parts}
		for _, d := range p.parts {
			p.total += d.Exact
		}
		order = append(order, p)
	}
	title, to := "", ""
	for _, b := range r.ownBoards() {
		order = nil
		for _, c := range list {
			if _, _, ok := r.Own.Now(b).Find(c.ordinal); ok {
				add(c, b.Explain(c.Entity, r.AsOf).Explanation)
			}
		}
		if title, to = b.Title, boardPath(b.Slug); len(order) > 1 {
			break
		}
	}
	other := func(c comparedEntity) bool {
		return c.Type != list[0].Type || c.Category != list[0].Category || !c.Scores.Composite.Known()
	}
	if len(order) < 2 && len(list) > 1 && !slices.ContainsFunc(list, other) && board.Comparable(r.Formula, list[0].Type, "composite") {
		order = nil
		title, to = r.boardTitle(list[0].Category), boardPath(list[0].Category)
		for _, c := range list {
			add(c, r.Formula.Explain(c.Entity, r.AsOf))
		}
	}
	slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(b.total, a.total) })
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		o := outranking{Better: a.name, Worse: b.name, By: fmt.Sprintf("%.1f", a.total-b.total), Board: title, To: to}
		gain := func(d dimension) float64 {
			j := slices.IndexFunc(b.parts, func(e dimension) bool { return e.Name == d.Name })
			if j < 0 {
				return d.Exact
			}
			return d.Exact - b.parts[j].Exact
		}
		parts := slices.SortedStableFunc(slices.Values(a.parts), func(x, y dimension) int {
			return cmp.Compare(math.Abs(gain(y)), math.Abs(gain(x)))
		})
		for _, d := range parts {
			if g := gain(d); math.Abs(g) >= 0.05 {
				o.Parts = append(o.Parts, strings.ReplaceAll(fmt.Sprintf("%s %+.1f", strings.ToLower(d.Title), g), "-", "−"))
			}
		}
		why = append(why, o)
	}
	return why
}
