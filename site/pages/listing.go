package pages

import (
	"cmp"
	"iter"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

const (
	listRows = 50
	// The maximum length of lists that a static site has in several orders, because each
	// order adds another set of files.
	maxSorted = 20 * listRows
	// The number of related tags that a list links to.
	maxRelated = 12
)

// listing is a list of entities.
type listing struct {
	Crumbs      []option
	Heading     string
	Text        string // description of what is listed
	Total       int
	First, Last int // the rows shown, numbered from 1
	Rows        []row
	Types       []option // types to filter by
	Sorts       []option
	Related     []option // frequent tags in the list
	Board       string   // path of the leaderboard, or "" if there is none
	Sort        string
	Prev, Next  string

	typ     string // type filter
	address func(typ, sort string, page int) string
}

// listRoute returns the route of a list with its choices.
func listRoute(pattern string) *route {
	return &route{pattern: pattern, choices: []string{"type", "sort", "page"}}
}

// listChoices returns the choices of a list; the first page in the default order has none.
func listChoices(typ, sort string, page int) map[string]string {
	m := map[string]string{"type": typ, "sort": sort}
	if page > 1 {
		m["page"] = strconv.Itoa(page)
	}
	return m
}

// chosenPage returns the page number in the path. ok is false if it is not in canonical
// form, in which the first page has no number.
func (r *request) chosenPage() (number int, ok bool) {
	text := r.choice("page")
	if text == "" {
		return 1, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 1 && n <= lastPage && strconv.Itoa(n) == text
}

// lastPage is higher than any list's number of pages; it keeps row numbers from
// overflowing.
const lastPage = 1_000_000

// list fills in a page of a list of entities. ok is false if the page
// does not exist.
func (r *request) list(l *listing, set *roaring.Bitmap) (ok bool) {
	number, ok := r.chosenPage()
	sort, known := listOrder(r.choice("sort"))
	l.Total = int(set.GetCardinality())
	if !ok || !known || number > max(1, (l.Total+listRows-1)/listRows) {
		return false
	}
	l.Sort = cmp.Or(r.choice("sort"), sorts[1].Name)
	skip := (number - 1) * listRows
	found, more, _ := r.Build.Page(set, sort, nil, skip, listRows)
	l.Rows = r.rows(found)
	l.First, l.Last = min(skip+1, l.Total), skip+len(found)
	if number > 1 {
		l.Prev = l.address(l.typ, r.choice("sort"), number-1)
	}
	if more {
		l.Next = l.address(l.typ, r.choice("sort"), number+1)
	}
	if r.sortable(l.Total) {
		for _, o := range sorts[1:] {
			l.Sorts = append(l.Sorts, option{Name: o.Title, Value: o.Name, Chosen: o.Name == l.Sort, To: l.address(l.typ, sortChoice(o.Name), 1)})
		}
	}
	return true
}

// listOrder returns the order that a path selects. The default order has no name.
func listOrder(name string) (view.Sort, bool) {
	for i, o := range sorts[1:] {
		if name == sortChoice(o.Name) {
			return sorts[1+i].Sort, true
		}
	}
	return view.Sort{}, false
}

// sortChoice returns the name that an order has in paths.
func sortChoice(name string) string {
	if name == sorts[1].Name {
		return ""
	}
	return name
}

// sortable reports whether a list of total entities can be shown in other orders.
func (s *Site) sortable(total int) bool { return total > 1 && (!s.Static || total <= maxSorted) }

// listPaths yields the pages of a list of total entities, in all its orders.
func (s *Site) listPaths(total int, address func(sort string, page int) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, o := range sorts[1:] {
			if i > 0 && !s.sortable(total) {
				return
			}
			for page := 1; page == 1 || (page-1)*listRows < total; page++ {
				if !yield(address(sortChoice(o.Name), page)) {
					return
				}
			}
		}
	}
}

// ofType lists all entities of a type.
func (r *request) ofType() (*page, error) {
	typ := r.arg("type")
	set := r.Build.Select(&view.Filter{Fields: map[string][][]string{"type": {{typ}}}})
	l := &listing{Heading: "All " + typ + "s", Board: boardsPath,
		address: func(_, sort string, page int) string { return typePath(typ, sort, page) }}
	for _, t := range r.types() {
		l.Types = append(l.Types, option{Name: textfmt.Capitalize(t) + "s", Chosen: t == typ, To: typePath(t, "", 1)})
	}
	if !r.list(l, set) {
		return r.notFound(), nil
	}
	return r.listPage(l, "All "+textfmt.Plural(l.Total, typ, typ+"s")+" in the index, with scores from dated figures.", "/api/feed?type="+typ), nil
}

// ofTypePage shows the other pages and orders of the list that ofType shows.
func (r *request) ofTypePage() (*page, error) {
	if len(r.choices) == 0 {
		return r.notFound(), nil
	}
	return r.ofType()
}

// typePath returns the path of a page of the list of a type. The second and later pages
// cannot be under the path of the first page, because the pages of entities are there, and an
// entity may have the slug page-2.
func typePath(typ, sort string, page int) string {
	if sort == "" && page <= 1 {
		return "/" + typ + "/"
	}
	return listRoute("/:type/all/").path(map[string]string{"type": typ}, listChoices("", sort, page))
}

func typePaths(s *Site) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range s.types() {
			set := s.Build.Select(&view.Filter{Fields: map[string][][]string{"type": {{t}}}})
			for p := range s.listPaths(int(set.GetCardinality()), func(sort string, page int) string { return typePath(t, sort, page) }) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// facetValueList lists the entities with a value of a field.
func facetValueList(k *facetKind) func(*request) (*page, error) {
	return func(r *request) (*page, error) {
		all, err := r.facetValues(k)
		if err != nil {
			return nil, err
		}
		key := r.arg("key")
		v, ok := all.find(key)
		if !ok {
			if now, renamed := r.Build.Preferred(k.Field, key); renamed {
				return &page{location: r.route.path(map[string]string{"key": siteurl.Key(now)}, r.choices)}, nil
			}
			return r.missing(textfmt.Capitalize(k.One)+" not found", "", all.suggestions(key)), nil
		}
		set := r.Build.Select(&view.Filter{Fields: map[string][][]string{k.Field: {{v.Name}}}})
		l := &listing{Crumbs: []option{{Name: textfmt.Capitalize(k.Many), To: k.Path}}, Heading: v.Title,
			address: func(_, sort string, page int) string {
				return listRoute(k.Path+":key/").path(r.args, listChoices("", sort, page))
			}}
		if !r.list(l, set) {
			return r.notFound(), nil
		}
		r.relate(l, set, v.folded)
		p := r.listPage(l, textfmt.Plural(l.Total, "entity", "entities")+" with the "+k.One+" "+textfmt.Name(v.Title)+".", "")
		p.Title += ", " + k.One // an entity may have the same name as the value
		p.NoIndex = p.NoIndex || l.Total == 0
		return p, nil
	}
}

// relate adds links to frequent tags to the first page of a list.
func (r *request) relate(l *listing, set *roaring.Bitmap, but string) {
	if l.First > 1 || l.Total < 2 {
		return
	}
	key := l.address(l.typ, "", 1)
	if known, ok := r.related.Load(key); ok {
		l.Related = known.([]option)
		return
	}
	for _, v := range r.Build.Facet(set, byTag.Field, maxRelated+1) {
		if record.Fold(v.Value) != but && v.Count < l.Total && len(l.Related) < maxRelated {
			l.Related = append(l.Related, option{Name: v.Value, Count: v.Count, To: byTag.path(v.Value)})
		}
	}
	if l.Total >= cmp.Or(r.LongList, 10_000) {
		r.related.Store(key, l.Related)
	}
}

// listPage renders a list. Search engines index it only in the default order.
func (r *request) listPage(l *listing, description, feed string) *page {
	return &page{Template: "listing", Title: l.Heading, Description: description, Data: l, Feed: feed, NoIndex: r.choice("sort") != ""}
}
