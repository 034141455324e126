package api

import (
	"fmt"
	"slices"
	"strings"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/history"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/view"
)

// OfferParams are the parameters of GET /api/offers, apart from those for paging.
var OfferParams = []string{"model", "provider", "family", "modality", "maxInput", "maxOutput", "minContext", "sort", "at"}

// modelType is the type of the entities that have offers.
const modelType = "model"

// maxContext is the largest value of the parameter minContext.
const maxContext = 1<<31 - 1

// Offers handles GET /api/offers.
func (a *API) Offers(c *web.Call) (*web.Reply, error) {
	sort, l := c.Query.OneOf("sort", "blended", view.OfferSortKeys), openList(c)
	offers := l.catalogue.Offers()
	filter, err := offerFilter(c, offers, l.catalogue)
	if err != nil {
		return nil, err
	}
	set := offers.Select(filter)
	var after *view.OfferPosition
	if p := l.page.Cursor; p != nil {
		after = &view.OfferPosition{Position: p.Position, Provider: p.Provider, ID: p.ID}
	}
	refs, more, ok := set.Page(sort, after, l.page.Offset, l.page.Limit)
	if !ok {
		return nil, errCursor
	}
	for _, r := range refs {
		// Each offer has the address and name of its model.
		e := l.catalogue.Entity(r.Model)
		o := &e.Offers[r.Index]
		dst := web.AppendJSON(l.next(), struct {
			modelName
			Blended record.Price `json:"blended"`
		}{modelName{e.Type, e.Slug, e.Name}, pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])})
		at := len(dst) - 1
		l.body = o.AppendJSON(dst[:at])
		l.body[at] = ',' // instead of the offer's opening brace
	}
	var next *query.Cursor
	if more {
		last := offers.PositionOf(sort, refs[len(refs)-1])
		next = &query.Cursor{Position: last.Position, Provider: last.Provider, ID: last.ID}
	}
	return l.reply(set.Len(), next), nil
}

// offerFilter reads the parameters that select offers.
func offerFilter(c *web.Call, offers *view.Offers, catalogue *view.View) (f *view.OfferFilter, err error) {
	f = &view.OfferFilter{Providers: c.Query.AnyOf("provider", offerProviders(c, offers)), Families: c.Query.Each("family"),
		Modalities: c.Query.AnyOf("modality", c.Served.Build.Kinds().Field("modalities.input").Values),
		MaxInput:   c.Query.Price("maxInput"), MaxOutput: c.Query.Price("maxOutput"), MinContext: c.Query.Count("minContext", 0, 0, maxContext)}
	f.Models, err = modelOrdinals(c, catalogue)
	return f, err
}

// offerProviders returns the slugs of all providers: those in the index now, and those that
// offer something in a catalogue.
func offerProviders(c *web.Call, offers *view.Offers) []string {
	list := offers.Values("provider")
	for _, p := range c.Served.Build.Providers() {
		if !slices.Contains(list, p.Slug) {
			list = append(list, p.Slug)
		}
	}
	slices.Sort(list)
	return list
}

// modelOrdinals returns the ordinals of the models in the parameter "model", or nil if it is
// missing. A model that was not in the catalogue on its day has none.
func modelOrdinals(c *web.Call, catalogue *view.View) ([]uint32, error) {
	names := c.Query.Each("model")
	if names == nil {
		return nil, nil
	}
	list := []uint32{}
	for _, name := range names {
		if catalogue.Day != "" {
			a := c.Served.Build.History()
			v, lifecycle := a.At(modelType, slugAt(c, name), catalogue.Day)
			if lifecycle == history.Exists {
				if ordinal, _, ok := catalogue.Find(modelType, a.Version(v).Slug); ok {
					list = append(list, ordinal)
				}
				continue
			} else if lifecycle != history.Unknown {
				continue
			}
		}
		ordinal, err := findModel(c, name)
		if err != nil {
			return nil, err
		}
		if catalogue.Day == "" {
			list = append(list, ordinal)
		}
	}
	return list, nil
}

// modelSlug returns the slug in a value of the parameter "model".
func modelSlug(name string) string { return strings.TrimPrefix(name, modelType+"/") }

// slugAt returns the slug in a value of the parameter "model" that is looked up in the history. If
// no model had that slug, the value is a name or an identifier that a model has now.
func slugAt(c *web.Call, name string) string {
	slug := modelSlug(name)
	if f := find(c, modelType, slug); f.newest >= 0 {
		return slug
	}
	if list := resolve.Models(c.Served.Build, name); len(list) == 1 {
		_, slug = c.Served.Build.Key(list[0])
	}
	return slug
}

// findModel returns the model that a value of the parameter "model" names by its slug, also a
// former one, by model/slug, by its name or by an identifier.
func findModel(c *web.Call, name string) (ordinal uint32, err error) {
	slug := modelSlug(name)
	f := find(c, modelType, slug)
	if f.present {
		return f.ordinal, nil
	}
	if err := f.deleted(c, modelType, slug); err != nil {
		return 0, err
	}
	if list := resolve.Models(c.Served.Build, name); len(list) == 1 {
		return list[0], nil
	}
	return 0, unknownModel(c, name)
}

// unknownModel returns the error for a model that never existed.
func unknownModel(c *web.Call, name string) error {
	e := &query.Error{Param: "model", Message: fmt.Sprintf("%q is not a model: use its slug, its name or an identifier", web.Shorten(name))}
	if found := resolve.Models(c.Served.Build, name); len(found) > 0 { // several models have this name
		_, e.Suggestion = c.Served.Build.Key(found[0])
		return e
	}
	if r := resolve.Find(c.Served.Build, name); len(r.Matches) > 0 {
		if typ, slug := c.Served.Build.Key(r.Matches[0]); typ == modelType {
			e.Suggestion = slug
			return e
		}
	}
	if similar := c.Served.SimilarSlugs(modelType, web.Shorten(modelSlug(name))); len(similar) > 0 {
		e.Suggestion = similar[0]
	}
	return e
}
