package pages

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// addresses returns the deprecation notice of an entity, and its links in the order of
// the declaration. The entity's URL comes first, unless one of the links has the same URL.
func (s *Site) addresses(e *record.Entity) (list []link, ended *link) {
	own := record.NormalizeURL(e.URL)
	for _, wanted := range s.kinds().Links {
		stated := first(e.Links, func(l record.Link) bool { return l.Name == wanted.Name })
		switch l := (link{Name: wanted.Title, To: textfmt.WebURL(stated.URL)}); {
		case l.To == "":
		case wanted.Name == "deprecation":
			ended = &l
		default:
			if list = append(list, l); record.NormalizeURL(stated.URL) == own {
				own = ""
			}
		}
	}
	if to := textfmt.WebURL(e.URL); to != "" && own != "" {
		list = slices.Insert(list, 0, link{Name: "Website", To: to})
	}
	return list, ended
}

// factNames returns the columns that the facts of a kind list: what its blocks compute, its steady signals, its
// fields and the core. References are not among them: the relations of the page name the entities.
func (s *Site) factNames(kind string) []string {
	list := []string{"price"}
	k := s.kinds().Kind(kind)
	for _, x := range k.Signals {
		said := func(leaf *kinds.Field) bool { return leaf.Signal == x.Name && k.Has(leaf) }
		if x.Steady && !x.IsDay() && x.Maximum == nil && !slices.ContainsFunc(s.kinds().Leaves(), said) {
			list = append(list, x.Name)
		}
	}
	list = append(list, "license", "version", "pricingModel", "maintenance")
	for _, f := range k.Fields {
		if f.Words() != kinds.Reference {
			list = append(list, columnsOf(f)...)
		}
	}
	return append(list, "provider", "category", "addedDate", "lastUpdated")
}

// facts returns the known ones among some columns, with when they were read; on a card, in short.
func (s *Site) facts(e *record.Entity, names []string, card bool) (list []fact) {
	for _, name := range names {
		c := s.column(name)
		x := c.cell(&item{Entity: e})
		if name == "board" || safetext.OneLine(x.Text) == "" { // the place on a board has a line of its own
			continue
		}
		if k := first(s.facetKinds, func(k *facetKind) bool { return k.fact == name }); k != nil && !card {
			x.Links = s.valueLinks(k, e.FieldValues(k.Field))
		}
		if card {
			x.Full, x.Figure = strings.TrimSpace(x.Text+" "+c.Unit), x.Figure && x.Said != ""
		}
		if x.Note = x.Said; x.Figure {
			x.Note = joined(x.Said, asOfNote(x.Read))
		}
		list = append(list, fact{c.Title, x})
	}
	return list
}

// licenseID matches strings that look like a single SPDX identifier. Content may also contain
// expressions and LicenseRef references.
var licenseID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,60}$`)

// licenseText returns the URL of a licence text, or "" if id is not a single identifier.
func licenseText(id string) string {
	if !licenseID.MatchString(id) || strings.HasPrefix(id, "LicenseRef-") {
		return ""
	}
	return "https://spdx.org/licenses/" + id + ".html"
}

// figure is one observation.
type figure struct {
	Name    string
	To      string // path of what has it, or "" if that is the page's entity
	How     string // how it was measured
	By      string // who measured it
	Unit    string
	Value   string
	Date    string // when the figure was observed
	Address string // URL of the source, or "" if it is not a web address
	Source  string // the source's host, or its text if it is not a web address
}

// figureTable is a table of figures. The last ones are folded if there are many.
type figureTable struct {
	Name  string // of several figures
	One   string // of one
	About string // which of several tables it is, or ""
	By    bool   // it says who measured them
	Rows  []figure
	Rest  *figureTable
}

// newFigureTable returns a table of figures, which folds those after the first most unless they are few.
func newFigureTable(name, about string, rows []figure, most int) *figureTable {
	t := &figureTable{Name: name, About: about, One: strings.TrimSuffix(name, "s"), Rows: rows}
	t.By = slices.ContainsFunc(rows, func(g figure) bool { return g.By != "" })
	rest := *t
	if t.Rest, rest.Rows = &rest, nil; len(rows) > most+3 {
		t.Rows, rest.Rows = rows[:most], rows[most:]
	}
	return t
}

func (s *Site) figures(e *record.Entity) (signals, results []figure) {
	for _, f := range e.Signals.Facts {
		g := readAt(f.Date, f.Source)
		if g.Name, g.Value = s.label(f.Name), textfmt.Day(f.Day); f.Day == "" {
			g.Value = textfmt.Count(f.Number)
		}
		if t := s.kinds().Signal(f.Name); t != nil && !t.IsDay() {
			g.Unit = t.Unit
		}
		signals = append(signals, g)
	}
	for _, b := range e.Signals.Benchmarks[:min(entityResults, len(e.Signals.Benchmarks))] {
		g := readAt(b.Date, b.Source)
		g.Name, g.Value = b.FoldedName(), textfmt.Count(b.Value)
		results = append(results, g)
	}
	return signals, results
}

// readAt returns a figure that was read on a day at a source.
func readAt(day, source string) figure {
	g := figure{Date: textfmt.ISODay(day), Address: textfmt.WebURL(source), Source: textfmt.Host(source)}
	if g.Address == "" || g.Source == "" {
		g.Source = textfmt.Name(source)
	}
	return g
}

// source is the content file of an entity.
type source struct {
	File    string // path within the repository
	Edit    string // URL of an editor for the file, or "" if there is none
	Forge   string // host of the editor, if that is the only way to suggest a change
	Suggest string // URL of the form, or "" if there is none
	How     string // path of the page about proposing changes, if there is no form
	Updated string // day of the file's last change
}

func (s *Site) sourceOf(e *record.Entity) source {
	file := e.Type + "/" + e.Slug + ".yaml"
	c := source{File: s.contentFolder() + "/" + file, Edit: textfmt.WebURL(s.Build.Manifest.Repository.Edit(file)), Updated: textfmt.ISODay(e.LastUpdated)}
	switch form := siteurl.Submit + "?" + singleQuery("e", e.Key()); {
	case s.served() && s.Static:
		c.Suggest = s.api(form)
	case s.served():
		c.Suggest = s.to(form)
	default:
		c.How, c.Forge = siteurl.Submit, textfmt.Host(c.Edit)
	}
	return c
}

func singleQuery(key, value string) string { return url.Values{key: {value}}.Encode() }

// link is a page of this site, or an external URL that has passed textfmt.WebURL, with what it is.
type link struct{ Name, To, Note string }

// fact is an entry in the list of facts.
type fact struct {
	Name string
	cell
}

// Value returns the value in words.
func (f fact) Value() string { return cmp.Or(f.Full, f.Text) }

func asOfNote(day string) string {
	if day = textfmt.ISODay(day); day == "" {
		return "date unknown"
	}
	return "as of " + textfmt.Day(day)
}

// maxBrief is the number of reasons on an entity's page.
const maxBrief = 2

// similarRow is an entity similar to the page's entity.
type similarRow struct {
	*record.Entity
	Reasons []string
	Brief   []string // the most important ones; beside others, the category is left out, because alternatives share it
	Job     bool     // one of them says what both do
	Compare string   // path of a comparison of the two entities
}

// similar returns at most the given number of alternatives, which do the same job: active ones first, then by score;
// and of related entities, which are used together with the entity or are about the same subject: most similar first.
func (s *Site) similar(e *record.Entity, o uint32, most int) (alike, related []similarRow) {
	var alternatives, others []exports.Neighbour
	for _, n := range s.Build.Similar(o) {
		if n.Alternative {
			alternatives = append(alternatives, n)
		} else {
			others = append(others, n)
		}
	}
	slices.SortFunc(alternatives, func(a, b exports.Neighbour) int {
		return cmp.Or(record.CompareBools(s.deprecated(a.Ordinal), s.deprecated(b.Ordinal)), cmp.Compare(s.Build.SortPosition(a.Ordinal), s.Build.SortPosition(b.Ordinal)))
	})
	return s.similarRows(e, alternatives[:min(most, len(alternatives))]), s.similarRows(e, others[:min(most, len(others))])
}

func (s *Site) deprecated(o uint32) bool {
	set := s.Build.Bitmap("status", record.Deprecated)
	return set != nil && set.Contains(o)
}

func (s *Site) similarRows(e *record.Entity, near []exports.Neighbour) (list []similarRow) {
	for _, n := range near {
		other, shared := s.Build.Entity(n.Ordinal), map[string]int{} // places of reasons by kind
		var reasons []string
		for i, id := range n.Reasons {
			shared[s.Build.Feature(id).Kind] = i + 1
			reasons = append(reasons, site.Reason(s.Build.Feature(id), s.titles))
		}
		brief := slices.Clone(reasons)
		job := shared["tag"]+shared["capability"] > 0
		if i := shared["category"]; i > 0 && (job || shared["provider"] > 0) {
			brief = slices.Delete(brief, i-1, i)
		}
		list = append(list, similarRow{Entity: other, Reasons: reasons, Brief: brief[:min(maxBrief, len(brief))], Job: job,
			Compare: "/compare/?" + singleQuery("e", e.Key()) + "&" + singleQuery("e", other.Key())})
	}
	return list
}

// maxRelations is the maximum number of entities that a page lists for each relation.
const maxRelations = 150

// relations returns what a record's fields name, and what names the record, by field. The provider stands
// among the facts, and who has results of the record among those.
func (s *Site) relations(o uint32) (groups []group[link]) {
	at := map[view.Relation]int{}
	for _, rel := range s.Build.Relations(o) {
		if rel.Field == byProvider.Field && !rel.Inverse || rel.Field == view.ResultsField && rel.Inverse {
			continue
		}
		key := view.Relation{Field: rel.Field, Inverse: rel.Inverse}
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, group[link]{Title: rel.Title})
		}
		g := &groups[at[key]]
		if len(g.Rows) == maxRelations {
			g.More++
			continue
		}
		g.Rows = append(g.Rows, link{Name: textfmt.Name(s.Build.Entity(rel.Ordinal).Name), To: s.path(rel.Ordinal)})
	}
	return groups
}

// maxResults is the maximum number of results of a benchmark on its page.
const maxResults = 500

type resultList struct {
	Groups  []group[figure] // that can be compared; their note is the metric that all of them have, or ""
	Best    bool            // the best are first, or else the newest
	Omitted int
}

// resultsOf returns the results that name a record, or nil if there are none.
func (s *Site) resultsOf(o uint32) *resultList {
	all, best := s.Build.Results(o)
	l, left := &resultList{Best: best}, maxResults
	for _, list := range all {
		l.Omitted += max(0, len(list)-left)
		list = list[:min(left, len(list))]
		if left -= len(list); len(list) == 0 {
			continue
		}
		g := group[figure]{Title: list[0].Dataset, Note: list[0].Metric}
		if v := list[0].Version; v != "" {
			g.Title = textfmt.Capitalize(joined(g.Title, "version "+v))
		}
		if slices.ContainsFunc(list, func(r view.Result) bool { return r.Metric != g.Note }) {
			g.Note = ""
		}
		g.Rows = each(list, func(r view.Result) figure {
			f := readAt(r.Date, r.Source)
			f.Name, f.To, f.Value = cmp.Or(s.Build.Entity(r.Ordinal).Name, s.Build.Entity(r.Ordinal).Slug), s.path(r.Ordinal), textfmt.Count(r.Value)
			if f.How, f.By = joined(r.Harness, r.Variant), joined(r.By, r.Publisher); g.Note == "" {
				f.Unit = r.Metric
			}
			return f
		})
		l.Groups = append(l.Groups, g)
	}
	if l.Groups == nil {
		return nil
	}
	return l
}

// joined lists the words that are not empty.
func joined(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
