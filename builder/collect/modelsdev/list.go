package modelsdev

import (
	"context"
	"encoding/json"
	"io/fs"
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
	sellers := map[string]int{}
	if all.offers != nil {
		if sellers, err = all.offers.sellers(); err != nil {
			return nil, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all.models)) {
		m := all.models[id]
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

// sellers implements offerReader.
func (p providers) sellers() (map[string]int, error) {
	count := map[string]int{}
	for _, provider := range p {
		for _, raw := range provider.Models {
			var m struct {
				BaseModel string `json:"base_model"`
			}
			if json.Unmarshal(raw, &m) == nil && m.BaseModel != "" {
				count[m.BaseModel]++
			}
		}
	}
	return count, nil
}

// sellers implements offerReader. Files that cannot be read do not count.
func (c *checkout) sellers() (map[string]int, error) {
	count := map[string]int{}
	err := fs.WalkDir(c.root.FS(), "providers", func(name string, d fs.DirEntry, err error) error {
		parts := strings.SplitN(name, "/", 4)
		if err != nil || d.IsDir() || len(parts) < 4 || !strings.HasSuffix(name, ".toml") {
			return err
		}
		if m, err := c.read(parts[1], strings.TrimSuffix(parts[3], ".toml")); err == nil && m.BaseModel != "" {
			count[m.BaseModel]++
		}
		return nil
	})
	return count, err
}
