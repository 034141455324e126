package pages

import (
	"encoding/json"
	"strconv"

	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// searchTexts is the maximum number of entities for which the search file of a static
// site includes descriptions; with more entities, it would be too large to load.
const searchTexts = 20_000

// searchFields lists the columns of the search file.
var searchFields = []string{"type", "slug", "name", "provider", "description", "category", "tags", "license", "pricingModel", "composite", "rank", "lastUpdated",
	"family", "modality", "openWeights", "maintenance"}

// searchFile renders the file that the search on a static site uses: a row for each
// entity, best first, with the columns named once, and the synonyms.
func (r *request) searchFile() (*page, error) {
	if !r.Static {
		return r.notFound(), nil
	}
	all := r.Build.Select(&view.Filter{})
	list := r.Build.InRankOrder(all)
	titles := map[string]string{}
	for _, c := range r.Categories {
		titles[c.Slug] = textfmt.Name(c.Title)
	}
	groups := r.Build.Synonyms()
	if groups == nil {
		groups = [][]string{}
	}
	b, err := json.Marshal(map[string]any{"fields": searchFields, "categories": titles, "synonyms": groups})
	if err != nil {
		return nil, err
	}
	b = append(b[:len(b)-1], `,"rows":[`...)
	for i, o := range list {
		e := r.Build.Entity(o)
		rank := r.Boards.Rank(o)
		text := textfmt.Truncate(safetext.OneLine(e.Description), textfmt.MaxLineLen)
		if len(list) > searchTexts {
			text = ""
		}
		row, err := json.Marshal([]any{e.Type, e.Slug, textfmt.Name(e.Name), textfmt.Name(e.Provider), text, e.Category, names(e.Tags), textfmt.Name(e.License),
			e.PricingModel, e.Scores.Composite, rank, e.LastUpdated, textfmt.Name(e.Values.Text("family")), names(e.Values.Texts("modalities.input")), e.Values.Answer("openWeights"), e.Maintenance.State})
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, row...)
	}
	return &page{body: append(b, "]}\n"...), mediaType: "application/json"}, nil
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
	rank := r.Boards.Rank(o)
	body := append([]byte(nil), r.Build.Record(o)...)
	body = append(body[:len(body)-1], `,"rank":`...)
	if rank > 0 {
		body = strconv.AppendInt(body, int64(rank), 10)
	} else {
		body = append(body, "null"...)
	}
	return &page{body: append(body, "}\n"...), mediaType: "application/json"}, nil
}
