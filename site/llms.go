package site

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/site/textfmt"
)

// Map is the data for llms.txt.
type Map struct {
	Manifest   *store.Manifest
	Kinds      *kinds.Set // of the index; nil for the default
	Base       string     // the URL of the service, without a trailing slash
	Categories []record.Category
	Boards     []*board.Board   // the published boards
	Leaders    []*record.Entity // the highest-ranked entities, highest first
	Limited    bool             // requests are counted towards a daily limit
}

// LLMs renders llms.txt in the format of llmstxt.org: a title, a summary as a block
// quotation, and lists of links with notes. Readers may skip the Optional section.
func LLMs(m *Map) []byte {
	w, b, d := &Markdown{}, m.Base, m.Manifest
	w.Line("# " + Text(d.Title))
	w.Line("> " + Block(cmp.Or(d.Description, "An index of "+m.plurals()+".")))
	ranked, limit := "", ""
	if m.Limited {
		limit = " Requests under `/api` have a daily limit; the `X-RateLimit-Remaining` header of each response states how many are left."
	}
	if d.Counts.Ranked > 0 {
		ranked = fmt.Sprintf(", %d of them ranked, with scores", d.Counts.Ranked)
	}
	w.Line(fmt.Sprintf("%s in %s%s as of %s (build %s). Figures have the date and the source that the content states. "+
		"An entity is identified by its type (%s) and slug; `/api/entity/TYPE/SLUG.md` is its record in Markdown.%s Errors are JSON and suggest corrections.",
		textfmt.Plural(d.Counts.Entities, "entity", "entities"), textfmt.Plural(d.Counts.Categories, "category", "categories"), ranked, Text(d.AsOf[:min(10, len(d.AsOf))]), Text(d.ID), Text(strings.Join(slices.Sorted(maps.Keys(d.Counts.Types)), ", ")), limit))
	w.Line("## API")
	list := []string{
		Link("OpenAPI description", b+"/api/openapi?format=yaml") + ": every endpoint with its parameters, responses and errors; requests for it do not count towards the limit",
		Link("Documentation", b+"/docs/api") + ": the human-readable API reference, with a console for trying out requests",
		Link("MCP server", b+"/mcp") + ": searching, looking up and comparing entities over the Model Context Protocol (streamable HTTP, POST)",
		Link("Search", b+"/api/search?q=WORDS") + ": full-text search with filters, facets and suggestions",
		Link("Entities", b+"/api/entities") + ": all entities, with filters, sorting and paging",
		Link("Changes", b+"/api/changelog") + ": every change with its old and new values; continue from your last request with `since`",
	}
	if d.Counts.Ranked > 0 {
		list = append(list, Link("Leaderboard of all categories", b+"/api/leaderboard/all")+": the ranked entities and their movement over the last seven days",
			Link("Trending", b+"/api/trending")+": the entities whose scores rose the most",
			Link("Scoring formula", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.ScoringFile)+": how scores are calculated; `/api/entity/{type}/{slug}/score` explains a single score")
	}
	tables := []string{"ids"}
	if m.has(kinds.Results) {
		tables = append(tables, "benchmarks")
	}
	if m.has(kinds.Offers) {
		tables = append(tables, "offers")
		list = append(list, Link("Offers", b+"/api/offers")+": what providers charge for models, cheapest first, with filters; `/api/cost?model=&input=&output=` calculates what your usage costs")
	}
	w.List(list)
	m.categories(w)
	m.leaders(w)
	w.Line("## Downloads")
	w.List([]string{
		Link("All entities, JSON Lines", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.EntitiesFile+".jsonl") + ": 20 fields each; the content at this URL never changes, and downloads are not limited",
		Link("All entities, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.EntitiesFile+".parquet"),
		Link("Entities with every column, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.FullFile+".parquet") + ": status, links and everything that the index declares as well",
		Link("Signals, Parquet", b+"/data/"+url.PathEscape(d.ID)+"/"+exports.SignalsFile+".parquet") + ": one row per figure, with its day and source; tables like it: " + strings.Join(tables, ", "),
		Link("Manifest", b+"/api/export/manifest") + ": every file in the current build, with its size and SHA-256, and who signed the build",
		Link("Croissant", b+"/api/export/croissant") + ": a description of the files as a machine-learning dataset, with the types of all fields",
	})
	w.Line("## Optional")
	w.List([]string{
		Link("TypeScript client", b+"/api/sdk/typescript") + ": install this URL with `npm install`",
		Link("Python client", b+"/api/sdk/python") + ": install this URL with `pip install`",
		Link("Feed", b+"/api/feed?format=json") + ": the latest changes as JSON Feed, RSS or Atom",
	})
	return w.Bytes()
}

// plurals names the kinds of the index.
func (m *Map) plurals() string {
	var list []string
	for _, k := range cmp.Or(m.Kinds, kinds.Default()).Kinds {
		list = append(list, kinds.InSentence(k.Plural))
	}
	return textfmt.JoinAnd(list)
}

func (m *Map) has(block string) bool { return cmp.Or(m.Kinds, kinds.Default()).HasBlock(block) }

func (m *Map) categories(w *Markdown) {
	var items []string
	for _, b := range m.Boards {
		items = append(items, Link(b.Title, m.Base+"/api/leaderboard/"+url.PathEscape(b.Slug))+": "+Text(b.Description))
	}
	for _, c := range m.Categories {
		path := "/api/leaderboard/" + url.PathEscape(c.Slug)
		if m.Manifest.Counts.Ranked == 0 {
			path = "/api/entities?category=" + url.QueryEscape(c.Slug)
		}
		item := Link(c.Title, m.Base+path) + ": " + textfmt.Plural(c.Count, "entity", "entities")
		if c.Description != "" {
			item += "; " + Text(string(c.Description))
		}
		items = append(items, item)
	}
	title := "Leaderboards"
	if m.Manifest.Counts.Ranked == 0 {
		title = "Categories"
	}
	w.Section(title, items)
}

func (m *Map) leaders(w *Markdown) {
	var items []string
	for _, e := range m.Leaders {
		items = append(items, Link(e.Name, MarkdownURL(m.Base, e.Type, e.Slug))+": "+Text(e.Description))
	}
	w.Section("Leading entities", items)
}

// Markdown is a document in CommonMark with GitHub's tables. It consists of blocks separated by empty lines,
// of text that [Text], [Block], [Link] and [Autolink] have escaped.
type Markdown struct{ bytes.Buffer }

// Line writes a block that consists of one line.
func (w *Markdown) Line(s string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(s + "\n")
}

// List writes a bulleted list, unless it is empty.
func (w *Markdown) List(items []string) {
	if len(items) > 0 {
		w.Line("- " + strings.Join(items, "\n- "))
	}
}

// Table writes a section with a table, unless it is empty.
func (w *Markdown) Table(heading string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	w.Line("## " + heading)
	w.Line("| " + strings.Join(head, " | ") + " |")
	w.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, r := range rows {
		w.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
}

// Section writes a section with a list, unless it is empty.
func (w *Markdown) Section(heading string, items []string) {
	if len(items) > 0 {
		w.Line("## " + heading)
		w.List(items)
	}
}

// MarkdownURL returns the URL of an entity's Markdown page.
func MarkdownURL(base, typ, slug string) string {
	return base + "/api/entity/" + url.PathEscape(typ) + "/" + url.PathEscape(slug) + ".md"
}
