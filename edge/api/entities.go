package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site"
)

// Entities handles GET /api/entities.
func (a *API) Entities(c *web.Call) (*web.Reply, error) {
	l := openList(c)
	set, project := l.selected(), readProjection(c)
	page, next, _ := l.sorted(set, l.catalogue.Order(c.Query.Sort()))
	for _, o := range page {
		l.body = project.append(l.next(), l.catalogue.Record(o))
	}
	return l.reply(int(set.GetCardinality()), next), nil
}

// Categories handles GET /api/categories.
func (a *API) Categories(c *web.Call) (*web.Reply, error) {
	l := newList(c)
	for _, category := range c.Served.Categories {
		l.add(category)
	}
	return l.reply(l.items, nil), nil
}

// Kinds handles GET /api/kinds: what the index declares, with the number of listed entities of each kind.
func (a *API) Kinds(c *web.Call) (*web.Reply, error) {
	type counted struct {
		kinds.KindJSON
		Count int `json:"count"`
	}
	set, l := c.Served.Build.Kinds(), newList(c)
	for _, k := range set.Order {
		l.add(counted{k.JSON(), c.Served.Build.Manifest.Counts.Types[k.Name]})
	}
	return l.reply(l.items, nil, member{"fields", set.FieldsJSON()}, member{"signals", set.SignalsJSON()}), nil
}

// Quality handles GET /api/quality. The response describes and names the build, which does not
// contain edits.
func (a *API) Quality(c *web.Call) (*web.Reply, error) {
	data, err := c.Served.Build.ReadFile(exports.QualityFile)
	return objectOf(c.Served.Build.Manifest.ID, bytes.TrimSpace(data)), err
}

// objectReply returns a reply with a record or another object, and the ID of the build that it is from.
func objectReply(c *web.Call, object []byte) *web.Reply {
	return objectOf(c.Served.ID(), object)
}

func objectOf(build string, object []byte) *web.Reply {
	dst := slices.Clip(object[:len(object)-1])
	return &web.Reply{MediaType: web.JSONType, Body: append(append(append(dst, `,"build":"`...), build...), "\"}\n"...)}
}

// projection returns what is shown of a member of a record, or nil.
type projection func(name string, value []byte) []byte

// listed is the projection of lists: everything but the offers.
func listed(name string, value []byte) []byte {
	if name == "offers" {
		return nil
	}
	return value
}

// only returns the projection to the named members.
func only(names ...string) projection {
	return func(name string, value []byte) []byte {
		if slices.Contains(names, name) {
			return value
		}
		return nil
	}
}

// readProjection reads the fields parameter. Each value is the name of a member of the record or
// of a score. If scores are named, only those members of the scores object are returned.
func readProjection(c *web.Call) projection {
	if !c.Query.Has("fields") {
		return listed
	}
	var fields, scores []string
	for _, name := range c.Query.List("fields", slices.Concat(record.RecordFields(c.Served.Build.Kinds()), record.ScoreNames)) {
		if slices.Contains(record.ScoreNames, name) {
			scores = append(scores, name)
		} else {
			fields = append(fields, name)
		}
	}
	return func(name string, value []byte) []byte {
		if name == "scores" && len(scores) > 0 && !slices.Contains(fields, name) {
			return only(scores...).append(nil, value)
		}
		return only(fields...)(name, value)
	}
}

// append appends what is shown of a record, in the order in which the record contains it, and further
// members.
func (show projection) append(dst, record []byte, more ...member) []byte {
	dst = append(slices.Grow(dst, len(record)), '{')
	for name, value := range jsonenc.Members(record) {
		if value = show(string(name), value); value != nil {
			dst = append(jsonenc.AppendMember(dst, string(name)), value...)
		}
	}
	for _, m := range more {
		dst = m.append(dst)
	}
	return append(dst, '}')
}

func (show projection) all(v *live.ServedBuild, ordinals []uint32) []json.RawMessage {
	return each(ordinals, func(o uint32) json.RawMessage { return show.append(nil, v.Build.Record(o)) })
}

// MarkdownType is the media type of an entity as a page in Markdown.
const MarkdownType = "text/markdown; charset=utf-8"

// cutSuffix removes the extension from the slug in the path and returns it, or "" if there is
// none. Slugs never contain a dot.
func cutSuffix(c *web.Call, suffix string) string {
	for i := range c.Path {
		if p := &c.Path[i]; p.Key == "slug" && strings.HasSuffix(p.Value, suffix) {
			p.Value = strings.TrimSuffix(p.Value, suffix)
			return suffix
		}
	}
	return ""
}

// Entity answers GET /api/entity/:type/:slug. The response is JSON unless the client
// prefers Markdown or the slug ends in .md.
func (a *API) Entity(c *web.Call) (*web.Reply, error) {
	c.Writer.Header()["Vary"] = c.Shared.Vary("Accept-Encoding, Accept")
	suffix := cutSuffix(c, ".md")
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
	body, err := c.Served.Site().Markdown(f.ordinal, c.BaseURL())
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
	slugs := each(c.Served.Own.Boards, func(b *board.Board) string { return b.Slug })
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
		reasons := each(n.Reasons, func(r uint32) string { return site.Reason(b.Feature(r), c.Served.Titles) })
		l.addRecord(n.Ordinal, member{"kind", n.Kind()}, member{"similarity", n.Similarity}, member{"reasons", reasons})
	}
	return l.reply(len(near), nil), nil
}
