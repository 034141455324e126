package pages

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site"
	"kindex/site/textfmt"
)

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

// relationGroup lists what is related to an entity in one way.
type relationGroup struct {
	Title string
	Rows  []link
	More  int // that are not listed
}

// relations returns what a record's fields name, and what names the record, by field. The provider stands
// among the facts, and who has results of the record among those.
func (s *Site) relations(o uint32) (groups []relationGroup) {
	type way struct {
		field   string
		inverse bool
	}
	at := map[way]int{}
	for _, rel := range s.Build.Relations(o) {
		if rel.Field == byProvider.Field && !rel.Inverse || rel.Field == view.ResultsField && rel.Inverse {
			continue
		}
		key := way{rel.Field, rel.Inverse}
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, relationGroup{Title: rel.Title})
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
	Groups  []resultGroup
	Best    bool // the best are first, or else the newest
	Omitted int
}

// resultGroup lists results that can be compared.
type resultGroup struct {
	Title  string
	Metric string // that all of them have, or ""
	Rows   []figure
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
		g := resultGroup{Title: list[0].Dataset, Metric: list[0].Metric}
		if v := list[0].Version; v != "" {
			g.Title = textfmt.Capitalize(joined(g.Title, "version "+v))
		}
		if slices.ContainsFunc(list, func(r view.Result) bool { return r.Metric != g.Metric }) {
			g.Metric = ""
		}
		g.Rows = each(list, func(r view.Result) figure {
			f := readAt(r.Date, r.Source)
			f.Name, f.To, f.Value = cmp.Or(s.Build.Entity(r.Ordinal).Name, s.Build.Entity(r.Ordinal).Slug), s.path(r.Ordinal), textfmt.Count(r.Value)
			if f.How, f.By = joined(r.Harness, r.Variant), joined(r.By, r.Publisher); g.Metric == "" {
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
