package pages

import (
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

const (
	listRows   = 100
	maxRelated = 12 // related tags that a list links to
	// lastPage is higher than any list's number of pages; it keeps row numbers from overflowing.
	lastPage = 1_000_000
)

// listing is a page with a table: of a kind, a category, the entities with a value, a leaderboard or prices.
type listing struct {
	Crumbs  []option
	Heading string
	Until   string // the day of a board's newest figure, if that is old
	Text    string // description of what is listed
	Notes   []string
	Today   string // path of today's leaderboard, if this is an earlier one
	Day     string // of the leaderboard, or ""
	Filters *filters
	Menus   []listMenu // other lists of its kind
	Columns []*column
	Rows    template.HTML
	What    string // what the rows are, in the plural
	Since   string // the day that ranks are compared with, or ""
	Ranked  bool
	Pick    bool // entities can be chosen for a comparison
	Related []option
	Board   string // path of the leaderboard with the same entities
	Empty   string // what is said instead of rows
	pager
	Rest     bool // a static site has no page for the other rows
	Chart    *scatter
	Cost     *costForm
	News     *homeNewsLists // on the page of trends
	Months   []option       // with pages of their changes
	Longer   string         // path of a longer window, if that may have more
	Offers   bool           // of prices
	SortNote string

	ordered []uint32
	at      func(uint32) item
}

// listMenu is a choice among lists or the values of a filter: as chips, or folded if there are many.
type listMenu struct {
	Title, Name string
	Options     []option
	Folded      bool
	Chosen      string
}

// pager is a page of a list.
type pager struct {
	Total, First, Last int    // entries in total, and those on the page
	Prev, Next         string // paths of the pages before and after it
}

// pageOf returns the page of a list that the path names, or false if there is no such page.
func (r *request) pageOf(total, rows int) (p pager, from int, ok bool) {
	number, text := 1, r.choices["page"]
	if text != "" {
		var err error
		if number, err = strconv.Atoi(text); err != nil || number < 2 || number > lastPage || strconv.Itoa(number) != text {
			return p, 0, false
		}
	}
	from = (number - 1) * rows
	p = pager{Total: total, First: min(from+1, total), Last: min(from+rows, total)}
	switch number {
	case 1:
	case 2: // the first page has no number
		p.Prev = r.here()
	default:
		p.Prev = r.here("page", strconv.Itoa(number-1))
	}
	if p.Last < total {
		p.Next = r.here("page", strconv.Itoa(number+1))
	}
	return p, from, from < max(total, 1)
}

// here returns the path of the page with other choices, and its query.
func (r *request) here(choices ...string) string {
	path := r.with(choices...)
	if query := r.Query.Encode(); query != "" {
		path += "?" + query
	}
	return path
}

// asked returns the path of the page with another value of a parameter of the query, "" for none.
func (r *request) asked(name, value string) string {
	return r.queried(func(q url.Values) {
		if q.Del(name); value != "" {
			q.Set(name, value)
		}
	})
}

// unseenSorts are columns by which every list can be sorted, whether or not it shows them.
var unseenSorts = []string{"composite", "addedDate", "lastUpdated"}

// fill sorts a set by the column that the query names or, without one, by the named one, and writes a page of
// it. It returns false if there is no such page.
func (r *request) fill(l *listing, set *roaring.Bitmap, byDefault string, columns []string) bool {
	l.Columns = []*column{r.column("name")}
	for i, name := range columns {
		c := r.column(name)
		c.Lesser = i > 4
		l.Columns = append(l.Columns, c)
	}
	placeCard(l.Columns[1:])
	l.at = func(o uint32) item { return l.Filters.item(r.Site, o) }
	shown := func(name string) int {
		return slices.IndexFunc(l.Columns, func(c *column) bool { return c.Name == name })
	}
	name, reversed := strings.CutPrefix(r.Query.Get("sort"), "-")
	if r.Static || shown(name) < 0 && !slices.Contains(unseenSorts, name) {
		name, reversed = byDefault, false
	}
	by, at := r.column(name), shown(name)
	if at >= 0 {
		by = l.Columns[at]
	}
	if by.Place == "" && at > 0 { // a phone shows what the rows are sorted by
		for _, c := range l.Columns {
			if c.Place == "p2" {
				c.Place = ""
			}
		}
		by.Place = "p2"
	}
	l.ordered = r.sorted(by, set, by.Down != reversed, l.at)
	by.Sorted = map[bool]string{true: "descending", false: "ascending"}[by.Down != reversed]
	for _, c := range l.Columns {
		switch {
		case r.Static:
		case c == by && !reversed:
			c.To = r.asked("sort", "-"+c.Name)
		default:
			c.To = r.asked("sort", c.Name)
		}
	}
	return r.turn(l)
}

// turn writes the rows of the page that the path names.
func (r *request) turn(l *listing) bool {
	var ok bool
	var skip int
	if l.pager, skip, ok = r.pageOf(len(l.ordered), listRows); !ok {
		return false
	}
	rows := l.ordered[skip:l.Last]
	w := make(rowWriter, 0, 1<<16)
	for i, o := range rows {
		it := l.at(o)
		if l.Ranked {
			it.Rank = skip + i + 1
		}
		w.row(r, l, &it)
	}
	l.Rows = template.HTML(w) //nolint:gosec // rowWriter escapes
	return true
}

// choose returns the values of a choice in the path, after that for none, as links to the page with each.
func (r *request) choose(choice, none string, values []string, name func(string) string) []option {
	list := append([]option{{Name: none, To: r.here(choice, "")}}, each(values, func(v string) option {
		return option{Name: name(v), Value: v, To: r.here(choice, v)}
	})...)
	markChosen(list, r.choices[choice])
	return list
}

// kind returns a kind, or what stands for one that the index no longer declares.
func (s *Site) kind(name string) *kinds.Kind {
	if k := s.kinds().Kind(name); k != nil {
		return k
	}
	return &kinds.Kind{Name: name, Title: textfmt.Capitalize(name), Plural: textfmt.Capitalize(name)}
}

func (s *Site) kindPath(name string) string { return "/" + s.kind(name).Slug() + "/" }

// kindOf returns the kind whose list has a path, or nil.
func (s *Site) kindOf(slug string) *kinds.Kind {
	return first(s.kinds().Kinds, func(k *kinds.Kind) bool { return k.Slug() == slug })
}

// plurals returns the plural of a kind as a title.
func (s *Site) plurals(name string) string { return s.kind(name).Plural }

// plural returns the plural of a kind as in a sentence.
func (s *Site) plural(name string) string { return kinds.InSentence(s.kind(name).Plural) }

// counted returns a number of entities of a kind, as in a sentence.
func (s *Site) counted(n int, kind string) string {
	return textfmt.Plural(n, strings.ToLower(s.kind(kind).Title), s.plural(kind))
}

func (r *request) ofKind() (*page, error) {
	k := r.kindOf(r.args["plural"])
	l := &listing{Heading: k.Plural, Text: k.Description, Pick: true, What: kinds.InSentence(k.Plural)}
	if l.Filters = r.unfiltered([]*kinds.Kind{k}, false); !r.Static {
		l.Filters.read(r)
	}
	columns, by := r.columnNames(k), "composite"
	day := func(name string) bool {
		x, f := r.kinds().Signal(name), r.kinds().Field(name)
		return x != nil && x.IsDay() || x == nil && f != nil && f.IsDay()
	}
	if i := slices.IndexFunc(columns, day); i >= 0 && !r.Own.Comparable(k.Name) { // the newest first
		by = columns[i]
	}
	if !r.fill(l, l.Filters.set, by, columns) {
		return r.notFound(), nil
	}
	if l.Total == 1 {
		l.What = kinds.InSentence(k.Title)
	}
	if k.HasBlock(kinds.Offers) {
		l.SortNote = "The price is that of the cheapest offer."
	}
	p := r.listPage(l, "All "+r.counted(l.Total, k.Name)+" in the index, with their main figures.", "type="+k.Name)
	p.Title = k.Plural
	return p, nil
}

// ofType leads to the list of a kind.
func (r *request) ofType() (*page, error) {
	return r.moved(r.kindPath(r.args["type"]), ""), nil
}

// mixed fills in a list of entities of several kinds, or of one of them. It returns false if there is
// no such page.
func (r *request) mixed(l *listing, f *view.Filter, but string) (ok bool) {
	typ, set := r.choices["type"], r.Build.Select(f)
	counts := r.Build.Facet(set, "type", len(r.types()))
	types := each(counts, func(c view.FacetCount) string { return c.Value })
	if typ != "" && (len(types) < 2 || !slices.Contains(types, typ)) {
		return false
	}
	if len(types) == 1 {
		typ = types[0]
	} else if len(types) > 1 {
		m := listMenu{Name: "Kind", Options: r.choose("type", "All", types, r.plurals)}
		m.Options[0].Count = int(set.GetCardinality())
		for i, c := range counts {
			m.Options[i+1].Count = c.Count
		}
		l.Menus = append(l.Menus, m)
	}
	columns := []string{"type", "category", "lastUpdated"}
	l.What, l.Pick = "entities", true
	if typ != "" {
		set.And(r.Build.Bitmap("type", typ))
		columns, l.What = r.columnNames(r.kinds().Kind(typ)), r.plural(typ)
	}
	if !r.fill(l, set, "composite", columns) {
		return false
	}
	if l.First > 1 || l.Total < 2 {
		return true
	}
	for _, v := range r.Build.Facet(set, byTag.Field, maxRelated+1) { // links to frequent tags
		if record.Fold(v.Value) != but && v.Count < l.Total && len(l.Related) < maxRelated {
			l.Related = append(l.Related, option{Name: v.Value, Count: v.Count, To: byTag.path(v.Value)})
		}
	}
	return true
}

func (r *request) facetValueList() (*page, error) {
	k := r.facetKind(r.args["values"])
	all, key := r.facets[k.Field](), r.args["key"]
	v := first(all, func(v facetValue) bool { return v.key == key })
	if v.key == "" {
		if now, renamed := r.Build.Preferred(k.Field, key); renamed {
			return r.moved(r.route.path(map[string]string{"values": k.Slug, "key": siteurl.Key(now)}, r.choices), ""), nil
		}
		links := map[string]link{}
		for _, v := range r.usedValues(k) {
			links[v.key] = link{v.Title, v.Path, textfmt.Plural(v.Count, "entity", "entities")}
		}
		return r.missing(textfmt.Capitalize(k.Label)+" not found", "", near(key, slices.Sorted(maps.Keys(links)), func(n string) link { return links[n] })...), nil
	}
	l := &listing{Crumbs: []option{{Name: k.Title, To: r.valuesPath(k)}}, Heading: v.Title}
	if !r.mixed(l, only(k.Field, v.Name), record.Fold(v.Name)) {
		return r.notFound(), nil
	}
	p := r.listPage(l, textfmt.Plural(l.Total, "entity", "entities")+" with the "+k.Label+" "+textfmt.Name(v.Title)+".", "")
	p.Title += ", " + k.Label // an entity may have the same name as the value
	p.NoIndex = p.NoIndex || l.Total == 0
	return p, nil
}

// listPage renders a list. Search engines index it only without a query.
func (r *request) listPage(l *listing, description, feed string) *page {
	p := &page{Template: "list", Title: l.Heading, Description: description, Data: l, Feed: feed, NoIndex: len(r.Query) > 0, Scripts: []string{"list.js", "unfold.js"}}
	if typ := r.choices["type"]; typ != "" {
		p.Title += ": " + r.plural(typ)
	}
	return p
}
