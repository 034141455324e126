package pages

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/site/textfmt"
)

// compareRow is a row: one field of all compared entities.
type compareRow struct {
	Field  string // name of the row in the page, used by scripts and tests
	Title  string
	Unit   string     // of its numbers
	Type   kinds.Type // of the values of a declared field, used by scripts
	Part   string     // used by scripts: the part of a group that has the value
	Cells  []cell
	Common []string // values that all entities share, shown across all columns instead of in cells
	Alone  string   // used by scripts: the title if no values are shared
	Best   string   // the types of which the best is marked, separated by spaces
	Least  bool     // the lowest is the best

	cell func(*item) cell
}

// declaredRow precedes the path of a declared field in the name of its row.
const declaredRow = "field-"

// comparison builds the rows, without those that have no values.
func (r *request) comparison(list []item) []group[compareRow] {
	typ := list[0].Type
	if slices.ContainsFunc(list, func(e item) bool { return e.Type != typ }) {
		typ = ""
	}
	groups := append(r.compareGroups(typ),
		group[compareRow]{ID: "benchmarks", Title: "Benchmarks in common", Rows: benchmarkRows(list)}, group[compareRow]{ID: "topics", Title: "Topics", Rows: topicRows(list)})
	for i := range groups {
		rows := groups[i].Rows
		for j := range rows {
			if rows[j].cell != nil {
				rows[j].fill(list)
			}
		}
		groups[i].Rows = slices.DeleteFunc(rows, func(w compareRow) bool {
			return w.Common == nil && !slices.ContainsFunc(w.Cells, func(c cell) bool { return c.Text != "" })
		})
	}
	return slices.DeleteFunc(groups, func(g group[compareRow]) bool { return len(g.Rows) == 0 })
}

// compareGroups returns the rows of scores, facts and figures, without cells, of entities of a type or, if it
// is "", of several.
func (r *request) compareGroups(typ string) []group[compareRow] {
	var scores, facts, signals []compareRow
	for _, name := range r.scores(r.types()...) {
		// one entity can be the best only by scores from the same figures, rather than from different benchmarks
		best := slices.DeleteFunc(slices.Clone(r.kinds().Names()), func(t string) bool { return !board.Comparable(r.Formula, t, name) })
		scores = append(scores, compareRow{Field: name, Title: r.scoreLabel(typ, name), Best: strings.Join(best, " "),
			cell: func(it *item) cell { return scoreCell(it.Scores.Get(name), true) }})
	}
	all := strings.Join(r.kinds().Names(), " ")
	row := func(prefix, name string) compareRow {
		c := r.column(name)
		return compareRow{Field: prefix + name, Title: c.Title, Unit: c.Unit, cell: c.cell}
	}
	for _, name := range []string{"type", "provider", "category", "version", "pricingModel", "price", "license"} {
		facts = append(facts, row("", name))
		if last := &facts[len(facts)-1]; name == "price" {
			last.Best, last.Least = all, true
		}
	}
	for _, f := range r.kinds().Fields {
		for _, name := range columnsOf(f) {
			w := row(declaredRow, name)
			w.Type, w.Part = valueType(cmp.Or(r.kinds().Field(name), f))
			facts = append(facts, w)
		}
	}
	for _, name := range []string{"maintenance", "retires", "replacedBy", "addedDate", "lastUpdated", "status"} {
		facts = append(facts, row("", name))
	}
	for _, x := range r.kinds().Signals {
		w := compareRow{Field: "signal-" + x.Name, Title: r.label(x.Name), Unit: signalUnit(x), cell: func(it *item) cell { return signalCell(x, it, nil) }}
		if x.Grows || x.Steady && x.Unit == "tokens" { // with more of it, an entity is better
			w.Best = all
		}
		signals = append(signals, w)
	}
	return []group[compareRow]{{ID: "scores", Title: "Scores", Rows: scores}, {ID: "facts", Title: "Facts", Rows: facts}, {ID: "signals", Title: "Figures", Rows: signals}}
}

// valueType returns the type of the values of a field, and the part that has them if it is a group.
func valueType(f *kinds.Field) (typ kinds.Type, part string) {
	switch {
	case f.Dated:
		return f.Parts[0].Type, strings.TrimPrefix(f.Parts[0].Path, f.Path+".")
	case f.Type == kinds.Range:
		return f.Parts[0].Type, ""
	case f.Of != "":
		return f.Of, ""
	}
	return f.Type, ""
}

// fill fills in the cells, and marks the best number if the numbers differ and the entities are of one type,
// among those of which one can be called the best.
func (w *compareRow) fill(list []item) {
	var numbers []int64
	for _, e := range list {
		c := w.cell(&e)
		if c.Text, c.Note = textfmt.Name(c.Text), textfmt.Day(c.Read); c.Text != "" {
			numbers = append(numbers, c.Raw)
		}
		w.Cells = append(w.Cells, c)
	}
	if len(numbers) < 2 || slices.Min(numbers) == slices.Max(numbers) || !slices.Contains(strings.Fields(w.Best), list[0].Type) ||
		slices.ContainsFunc(list, func(e item) bool { return e.Type != list[0].Type }) {
		return
	}
	best := slices.Max(numbers)
	if w.Least {
		best = slices.Min(numbers)
	}
	for i := range w.Cells {
		w.Cells[i].Best = w.Cells[i].Text != "" && w.Cells[i].Raw == best
	}
}

// benchmarkRows returns a row for each benchmark with results of at least two entities.
// If an entity has several results, the latest is shown.
func benchmarkRows(list []item) (rows []compareRow) {
	all, known := map[string][]cell{}, map[string]int{} // by folded name
	for i, e := range list {
		for _, b := range e.Signals.Benchmarks {
			name := b.FoldedName()
			if all[name] == nil {
				all[name] = make([]cell, len(list))
			}
			c := &all[name][i]
			if c.Text == "" {
				known[name]++
			}
			if c.Text == "" || b.Date > c.Read {
				*c = cell{Text: textfmt.Compact(b.Value), Note: textfmt.Day(b.Date), Read: b.Date}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if known[name] > 1 {
			rows = append(rows, compareRow{Field: "benchmark-" + textfmt.Name(name), Title: textfmt.Name(name), Cells: all[name]})
		}
	}
	return rows
}

// topics are the lists that entities may share, with the titles of their rows.
var topics = []struct{ field, common, own, all string }{
	{"tag", "Tags in common", "Other tags", "Tags"}, {"capability", "Capabilities in common", "Other capabilities", "Capabilities"},
}

// topicRows returns up to two rows each for tags and capabilities: one with the values that all
// entities share, and one with each entity's other values.
func topicRows(list []item) []compareRow {
	var rows []compareRow
	for _, f := range topics {
		shared := list[0].FieldValues(f.field)
		for _, e := range list[1:] {
			shared = slices.DeleteFunc(slices.Clone(shared), func(v string) bool { return !slices.Contains(e.FieldValues(f.field), v) })
		}
		if len(list) == 1 {
			shared = nil
		}
		if len(shared) > 0 {
			rows = append(rows, compareRow{Field: f.field + "-common", Title: f.common, Common: each(shared, textfmt.Name)})
		}
		own := compareRow{Field: f.field + "-own", Title: f.own}
		if len(shared) == 0 {
			own.Title = f.all
		}
		for _, e := range list {
			rest := slices.DeleteFunc(slices.Clone(e.FieldValues(f.field)), func(v string) bool { return slices.Contains(shared, v) })
			rest = each(rest, textfmt.Name)
			own.Cells = append(own.Cells, cell{Text: strings.Join(rest, ", "), List: rest})
		}
		rows = append(rows, own)
	}
	return rows
}

// Same reports whether all entities have the same value.
func (w compareRow) Same() bool {
	return len(w.Cells) != 1 && !slices.ContainsFunc(w.Cells, func(c cell) bool { return c.Text != w.Cells[0].Text })
}

// rowTemplates holds the possible rows, without cells. The script of a static site builds
// its table from them, so that all labels come from Go code.
type rowTemplates struct {
	Groups     []group[compareRow]
	Categories []option
	Values     []option // display names of values
	Most       string
}

func (r *request) rowTemplates() *rowTemplates {
	k := &rowTemplates{Most: strconv.Itoa(maxCompared)}
	var shared []compareRow
	for _, f := range topics {
		shared = append(shared, compareRow{Field: f.field + "-common", Title: f.common}, compareRow{Field: f.field + "-own", Title: f.own, Alone: f.all})
	}
	k.Groups = append(r.compareGroups(""), group[compareRow]{ID: "benchmarks", Title: "Benchmarks in common"}, group[compareRow]{ID: "topics", Title: "Topics", Rows: shared})
	k.Categories = each(r.Categories, func(c record.Category) option {
		return option{Name: textfmt.Name(c.Title), Value: c.Slug, To: categoryPath(c.Slug)}
	})
	for _, v := range slices.Concat(r.Build.Kinds().Names(), r.kinds().PricingModels, record.Statuses) {
		k.Values = append(k.Values, option{Name: r.label(v), Value: v})
	}
	for _, f := range r.kinds().Leaves() {
		for _, word := range slices.Sorted(maps.Keys(f.Titles)) {
			k.Values = append(k.Values, option{Name: textfmt.Name(f.Titles[word]), Value: f.Path + " " + word})
		}
	}
	return k
}

// outranking says why one entity outranks another on a board.
type outranking struct {
	Better, Worse string
	By            string
	Parts         []string // the differences of points by dimension, the largest first
	Board, To     string
}

// placed is a compared entity with the score that it is placed by.
type placed struct {
	name  string
	parts []dimension
	total float64
}

// outrankings explains the order of the compared entities on the first board that has two of them or, if
// there is none, by the formula of their kind where it compares the same figures.
func (r *request) outrankings(list []item) (why []outranking) {
	var order []placed
	var title, to string
	add := func(c item, x *score.Explanation) {
		p := placed{name: textfmt.Name(c.Name), parts: r.explain(c.Type, x).Parts}
		for _, d := range p.parts {
			p.total += d.Exact
		}
		order = append(order, p)
	}
	for _, b := range r.Own.Published() {
		title, to, order = b.Title, boardPath(b.Slug), nil
		for _, c := range list {
			if _, _, ok := r.Own.Now(b).Find(c.ordinal); ok {
				add(c, b.Explain(c.Entity, r.AsOf).Explanation)
			}
		}
		if len(order) > 1 {
			break
		}
	}
	other := func(c item) bool {
		return c.Type != list[0].Type || c.Category != list[0].Category || !c.Scores.Composite.Known()
	}
	if len(order) < 2 && !slices.ContainsFunc(list, other) && r.Own.Comparable(list[0].Type) {
		title, to, order = r.boardTitle(list[0].Category), boardPath(list[0].Category), nil
		for _, c := range list {
			add(c, r.Formula.Explain(c.Entity, r.AsOf))
		}
	}
	slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(b.total, a.total) })
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		o := outranking{Better: a.name, Worse: b.name, By: fmt.Sprintf("%.1f", a.total-b.total), Board: title, To: to}
		for j := range a.parts { // one formula explains both
			a.parts[j].Exact -= b.parts[j].Exact
		}
		kind := r.kind(list[0].Type)
		for _, d := range slices.SortedStableFunc(slices.Values(a.parts), func(x, y dimension) int { return cmp.Compare(math.Abs(y.Exact), math.Abs(x.Exact)) }) {
			if math.Abs(d.Exact) >= 0.05 {
				name := r.scoreLabel(kind.Name, d.Name)
				if kind.Dimensions[d.Name] == "" { // a title of its own is a name
					name = strings.ToLower(name)
				}
				o.Parts = append(o.Parts, strings.ReplaceAll(fmt.Sprintf("%s %+.1f", name, d.Exact), "-", "−"))
			}
		}
		why = append(why, o)
	}
	return why
}
