package api

import (
	"bytes"

	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/kinds"
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
	return l.reply(len(c.Served.Categories), nil), nil
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
