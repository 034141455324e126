package modelsdev

import (
	"context"
	"maps"
	"slices"
	"strings"

	"kindex/builder/collect"
	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// List implements collect.Lister: all models, with the offer of the maker.
func (s *Source) List(ctx context.Context, c collect.Client) (list []collect.Candidate, err error) {
	all, err := s.read(ctx, c)
	if err != nil {
		return nil, err
	}
	sellers := all.sellers()
	for _, id := range slices.Sorted(maps.Keys(all.Models)) {
		m := all.Models[id]
		lab, name, ok := strings.Cut(id, "/")
		slug := content.Slugify(name)
		if !ok || slug == "" || m.Name == "" {
			continue
		}
		candidate := collect.Candidate{Type: "model", Slug: slug, Fields: m.fields(id), Answer: m.answer(id), Sellers: sellers[id]}
		candidate.Answer.Day = s.day
		own := all.offer(collect.OfferID(&record.Offer{Provider: content.Slugify(lab), ID: name}))
		if own.Offer != nil {
			candidate.Offers, candidate.Sellers = []record.Offer{own.Offer.Offer}, max(1, candidate.Sellers)
		}
		list = append(list, candidate)
	}
	return list, nil
}

// fields returns what a file says about a model.
func (m *model) fields(id string) map[string]any {
	fields := map[string]any{"name": m.Name, "ids": map[string]any{"modelsdev": id}}
	for name, text := range map[string]string{"family": content.Slugify(m.Family), "knowledge": m.Knowledge, "license": schema.License(m.License)} {
		if text != "" {
			fields[name] = text
		}
	}
	for name, yes := range map[string]*bool{"reasoning": m.Reasoning, "openWeights": m.OpenWeights} {
		if yes != nil {
			fields[name] = *yes
		}
	}
	modalities := map[string]any{}
	for name, list := range map[string][]string{"input": m.Modalities.Input, "output": m.Modalities.Output} {
		var known []any
		for _, kind := range list {
			if f := kinds.Default().Field("modalities." + name); slices.Contains(f.Choices(), kind) {
				known = append(known, kind)
			}
		}
		if known != nil {
			modalities[name] = known
		}
	}
	if len(modalities) > 0 {
		fields["modalities"] = modalities
	}
	return fields
}
