package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kindex/exports/where"
)

// page has the members that lists in the API have.
type page struct {
	Data        []json.RawMessage
	Count       int
	NextCursor  *string
	Suggestions []entity
	Dropped     []string // words that some matches lack
	about
}

// about is what the API says about a list, and a result repeats.
type about struct {
	Title     string         `json:"title,omitempty"` // of a board, like the next two
	Needs     string         `json:"needs,omitempty"`
	FiguresOf map[string]any `json:"figuresOf,omitempty"`
	Since     string         `json:"since,omitempty"`
	AsOf      string         `json:"asOf,omitempty"`
}

// listing is the result of the tools that list entities or changes.
type listing struct {
	Total int `json:"total"`
	about
	Results    []facts  `json:"results"`
	NextOffset *int     `json:"nextOffset,omitempty"`
	Nearest    []string `json:"nearest,omitempty"`
	Note       string   `json:"note,omitempty"`
	records    []json.RawMessage
}

// complete implements partial.
func (l *listing) complete() {
	for i, r := range l.records {
		l.Results[i]["record"] = r
	}
}

// page requests a list and converts each of its items.
func (t *tools) page(ctx context.Context, v values, path string, q url.Values, convert func(entity) facts) (*listing, *page, error) {
	var p page
	if _, err := askFor(ctx, t.api, path, q, &p); err != nil {
		return nil, nil, err
	}
	l := &listing{Total: p.Count, about: p.about, Results: []facts{}}
	for _, raw := range p.Data {
		var e entity
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, nil, fmt.Errorf("cannot read an item of %s: %w", path, err)
		}
		l.Results = append(l.Results, convert(e))
	}
	if next := v.offset() + len(p.Data); p.NextCursor != nil && len(p.Data) > 0 {
		l.NextOffset = &next
	}
	return l, &p, nil
}

// list requests a page of entities. The note is for a list without any.
func (t *tools) list(ctx context.Context, v values, path string, q url.Values, note string) (any, error) {
	l, p, err := t.page(ctx, v, path, q, entity.brief)
	if err != nil {
		return nil, err
	}
	for _, s := range p.Suggestions {
		l.Nearest = append(l.Nearest, s.key())
	}
	if v.yes("full") {
		l.records = p.Data
	}
	if l.Total == 0 {
		l.Note = note
	} else if len(p.Dropped) > 0 {
		l.Note = fmt.Sprintf("Few entities have all words; some lack %q.", strings.Join(p.Dropped, ", "))
	}
	return l, nil
}

func (t *tools) search(ctx context.Context, v values) (any, error) {
	q := params(v, slices.Concat(where.Filters(t.kinds), []string{"limit", "offset"})...)
	q.Set("q", v.text("query"))
	return t.list(ctx, v, "/api/search", q, "Use fewer or different words, or remove filters.")
}

// boardScore is the score of an entity on a board.
const boardScore = "boardScore"

func (t *tools) leaderboard(ctx context.Context, v values) (any, error) {
	return t.list(ctx, v, "/api/leaderboard/"+v.text("category"), params(v, "type", "by", "limit", "offset", "at"),
		"No entity on this leaderboard has this score; search also lists entities without it.")
}

// byScore is the argument of trending for gains in score; the others are signals.
const byScore = "score"

func (t *tools) trending(ctx context.Context, v values) (any, error) {
	none := "No entity is trending in this window"
	if v.text("by") != byScore {
		none = "No figure of this kind has grown in this window"
	}
	return t.list(ctx, v, "/api/trending", params(v, "window", "by", "type", "category", "limit"),
		none+", or the history does not go back far enough. changes_since lists all changes.")
}

func (t *tools) similar(ctx context.Context, v values) (any, error) {
	return t.list(ctx, v, "/api/entity/"+v.text("entity")+"/similar", params(v, "kind", "limit"), "")
}
