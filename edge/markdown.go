package edge

import (
	"strings"
	"time"

	"kindex/exports"
)

const (
	markdownType   = "text/markdown; charset=utf-8"
	markdownSuffix = ".md"
)

// cutSuffix takes an extension off the slug of the path and returns it, "" where the
// slug has none: slugs have no dots.
func cutSuffix(c *call, suffix string) string {
	for i := range c.path {
		if p := &c.path[i]; p.Key == "slug" {
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

// page answers with an entity in Markdown.
func markdownPage(c *call, o uint32) (*reply, error) {
	site, err := c.served.site()
	if err != nil {
		return nil, err
	}
	body, err := site.Markdown(o, c.base())
	return &reply{mediaType: markdownType, body: body}, err
}

// pastPage answers with an entity as it stood at a version, scored as of a day.
func markdownPageAt(c *call, e *exports.Entity, version int, asOf time.Time) (*reply, error) {
	site, err := c.served.site()
	if err != nil {
		return nil, err
	}
	body, err := site.MarkdownAt(e, version, asOf, c.base())
	return &reply{mediaType: markdownType, body: body}, err
}
