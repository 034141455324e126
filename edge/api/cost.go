package api

import (
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// CostParams are the parameters of GET /api/cost.
var CostParams = []string{"model", "input", "output", "cached", "cacheWrite", "cacheWrite1h", "inputAudio", "reasoning", "outputAudio", "images", "requests", "mode", "provider", "at"}

// Cost handles GET /api/cost.
func (a *API) Cost(c *web.Call) (*web.Reply, error) {
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
	costs := pricing.CalculateAll(e.Offers, provider, use)
	for i := range costs {
		l.body = costs[i].AppendJSON(l.next())
	}
	return l.reply(len(costs), nil, member{"model", modelName{e.Type, e.Slug, e.Name}}), nil
}

// modelName is the address and name of a model.
type modelName struct {
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
	slug := slugAt(c, name)
	v, known, err := versionAt(c, modelType, slug, day)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, unknownModel(c, name)
	}
	return c.Served.Build.History().Entity(v)
}

// readUse reads the parameters that state what is sent and received.
func readUse(c *web.Call) (u pricing.Use, err error) {
	if !c.Query.Has("input") {
		return u, &query.Error{Param: "input", Message: "is required: set it to the number of tokens that one request sends"}
	}
	for _, q := range []struct {
		name         string
		value        *int64
		def, minimum int
	}{{"input", &u.Input, 0, 0}, {"output", &u.Output, 0, 0}, {"cached", &u.Cached, 0, 0}, {"cacheWrite", &u.CacheWrite, 0, 0},
		{"cacheWrite1h", &u.CacheWrite1h, 0, 0}, {"inputAudio", &u.InputAudio, 0, 0}, {"reasoning", &u.Reasoning, 0, 0},
		{"outputAudio", &u.OutputAudio, 0, 0}, {"images", &u.Images, 0, 0}, {"requests", &u.Requests, 1, 1}} {
		*q.value = int64(c.Query.Int(q.name, q.def, q.minimum, pricing.MaxQuantity))
	}
	u.Mode = c.Query.OneOf("mode", "", record.OfferModes)
	if err := u.Check(); err != nil { // the parts are more than the whole
		param, parts := "output", []string{"outputAudio", "reasoning"}
		if u.InputParts() > u.Input {
			param, parts = "input", []string{"inputAudio", "cacheWrite1h", "cacheWrite", "cached"}
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
