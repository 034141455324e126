package pages

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// searchTexts is the maximum number of entities for which the search file of a static
// site includes descriptions; with more entities, it would be too large to load.
const searchTexts = 20_000

// searchFields lists the first columns of the search file. Those of the other filters follow, as lists.
var searchFields = []string{"type", "slug", "name", "provider", "description", "category", "tag", "license", "pricingModel", "composite", "rank", "lastUpdated"}

// searchFilter tells the script of a static site about a filter.
type searchFilter struct {
	Name   string            `json:"name"`
	Title  string            `json:"title"`
	Types  []string          `json:"types"`  // those that it concerns
	Titles map[string]string `json:"titles"` // of its values
}

// searchFilters describes the filters.
func (s *Site) searchFilters() (list []searchFilter) {
	all := s.Build.Select(&view.Filter{})
	for _, f := range s.facetNames() {
		x := searchFilter{f, s.filterTitle(f), []string{}, map[string]string{}}
		for _, t := range s.types() {
			if s.concerns(t, f) {
				x.Types = append(x.Types, t)
			}
		}
		for _, c := range s.Build.Facet(all, f, math.MaxInt) {
			if title := s.valueTitle(f, c.Value); f != "category" && title != c.Value {
				x.Titles[c.Value] = title
			}
		}
		list = append(list, x)
	}
	return list
}

// searchFile renders the file that the search on a static site uses: a row for each
// entity, best first, with the columns named once, and the synonyms.
func (r *request) searchFile() (*page, error) {
	if !r.Static {
		return r.notFound(), nil
	}
	filters := slices.DeleteFunc(r.facetNames(), func(f string) bool { return slices.Contains(searchFields, f) })
	list := r.Build.InRankOrder(r.Build.Select(&view.Filter{}))
	titles, plurals := map[string]string{}, map[string]string{}
	for _, c := range r.Categories {
		titles[c.Slug] = textfmt.Name(c.Title)
	}
	for _, t := range r.types() {
		plurals[t] = r.plurals(t)
	}
	rows := make([][]any, 0, len(list))
	for _, o := range list {
		e := r.Build.Entity(o)
		text := textfmt.Truncate(safetext.OneLine(e.Description), textfmt.MaxLineLen)
		if len(list) > searchTexts {
			text = ""
		}
		row := []any{e.Type, e.Slug, textfmt.Name(e.Name), textfmt.Name(e.Provider), text, e.Category, names(e.Tags), textfmt.Name(e.License),
			e.PricingModel, e.Scores.Composite, r.Boards.Rank(o), e.LastUpdated}
		for _, f := range filters {
			row = append(row, names(e.FieldValues(f)))
		}
		rows = append(rows, row)
	}
	b, err := json.Marshal(map[string]any{"fields": slices.Concat(searchFields, filters), "filters": r.searchFilters(), "types": plurals, "categories": titles,
		"synonyms": append([][]string{}, r.Build.Synonyms()...), "rows": rows})
	return &page{body: b, mediaType: "application/json"}, err
}

func names(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = textfmt.Name(s)
	}
	return out
}

// record renders an entity as the API returns it, with its rank on the overall
// leaderboard, or null if it has none.
func (r *request) record() (*page, error) {
	o, moved, ok := r.Build.Find(r.arg("type"), r.arg("slug"))
	if !r.Static || !ok || moved {
		return r.notFound(), nil
	}
	rank := "null"
	if n := r.Boards.Rank(o); n > 0 {
		rank = strconv.Itoa(n)
	}
	body := append([]byte(nil), r.Build.Record(o)...)
	body = append(body[:len(body)-1], `,"rank":`+rank...)
	return &page{body: append(body, "}\n"...), mediaType: "application/json"}, nil
}
