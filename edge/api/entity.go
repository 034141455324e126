package api

import (
	"bytes"
	"slices"

	"kindex/edge/live"
	"kindex/edge/web"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// entityObject appends a record or another object, and adds the ID of the build that it is from.
func entityObject(v *live.ServedBuild, dst, record []byte) []byte {
	return objectOf(v.ID(), dst, record)
}

// objectOf appends an object and adds the ID of the build that it is from.
func objectOf(build string, dst, object []byte) []byte {
	dst = append(dst, object[:len(object)-1]...)
	return append(append(append(dst, `,"build":"`...), build...), '"', '}', '\n')
}

// projection reduces records to some of their members.
type projection struct {
	all    bool
	fields map[string]bool // members of the record
	scores map[string]bool // members of the scores object
}

// readProjection reads the fields parameter. Each value is the name of a member of the record or
// of a score. If scores are named, only those members of the scores object are returned.
func readProjection(c *web.Call) (*projection, error) {
	if !c.Query.Has("fields") {
		return &projection{all: true}, nil
	}
	names, err := c.Query.List("fields", slices.Concat(record.RecordFields, record.ScoreNames))
	if err != nil {
		return nil, err
	}
	p := &projection{fields: map[string]bool{}, scores: map[string]bool{}}
	for _, n := range names {
		if slices.Contains(record.ScoreNames, n) {
			p.scores[n] = true
		} else {
			p.fields[n] = true
		}
	}
	return p, nil
}

// append appends a record with only the selected members, in the order in which the record
// contains them.
func (p *projection) append(dst, record []byte) []byte {
	if p.all {
		return append(openListed(dst, record), '}')
	}
	dst = append(dst, '{')
	left := len(p.fields)
	if len(p.scores) > 0 && !p.fields["scores"] {
		left++
	}
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
		if left--; left == 0 {
			break // the rest of the record need not be scanned
		}
	}
	return append(dst, '}')
}

// openListed appends a record as lists show it, without its offers and its closing brace. The
// offers are the last member; quotes in strings are escaped, so nothing else looks like it. Most
// records have no offers, and need not be searched.
func openListed(dst, record []byte) []byte {
	if rest, ok := bytes.CutSuffix(record, []byte(`,"offers":[]}`)); ok {
		return append(dst, rest...)
	}
	if i := bytes.Index(record, []byte(`,"offers":[`)); i >= 0 {
		return append(dst, record[:i]...)
	}
	return append(dst, record[:len(record)-1]...)
}

// Entity answers GET /api/entity/:type/:slug. The response is JSON unless the client
// prefers Markdown or the slug ends in .md.
func (a *API) Entity(c *web.Call) (*web.Reply, error) {
	c.Writer.Header()["Vary"] = c.Shared.Vary.Accept
	suffix := cutSuffix(c, markdownSuffix)
	markdown := suffix != "" || web.PrefersMarkdown(c.Request.Header["Accept"])
	day, err := atParam(c)
	switch {
	case err != nil:
		return nil, err
	case day != "":
		return entityAt(c, day, markdown)
	}
	o, moved, err := findEntity(c, suffix)
	if err != nil || moved != nil {
		return moved, err
	}
	if markdown {
		return markdownPage(c, o)
	}
	record := c.Served.Build.Record(o)
	return &web.Reply{MediaType: web.JSONType, Body: entityObject(c.Served, c.Buffer(), record)}, nil
}

// findEntity looks up the entity at the requested path. If the entity's slug has changed, moved
// is a redirect to the same resource under the new slug.
func findEntity(c *web.Call, resource string) (ordinal uint32, moved *web.Reply, err error) {
	b, typ, slug := c.Served.Build, c.Param("type"), c.Param("slug")
	o, isAlias, ok := b.Find(typ, slug)
	if !ok {
		moved, err := redirectRemoved(c, resource)
		return 0, moved, err
	}
	if !isAlias {
		return o, nil, nil
	}
	_, current := b.Key(o)
	return 0, redirectTo(c, typ, current, resource), nil
}
