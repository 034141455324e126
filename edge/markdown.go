package edge

import (
	"strconv"
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
func (c *call) cutSuffix(suffix string) string {
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

// prefersMarkdown tells whether Accept likes Markdown better than JSON (RFC 9110
// section 12.5.1). What it likes the same is JSON.
func prefersMarkdown(accept []string) bool {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == jsonType) {
		return false // as most requests
	}
	var markdown, json quality
	for _, line := range accept {
		markdown.read(line, "text/markdown", "text/*")
		json.read(line, jsonType, "application/*")
	}
	return markdown.q > json.q
}

// quality is how much a media type is liked, by the most specific range that names
// it.
type quality struct {
	q        float64
	specific int
}

func (best *quality) read(accept, exact, kind string) {
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		specific := 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case exact:
			specific = 3
		case kind:
			specific = 2
		case "*/*":
			specific = 1
		}
		if specific > best.specific {
			*best = quality{weight(params), specific}
		}
	}
}

// weight reads the parameter q among those of a media range, 1 where there is none
// that can be read.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		if q, err := strconv.ParseFloat(value, 64); err == nil && q >= 0 && q <= 1 {
			return q
		}
	}
	return 1
}

// page answers with an entity in Markdown.
func (c *call) page(o uint32) (*reply, error) {
	site, err := c.server.pagesOf(c.view)
	if err != nil {
		return nil, err
	}
	body, err := site.Markdown(o, c.base())
	return &reply{mediaType: markdownType, body: body}, err
}

// pastPage answers with an entity as it stood at a version, scored as of a day.
func (c *call) pastPage(e *exports.Entity, version int, asOf time.Time) (*reply, error) {
	site, err := c.server.pagesOf(c.view)
	if err != nil {
		return nil, err
	}
	body, err := site.MarkdownAt(e, version, asOf, c.base())
	return &reply{mediaType: markdownType, body: body}, err
}
