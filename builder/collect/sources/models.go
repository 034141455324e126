package sources

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"kindex/builder/collect"
	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// modelsRepository has the files that are the sources of all values.
const modelsRepository = "https://github.com/anomalyco/models.dev/"

// catalog is what models.dev has, in the form of catalog.json.
type catalog struct {
	Models    map[string]item     `json:"models"`
	Providers map[string]provider `json:"providers"`

	names map[string]string // of providers, by slug: wafer.ai is no slug
}

type provider struct {
	Models map[string]item `json:"models"`
}

// item is a model, or what a provider says about one. A broken one does no harm to others.
type item struct {
	object
	err error // why it cannot be read
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *item) UnmarshalJSON(b []byte) error {
	m.err = json.Unmarshal(b, &m.object)
	return nil
}

// ModelsDev returns the source of facts about models and of what providers charge for them. base is the
// address of models.dev; "" means https://models.dev. If local is not "", it is a checkout of the repository
// or a saved catalog.json, of the given day ("" means today), and no request is sent.
func ModelsDev(base, local, readOn string) *collect.Source {
	s := newService(collect.Source{Name: "modelsdev", Title: "models.dev", Hosts: []string{"https://models.dev"}, PerSecond: 1,
		Pages: []string{"https://github.com/anomalyco/models.dev#api"}, Columns: []collect.Column{sometimes(collect.OffersColumn)}}, same,
		[]fact{{Column: mostly(kinds.ContextSignal), at: "limit.context"}, {Column: sometimes(kinds.OutputSignal), at: "limit.output"},
			{Column: always("released"), at: "release_date", as: text}}, base)
	all := &catalog{}
	s.Read = func(ctx context.Context, c *collect.Client) error {
		_, err := c.Get(ctx, "models.dev", collect.Request{URL: s.Hosts[0] + "/catalog.json"}, all)
		return cmp.Or(err, all.complete())
	}
	if local != "" {
		s.Hosts, s.Read = nil, func(context.Context, *collect.Client) (err error) {
			all, err = readLocal(local)
			return err
		}
	}
	s.Look = func(id string) collect.Answer { return s.model(all, id, readOn) }
	s.LookOffer = func(o *record.Offer) (collect.Answer, bool) {
		covered := o.Source == "" || strings.HasPrefix(o.Source, modelsRepository) || strings.HasPrefix(o.Source, "https://models.dev/")
		return all.offer(o.Provider, o.ID, readOn), covered
	}
	s.List = func(context.Context, *collect.Client) ([]collect.Candidate, error) {
		return s.candidates(all, readOn), nil
	}
	return &s.Source
}

// complete finds the names of providers by their slugs, and reports whether the catalogue is whole.
func (all *catalog) complete() error {
	all.names = make(map[string]string, len(all.Providers))
	for _, name := range slices.Sorted(maps.Keys(all.Providers)) {
		if slug := content.Slugify(name); slug == name || all.names[slug] == "" {
			all.names[slug] = name
		}
	}
	if len(all.Models) == 0 || len(all.Providers) == 0 {
		return errors.New("models.dev: the response has no models or no providers")
	}
	return nil
}

// readLocal reads a checkout or a saved catalog.json.
func readLocal(path string) (*catalog, error) {
	all := &catalog{Models: map[string]item{}, Providers: map[string]provider{}}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		data, err := os.ReadFile(path) //nolint:gosec // the operator names it
		if err == nil {
			err = json.Unmarshal(data, all)
		}
		if err = cmp.Or(err, all.complete()); err != nil {
			return nil, fmt.Errorf("%s: %w; save https://models.dev/catalog.json, or use a checkout", path, err)
		}
		return all, nil
	}
	root, err := os.OpenRoot(path) // links do not lead out of a checkout
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, folder := range []string{"models", "providers"} { // offers have limits of models
		err = fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
			id, ok := strings.CutSuffix(name, ".toml")
			if err == nil && ok && !d.IsDir() {
				all.add(root.FS(), name, strings.SplitN(id, "/", 4))
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if len(all.Models) == 0 {
		return nil, fmt.Errorf("%s has no files models/<lab>/<model>.toml", path)
	}
	_ = all.complete() // a checkout can have no providers
	return all, nil
}

// add adds a file of a checkout: models/<id>.toml or providers/<provider>/models/<id>.toml.
func (all *catalog) add(dir fs.FS, name string, parts []string) {
	m := item{}
	data, err := fs.ReadFile(dir, name)
	if m.err = err; err == nil {
		m.err = toml.Unmarshal(data, &m.object)
	}
	switch {
	case parts[0] == "models":
		if m.err != nil {
			m.err = fmt.Errorf("%s: %w", name, m.err)
		}
		all.Models[strings.Join(parts[1:], "/")] = m
	case len(parts) == 4 && parts[2] == "models" && !errors.Is(m.err, fs.ErrNotExist): // that of a link that leads nowhere
		all.inherit(m)
		if all.Providers[parts[1]].Models == nil {
			all.Providers[parts[1]] = provider{map[string]item{}}
		}
		all.Providers[parts[1]].Models[parts[3]] = m
	}
}

// inherit adds the limits of the model that an offer is based on.
func (all *catalog) inherit(m item) {
	base, ok := all.Models[m.text("base_model")]
	omitted := yamldoc.Texts(m.at("base_model_omit"))
	limits, stated := m.at("limit").(map[string]any)
	if !stated {
		limits = map[string]any{}
	}
	for _, name := range []string{"context", "output"} {
		if ok && limits[name] == nil && !slices.Contains(omitted, "limit") && !slices.Contains(omitted, "limit."+name) {
			limits[name] = base.at("limit." + name)
			m.object["limit"] = limits
		}
	}
}

func (s *service) model(all *catalog, id, day string) collect.Answer {
	m, ok := all.Models[id]
	a := collect.Answer{ID: id, Day: day, Page: modelsRepository + "blob/dev/models/" + id + ".toml", Gone: !ok}
	if m.err != nil {
		a.Problem = m.err.Error()
		return a
	}
	s.read(&a, m.object)
	a.Values = slices.DeleteFunc(a.Values, func(v collect.Value) bool {
		if v.Name == "released" {
			return len(v.Text) != len("2026-05") && len(v.Text) != len("2026-05-13")
		}
		return v.Number <= 0 // image models have limits of 0
	})
	return a
}

func (all *catalog) offer(provider, id, day string) collect.Answer {
	name, o := all.names[provider], record.Offer{Provider: provider, ID: id}
	m, known := all.Providers[name].Models[id]
	a := collect.Answer{ID: o.Key(), Day: day, Gone: !known}
	if a.Gone {
		return a
	}
	err := m.err
	if err == nil {
		err = m.fill(&o)
	}
	if err != nil {
		a.Problem = fmt.Sprintf("%s/%s: %v", name, o.ID, err)
		return a
	}
	o.Source = modelsRepository + "blob/dev/providers/" + (&url.URL{Path: name + "/models/" + o.ID}).EscapedPath() + ".toml"
	a.Offer = &o
	return a
}

func (m item) fill(o *record.Offer) (err error) {
	o.Deprecated = m.text("status") == "deprecated"
	if o.Prices, o.Tiers, err = costOf(m.object, "cost"); err != nil {
		return err
	}
	if o.Context, err = tokensAt(m.object, "limit.context"); err != nil {
		return err
	}
	if o.OutputLimit, err = tokensAt(m.object, "limit.output"); err != nil {
		return err
	}
	// The other fast modes are not a service tier.
	if fast := "experimental.modes.fast."; m.text(fast+"provider.body.service_tier") == "priority" {
		mode := record.Mode{Name: "priority"}
		if mode.Prices, mode.Tiers, err = costOf(m.object, fast+"cost"); mode.Prices.Known() || len(mode.Tiers) > 0 {
			o.Modes = []record.Mode{mode}
		}
	}
	return err
}

// tokensAt returns a number of tokens, or 0 if there is none.
func tokensAt(o object, path string) (n int64, err error) {
	v := o.at(path)
	x, ok := number(v)
	if n = int64(min(max(x, 0), 1<<53)); v != nil && (!ok || float64(n) != x) {
		return 0, fmt.Errorf("%s: %v is not a number of tokens", path, v)
	}
	return n, nil
}

// rates are the prices of models.dev, in the order of record.PriceNames: US dollars per million tokens.
var rates = []string{"input", "output", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio"}

// pricesOf returns prices. That of reasoning is left out if it equals that of other output.
func pricesOf(cost object) (p record.Prices, err error) {
	for kind, name := range rates {
		v := cost[name]
		if v == nil {
			continue
		}
		x, ok := number(v)
		if !ok {
			return p, fmt.Errorf("%s: %v is not a price", name, v)
		}
		if p[kind], _, err = record.TakePrice(x); err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
	}
	if p[record.ReasoningPrice] == p[record.OutputPrice] {
		p[record.ReasoningPrice] = record.Price{}
	}
	return p, nil
}

// costOf returns the prices and tiers at a path. Files have tiers only for the length of the input.
func costOf(o object, path string) (p record.Prices, tiers []record.Tier, err error) {
	v := o.at(path)
	cost, ok := v.(map[string]any)
	if v != nil && !ok {
		return p, nil, fmt.Errorf("%s: %v is not an object", path, v)
	}
	if p, err = pricesOf(cost); err != nil {
		return p, nil, fmt.Errorf("%s.%w", path, err)
	}
	list, _ := cost["tiers"].([]any)
	if over, ok := cost["context_over_200k"].(map[string]any); ok && len(list) == 0 { // instead of tiers, or again
		over = maps.Clone(over)
		over["tier"], list = map[string]any{"size": 200_000.0}, []any{over}
	}
	for i, item := range list {
		fields, _ := item.(map[string]any)
		from := object(fields)
		if typ := from.text("tier.type"); typ != "" && typ != "context" {
			continue
		}
		tier := record.Tier{}
		if tier.Over, err = tokensAt(from, "tier.size"); err == nil && tier.Over == 0 {
			err = errors.New("tier.size: 0 is not a number of tokens")
		}
		if err == nil {
			tier.Prices, err = pricesOf(from)
		}
		if err != nil {
			return p, nil, fmt.Errorf("%s.tiers.%d.%w", path, i, err)
		}
		tiers = append(tiers, tier)
	}
	slices.SortStableFunc(tiers, func(a, b record.Tier) int { return cmp.Compare(a.Over, b.Over) })
	return p, tiers, nil
}

func (s *service) candidates(all *catalog, day string) (list []collect.Candidate) {
	sellers := map[string]int{} // how many offers of each model there are
	for _, p := range all.Providers {
		for _, m := range p.Models {
			sellers[m.text("base_model")]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all.Models)) {
		m := all.Models[id]
		lab, name, ok := strings.Cut(id, "/")
		slug := content.Slugify(name)
		if !ok || slug == "" || m.text("name") == "" {
			continue
		}
		c := collect.Candidate{Type: "model", Slug: slug, Fields: map[string]any{"name": m.text("name"), "ids": map[string]any{"modelsdev": id}}, Says: m.object, Answer: s.model(all, id, day), Sellers: sellers[id]}
		if license := schema.License(m.text("license")); license != "" {
			c.Fields["license"] = license
		}
		if own := all.offer(content.Slugify(lab), name, day); own.Offer != nil {
			c.Offers, c.Sellers = []record.Offer{*own.Offer}, max(1, c.Sellers)
		}
		list = append(list, c)
	}
	return list
}

// HuggingFace returns the source of models on the Hugging Face Hub: downloads of 30 days, likes, the number
// of parameters in safetensors files and the licence. It also reports the pipeline tag, gating and the last
// change, which only --probe shows. base is the address of the Hub; "" means https://huggingface.co.
func HuggingFace(base string) *collect.Source {
	// 500 requests in five minutes without a token.
	s := newService(collect.Source{Name: "huggingface", Title: "Hugging Face", Hosts: []string{"https://huggingface.co"}, Token: "HF_TOKEN", Batch: 1, PerSecond: 1.5,
		Pages: []string{"https://huggingface.co/docs/hub/api", "https://huggingface.co/docs/hub/rate-limits"}}, modelOf,
		[]fact{{Column: always("huggingfaceDownloads"), at: "downloads"}, {Column: always("likes"), at: "likes"},
			{Column: sometimes("parameters"), at: "safetensors.total"}, {Column: sometimes("license"), at: "license", as: license},
			{Column: sometimes("pipelineTag"), at: "pipeline_tag", as: text, shown: true}, {Column: sometimes("lastModified"), at: "lastModified", as: text, shown: true},
			{Column: sometimes("gated"), at: "gated", as: text, shown: true}}, base) // false, auto or manual
	s.Ask = s.askHub
	return &s.Source
}

// modelOf returns the identifier of a model. Datasets and spaces are not models.
func modelOf(id string) string {
	if strings.HasPrefix(id, "datasets/") || strings.HasPrefix(id, "spaces/") {
		return ""
	}
	return id
}

var properties = []string{"downloads", "likes", "lastModified", "gated", "pipeline_tag", "safetensors", "tags"}

func (s *service) askHub(ctx context.Context, c *collect.Client, names []string) ([]collect.Answer, error) {
	a := collect.Answer{ID: names[0]}
	var m object
	found, err := c.Get(ctx, "from Hugging Face", collect.Request{URL: s.Hosts[0] + "/api/models/" + escapePath(a.ID) + "?" + url.Values{"expand[]": properties}.Encode(),
		Missing: func(resp *collect.Response) bool {
			// The Hub does not tell private repositories from missing ones: without a token it answers
			// 401 for both.
			return resp.Status == http.StatusGone || resp.Status == http.StatusUnauthorized && resp.Header.Get("X-Error-Code") == "RepoNotFound"
		}}, &m)
	switch id := m.text("id"); {
	case err != nil:
		return nil, err
	case !found:
		a.Gone = true
		return []collect.Answer{a}, nil
	case strings.Trim(id, "/") == "" || escapePath(id) != id:
		return nil, errors.New("the response of Hugging Face does not name the model")
	case !strings.EqualFold(id, a.ID):
		a.Moved = id
	}
	a.Page = "https://huggingface.co/" + m.text("id")
	var licenses []string
	tags, _ := m["tags"].([]any)
	for _, tag := range tags {
		if name, ok := strings.CutPrefix(yamldoc.Text(tag), "license:"); ok {
			licenses = append(licenses, name)
		}
	}
	// Of several licences, nothing says whether all apply, or which part each is for.
	if len(licenses) == 1 && licenses[0] != "other" && licenses[0] != "unknown" {
		m["license"] = licenses[0]
	}
	s.read(&a, m)
	return []collect.Answer{a}, nil
}
