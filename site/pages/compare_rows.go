package pages

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

// compareGroup is a group of rows in a comparison.
type compareGroup struct {
	Name, Title string
	Rows        []compareRow
}

// compareRow is a row: one field of all compared entities.
type compareRow struct {
	Field  string // name of the row in the page, used by scripts and tests
	Title  string
	Cells  []compareCell
	Same   bool     // all entities have the same value
	Common []string // values that all entities share, shown across all columns instead of in cells
	Alone  string   // used by scripts: the title if no values are shared
	Best   string   // used by scripts: the types of which the best is marked, separated by spaces
	Least  bool     // used by scripts: the lowest is the best
}

// compareCell is the value of one entity in a row. The zero value is empty.
type compareCell struct {
	Text  string
	To    string // path that the value links to, or "" if there is no link
	Note  string // the day of a figure
	List  []string
	Score record.Score // drawn as a bar if known
	Best  bool

	number float64 // by which the best is found
	known  bool
}

// declaredRow precedes the path of a declared field in the name of its row.
const declaredRow = "field-"

// compareFacts returns the facts that are compared.
func compareFacts(declared *kinds.Set) []string {
	list := []string{"type", "provider", "category", "version", "pricingModel", "price", "license"}
	for _, f := range declared.Leaves() {
		list = append(list, declaredRow+f.Path)
	}
	return append(list, "maintenance", "retires", "replacedBy", "addedDate", "lastUpdated", "status")
}

// comparison builds the rows, without those that have no values.
func (r *request) comparison(list []comparedEntity) []compareGroup {
	groups := []compareGroup{
		{"scores", "Scores", r.compareScores(list, r.scores(r.types()...))},
		{"facts", "Facts", r.factRows(list)},
		{"signals", "Figures", r.signalRows(list)},
		{"benchmarks", "Benchmarks in common", benchmarkRows(list)},
		{"topics", "Topics", topicRows(list)},
	}
	return slices.DeleteFunc(groups, func(g compareGroup) bool { return len(g.Rows) == 0 })
}

func (s *Site) compareScores(list []comparedEntity, names []string) []compareRow {
	var rows []compareRow
	for _, name := range names {
		row := compareRow{Field: name, Title: s.label(name)}
		for _, e := range list {
			v := e.Scores.Get(name)
			row.Cells = append(row.Cells, compareCell{Text: v.String(), Score: v, number: v.Float(), known: v.Known()})
		}
		markBest(list, row.Cells, s.bestOf(name), false)
		rows = append(rows, row.markDifferences())
	}
	return knownRows(rows)
}

// bestOf returns the types of which one entity can be called the best by a score: those whose scores
// come from the same figures rather than from different benchmarks.
func (s *Site) bestOf(name string) []string {
	return slices.DeleteFunc(slices.Clone(s.Build.Kinds().Names()), func(t string) bool { return s.Formula == nil || !board.Comparable(s.Formula, t, name) })
}

// bestSignal reports whether an entity with more of a signal is better by it.
func bestSignal(x *kinds.Signal) bool {
	return x.Grows || x.Name == "contextTokens" || x.Name == "outputTokens"
}

// markBest marks the best number if the numbers differ and the entities are of one type, among those of
// which one can be called the best.
func markBest(list []comparedEntity, cells []compareCell, types []string, least bool) {
	typ := list[0].Type
	if !slices.Contains(types, typ) || slices.ContainsFunc(list, func(e comparedEntity) bool { return e.Type != typ }) {
		return
	}
	low, high, known := math.Inf(1), math.Inf(-1), 0
	for _, c := range cells {
		if c.known {
			low, high, known = min(low, c.number), max(high, c.number), known+1
		}
	}
	best := high
	if least {
		best = low
	}
	for i := range cells {
		cells[i].Best = known > 1 && low < high && cells[i].known && cells[i].number == best
	}
}

func (r *request) factRows(list []comparedEntity) []compareRow {
	var rows []compareRow
	for _, f := range compareFacts(r.kinds()) {
		row := compareRow{Field: f, Title: r.label(strings.TrimPrefix(f, declaredRow))}
		for _, e := range list {
			row.Cells = append(row.Cells, r.factCell(f, e.Entity))
		}
		if f == "price" {
			markBest(list, row.Cells, r.kinds().Names(), true)
		}
		rows = append(rows, row.markDifferences())
	}
	return knownRows(rows)
}

func (r *request) factCell(field string, e *record.Entity) compareCell {
	switch field {
	case "type":
		return compareCell{Text: r.label(e.Type)}
	case "provider":
		return compareCell{Text: textfmt.Name(e.Provider)}
	case "category":
		return compareCell{Text: textfmt.Name(r.categoryTitle(e.Category)), To: "/leaderboards/" + e.Category + "/"}
	case "version":
		return compareCell{Text: textfmt.Name(e.Version), Note: textfmt.Day(e.VersionRead())}
	case "pricingModel":
		return compareCell{Text: r.label(e.PricingModel)}
	case "license":
		return compareCell{Text: textfmt.Name(e.License)}
	case "addedDate":
		return compareCell{Text: textfmt.Day(e.AddedDate)}
	case "lastUpdated":
		return compareCell{Text: textfmt.Day(e.LastUpdated)}
	case "status":
		return compareCell{Text: r.label(e.Status)}
	case "maintenance":
		return compareCell{Text: textfmt.Capitalize(e.Maintenance.State), Note: textfmt.Day(e.Maintenance.AsOf)}
	case "price":
		return compareCell{Text: priceText(&e.Price), Note: textfmt.Day(priceDay(e)), number: e.Price.Blended.Float(), known: e.Price.Blended.Known()}
	case "retires", "replacedBy":
		return r.lifecycleCell(field, e.Lifecycle)
	}
	path := strings.TrimPrefix(field, declaredRow)
	if f := e.Declared().Field(path); f != nil {
		return compareCell{Text: textfmt.Value(f, e.Values.Get(path))}
	}
	panic("pages: unknown fact " + field)
}

func (r *request) lifecycleCell(field string, l *record.Lifecycle) compareCell {
	switch {
	case l == nil:
		return compareCell{}
	case field == "retires":
		return compareCell{Text: textfmt.Day(l.Retires)}
	}
	c := compareCell{Text: textfmt.Name(l.ReplacedBy)}
	if next := r.successor(l.ReplacedBy); next != nil {
		c.To = next.To
	}
	return c
}

func (r *request) signalRows(list []comparedEntity) []compareRow {
	var rows []compareRow
	for _, s := range r.kinds().Signals {
		row := compareRow{Field: "signal-" + s.Name, Title: r.label(s.Name)}
		for _, e := range list {
			f, ok := e.Signals.Fact(s.Name)
			var c compareCell
			switch {
			case !ok:
			case f.Day != "":
				c.Text = textfmt.Day(f.Day)
			default:
				c.Text, c.number, c.known = textfmt.Compact(f.Number), f.Number, true
			}
			if f.Date != "" {
				c.Note = textfmt.Day(f.Date)
			}
			row.Cells = append(row.Cells, c)
		}
		if bestSignal(s) {
			markBest(list, row.Cells, r.kinds().Names(), false)
		}
		rows = append(rows, row.markDifferences())
	}
	return knownRows(rows)
}

// benchmarkRows returns a row for each benchmark with results of at least two entities.
// If an entity has several results, the latest is shown.
func benchmarkRows(list []comparedEntity) []compareRow {
	var names []string
	having := map[string]int{}
	for _, e := range list {
		own := map[string]bool{}
		for i := range e.Signals.Benchmarks {
			name := e.Signals.Benchmarks[i].FoldedName()
			if !own[name] {
				own[name] = true
				having[name]++
			}
			if having[name] == 2 && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	var rows []compareRow
	for _, n := range names {
		row := compareRow{Field: "benchmark-" + textfmt.Name(n), Title: textfmt.Name(n)}
		for _, e := range list {
			var c compareCell
			if b, ok := latestResult(e.Signals.Benchmarks, n); ok {
				c.Text = textfmt.Compact(b.Value)
				if b.Date != "" {
					c.Note = textfmt.Day(b.Date)
				}
			}
			row.Cells = append(row.Cells, c)
		}
		rows = append(rows, row.markDifferences())
	}
	return rows
}

func latestResult(list []record.Benchmark, name string) (best record.Benchmark, ok bool) {
	for _, b := range list {
		if b.FoldedName() == name && (!ok || b.Date > best.Date) {
			best, ok = b, true
		}
	}
	return best, ok
}

// topicRows returns up to two rows each for tags and capabilities: one with the values that all
// entities share, and one with each entity's other values.
func topicRows(list []comparedEntity) []compareRow {
	var rows []compareRow
	for _, f := range []struct{ field, common, own, all string }{
		{"tag", "Tags in common", "Other tags", "Tags"}, {"capability", "Capabilities in common", "Other capabilities", "Capabilities"},
	} {
		shared := list[0].FieldValues(f.field)
		for _, e := range list[1:] {
			shared = slices.DeleteFunc(slices.Clone(shared), func(v string) bool { return !slices.Contains(e.FieldValues(f.field), v) })
		}
		if len(list) == 1 {
			shared = nil
		}
		if len(shared) > 0 {
			rows = append(rows, compareRow{Field: f.field + "-common", Title: f.common, Same: true, Common: names(shared)})
		}
		own := compareRow{Field: f.field + "-own", Title: f.own}
		if len(shared) == 0 {
			own.Title = f.all
		}
		for _, e := range list {
			rest := slices.DeleteFunc(slices.Clone(e.FieldValues(f.field)), func(v string) bool { return slices.Contains(shared, v) })
			own.Cells = append(own.Cells, compareCell{Text: strings.Join(names(rest), ", "), List: names(rest)})
		}
		rows = append(rows, knownRows([]compareRow{own.markDifferences()})...)
	}
	return rows
}

// markDifferences sets the Same field of a row.
func (w compareRow) markDifferences() compareRow {
	w.Same = len(w.Cells) > 1 && !slices.ContainsFunc(w.Cells, func(c compareCell) bool { return c.Text != w.Cells[0].Text })
	return w
}

// knownRows drops rows without values.
func knownRows(rows []compareRow) []compareRow {
	return slices.DeleteFunc(rows, func(w compareRow) bool {
		return !slices.ContainsFunc(w.Cells, func(c compareCell) bool { return c.Text != "" })
	})
}

// rowTemplates holds the possible rows, without cells. The script of a static site builds
// its table from them, so that all labels come from Go code.
type rowTemplates struct {
	Groups     []compareGroup
	Categories []option
	Values     []option // display names of values
	Most       string
}

func (r *request) rowTemplates() *rowTemplates {
	k := &rowTemplates{Most: strconv.Itoa(maxCompared)}
	row := func(field, title string) compareRow { return compareRow{Field: field, Title: title} }
	var scores, facts, signals []compareRow
	for _, s := range r.scores(r.types()...) {
		w := row(s, r.label(s))
		w.Best = strings.Join(r.bestOf(s), " ")
		scores = append(scores, w)
	}
	for _, f := range compareFacts(r.kinds()) {
		w := row(f, r.label(strings.TrimPrefix(f, declaredRow)))
		if f == "price" {
			w.Best, w.Least = strings.Join(r.kinds().Names(), " "), true
		}
		facts = append(facts, w)
	}
	for _, s := range r.Build.Kinds().Signals {
		w := row("signal-"+s.Name, r.label(s.Name))
		if bestSignal(s) {
			w.Best = strings.Join(r.kinds().Names(), " ")
		}
		signals = append(signals, w)
	}
	k.Groups = []compareGroup{{"scores", "Scores", scores}, {"facts", "Facts", facts}, {"signals", "Figures", signals},
		{"benchmarks", "Benchmarks in common", nil},
		{"topics", "Topics", []compareRow{row("tag-common", "Tags in common"), {Field: "tag-own", Title: "Other tags", Alone: "Tags"},
			row("capability-common", "Capabilities in common"), {Field: "capability-own", Title: "Other capabilities", Alone: "Capabilities"}}}}
	for _, c := range r.Categories {
		k.Categories = append(k.Categories, option{Name: textfmt.Name(c.Title), Value: c.Slug, To: "/leaderboards/" + c.Slug + "/"})
	}
	for _, v := range slices.Concat(r.Build.Kinds().Names(), r.kinds().PricingModels, record.Statuses) {
		k.Values = append(k.Values, option{Name: r.label(v), Value: v})
	}
	return k
}
