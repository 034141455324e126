package api

import (
	"strings"
	"time"

	"kindex/edge/web"
	"kindex/exports/record"
)

const (
	MarkdownType   = "text/markdown; charset=utf-8"
	markdownSuffix = ".md"
)

// cutSuffix removes the extension from the slug in the path and returns it, or "" if there is
// none. Slugs never contain a dot.
func cutSuffix(c *web.Call, suffix string) string {
	for i := range c.Path {
		if p := &c.Path[i]; p.Key == "slug" {
			bare, found := strings.CutSuffix(p.Value, suffix)
			if !found {
				return ""
			}
			p.Value = bare
			return suffix
		}
	}
	return ""
}

// markdownPage answers with an entity's page in Markdown.
func markdownPage(c *web.Call, o uint32) (*web.Reply, error) {
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	body, err := site.Markdown(o, c.BaseURL())
	return &web.Reply{MediaType: MarkdownType, Body: body}, err
}

// markdownPageAt returns the page for a version of an entity, with scores as of a day.
func markdownPageAt(c *web.Call, e *record.Entity, version int, asOf time.Time) (*web.Reply, error) {
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	body, err := site.MarkdownAt(e, version, asOf, c.BaseURL())
	return &web.Reply{MediaType: MarkdownType, Body: body}, err
}
