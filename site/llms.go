package site

import (
	"fmt"
	"net/url"
	"slices"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Map is what a language model is told first of the service.
type Map struct {
	Manifest   *store.Manifest
	Base       string // the address of the service, without a slash at its end
	Categories []record.Category
	Leaders    []*record.Entity // the best of all, the best first
}

// LLMs writes the map of a service in the form of llmstxt.org: a title, a summary in
// a quotation, and lists of links with notes. The last section is the one that may
// be left out.
func LLMs(m *Map) []byte {
	w, b, d := &markdown{}, m.Base, m.Manifest
	w.line("# " + text(d.Title))
	w.line("> " + block(d.Description))
	w.line(fmt.Sprintf("%d entities in %d categories, %d of them ranked, with scores as of %s (build %s). Every fact has a date and a source. "+
		"An entity is addressed by its type (%s) and its slug; put `.md` behind its address for Markdown. "+
		"Requests under `/api` are limited by the day: each answer tells the limit in `X-RateLimit-Remaining`. Errors are JSON and suggest what was probably meant.",
		d.Counts.Entities, d.Counts.Categories, d.Counts.Ranked, text(d.AsOf[:min(10, len(d.AsOf))]), text(d.ID), typeNames(d)))
	w.line("## Interface")
	w.list([]string{
		link("OpenAPI description", b+"/api/openapi?format=yaml") + ": every address with its parameters, answers and errors; it costs no request",
		link("Documentation", b+"/docs/api") + ": the same for people, to try out",
		link("MCP server", b+"/mcp") + ": tools to search, look up, rank and compare, by the Model Context Protocol (streamable HTTP, POST)",
		link("Search", b+"/api/search?q=gradient+boosting") + ": full text, with filters, facets and suggestions",
		link("Entities", b+"/api/entities") + ": all of them, filtered, sorted and paged",
		link("Leaderboard of all categories", b+"/api/leaderboard/all") + ": the ranked entities, and how they moved in seven days",
		link("Trending", b+"/api/trending") + ": what has gained most",
		link("Changes", b+"/api/changelog") + ": every change with its old and new values; `since` goes on where you were",
		link("Scoring formula", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.ScoringFile) + ": how scores are made; `/api/entity/{type}/{slug}/score` explains one",
	})
	m.categories(w)
	m.leaders(w)
	w.line("## Downloads")
	w.list([]string{
		link("All entities, JSON Lines", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.EntitiesFile+".jsonl") + ": 20 fields each; the bytes at this address never change, and it has no limit",
		link("All entities, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.EntitiesFile+".parquet"),
		link("Manifest", b+"/api/export/manifest") + ": every file of the current build with size and SHA-256",
		link("Croissant", b+"/api/export/croissant") + ": the files as a machine-learning dataset, with the types of all fields",
	})
	w.line("## Optional")
	w.list([]string{
		link("TypeScript client", b+"/api/sdk/typescript") + ": `npm install` takes this address",
		link("Python client", b+"/api/sdk/python") + ": `pip install` takes this address",
		link("Feed", b+"/api/feed?format=json") + ": the newest changes as JSON Feed, also as RSS and Atom",
	})
	return w.Bytes()
}

func (m *Map) categories(w *markdown) {
	var items []string
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
