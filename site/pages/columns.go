package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// item is an entity in a list, and what the list knows of it.
type item struct {
	*record.Entity
	ordinal uint32
	offer   *record.Offer // nil if the list is not of offers, or the entity has none
	Rank    int           // 0 if the list has no ranks
	Shown   record.Score  // on a short list
	moved   boardDelta
	to, why string        // paths of the entity and of the explanation of its score
	scores  record.Scores // on a leaderboard
}

// column is a column of a list, and the row of a comparison, card or list of facts.
type column struct {
	Name, Title string
	Unit        string // of its numbers, or what it consists of
	Short       string // its title on a card, if that is shorter
	Number      bool   // it is sorted by number
	Down        bool   // its order begins with the highest value
	Score       bool   // it is a score of a leaderboard
	Lesser      bool   // narrow screens leave it out
	Place       string // where a phone shows it in a card, or "" if it does not; see place
	cell        func(*item) cell
	key         string // of view.Sort, or "" if the list sorts by the cells

	To     string // address of the list sorted by the column, or "" if it cannot be
	Sorted string // ascending, descending or "", as in aria-sort
}

// Class returns the classes of the column's cells.
func (c *column) Class() string {
	class := cmp.Or(c.Place, "wide-only")
	if c.Number {
		class += " num"
	}
	if c.Lesser {
		class += " lesser"
	}
	return class
}

// place places the first of some columns on a line of the cards that a phone shows instead of a table: two
// with short titles share the line. It returns the other columns.
func place(list []*column, line string) []*column {
	switch {
	case len(list) == 0:
		return nil
	case len(list) > 1 && list[0].Short != "" && list[1].Short != "":
		list[0].Place, list[1].Place = line+"1", line+"2"
		return list[2:]
	}
	list[0].Place = line
	return list[1:]
}

// placeCard places the first columns of a list on the two lines of a card.
func placeCard(list []*column) {
	rest := place(list, "p1")
	place(rest[:min(1, len(rest))], "p2")
}

// kindColumns are the columns of the list of a kind, in order. On a phone, only the first are shown.
func kindColumns(k *kinds.Kind) (list []string) {
	if k.Columns != nil {
		return k.Columns
	}
	for _, f := range k.Fields {
		if f.Type != kinds.Group && len(list) < 6 {
			list = append(list, f.Path)
		}
	}
	return append(list, "license")
}

// columnNames are the columns of the list of a kind that are known of any of its entities.
func (s *Site) columnNames(k *kinds.Kind) []string {
	if list, ok := s.knownColumns.Load(k.Name); ok {
		return list.([]string)
	}
	var all *filters
	of := s.Build.Select(only("type", k.Name)).ToArray()
	list := slices.DeleteFunc(slices.Clone(kindColumns(k)), func(name string) bool {
		c := s.column(name)
		return !slices.ContainsFunc(of, func(o uint32) bool { it := all.item(s, o); return c.cell(&it).Text != "" })
	})
	s.knownColumns.Store(k.Name, list)
	return list
}

// core are the columns that no kind declares: of every entity, of the blocks and of offers.
var core = map[string]struct {
	column
	value func(*Site, *item) cell
}{
	"name":         {column{key: "name"}, func(_ *Site, it *item) cell { return cell{Text: it.Name} }},
	"type":         {value: func(s *Site, it *item) cell { return cell{Text: s.kind(it.Type).Title} }},
	"provider":     {value: func(_ *Site, it *item) cell { return cell{Text: it.Provider} }},
	"category":     {value: categoryCell},
	"license":      {column{Title: "Licence"}, func(_ *Site, it *item) cell { return cell{Text: it.License, Out: licenseText(it.License)} }},
	"pricingModel": {value: func(s *Site, it *item) cell { return cell{Text: s.label(it.PricingModel)} }},
	"version":      {value: versionCell},
	"status":       {value: func(s *Site, it *item) cell { return cell{Text: s.label(it.Status)} }},
	"url":          {value: func(_ *Site, it *item) cell { return cell{Text: textfmt.Host(it.URL)} }},
	"tags":         {value: func(_ *Site, it *item) cell { return cell{Text: strings.Join(it.Tags, ", ")} }},
	"capabilities": {value: func(_ *Site, it *item) cell { return cell{Text: strings.Join(it.Capabilities, ", ")} }},
	"addedDate":    {column{Number: true, Down: true, key: "addedDate"}, func(_ *Site, it *item) cell { return dayCell(it.AddedDate) }},
	"lastUpdated":  {column{Number: true, Down: true, key: "lastUpdated"}, func(_ *Site, it *item) cell { return dayCell(it.LastUpdated) }},
	"composite": {column{Title: "Score", Number: true, Down: true, key: "composite"},
		func(_ *Site, it *item) cell { return scoreCell(it.Scores.Composite, true) }},
	"board": {column{Title: "Best rank", Number: true}, (*Site).rankCell},

	"maintenance": {value: func(_ *Site, it *item) cell {
		return cell{Text: textfmt.Capitalize(it.Maintenance.State), Read: it.Maintenance.AsOf, Figure: true}
	}},
	"retires":    {value: func(_ *Site, it *item) cell { return dayCell(lifecycleOf(it.Entity).Retires) }},
	"replacedBy": {value: successorCell},

	"price":  {column{Number: true, key: "price"}, summaryCell},
	"offers": {column{Number: true, Down: true}, func(_ *Site, it *item) cell { return numberCell(float64(len(it.Offers)), len(it.Offers) > 0) }},
	"input": {column{Title: "Input", Short: "in", Unit: "$/M\u00a0tokens", Number: true},
		func(_ *Site, it *item) cell { return priceCell(it, "input") }},
	"output": {column{Title: "Output", Short: "out", Unit: "$/M\u00a0tokens", Number: true},
		func(_ *Site, it *item) cell { return priceCell(it, "output") }},
	"blended": {column{Title: "Blended", Unit: "$/M\u00a0tokens", Number: true}, func(_ *Site, it *item) cell { return priceCell(it, "blended") }},
	"offerContext": {column{Title: "Context", Unit: "tokens", Number: true, Down: true},
		func(_ *Site, it *item) cell { return numberCell(float64(it.offer.Context), it.offer.Context > 0) }},
	"read": {column{Number: true}, func(_ *Site, it *item) cell {
		c := dayCell(it.offer.Date)
		c.Out = textfmt.WebURL(it.offer.Source)
		return c
	}},
}

// column returns a column by its name: of the core, a signal or a declared field.
func (s *Site) column(name string) *column {
	if x, ok := core[name]; ok {
		c := x.column
		c.Name, c.Title = name, cmp.Or(c.Title, s.label(name))
		if days := name == "addedDate" || name == "lastUpdated"; days && s.kinds().HasTitle(c.Title) {
			c.Title = "Entry " + strings.ToLower(c.Title) // what is described has a day of this name itself
		}
		c.cell = func(it *item) cell { return x.value(s, it) }
		return &c
	}
	c := &column{Name: name, Title: s.label(name)}
	if x := s.kinds().Signal(name); x != nil {
		c.Number, c.Down, c.key = true, true, view.SignalKey(name)
		c.cell = func(it *item) cell { return signalCell(x, it, s.summed(it.Type, name)) }
		c.Unit = signalUnit(x)
		if slices.ContainsFunc(s.kinds().Names(), func(typ string) bool { return s.summed(typ, name) != nil }) {
			c.key = "" // its order is that of the values shown
		}
		return c
	}
	f := s.kinds().Field(name)
	if g := first(s.kinds().Fields, func(g *kinds.Field) bool { return g.Name == name && g.IsGroup() }); g != nil {
		if c.cell = func(it *item) cell { return s.groupCell(g, it) }; g.Dated || g.Type == kinds.Range {
			f = g.Parts[0]
		}
	} else {
		c.cell = func(it *item) cell { return s.fieldCell(f, it) }
	}
	if f != nil && (f.IsNumber() || f.IsDay()) {
		c.Number, c.Down, c.key, c.Unit = true, true, f.Path, f.UnitShown()
	}
	return c
}

// signalUnit returns what the numbers of a signal are of, in short, unless its title says it.
func signalUnit(x *kinds.Signal) string {
	rest, more := strings.CutPrefix(x.Unit, strings.ToLower(x.Title))
	switch {
	case x.IsDay() || strings.Contains(strings.ToLower(x.Title), strings.ToLower(x.Unit)):
		return ""
	case more && (rest[0] == ' ' || rest[0] == '/'):
		return strings.TrimSpace(rest) // such as per month
	case more || strings.Contains(x.Unit, " "):
		return ""
	}
	return x.Unit
}

// sorted returns the entities of a set in the order of a column, unknown values last.
func (s *Site) sorted(c *column, set *roaring.Bitmap, down bool, item func(uint32) item) []uint32 {
	if c.key != "" {
		list, _, _ := s.Build.Page(set, view.Sort{Key: c.key, Desc: down}, nil, 0, int(set.GetCardinality()))
		return list
	}
	ordinals := s.Build.InRankOrder(set)
	cells := make(map[uint32]cell, len(ordinals))
	for _, o := range ordinals {
		it := item(o)
		x := c.cell(&it)
		x.Text = record.Fold(x.Text)
		cells[o] = x
	}
	slices.SortStableFunc(ordinals, func(i, j uint32) int {
		a, b := cells[i], cells[j]
		order := cmp.Compare(a.Raw, b.Raw)
		if !c.Number {
			order = strings.Compare(a.Text, b.Text)
		}
		if down {
			order = -order
		}
		return cmp.Or(record.CompareBools(a.Text == "", b.Text == ""), order)
	})
	return ordinals
}

// mark returns a coloured letter that stands for a maker, in the shape of a kind.
func (s *Site) mark(kind, maker string) template.HTML {
	folded := record.Fold(safetext.OneLine(maker))
	if folded == "" {
		return ""
	}
	sum := 0
	for _, c := range folded {
		sum = (sum*31 + int(c)) % 1_000_003
	}
	letter := string([]rune(strings.ToUpper(folded))[:1])
	var w rowWriter
	w.add(`<span class="mark k%d m%d" aria-hidden="true">%s</span>`, slices.Index(s.kinds().Names(), kind), sum%12, letter)
	return template.HTML(w) //nolint:gosec // rowWriter escapes
}

// maxLinks is the number of references that a cell of a list names.
const maxLinks = 5

// rowWriter writes HTML. A template would take longer than all the rest of the page.
type rowWriter []byte

// add writes HTML with values. Text of an entity is escaped, and loses characters that would change the text around it.
func (w *rowWriter) add(format string, values ...any) {
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = template.HTMLEscapeString(safetext.OneLine(s))
		}
	}
	*w = fmt.Appendf(*w, format, values...)
}

// row writes a row.
func (w *rowWriter) row(r *request, l *listing, it *item) {
	name := textfmt.Name(cmp.Or(it.Name, it.Slug))
	w.add(`<tr data-key="%s">`, it.Key())
	if l.Pick {
		w.add(`<td class="b-pick"><input type="checkbox" form="pick" name="e" value="%s" aria-label="Compare %s"></td>`, it.Key(), name)
	}
	if l.Ranked {
		w.add(`<td class="b-rank num">%d</td>`, it.Rank)
	}
	if l.Since != "" {
		w.add(`<td class="b-move %s num"><span aria-hidden="true">%s</span><span class="unseen">%s</span></td>`, it.moved.Class, it.moved.Sign, it.moved.Words)
	}
	w.add(`<th scope="row" class="b-name">`)
	if mark := r.mark(it.Type, it.Provider); it.to == "-" {
		w.add(`%s<bdi>%s</bdi>`, mark, name)
	} else {
		w.add(`<a href="%s">%s<bdi>%s</bdi></a>`, r.to(cmp.Or(it.to, pathOf(it.Entity))), mark, name)
	}
	if it.Status != "" && it.Status != record.Active {
		w.add(` <span class="flag flag-%s">%[1]s</span>`, it.Status)
	}
	if l.Offers {
		if it.offer.Deprecated {
			w.add(` <span class="flag flag-deprecated">deprecated</span>`)
		}
		w.add(` <span class="b-about"><bdi>%s</bdi> <code><bdi>%s</bdi></code>`, textfmt.Name(r.providerName(it.offer.Provider)), textfmt.Name(it.offer.ID))
		if !r.Static {
			w.add(` <a href="%s">Calculate<span class="unseen"> the cost of %s</span></a>`, r.to(pricesPath+"?"+singleQuery("calculate", it.Slug)+"#calculator"), name)
		}
		w.add(`</span>`)
	} else if it.Provider != "" && it.Provider != it.Name && it.Provider != l.Heading {
		w.add(` <span class="b-about"><bdi>%s</bdi></span>`, textfmt.Name(it.Provider))
	}
	w.add("</th>\n")
	for _, c := range l.Columns[1:] {
		w.cell(r, c, c.cell(it), it.why)
	}
	w.add("</tr>\n")
}

// cell writes a cell.
func (w *rowWriter) cell(r *request, c *column, x cell, why string) {
	class, value, text := c.Class(), textfmt.Name(x.Text), textfmt.Name(x.Text)
	switch {
	case x.Text == "":
		class, value = class+" none", "-1"
	case c.Number:
		value = strconv.FormatInt(x.Raw, 10)
	}
	w.add(`<td class="%s"`, class)
	if x.Date == "" { // a day needs no name on a card
		w.add(` data-label="%s"`, cmp.Or(c.Short, c.Title))
	}
	if c.Score {
		w.add(` data-score="%s"`, c.Name)
	}
	w.add(` data-value="%s">`, value)
	switch {
	case x.Text == "":
		w.add(`<span aria-hidden="true">–</span><span class="unseen">unknown</span>`)
	case c.Score && why != "":
		w.add(`<a href="%s" title="How it is calculated">%s</a>`, r.to(why), text)
	case x.To != "" && c.Number: // the note names where the link leads
		w.add(`%s <a class="b-note" href="%s"><bdi>%s</bdi></a>`, text, r.to(x.To), textfmt.Name(x.Note))
	case x.Links != nil:
		for i, l := range x.Links[:min(maxLinks, len(x.Links))] {
			w.add(`%s<a href="%s"><bdi>%s</bdi></a>`, map[bool]string{true: ", "}[i > 0], r.to(l.To), l.Name)
		}
		if more := len(x.Links) - maxLinks; more > 0 {
			w.add(` <span class="b-note">and %d more</span>`, more)
		}
	default:
		if w.add(`<bdi>%s</bdi>`, text); x.Note != "" {
			w.add(` <span class="b-note"><bdi>%s</bdi></span>`, textfmt.Name(x.Note))
		}
	}
	if x.Out != "" && c.Name == "read" {
		w.add(` <a class="b-note" rel="nofollow noopener" href="%s">Source</a>`, x.Out)
	}
	if x.Bar.Known() {
		w.add("%s", chart.Bar(x.Bar))
	}
	w.add("</td>\n")
}
