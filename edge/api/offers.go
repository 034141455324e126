package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/view"
)

// OfferParams are the parameters of GET /api/offers, apart from those for paging.
var OfferParams = slices.Concat([]string{"model", "provider"}, kinds.OfferFilters, []string{"maxInput", "maxOutput", "minContext", "sort", "at"})

const maxContext = 1<<31 - 1

// requireBlock returns an error if no kind of the index has a block, which may be "".
func requireBlock(c *web.Call, block string) error {
	if block == "" || c.Served.Build.Kinds().HasBlock(block) {
		return nil
	}
	return web.NewProblem("not-found", "No kind of this index has "+block+".")
}

// Offers handles GET /api/offers.
func (a *API) Offers(c *web.Call) (*web.Reply, error) {
	if err := requireBlock(c, kinds.Offers); err != nil {
		return nil, err
	}
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
	refs, last, ok := set.Page(sort, after, l.page.Offset, l.page.Limit)
	if !ok {
		return nil, errCursor
	}
	for _, r := range refs {
		// Each offer has the address and name of its model.
		e := l.catalogue.Entity(r.Model)
		o := &l.catalogue.OffersOf(e)[r.Index]
		dst := web.AppendJSON(l.next(), struct {
			entityName
			Blended record.Price `json:"blended"`
		}{entityName{e.Type, e.Slug, e.Name}, pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])})
		at := len(dst) - 1
		l.body = o.AppendJSON(dst[:at])
		l.body[at] = ',' // instead of the offer's opening brace
	}
	var next *query.Cursor
	if last != nil {
		next = &query.Cursor{Position: last.Position, Provider: last.Provider, ID: last.ID}
	}
	return l.reply(len(set), next), nil
}

func offerFilter(c *web.Call, offers *view.Offers, catalogue *view.View) (f *view.OfferFilter, err error) {
	fields := map[string][]string{"provider": c.Query.AnyOf("provider", offerProviders(c, offers))}
	for _, name := range kinds.OfferFilters {
		if f := c.Served.Build.Kinds().Find(name); f != nil && f.Choices() != nil {
			fields[name] = c.Query.AnyOf(name, f.Choices())
		} else {
			fields[name] = c.Query.Each(name)
		}
	}
	f = &view.OfferFilter{Fields: fields, MaxInput: c.Query.Price("maxInput"), MaxOutput: c.Query.Price("maxOutput"), MinContext: c.Query.Count("minContext", 0, 0, maxContext)}
	f.Models, err = modelOrdinals(c, catalogue)
	return f, err
}

// offerProviders returns the slugs of all providers: those in the index now, and those that
// offer something in a catalogue.
func offerProviders(c *web.Call, offers *view.Offers) []string {
	list := offers.Providers()
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
			typ, slug := keyOf(c, name)
			v, lifecycle := a.At(typ, slug, catalogue.Day)
			if lifecycle == history.Exists {
				if ordinal, _, ok := catalogue.Find(typ, a.Version(v).Slug); ok {
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

// keyOf returns the type and the slug of what a value of the parameter "model" names: what has or had that
// slug, with or without its type, or else what has that name or identifier now. If there is none, the type is "".
func keyOf(c *web.Call, name string) (typ, slug string) {
	b := c.Served.Build
	for _, k := range b.Kinds().With(kinds.Offers) {
		slug := strings.TrimPrefix(name, k.Name+"/")
		if find(c, k.Name, slug).known {
			return k.Name, slug
		}
	}
	if list := resolve.Models(b, name); len(list) == 1 {
		return b.Key(list[0])
	}
	return "", ""
}

// findModel returns the model that a value of the parameter "model" names.
func findModel(c *web.Call, name string) (ordinal uint32, err error) {
	typ, slug := keyOf(c, name)
	f := find(c, typ, slug)
	if f.present {
		return f.ordinal, nil
	}
	if err := f.deleted(c, typ, slug); err != nil {
		return 0, err
	}
	return 0, unknownModel(c, name)
}

// unknownModel returns the error for a model that never existed.
func unknownModel(c *web.Call, name string) error {
	b := c.Served.Build
	offering := b.Kinds().With(kinds.Offers)
	names := each(offering, func(k *kinds.Kind) string { return k.Name })
	e := &query.Error{Param: "model", Message: fmt.Sprintf("%q names no %s: use its slug, its name or an identifier", web.Shorten(name), strings.Join(names, " or "))}
	if found := resolve.Models(b, name); len(found) > 0 { // several models have this name
		_, e.Suggestion = b.Key(found[0])
		return e
	}
	if r := resolve.Find(b, name); len(r.Matches) > 0 {
		if typ, slug := b.Key(r.Matches[0]); slices.Contains(offering, b.Kinds().Kind(typ)) {
			e.Suggestion = slug
			return e
		}
	}
	for _, k := range offering {
		if similar := c.Served.SimilarSlugs(k.Name, web.Shorten(strings.TrimPrefix(name, k.Name+"/"))); len(similar) > 0 && e.Suggestion == "" {
			e.Suggestion = similar[0]
		}
	}
	return e
}

// CostParams are the parameters of GET /api/cost.
var CostParams = []string{"model", "input", "output", "cached", "cacheWrite", "cacheWrite1h", "inputAudio", "inputImage", "reasoning", "outputAudio",
	"images", "pages", "seconds", "characters", "requests", "mode", "provider", "at"}

// Cost handles GET /api/cost.
func (a *API) Cost(c *web.Call) (*web.Reply, error) {
	if err := requireBlock(c, kinds.Offers); err != nil {
		return nil, err
	}
	name := c.Query.Text("model")
	if name == "" {
		return nil, &query.Error{Param: "model", Message: "is required: set it to the slug, the name or an identifier of a model"}
	}
	use, err := readUse(c)
	if err != nil {
		return nil, err
	}
	day, provider := atParam(c), c.Query.OneOf("provider", "", offerProviders(c, c.Served.Build.Offers()))
	e, err := modelAt(c, name, day)
	if err != nil {
		return nil, err
	}
	l := newList(c)
	l.day = day
	costs := pricing.CalculateAll(pricing.On(e.Offers, cmp.Or(day, c.Served.Build.AsOf)), provider, use)
	for i := range costs {
		l.body = costs[i].AppendJSON(l.next())
	}
	return l.reply(len(costs), nil, member{"model", entityName{e.Type, e.Slug, e.Name}}), nil
}

type entityName struct {
	Type string `json:"type"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// modelAt returns a model as of the end of a day, or as it is now if day is "".
func modelAt(c *web.Call, name, day string) (*record.Entity, error) {
	if day == "" {
		ordinal, err := findModel(c, name)
		if err != nil {
			return nil, err
		}
		return c.Served.Build.Entity(ordinal), nil
	}
	typ, slug := keyOf(c, name)
	v, known, err := versionAt(c, typ, slug, day)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, unknownModel(c, name)
	}
	return c.Served.Build.History().Entity(v)
}

func readUse(c *web.Call) (u pricing.Use, err error) {
	if !c.Query.Has("input") {
		return u, &query.Error{Param: "input", Message: "is required: set it to the number of tokens that one request sends, 0 if it sends none"}
	}
	for _, q := range []struct {
		name         string
		value        *int64
		def, minimum int
	}{{"input", &u.Input, 0, 0}, {"output", &u.Output, 0, 0}, {"cached", &u.Cached, 0, 0}, {"cacheWrite", &u.CacheWrite, 0, 0},
		{"cacheWrite1h", &u.CacheWrite1h, 0, 0}, {"inputAudio", &u.InputAudio, 0, 0}, {"inputImage", &u.InputImage, 0, 0},
		{"reasoning", &u.Reasoning, 0, 0}, {"outputAudio", &u.OutputAudio, 0, 0}, {"images", &u.Images, 0, 0}, {"pages", &u.Pages, 0, 0},
		{"seconds", &u.Seconds, 0, 0}, {"characters", &u.Characters, 0, 0}, {"requests", &u.Requests, 1, 1}} {
		*q.value = int64(c.Query.Int(q.name, q.def, q.minimum, pricing.MaxQuantity))
	}
	u.Mode = c.Query.OneOf("mode", "", record.OfferModes)
	if err := u.Check(); err != nil { // the parts are more than the whole
		param, parts := "output", []string{"outputAudio", "reasoning"}
		if u.InputParts() > u.Input {
			param, parts = "input", []string{"inputImage", "inputAudio", "cacheWrite1h", "cacheWrite", "cached"}
		}
		for _, name := range parts {
			if c.Query.Has(name) {
				param = name
			}
		}
		return u, &query.Error{Param: param, Message: err.Error()}
	}
	return u, nil
}
