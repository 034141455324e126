package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/chart"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// maxPriced is the number of models on a page of quality and price.
const maxPriced = 120

// pricedModel is a model with a price.
type pricedModel struct {
	ordinal  uint32
	category string
	blended  record.Price
}

// pricedView is what a page of quality and price shows. Each is computed once.
type pricedView struct {
	Rows  []pricedRow // best first
	Total int         // models with a score and a price
	Front int         // models of the front
	Chart template.HTML
	Words string // text alternative to the chart
}

// pricedRow is a model in the table.
type pricedRow struct {
	*record.Entity
	Path    string
	Value   record.Score
	Blended string
	Front   bool // no other model is both at least as good and cheaper, or better and as cheap
	Note    string
}

// qualityPricePage shows scores against prices.
type qualityPricePage struct {
	*pricedView
	Category   string
	Heading    string
	By         string // the word for the score
	Scores     []option
	Categories []option
	AsOf       string
}

func (r *request) qualityAndPrice() (*page, error) {
	by := cmp.Or(r.choice("by"), "composite")
	category, renamed := r.Build.Preferred("category", r.choice("category"))
	models := r.pricedModels()
	known, first := pricedCategories(models)
	switch {
	case r.choice("by") == "composite":
		return &page{location: r.with("by", "")}, nil
	case !slices.Contains(record.ScoreNames, by):
		return r.missing("No such score", "", []suggestion{{Path: r.with("by", ""), Name: "Quality and price"}}), nil
	case renamed:
		return &page{location: r.with("category", category)}, nil
	case category != "" && category == first:
		return &page{location: r.with("category", "")}, nil
	case category != "" && !slices.Contains(known, category):
		return r.missing("No prices in this category", "", []suggestion{{Path: r.with("category", ""), Name: "Quality and price"}}), nil
	}
	category = cmp.Or(category, first)
	d := &qualityPricePage{Category: category, Heading: "Quality and price", By: scoreWord(by), AsOf: r.AsOf.UTC().Format("2006-01-02")}
	if category != "" {
		d.Heading += ": " + textfmt.Name(r.categoryTitle(category))
	}
	d.pricedView = r.pricedView(models, category, by)
	for _, name := range r.scores("model") {
		if !r.Static {
			d.Scores = append(d.Scores, option{Name: textfmt.Label(name), To: r.with("by", map[bool]string{false: name}[name == "composite"]), Chosen: name == by})
		}
	}
	for _, c := range known {
		d.Categories = append(d.Categories, option{Name: textfmt.Name(r.categoryTitle(c)), To: r.with("category", map[bool]string{false: c}[c == first]), Chosen: c == category})
	}
	title := d.Heading
	if by != "composite" {
		title += ", by " + by
	}
	return &page{Template: "quality-price", Title: title, Data: d,
		Description: "The models of a category with a price, by " + d.By + " and price."}, nil
}

// findPriced returns a function that finds all listed models with a price on its first call.
func (s *Site) findPriced() func() []pricedModel {
	return sync.OnceValue(func() []pricedModel {
		var list []pricedModel
		for it := s.Build.Select(&view.Filter{Fields: map[string][][]string{"type": {{"model"}}}}).Iterator(); it.HasNext(); {
			o := it.Next()
			if e := s.Build.Entity(o); e.Price.Blended.Known() {
				list = append(list, pricedModel{o, e.Category, e.Price.Blended})
			}
		}
		return list
	})
}

// pricedCategories returns the categories of models, sorted, and the one with most models, which the
// page without a category shows. There is no page of all: scores of different categories come from
// different benchmarks, so no model is better than one of another category.
func pricedCategories(models []pricedModel) (list []string, first string) {
	count := map[string]int{}
	for _, m := range models {
		count[m.category]++
	}
	list = slices.Sorted(maps.Keys(count))
	for _, c := range list {
		if count[c] > count[first] {
			first = c
		}
	}
	return list, first
}

// spot is a model with its score.
type spot struct {
	pricedModel
	score record.Score
	front bool
}

// pricedView returns the models of a category.
func (s *Site) pricedView(models []pricedModel, category, by string) *pricedView {
	key := category + "/" + by
	if v, ok := s.pricedViews.Load(key); ok {
		return v.(*pricedView)
	}
	var spots []spot
	for _, m := range models {
		if score := s.Build.Entity(m.ordinal).Scores.Get(by); score.Known() && m.category == category {
			spots = append(spots, spot{pricedModel: m, score: score})
		}
	}
	v := &pricedView{Total: len(spots), Front: markFront(spots)}
	shown := bestSpots(spots)
	for _, x := range shown {
		e := s.Build.Entity(x.ordinal)
		v.Rows = append(v.Rows, pricedRow{Entity: e, Path: siteurl.Entity(e.Type, e.Slug), Value: x.score, Blended: textfmt.Price(x.blended), Front: x.front, Note: s.priceNote(e)})
	}
	v.draw(shown, scoreWord(by))
	s.pricedViews.Store(key, v)
	return v
}

// markFront sorts models by price, the better of equal prices first, and marks the Pareto
// front: each model that is better than all before it. It returns their number.
func markFront(spots []spot) (n int) {
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.blended.Micros(), b.blended.Micros()), b.score.Compare(a.score), cmp.Compare(a.ordinal, b.ordinal))
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

// bestSpots returns at most maxPriced models, best first: those of the front, then the best.
func bestSpots(spots []spot) []spot {
	list := slices.Clone(spots)
	better := func(a, b spot) int {
		return cmp.Or(b.score.Compare(a.score), cmp.Compare(a.blended.Micros(), b.blended.Micros()), cmp.Compare(a.ordinal, b.ordinal))
	}
	slices.SortFunc(list, func(a, b spot) int { return cmp.Or(boolOrder(b.front)-boolOrder(a.front), better(a, b)) })
	list = list[:min(maxPriced, len(list))]
	slices.SortFunc(list, better)
	return list
}

// draw draws the chart of the rows, whose models are in the same order.
func (v *pricedView) draw(shown []spot, by string) {
	if len(shown) == 0 {
		return
	}
	least, most := math.Inf(1), 0.0
	low, high := 100.0, 0.0
	var spots []chart.Spot
	for i, x := range shown {
		price, score := x.blended.Float(), x.score.Float()
		if price > 0 {
			least = min(least, price)
		}
		most, low, high = max(most, price), min(low, score), max(high, score)
		spots = append(spots, chart.Spot{X: price, Y: score, Front: x.front,
			Title: fmt.Sprintf("%s: %s %s, %s", textfmt.Name(v.Rows[i].Name), by, x.score, v.Rows[i].Blended)})
	}
	slices.SortStableFunc(spots, func(a, b chart.Spot) int { return cmp.Compare(a.X, b.X) })
	if most == 0 { // all are free
		least, most = 1, 1
	}
	from, to := math.Pow(10, math.Floor(math.Log10(least))), math.Pow(10, math.Ceil(math.Log10(most)))
	if free := spots[0].X == 0; free || from == to {
		from /= 10
	}
	c := chart.Scatter{Left: from, Right: to, Low: 10 * math.Floor(low/10), High: 10 * math.Ceil(high/10), Height: 360}
	if c.Low == c.High {
		c.Low, c.High = c.Low-10, c.High+10
	}
	var across, up []float64
	for x := from; x <= to*1.01; x *= 10 {
		across = append(across, x)
	}
	for y := c.Low; y <= c.High; y += 10 {
		up = append(up, y)
	}
	v.Chart = c.Draw(spots, across, up, func(x float64) string {
		if x == from && spots[0].X == 0 {
			return "free"
		}
		return "$" + strconv.FormatFloat(x, 'g', 6, 64)
	}, chart.Number)
	first, last := spots[0], spots[len(spots)-1]
	v.Words = fmt.Sprintf("%s by %s and price, from %s to %s per million tokens; %s on the front. The table has all values.",
		textfmt.Plural(len(spots), "model", "models"), by, dollars(first.X), dollars(last.X), textfmt.Plural(v.Front, "model is", "models are"))
}

// qualityPricePaths yields the pages of a static site: those by the composite score.
func qualityPricePaths(s *Site) iter.Seq[string] {
	return func(yield func(string) bool) {
		models := s.pricedModels()
		if !yield("/quality-and-price/") {
			return
		}
		categories, first := pricedCategories(models)
		for _, c := range categories {
			if c != first && !yield("/quality-and-price/category-"+c+"/") {
				return
			}
		}
	}
}
