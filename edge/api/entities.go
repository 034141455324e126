package api

import "kindex/edge/web"

// Entities handles GET /api/entities.
func (a *API) Entities(c *web.Call) (*web.Reply, error) {
	l := openList(c)
	set, project := l.selected(), readProjection(c)
	page, next, _ := l.sorted(set, c.Query.Sort())
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
