package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kindex/exports/where"
)

// page has the members that all lists in the API have in common.
type page struct {
	Data       []json.RawMessage `json:"data"`
	Count      int               `json:"count"`
	NextCursor *string           `json:"nextCursor"`

	Suggestions []struct {
		Type string `json:"type"`
		Slug string `json:"slug"`
		Name string `json:"name"`
	} `json:"suggestions"`
	Dropped []string `json:"dropped"` // words that some matches lack
	// What the API says about a board.
	Title     string `json:"title"`
	Needs     string `json:"needs"`
	FiguresOf struct {
		Oldest string `json:"oldest"`
		Newest string `json:"newest"`
	} `json:"figuresOf"`

	Window string `json:"window"`
	Since  string `json:"since"`
	AsOf   string `json:"asOf"`
}

// listing is the result of the tools that list entities.
type listing struct {
	Total      int      `json:"total"`
	Results    []brief  `json:"results"`
	NextOffset *int     `json:"nextOffset,omitempty"`
	Nearest    []string `json:"nearest,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// list requests a page of entities.
func list(ctx context.Context, api API, path string, q url.Values, v values) (*listing, *page, error) {
	var p page
	if _, err := askFor(ctx, api, path, q, &p); err != nil {
		return nil, nil, err
	}
	l := &listing{Total: p.Count, Results: []brief{}}
	for _, raw := range p.Data {
		var r entity
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, nil, fmt.Errorf("cannot read a record: %w", err)
		}
		b := r.brief()
		if v.yes("full") {
			b.Record = raw
		}
		l.Results = append(l.Results, b)
	}
	if next := v.offset() + len(p.Data); p.NextCursor != nil && len(p.Data) > 0 {
		l.NextOffset = &next
	}
	return l, &p, nil
}

// text formats a listing under the given first line.
func (l *listing) text(first string, from int, ranked bool) string {
	var b strings.Builder
	b.WriteString(first + "\n")
	for i, r := range l.Results {
		n := from + i + 1
		if ranked && r.Rank != nil {
			n = *r.Rank
		}
		fmt.Fprintf(&b, "%d. %s\n", n, r.line())
	}
	if len(l.Nearest) > 0 {
		b.WriteString("Nearest: " + strings.Join(l.Nearest, ", ") + "\n")
	}
	if l.Note != "" {
		b.WriteString(l.Note + "\n")
	}
	if l.NextOffset != nil {
		fmt.Fprintf(&b, "More available: call again with offset %d.\n", *l.NextOffset)
	}
	return b.String()
}

func (t *tools) search(ctx context.Context, v values) (any, string, error) {
	q := params(v, t.args("search"), slices.Concat([]string{"query", "limit", "offset"}, where.Filters)...)
	l, p, err := list(ctx, t.api, "/api/search", q, v)
	if err != nil {
		return nil, "", err
	}
	for _, s := range p.Suggestions {
		l.Nearest = append(l.Nearest, s.Type+"/"+s.Slug)
	}
	if l.Total == 0 {
		l.Note = "Use fewer or different words, or remove filters."
	} else if len(p.Dropped) > 0 {
		l.Note = "Few entities have all words; some lack " + quoted(strings.Join(p.Dropped, ", ")) + "."
	}
	return l, l.text(counted(l.Total, "entity found.", "entities found."), v.offset(), false), nil
}

func (t *tools) leaderboard(ctx context.Context, v values) (any, string, error) {
	q := params(v, t.args("leaderboard"), "type", "by", "limit", "offset", "at")
	l, p, err := list(ctx, t.api, "/api/leaderboard/"+v.text("category"), q, v)
	if err != nil {
		return nil, "", err
	}
	of, by := v.text("category"), cmp.Or(v.text("by"), "composite")
	if p.Title != "" {
		of = "the board " + quoted(p.Title)
		by = strings.TrimSuffix(cmp.Or(v.text("by"), boardScore), "Score")
	}
	first := fmt.Sprintf("%s of %s by %s score, highest first", counted(l.Total, "entity", "entities"), of, by)
	if p.AsOf != "" && v.text("at") != "" {
		first += ", as of " + p.AsOf
	}
	if l.Total == 0 {
		l.Note = "No entity on this leaderboard has this score; search also lists entities without it."
	}
	first += "."
	if p.Needs != "" {
		first += " " + quoted(p.Needs)
	}
	if p.FiguresOf.Newest != "" {
		first += " Figures from " + word(p.FiguresOf.Oldest) + " to " + word(p.FiguresOf.Newest) + "."
	}
	return l, l.text(first, v.offset(), true), nil
}

// boardScore is the score of an entity on a board.
const boardScore = "boardScore"

// byScore is the argument of trending for gains in score; the others are signals.
const byScore = "score"

func (t *tools) trending(ctx context.Context, v values) (any, string, error) {
	q := params(v, t.args("trending"), "window", "by", "type", "category", "limit")
	l, p, err := list(ctx, t.api, "/api/trending", q, v)
	if err != nil {
		return nil, "", err
	}
	what, none := counted(l.Total, "trending entity", "trending entities"), "No entity is trending in this window"
	if by := cmp.Or(v.text("by"), byScore); by != byScore {
		what, none = counted(l.Total, "entity", "entities")+" with growth in "+by, "No figure of this kind has grown in this window"
	}
	if l.Total == 0 {
		l.Note = none + ", or the history does not go back far enough. changes_since lists all changes."
	}
	return l, l.text(fmt.Sprintf("%s since %s, largest gain first.", what, p.Since), 0, false), nil
}

func (t *tools) similar(ctx context.Context, v values) (any, string, error) {
	q := params(v, t.args("similar"), "kind", "limit")
	l, _, err := list(ctx, t.api, "/api/entity/"+v.text("entity")+"/similar", q, v)
	if err != nil {
		return nil, "", err
	}
	first := fmt.Sprintf("%s like %s, most similar first.", counted(l.Total, "entity", "entities"), v.text("entity"))
	return l, l.byKind(first), nil
}

// byKind formats similar entities under one heading for each kind, with continuous numbers.
// Services of earlier versions return entities without a kind.
func (l *listing) byKind(first string) string {
	var b strings.Builder
	b.WriteString(first + "\n")
	n := 0
	for _, kind := range []struct{ name, heading string }{{"", ""}, {"alternative", "Alternatives:\n"}, {"related", "Related, not alternatives:\n"}} {
		heading := kind.heading
		for _, r := range l.Results {
			if r.Kind == kind.name {
				n++
				fmt.Fprintf(&b, "%s%d. %s\n", heading, n, r.line())
				heading = ""
			}
		}
	}
	return b.String()
}
