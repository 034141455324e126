package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/site"
)

// objectReply returns a reply with a record or another object, and the ID of the build that it is from.
func objectReply(c *web.Call, object []byte) *web.Reply {
	return objectOf(c.Served.ID(), object)
}

func objectOf(build string, object []byte) *web.Reply {
	dst := slices.Clip(object[:len(object)-1])
	return &web.Reply{MediaType: web.JSONType, Body: append(append(append(dst, `,"build":"`...), build...), "\"}\n"...)}
}

// projection reduces records to some of their members.
type projection struct {
	whole  bool
	fields map[string]bool // members of the record
	scores map[string]bool // members of the scores object
}

// readProjection reads the fields parameter. Each value is the name of a member of the record or
// of a score. If scores are named, only those members of the scores object are returned.
func readProjection(c *web.Call) *projection {
	if !c.Query.Has("fields") {
		return &projection{whole: true}
	}
	names := c.Query.List("fields", slices.Concat(record.RecordFields(c.Served.Build.Kinds()), record.ScoreNames))
	p := &projection{fields: map[string]bool{}, scores: map[string]bool{}}
	for _, n := range names {
		if slices.Contains(record.ScoreNames, n) {
			p.scores[n] = true
		} else {
			p.fields[n] = true
		}
	}
	return p
}

// append appends a record with only the selected members, in the order in which the record
// contains them.
func (p *projection) append(dst, record []byte) []byte {
	if p.whole {
		return append(openListed(dst, record), '}')
	}
	dst = append(dst, '{')
	for name, value := range jsonenc.Members(record) {
		keep := p.fields[string(name)]
		if !keep && !(string(name) == "scores" && len(p.scores) > 0) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
		if keep {
			dst = append(dst, value...)
		} else {
			dst = (&projection{fields: p.scores}).append(dst, value)
		}
	}
	return append(dst, '}')
}

// all returns records with only the selected members.
func (p *projection) all(v *live.ServedBuild, ordinals []uint32) []json.RawMessage {
	list := []json.RawMessage{}
	for _, o := range ordinals {
		list = append(list, p.append(nil, v.Build.Record(o)))
	}
	return list
}

// openListed appends a record as lists show it, without its offers and its closing brace. The
// offers are the last member; quotes in strings are escaped, so nothing else looks like it.
func openListed(dst, record []byte) []byte {
	if i := bytes.Index(record, []byte(`,"offers":[`)); i >= 0 {
		return append(dst, record[:i]...)
	}
	return append(dst, record[:len(record)-1]...)
}

// extended appends a record as lists show it, with the members of v.
func extended(dst, record []byte, v any) []byte { return withMembers(openListed(dst, record), v) }

// withMembers continues an object that lacks its closing brace with the members of v, which has some.
func withMembers(dst []byte, v any) []byte {
	at := len(dst)
	dst = web.AppendJSON(dst, v)
	if dst[at-1] == '{' {
		return append(dst[:at], dst[at+1:]...)
	}
	dst[at] = ',' // instead of its opening brace
	return dst
}

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

// Entity answers GET /api/entity/:type/:slug. The response is JSON unless the client
// prefers Markdown or the slug ends in .md.
func (a *API) Entity(c *web.Call) (*web.Reply, error) {
	c.Writer.Header()["Vary"] = c.Shared.Vary("Accept-Encoding, Accept")
	suffix := cutSuffix(c, markdownSuffix)
	markdown := suffix != "" || web.PrefersMarkdown(c.Request.Header["Accept"])
	if day := atParam(c); day != "" {
		return entityAt(c, day, markdown)
	}
	f, moved, err := findEntity(c, suffix, false)
	if err != nil || moved != nil {
		return moved, err
	}
	if !markdown {
		return objectReply(c, c.Served.Build.Record(f.ordinal)), nil
	}
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	body, err := site.Markdown(f.ordinal, c.BaseURL())
	return &web.Reply{MediaType: MarkdownType, Body: body}, err
}

// Score handles GET /api/entity/:type/:slug/score. With board, it explains the score on that
// board, published or not.
//
// The explanation is recalculated with the function that the builder used, because stored
// explanations would take up most of a build.
func (a *API) Score(c *web.Call) (*web.Reply, error) {
	f, moved, err := findEntity(c, "/score", false)
	if err != nil || moved != nil {
		return moved, err
	}
	e := c.Served.Build.Entity(f.ordinal)
	var slugs []string
	for _, b := range c.Served.Own.Boards {
		slugs = append(slugs, b.Slug)
	}
	slug := c.Query.OneOf("board", "", slugs)
	var x any = c.Served.Formula.Explain(e, c.Served.AsOf)
	if slug != "" {
		x = c.Served.Own.Find(slug).Explain(e, c.Served.AsOf)
	}
	return objectReply(c, web.AppendJSON(nil, x)), nil
}

// Relations handles GET /api/entity/:type/:slug/relations.
func (a *API) Relations(c *web.Call) (*web.Reply, error) {
	f, moved, err := findEntity(c, "/relations", false)
	if err != nil || moved != nil {
		return moved, err
	}
	type relation struct {
		Field   string     `json:"field"`
		Title   string     `json:"title"`
		Inverse bool       `json:"inverse"`
		Entity  entityName `json:"entity"`
	}
	l := newList(c)
	for _, r := range c.Served.Build.Relations(f.ordinal) {
		e := c.Served.Build.Entity(r.Ordinal)
		l.add(relation{r.Field, r.Title, r.Inverse, entityName{e.Type, e.Slug, e.Name}})
	}
	return l.reply(l.items, nil), nil
}

// maxSimilar is the number of similar entities that a build stores for each entity.
const maxSimilar = 20

// similarKinds maps the values of the parameter kind to the kinds of neighbours.
var similarKinds = map[string]string{"alternatives": exports.Alternative, "related": exports.Related}

// Similar handles GET /api/entity/:type/:slug/similar.
func (a *API) Similar(c *web.Call) (*web.Reply, error) {
	limit, kind := c.Query.Int("limit", 10, 1, maxSimilar), c.Query.OneOf("kind", "", []string{"alternatives", "related"})
	f, moved, err := findEntity(c, "/similar", false)
	if err != nil || moved != nil {
		return moved, err
	}
	b := c.Served.Build
	near := b.Similar(f.ordinal)
	if kind != "" {
		near = slices.DeleteFunc(near, func(n exports.Neighbour) bool { return n.Kind() != similarKinds[kind] })
	}
	l := newList(c)
	for _, n := range near[:min(limit, len(near))] {
		reasons := []string{}
		for _, r := range n.Reasons {
			reasons = append(reasons, site.Reason(b.Feature(r), c.Served.Titles))
		}
		l.addRecord(n.Ordinal, struct {
			Kind       string   `json:"kind"`
			Similarity float64  `json:"similarity"`
			Reasons    []string `json:"reasons"`
		}{n.Kind(), n.Similarity, reasons})
	}
	return l.reply(len(near), nil), nil
}
