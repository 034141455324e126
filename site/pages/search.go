package pages

import (
	"cmp"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/indexes"
	"kindex/site/textfmt"
)

const (
	searchRows   = 20
	searchFacets = 10  // number of values of a facet
	maxQueryLen  = 500 // bytes, the same limit as in the API
	// The maximum number of quoted phrases. If the words of a phrase are frequent, searching
	// for it reads the descriptions of half of all entities, which takes several
	// milliseconds.
	maxPhrases = 2
	maxLeft    = 12 // maximum number of ignored words that are listed
	maxPages   = 500
	// Limits of the filters: each link on the page has all filters in its URL, so the
	// size of the page grows with the square of their number.
	maxChosen    = 20
	maxChosenLen = 2000 // bytes in all values
)

// sorts are the orders of results, with their names in the URL.
var sorts = []struct {
	Name, Title string
	Sort        view.Sort
}{
	{"relevance", "Best match", view.Sort{}},
	{"score", "Highest score", view.DefaultSort},
	{"name", "Name", view.Sort{Key: "name"}},
	{"updated", "Latest change", view.Sort{Key: "lastUpdated", Desc: true}},
}

type searchPage struct {
	Query string
	order int // of sorts
	Sort  string
	Sorts []option
	pager
	Hits    []searchHit
	Types   []option // the first choice: all types or one of them
	Facets  []listMenu
	Near    []link // suggestions if nothing was found
	Within  bool   // Near holds the results without the filters
	Chosen  []option
	Hidden  []option // fields that the form keeps, such as filters
	Browse  bool     // the query is empty, so all entities are listed
	TooLong bool
	TooMany bool     // some filters were ignored
	Left    []string // words and phrases that were ignored
	More    int      // number of further ignored words
	Lacking []string // words that some results lack because few have all
	Gone    []gone   // withdrawn entities that the query names, which are no results
}

type searchHit struct {
	*record.Entity
	Marked map[string]template.HTML // what every result shows, with the matches marked, by field
	Else   []markedField            // other fields that contain matches
}

type gone struct {
	link
	Next link // the page of the successor, or none
}

type markedField struct {
	Field string
	Text  template.HTML
}

// search shows results. On a static site, a script fills the page.
func (r *request) search() (*page, error) {
	p := &page{Template: "search", Title: "Search", NoIndex: len(r.Query) > 0, Scripts: []string{"search.js"}, Canonical: "/search/",
		Description: "Search entries by name, topic and description."}
	if r.Index == nil {
		p.Scripts = []string{"find.js"}
		p.Data = &searchPage{Browse: true}
		return p, nil
	}
	if text := r.value("suggest"); text != "" {
		return r.suggestionsPage(text, func(list []uint32) []link { return r.linksTo(list, pathOf) })
	}
	d := &searchPage{Query: r.Query.Get("q"), Sort: r.Query.Get("sort")}
	if len(d.Query) > maxQueryLen {
		d.Query, d.TooLong = textfmt.Truncate(safetext.OneLine(d.Query[:maxQueryLen]), 100), true
	}
	r.Query, d.TooMany = r.boundedQuery(d.Query)
	d.Browse = safetext.OneLine(d.Query) == ""
	for i, o := range sorts {
		if o.Name == d.Sort {
			d.order = i
		}
	}
	if d.Browse {
		d.order = max(1, d.order)
	}
	d.Sort = sorts[d.order].Name
	if !d.Browse && !d.TooLong {
		p.Title = textfmt.Name(d.Query) + " – search"
	}
	p.Data = d
	r.results(d)
	return p, nil
}

// boundedQuery returns the part of the query that the page applies, without duplicates.
// tooMany reports whether it dropped filters.
func (r *request) boundedQuery(words string) (q url.Values, tooMany bool) {
	asked := r.Query
	q = url.Values{}
	chosen, room := 0, maxChosenLen
	for _, f := range r.facetNames() {
		for _, v := range asked[f] {
			v, _ = r.Build.Preferred(f, v)
			if leaf := r.facetOf(f); leaf != nil && leaf.Words() == kinds.Reference {
				v = cmp.Or(leaf.Address(v), v)
			}
			if v == "" || slices.Contains(q[f], v) {
				continue
			}
			if chosen == maxChosen || len(v) > room {
				tooMany = true
				break
			}
			q.Add(f, v)
			chosen, room = chosen+1, room-len(v)
		}
	}
	if words != "" {
		q.Set("q", words)
	}
	for _, name := range []string{"sort", "page"} {
		if v := asked.Get(name); v != "" && len(v) <= 20 {
			q.Set(name, v)
		}
	}
	return q, tooMany
}

func (r *request) results(d *searchPage) {
	filter := only()
	for _, f := range r.facetNames() {
		for v := range slices.Chunk(r.Query[f], 1) { // all of them
			filter.Fields[f] = append(filter.Fields[f], v)
		}
	}
	within := r.Build.Select(filter)
	number, _ := strconv.Atoi(r.Query.Get("page"))
	number = min(max(number, 1), maxPages)
	skip := (number - 1) * searchRows
	var res *indexes.Result
	found := within
	switch {
	case d.TooLong:
		found = roaring.New()
	case !d.Browse:
		var words string
		words, d.Left = indexes.TruncateQuery(d.Query, maxPhrases)
		d.More = max(0, len(d.Left)-maxLeft)
		d.Left = d.Left[:len(d.Left)-d.More]
		res = r.Index.Search(words, within, nil, skip, searchRows)
		found, d.Lacking, d.Gone = res.Matches, res.Dropped, r.gone(d.Query)
	}
	d.Total = int(found.GetCardinality())
	r.hits(d, res, found, skip)
	r.addFacets(d, found)
	if d.First = min(skip+1, d.Total); number > 1 {
		d.Prev = r.asked("page", strconv.Itoa(min(number-1, max(1, (d.Total+searchRows-1)/searchRows))))
	}
	if d.Last = min(skip+searchRows, d.Total); d.Last < d.Total && number < maxPages {
		d.Next = r.asked("page", strconv.Itoa(number+1))
	}
	if d.Total == 0 && !d.Browse && !d.TooLong {
		text := d.Query
		if d.Within = len(filter.Fields) > 0; !d.Within { // only the quoted phrases had no matches
			text = indexes.Unquoted(text)
		}
		d.Near = r.suggestEntities(text, &view.Filter{})
	}
}

// gone returns the withdrawn entities with a name or an identifier.
func (r *request) gone(name string) (list []gone) {
	found := append(r.Build.FindByName(name, resolve.MaxMatches), resolve.Find(r.Build, name).Matches...)
	slices.Sort(found)
	for _, o := range slices.Compact(found) {
		if e := r.Build.Entity(o); e.Status == record.Withdrawn {
			list = append(list, gone{link{Name: textfmt.Name(e.Name), To: r.path(o)}, r.reference(lifecycleOf(e).ReplacedBy)})
		}
	}
	return list
}

// hits reads the results of a page in the requested order.
func (r *request) hits(d *searchPage, res *indexes.Result, found *roaring.Bitmap, skip int) {
	var list []indexes.Hit
	if d.order > 0 {
		page, _, _ := r.Build.Page(found, sorts[d.order].Sort, nil, skip, searchRows)
		list = each(page, func(o uint32) indexes.Hit { return indexes.Hit{Ordinal: o} })
	} else if res != nil {
		list = res.Hits
	}
	for _, h := range list {
		shown := searchHit{Entity: r.Build.Entity(h.Ordinal), Marked: map[string]template.HTML{}}
		if res != nil {
			shown.mark(res)
		}
		d.Hits = append(d.Hits, shown)
	}
}

// mark fills in the fields that have matches, with the matches marked. The index has
// already escaped them. Long fields are left out, because marked text cannot be
// truncated.
func (h *searchHit) mark(res *indexes.Result) {
	for _, m := range res.Highlights(h.Entity) {
		text := template.HTML(safetext.OneLine(m.Text)) //nolint:gosec // the index has escaped it
		switch {
		case len(text) > 4*textfmt.MaxLineLen:
		case m.Field == "category": // its slug; the result shows its title
		case slices.Contains([]string{"type", "categoryTitle", "description"}, m.Field), len(text) <= 4*textfmt.MaxNameLen && slices.Contains([]string{"name", "provider"}, m.Field):
			h.Marked[m.Field] = text
		case m.Field != "name":
			h.Else = append(h.Else, markedField{m.Field, text})
		}
	}
}

// knownName is a name of an entity, with what it belongs to and its maker, as nameWords returns them.
type knownName struct {
	name, maker string
	families    []string // its declared slugs, such as a family
	ordinal     uint32
}

// findNames reads the names of all listed entities, by kind. It is called once for each build.
func (s *Site) findNames() map[string][]knownName {
	names := map[string][]knownName{}
	for _, o := range s.Build.InRankOrder(s.Build.Select(&view.Filter{})) {
		e := s.Build.Entity(o)
		n := knownName{name: nameWords(e.Name), maker: nameWords(e.Provider), ordinal: o}
		for _, v := range e.Values {
			if text, ok := v.Value.(string); ok && v.Field.Type == kinds.Slug && v.Field.Filter {
				n.families = append(n.families, nameWords(text))
			}
		}
		names[e.Type] = append(names[e.Type], n)
	}
	return names
}

// namesOf returns the names of the entities of some kinds.
func (r *request) namesOf(of []*kinds.Kind) (list []knownName) {
	for _, k := range of {
		list = append(list, r.names()[k.Name]...)
	}
	return list
}

// firstMatches returns what the first of some tests that accepts anything accepts.
func firstMatches[T any](list []T, tests ...func(T) bool) (found []T) {
	for _, test := range tests {
		for _, x := range list {
			if test(x) {
				found = append(found, x)
			}
		}
		if found != nil {
			break
		}
	}
	return found
}

// named returns the entities of some kinds that a text names: those of a family, or of families that
// begin with the text or, if there is none, of a maker or, if there is none, with such a name. If there are
// none, near holds similar names of families and makers.
func (r *request) named(of []*kinds.Kind, text string) (found *roaring.Bitmap, near []string) {
	words, list := nameWords(text), r.namesOf(of)
	found = roaring.New()
	for _, n := range firstMatches(list,
		func(n knownName) bool {
			return slices.ContainsFunc(n.families, func(f string) bool { return startsWith(f, words) })
		},
		func(n knownName) bool { return sameWords(words, n.maker) },
		func(n knownName) bool { return namesCompany(words, n.maker) },
		func(n knownName) bool { return sameWords(n.name, words) },
		func(n knownName) bool { return startsWith(n.name, words) },
		func(n knownName) bool { return words != "" && strings.Contains(n.name, words) }) {
		found.Add(n.ordinal)
	}
	if !found.IsEmpty() {
		return found, nil
	}
	var known []string
	for _, n := range list {
		known = append(known, n.maker)
		known = append(known, each(n.families, func(f string) string { return strings.ReplaceAll(f, " ", "-") })...)
	}
	slices.Sort(known)
	known = slices.DeleteFunc(slices.Compact(known), func(s string) bool { return s == "" })
	return found, didyoumean.Names(words, known, maxNear)
}

// sellers returns the slugs of the providers of offers with a name, or nil if there are none.
func (r *request) sellers(text string) []string {
	words := nameWords(text)
	with := func(same func(a, b string) bool) func(string) bool {
		return func(slug string) bool {
			return same(words, nameWords(slug)) || same(words, nameWords(r.providerName(slug)))
		}
	}
	return firstMatches(r.Build.Offers().Providers(), with(sameWords), with(namesCompany))
}

// modelsNamed returns the models that a text names: by slug, by identifier or by name. If there are
// none, near holds links to the page with a similar one in the named field.
func (r *request) modelsNamed(text, field string) (ordinals []uint32, near []link) {
	if ordinals = resolve.Models(r.Build, text); len(ordinals) > 0 {
		return ordinals, nil
	}
	for _, n := range r.namesOf(r.kinds().With(kinds.Offers)) {
		if sameWords(n.name, nameWords(text)) {
			ordinals = append(ordinals, n.ordinal)
		}
	}
	if len(ordinals) > 0 {
		return ordinals, nil
	}
	for _, o := range r.suggested(strings.ReplaceAll(text[strings.Index(text, "/")+1:], "-", " ")) {
		if e := r.Build.Entity(o); r.kinds().Kind(e.Type).HasBlock(kinds.Offers) && len(near) < maxNear {
			near = append(near, link{e.Name, pricesPath + "?" + singleQuery(field, e.Slug), textfmt.Plural(len(e.Offers), "offer", "offers")})
		}
	}
	return nil, near
}

var nameWord = regexp.MustCompile(`\p{Nd}+(?:\.\p{Nd}+)*|[\pL\pM]+`)

// nameWords returns the words of a name, folded and separated by spaces: runs of letters and numbers such as
// 5.5, so that gpt5 and GPT-5 are the same words.
func nameWords(name string) string {
	return strings.Join(nameWord.FindAllString(record.Fold(name), -1), " ")
}

// sameWords reports whether two names are the same but for how they are divided into words.
func sameWords(a, b string) bool {
	return a != "" && strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}

func startsWith(name, words string) bool {
	return words != "" && strings.HasPrefix(name+" ", words+" ")
}

// companyWords may follow the name of a company without changing whom it means.
var companyWords = []string{"ai", "inc", "ltd", "llc", "gmbh", "corp", "corporation", "company", "lab", "labs", "research", "cloud", "group", "technologies", "team", "platform", "api"}

// namesCompany reports whether words as people write them name a company.
func namesCompany(words, company string) bool {
	return sameWords(words, company) || startsWith(company, words) || startsWith(words, company) &&
		!slices.ContainsFunc(strings.Fields(words[len(company):]), func(w string) bool { return !slices.Contains(companyWords, w) })
}
