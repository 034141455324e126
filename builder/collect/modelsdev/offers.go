package modelsdev

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"kindex/builder/collect"
	"kindex/builder/content"
	"kindex/exports/record"
)

// served is a model as a provider serves it, in catalog.json and in
// providers/<provider>/models/<id>.toml. In catalog.json, it has also what it inherits.
type served struct {
	BaseModel string   `json:"base_model" toml:"base_model"`
	Omit      []string `json:"base_model_omit" toml:"base_model_omit"`
	Status    string   `json:"status" toml:"status"`
	Cost      cost     `json:"cost" toml:"cost"`
	Limit     struct {
		Context *float64 `json:"context" toml:"context"`
		Output  *float64 `json:"output" toml:"output"`
	} `json:"limit" toml:"limit"`
	Experimental struct {
		Modes map[string]struct {
			Cost     cost `json:"cost" toml:"cost"`
			Provider struct {
				Body map[string]any `json:"body" toml:"body"`
			} `json:"provider" toml:"provider"`
		} `json:"modes" toml:"modes"`
	} `json:"experimental" toml:"experimental"`

	err error // why it cannot be read
}

// UnmarshalJSON implements json.Unmarshaler. An error is kept for the offer.
func (m *served) UnmarshalJSON(b []byte) error {
	type plain served
	m.err = json.Unmarshal(b, (*plain)(m))
	return nil
}

// rates are US dollars per million tokens.
type rates struct {
	Input       *float64 `json:"input" toml:"input"`
	Output      *float64 `json:"output" toml:"output"`
	Reasoning   *float64 `json:"reasoning" toml:"reasoning"`
	CacheRead   *float64 `json:"cache_read" toml:"cache_read"`
	CacheWrite  *float64 `json:"cache_write" toml:"cache_write"`
	InputAudio  *float64 `json:"input_audio" toml:"input_audio"`
	OutputAudio *float64 `json:"output_audio" toml:"output_audio"`
}

type cost struct {
	rates
	Tiers []struct {
		rates
		Tier struct {
			Type string  `json:"type" toml:"type"` // "" means context
			Size float64 `json:"size" toml:"size"`
		} `json:"tier" toml:"tier"`
	} `json:"tiers" toml:"tiers"`
	Over200k *rates `json:"context_over_200k" toml:"context_over_200k"` // instead of tiers, or again
}

// CoversOffer implements collect.OfferSource. Offers with a source other than models.dev are not
// covered. If the checkout or file cannot be read, offers are covered so that Ask reports why.
func (s *Source) CoversOffer(o *record.Offer) bool {
	if o.Source != "" && !strings.HasPrefix(o.Source, repository) && !strings.HasPrefix(o.Source, "https://models.dev/") {
		return false
	}
	if s.dir == "" {
		return true
	}
	all, err := s.local()
	return err != nil || all.Providers != nil
}

// offer answers what a provider charges.
func (all *catalog) offer(id string) collect.Answer {
	a := collect.Answer{ID: id}
	o, ok := collect.ParseOfferID(id)
	if !ok || all.Providers == nil {
		a.Problem = "models.dev cannot look up " + id
		return a
	}
	provider := all.names[o.Provider]
	found, ok := all.Providers[provider].Models[o.ID]
	if !ok {
		a.Gone = true
		return a
	}
	err := found.err
	if err == nil {
		err = found.fill(&o)
	}
	if err != nil {
		a.Problem = fmt.Sprintf("%s/%s: %v", provider, o.ID, err)
		return a
	}
	o.Source = repository + "blob/dev/providers/" + escapePath(provider) + "/models/" + escapePath(o.ID) + ".toml"
	a.Offer = &collect.Offer{Offer: o}
	return a
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// fill copies prices and limits into an offer.
func (m *served) fill(o *record.Offer) (err error) {
	if o.Prices, o.Tiers, err = m.Cost.prices(); err != nil {
		return fmt.Errorf("cost.%w", err)
	}
	for _, limit := range []struct {
		name string
		from *float64
		to   *int64
	}{{"context", m.Limit.Context, &o.Context}, {"output", m.Limit.Output, &o.OutputLimit}} {
		if limit.from == nil {
			continue
		}
		var ok bool
		if *limit.to, ok = tokens(*limit.from); !ok {
			return fmt.Errorf("limit.%s: %v is not a number of tokens", limit.name, *limit.from)
		}
	}
	o.Deprecated = m.Status == "deprecated"
	// The other fast modes are not a service tier.
	if fast := m.Experimental.Modes["fast"]; fast.Provider.Body["service_tier"] == "priority" {
		mode := record.Mode{Name: "priority"}
		if mode.Prices, mode.Tiers, err = fast.Cost.prices(); err != nil {
			return fmt.Errorf("experimental.modes.fast.cost.%w", err)
		}
		if mode.Prices.Known() || len(mode.Tiers) > 0 {
			o.Modes = []record.Mode{mode}
		}
	}
	return nil
}

// tokens returns a number of tokens, and reports whether it is one.
func tokens(x float64) (n int64, ok bool) {
	n = int64(min(max(x, 0), 1<<53))
	return n, float64(n) == x
}

func (c *cost) prices() (p record.Prices, tiers []record.Tier, err error) {
	if p, err = c.rates.prices(); err != nil {
		return p, nil, err
	}
	for i := range c.Tiers {
		t := &c.Tiers[i]
		if t.Tier.Type != "" && t.Tier.Type != "context" {
			continue // files have tiers only for the length of the input
		}
		over, ok := tokens(t.Tier.Size)
		if !ok || over == 0 {
			return p, nil, fmt.Errorf("tiers.%d.tier.size: %v is not a number of tokens", i, t.Tier.Size)
		}
		tier := record.Tier{Over: over}
		if tier.Prices, err = t.rates.prices(); err != nil {
			return p, nil, fmt.Errorf("tiers.%d.%w", i, err)
		}
		tiers = append(tiers, tier)
	}
	if len(c.Tiers) == 0 && c.Over200k != nil {
		tier := record.Tier{Over: 200_000}
		if tier.Prices, err = c.Over200k.prices(); err != nil {
			return p, nil, fmt.Errorf("context_over_200k.%w", err)
		}
		tiers = append(tiers, tier)
	}
	slices.SortStableFunc(tiers, func(a, b record.Tier) int { return cmp.Compare(a.Over, b.Over) })
	return p, tiers, nil
}

// prices rounds prices to six decimals. The price of reasoning is left out if it equals that of
// other output.
func (r *rates) prices() (p record.Prices, err error) {
	for _, v := range []struct {
		kind int
		name string
		x    *float64
	}{{record.InputPrice, "input", r.Input}, {record.OutputPrice, "output", r.Output}, {record.ReasoningPrice, "reasoning", r.Reasoning},
		{record.CacheReadPrice, "cache_read", r.CacheRead}, {record.CacheWritePrice, "cache_write", r.CacheWrite},
		{record.InputAudioPrice, "input_audio", r.InputAudio}, {record.OutputAudioPrice, "output_audio", r.OutputAudio}} {
		if v.x == nil {
			continue
		}
		if p[v.kind], _, err = record.TakePrice(*v.x); err != nil {
			return p, fmt.Errorf("%s: %w", v.name, err)
		}
	}
	if p[record.ReasoningPrice] == p[record.OutputPrice] {
		p[record.ReasoningPrice] = record.Price{}
	}
	return p, nil
}

// nameProviders finds the names of providers by their slugs. Names such as wafer.ai are no slugs.
func (all *catalog) nameProviders() {
	all.names = make(map[string]string, len(all.Providers))
	for _, name := range slices.Sorted(maps.Keys(all.Providers)) {
		if slug := content.Slugify(name); slug == name || all.names[slug] == "" {
			all.names[slug] = name
		}
	}
}

// sellers returns how many offers of each model there are, by its name on models.dev.
func (all *catalog) sellers() map[string]int {
	count := map[string]int{}
	for _, p := range all.Providers {
		for _, m := range p.Models {
			if m.err == nil && m.BaseModel != "" {
				count[m.BaseModel]++
			}
		}
	}
	return count
}

// readProviders reads the offers of a checkout: providers/<provider>/models/<id>.toml.
func (all *catalog) readProviders(dir fs.FS) error {
	entries, err := fs.ReadDir(dir, "providers")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if all.Providers == nil {
			all.Providers = map[string]provider{}
		}
		models := map[string]served{}
		all.Providers[e.Name()] = provider{models}
		folder := "providers/" + e.Name() + "/models/"
		failed := fs.WalkDir(dir, path.Clean(folder), func(name string, d fs.DirEntry, err error) error {
			id, ok := strings.CutSuffix(strings.TrimPrefix(name, folder), ".toml")
			if ok && err == nil && !d.IsDir() {
				if m := all.readOffer(dir, name); !errors.Is(m.err, fs.ErrNotExist) { // that of a link that leads nowhere
					models[id] = m
				}
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
		err = errors.Join(err, failed)
	}
	return err
}

// readOffer reads a file of a checkout.
func (all *catalog) readOffer(dir fs.FS, name string) (m served) {
	data, err := readFile(dir, name)
	if m.err = err; err == nil {
		m.err = toml.Unmarshal(data, &m)
	}
	base, ok := all.Models[m.BaseModel]
	if ok && m.Limit.Context == nil && !slices.Contains(m.Omit, "limit") && !slices.Contains(m.Omit, "limit.context") {
		m.Limit.Context = &base.Limit.Context
	}
	if ok && m.Limit.Output == nil && !slices.Contains(m.Omit, "limit") && !slices.Contains(m.Omit, "limit.output") {
		m.Limit.Output = &base.Limit.Output
	}
	return m
}
