package pages

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/indexes"
	"kindex/site/textfmt"
)

const (
	maxCompared  = 4
	maxSuggested = 8
	// maxMeant is the maximum number of words, not counting stop words, that are searched for
	// if a name is unknown. Without this limit, searching for four long names would take as
	// long as rendering many pages.
	maxMeant = 4
)

// comparePage shows two to four entities side by side.
type comparePage struct {
	Entities []item
	Groups   []group[compareRow]
	Why      []outranking
	Unknown  []problemPage // requested entities that do not exist
	TooMany  bool
	Asked    string // the requested name to add, if it is ambiguous or unknown
	Which    []link // suggestions for the requested name
	Ready    []link // suggested comparisons
	Skeleton *rowTemplates
}

// Full reports whether no more entities can be added.
func (d *comparePage) Full() bool { return len(d.Entities) >= maxCompared }

// Here returns the path of the comparison shown.
func (d *comparePage) Here() string { return comparePath(d.keys()...) }

// Without returns the path of the comparison without an entity.
func (d *comparePage) Without(i int) string { return comparePath(slices.Delete(d.keys(), i, i+1)...) }

// compare renders entities side by side. On a static site, a script fills the page.
func (r *request) compare() (*page, error) {
	d := &comparePage{}
	p := &page{Template: "compare", Title: "Compare", Canonical: "/compare/", NoIndex: len(r.Query) > 0, Data: d, Scripts: []string{"compare.js"},
		Description: "Compare two to four entries side by side: their facts and figures."}
	if r.Static {
		p.Scripts = append(p.Scripts, "comparison.js")
		d.Skeleton, d.Ready = r.rowTemplates(), r.exampleComparisons()
		return p, nil
	}
	r.readEntities(d)
	if text := r.value("suggest"); text != "" {
		return r.suggestionsPage(text, func(list []uint32) []link { return r.addOptions(d, list) })
	}
	if text := r.value("add"); text != "" && !d.Full() {
		r.addNamed(d, text)
	}
	switch len(d.Entities) {
	case 0:
		d.Ready = r.exampleComparisons()
		return p, nil
	case 1:
		d.Ready = r.comparisonsOf(d.Entities[0])
	}
	d.Groups, d.Why = r.comparison(d.Entities), r.outrankings(d.Entities)
	p.Title = "Compare " + textfmt.JoinAnd(each(d.Entities, func(e item) string { return textfmt.Name(e.Name) }))
	return p, nil
}

func (d *comparePage) keys() []string {
	return each(d.Entities, func(e item) string { return e.Key() })
}

func comparePath(keys ...string) string {
	return strings.TrimSuffix("/compare/?"+strings.ReplaceAll(url.Values{"e": keys}.Encode(), "%2F", "/"), "?")
}

// readEntities reads the entities named in the query. It looks up suggestions for unknown ones, but only for as
// many as can still be added.
func (r *request) readEntities(d *comparePage) {
	asked := r.Query["e"]
	if len(asked) > 4*maxCompared { // limits how much a hand-written URL can request
		asked, d.TooMany = asked[:4*maxCompared], true
	}
	for _, key := range asked {
		typ, slug, _ := strings.Cut(strings.TrimSpace(key), "/")
		text := textfmt.Name(key)
		if o, _, ok := r.Build.Find(typ, slug); ok {
			r.addEntity(d, o)
		} else if text != "" && !slices.ContainsFunc(d.Unknown, func(u problemPage) bool { return u.Text == text }) {
			d.Unknown = append(d.Unknown, problemPage{Text: text})
		}
	}
	for i := range d.Unknown[:min(len(d.Unknown), maxCompared-len(d.Entities))] {
		text := d.Unknown[i].Text
		if _, slug, ok := strings.Cut(text, "/"); ok && slug != "" {
			text = slug
		}
		list := r.suggested(strings.ReplaceAll(text, "-", " "))
		d.Unknown[i].Near = r.addOptions(d, list[:min(maxNear, len(list))])
	}
}

// addEntity adds a column unless the entity already has one.
func (r *request) addEntity(d *comparePage, ordinal uint32) {
	switch {
	case slices.ContainsFunc(d.Entities, func(c item) bool { return c.ordinal == ordinal }):
	case d.Full():
		d.TooMany = true
	default:
		d.Entities = append(d.Entities, item{Entity: r.Build.Entity(ordinal), ordinal: ordinal})
	}
}

// addNamed adds the entity with the given name, or fills in suggestions.
func (r *request) addNamed(d *comparePage, text string) {
	typ, slug, _ := strings.Cut(text, "/")
	if o, _, found := r.Build.Find(typ, slug); found {
		r.addEntity(d, o)
		return
	}
	list := r.Build.FindByName(text, maxSuggested)
	if len(list) == 0 {
		for _, t := range r.kinds().Names() {
			if o, _, found := r.Build.Find(t, strings.ToLower(text)); found {
				list = append(list, o)
			}
		}
	}
	switch len(list) {
	case 1:
		r.addEntity(d, list[0])
		return
	case 0:
		list = r.suggested(text)
	}
	d.Asked, d.Which = text, r.addOptions(d, list)
}

// suggested returns the entities whose names start with a text, or, if there are none, those
// whose names are similar to words of the text.
func (r *request) suggested(text string) []uint32 {
	if r.Index == nil {
		return nil
	}
	all := r.Build.Select(&view.Filter{})
	text = indexes.Unquoted(text)
	list, _ := r.Index.Suggest(text, all, maxSuggested)
	if len(list) == 0 {
		if words := indexes.Words(text); len(words) > 0 {
			text = strings.Join(words[:min(len(words), maxMeant)], " ")
		}
		list = r.Index.Alternatives(text, all, maxSuggested)
	}
	return list
}

// addOptions returns links to comparisons. Each adds one of the given entities to the current
// comparison.
func (r *request) addOptions(d *comparePage, list []uint32) []link {
	return r.linksTo(list, func(e *record.Entity) string {
		if slices.Contains(d.keys(), e.Key()) {
			return ""
		}
		return comparePath(append(d.keys(), e.Key())...)
	})
}

// suggestionsPage renders what scripts show while the user types, as links that a function makes.
func (r *request) suggestionsPage(text string, links func([]uint32) []link) (*page, error) {
	list := r.suggested(text)
	if named := r.Build.FindByName(text, maxSuggested); len(named) > 0 {
		list = append(named, slices.DeleteFunc(list, func(o uint32) bool { return slices.Contains(named, o) })...)
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return record.CompareBools(r.deprecated(a), r.deprecated(b)) })
	var b bytes.Buffer
	if err := r.templates["compare"].ExecuteTemplate(&b, "suggestions", links(list[:min(maxSuggested, len(list))])); err != nil {
		return nil, err
	}
	return file(htmlType, b.Bytes(), 0), nil
}

// exampleComparisons returns comparisons of the best of each type with similar entities.
func (r *request) exampleComparisons() (list []link) {
	for _, t := range r.types() {
		best, _, _ := r.Build.Page(r.Build.Board(view.AllBoard, t, "composite"), view.DefaultSort, nil, 0, 1)
		for _, o := range best {
			a := item{Entity: r.Build.Entity(o), ordinal: o}
			for _, s := range r.comparisonsOf(a) {
				s.Name = textfmt.Name(a.Name) + " and " + textfmt.Name(s.Name)
				list = append(list, s)
			}
		}
	}
	return list
}

// comparisonsOf returns comparisons of an entity with similar entities.
func (r *request) comparisonsOf(c item) []link {
	list := each(r.Build.Similar(c.ordinal), func(n exports.Neighbour) uint32 { return n.Ordinal })
	return r.linksTo(list[:min(maxNear, len(list))], func(e *record.Entity) string { return comparePath(c.Key(), e.Key()) })
}
