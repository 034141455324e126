package site

import (
	"fmt"
	"net/url"
	"slices"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Map is the data for llms.txt.
type Map struct {
	Manifest   *store.Manifest
	Base       string // the URL of the service, without a trailing slash
	Categories []record.Category
	Boards     []*board.Board   // the published boards
	Leaders    []*record.Entity // the highest-ranked entities, highest first
}

// LLMs renders llms.txt in the format of llmstxt.org: a title, a summary as a block
// quotation, and lists of links with notes. Readers may skip the Optional section.
func LLMs(m *Map) []byte {
	w, b, d := &markdown{}, m.Base, m.Manifest
	w.line("# " + text(d.Title))
	w.line("> " + block(d.Description))
	w.line(fmt.Sprintf("%d entities in %d categories, %d of them ranked, with scores as of %s (build %s). Figures have the date and the source that the content states. "+
		"An entity is identified by its type (%s) and slug; append `.md` to its URL for Markdown. "+
		"Requests under `/api` have a daily limit; the `X-RateLimit-Remaining` header of each response states how many are left. Errors are JSON and suggest corrections.",
		d.Counts.Entities, d.Counts.Categories, d.Counts.Ranked, text(d.AsOf[:min(10, len(d.AsOf))]), text(d.ID), typeNames(d)))
	w.line("## API")
	w.list([]string{
		link("OpenAPI description", b+"/api/openapi?format=yaml") + ": every endpoint with its parameters, responses and errors; requests for it do not count towards the limit",
		link("Documentation", b+"/docs/api") + ": the human-readable API reference, with a console for trying out requests",
		link("MCP server", b+"/mcp") + ": tools for searching, looking up, ranking and comparing entities over the Model Context Protocol (streamable HTTP, POST)",
		link("Search", b+"/api/search?q=gradient+boosting") + ": full-text search with filters, facets and suggestions",
		link("Entities", b+"/api/entities") + ": all entities, with filters, sorting and paging",
		link("Leaderboard of all categories", b+"/api/leaderboard/all") + ": the ranked entities and their movement over the last seven days",
		link("Trending", b+"/api/trending") + ": the entities whose scores rose the most",
		link("Changes", b+"/api/changelog") + ": every change with its old and new values; continue from your last request with `since`",
		link("Offers", b+"/api/offers") + ": what providers charge for models, cheapest first, with filters; `/api/cost?model=&input=&output=` calculates what your usage costs",
		link("Scoring formula", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.ScoringFile) + ": how scores are calculated; `/api/entity/{type}/{slug}/score` explains a single score",
	})
	m.categories(w)
	m.leaders(w)
	w.line("## Downloads")
	w.list([]string{
		link("All entities, JSON Lines", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.EntitiesFile+".jsonl") + ": 20 fields each; the content at this URL never changes, and downloads are not limited",
		link("All entities, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.EntitiesFile+".parquet"),
		link("Entities with every column, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.FullFile+".parquet") + ": status, maintenance, rank, prices and links as well",
		link("Signals, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.SignalsFile+".parquet") + ": one row per figure, with its day and source; benchmarks, offers and ids are tables like it",
		link("Manifest", b+"/api/export/manifest") + ": every file in the current build, with its size and SHA-256, and who signed the build",
		link("Croissant", b+"/api/export/croissant") + ": a description of the files as a machine-learning dataset, with the types of all fields",
	})
	w.line("## Optional")
	w.list([]string{
		link("TypeScript client", b+"/api/sdk/typescript") + ": install this URL with `npm install`",
		link("Python client", b+"/api/sdk/python") + ": install this URL with `pip install`",
		link("Feed", b+"/api/feed?format=json") + ": the latest changes as JSON Feed, RSS or Atom",
	})
	return w.Bytes()
}

func (m *Map) categories(w *markdown) {
	var items []string
	for _, b := range m.Boards {
		items = append(items, link(b.Title, m.Base+"/api/leaderboard/"+url.PathEscape(b.Slug))+": "+text(b.Description))
	}
	for _, c := range m.Categories {
		item := link(c.Title, m.Base+"/api/leaderboard/"+url.PathEscape(c.Slug)) + fmt.Sprintf(": %d entities", c.Count)
		if c.Description != "" {
			item += "; " + text(string(c.Description))
		}
		items = append(items, item)
	}
	if len(items) > 0 {
		w.line("## Leaderboards")
		w.list(items)
	}
}

func (m *Map) leaders(w *markdown) {
	var items []string
	for _, e := range m.Leaders {
		items = append(items, link(e.Name, Address(m.Base, e.Type, e.Slug))+": "+text(e.Description))
	}
	if len(items) > 0 {
		w.line("## Leading entities")
		w.list(items)
	}
}

func typeNames(m *store.Manifest) string {
	var names []string
	for name := range m.Counts.Types {
		names = append(names, name)
	}
	slices.Sort(names)
	return texts(names)
}
