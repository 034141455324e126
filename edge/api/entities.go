package api

import "kindex/edge/web"

// Entities handles GET /api/entities.
func (a *API) Entities(c *web.Call) (*web.Reply, error) {
	sort, err := c.Query.Sort()
	if err != nil {
		return nil, err
	}
	l, err := openList(c)
	if err != nil {
		return nil, err
	}
	set, err := l.selected()
	if err != nil {
		return nil, err
	}
	project, err := readProjection(c)
	if err != nil {
		return nil, err
	}
	page, next, _, err := l.sorted(set, sort)
	if err != nil {
		return nil, err
	}
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
