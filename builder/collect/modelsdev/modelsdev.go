// Package modelsdev reads facts about models from models.dev: the lengths of input and output,
// the day of release, and what providers charge. It reads them over HTTP, or from a checkout of
// the repository, or from a saved catalog.json or models.json.
//
// It was written from the public documentation, and is tested against a server that behaves as
// documented:
//   - https://github.com/anomalyco/models.dev#api
//   - https://github.com/anomalyco/models.dev#adding-a-new-provider-model
package modelsdev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"kindex/builder/collect"
	"kindex/exports/record"
)

const (
	// maxFile is the maximum size of a file in a checkout, in bytes.
	maxFile = 64 << 20
	// repository has the files that are the sources of all values.
	repository = "https://github.com/anomalyco/models.dev/"
)

// Source implements collect.OfferSource.
type Source struct {
	base   string
	dir    string // a checkout, a file, or "" for HTTP
	day    string // on which dir was read, or ""
	files  *catalog
	broken error // why dir cannot be read
}

// catalog is all that models.dev has, in the form of catalog.json.
type catalog struct {
	Models    map[string]model    `json:"models"`
	Providers map[string]provider `json:"providers"` // nil if there are only models

	names map[string]string // of providers, by slug
}

// provider is the models that a provider serves. Each is decoded by itself, so that a broken one does no
// harm.
type provider struct {
	Models map[string]served `json:"models"`
}

// New returns the source. base is the address of models.dev; "" means https://models.dev. If dir
// is not "", it is a checkout of the repository, a catalog.json or a models.json, of the given
// day ("" means today), and no request is sent.
func New(base, dir, day string) *Source {
	if base == "" {
		base = "https://models.dev"
	}
	return &Source{base: strings.TrimSuffix(base, "/"), dir: dir, day: day}
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	info := collect.Info{Name: "modelsdev", Title: "models.dev", Hosts: []string{s.base}, Batch: 1 << 20, Whole: true, PerSecond: 1,
		Pages:   []string{"https://github.com/anomalyco/models.dev#api"},
		Columns: []collect.Column{{Name: "contextTokens", Mostly: true}, {Name: "outputTokens"}, {Name: "released", Always: true}, {Name: collect.OffersColumn}}}
	if s.dir != "" {
		info.Hosts = nil
	}
	return info
}

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	if ids := e.IDsIn("modelsdev"); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// model is a model, in models.json and in models/<lab>/<model>.toml.
type model struct {
	ID          string `json:"id" toml:"id"`
	Name        string `json:"name" toml:"name"`
	Family      string `json:"family" toml:"family"`
	ReleaseDate string `json:"release_date" toml:"release_date"`
	Knowledge   string `json:"knowledge" toml:"knowledge"`
	License     string `json:"license" toml:"license"`
	Reasoning   *bool  `json:"reasoning" toml:"reasoning"`
	OpenWeights *bool  `json:"open_weights" toml:"open_weights"`
	Modalities  struct {
		Input  []string `json:"input" toml:"input"`
		Output []string `json:"output" toml:"output"`
	} `json:"modalities" toml:"modalities"`
	Limit struct {
		Context float64 `json:"context" toml:"context"`
		Output  float64 `json:"output" toml:"output"`
	} `json:"limit" toml:"limit"`
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, ids []string) ([]collect.Answer, error) {
	all, err := s.read(ctx, c)
	if err != nil {
		return nil, err
	}
	out := make([]collect.Answer, len(ids))
	for i, id := range ids {
		if collect.IsOfferID(id) {
			out[i] = all.offer(id)
		} else {
			m, ok := all.Models[id]
			out[i] = m.answer(id)
			out[i].Gone = !ok
		}
		out[i].Day = s.day
	}
	return out, nil
}

// read reads everything. Over HTTP, catalog.json has models and offers in one response.
func (s *Source) read(ctx context.Context, c collect.Client) (*catalog, error) {
	if s.dir != "" {
		return s.local()
	}
	all := &catalog{}
	if !c.Wants(collect.OffersColumn, "") {
		_, err := collect.Get(ctx, c, "models.dev", collect.Request{URL: s.base + "/models.json"}, &all.Models)
		if err == nil && len(all.Models) == 0 {
			err = errors.New("models.dev: the response has no models")
		}
		return all, err
	}
	_, err := collect.Get(ctx, c, "models.dev", collect.Request{URL: s.base + "/catalog.json"}, all)
	if err == nil && (len(all.Models) == 0 || len(all.Providers) == 0) {
		err = errors.New("models.dev: the response has no models or no providers")
	}
	all.nameProviders()
	return all, err
}

// local reads the checkout or file, once.
func (s *Source) local() (*catalog, error) {
	if s.files == nil && s.broken == nil {
		s.files, s.broken = readLocal(s.dir)
	}
	return s.files, s.broken
}

// readLocal reads a checkout or a saved file.
func readLocal(path string) (*catalog, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readSaved(path)
	}
	root, err := os.OpenRoot(path) // links do not lead out of a checkout
	if err != nil {
		return nil, err
	}
	defer root.Close()
	all := &catalog{}
	if all.Models, err = readModels(root.FS()); err != nil {
		return nil, err
	}
	if len(all.Models) == 0 {
		return nil, fmt.Errorf("%s has no files models/<lab>/<model>.toml", path)
	}
	err = all.readProviders(root.FS())
	all.nameProviders()
	return all, err
}

// readSaved reads a catalog.json or models.json.
func readSaved(path string) (*catalog, error) {
	data, err := readFile(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	all := &catalog{}
	if err := json.Unmarshal(data, all); err == nil && len(all.Providers) > 0 && len(all.Models) > 0 {
		all.nameProviders()
		return all, nil
	}
	all = &catalog{}
	if err := json.Unmarshal(data, &all.Models); err != nil {
		return nil, fmt.Errorf("%s: %w; save https://models.dev/catalog.json, or use a checkout", path, err)
	}
	return all, nil
}

// readModels reads the models of a checkout.
func readModels(dir fs.FS) (map[string]model, error) {
	models := map[string]model{}
	err := fs.WalkDir(dir, "models", func(name string, d fs.DirEntry, err error) error {
		id, ok := strings.CutSuffix(strings.TrimPrefix(name, "models/"), ".toml")
		if err != nil || !ok || d.IsDir() {
			return err
		}
		data, err := readFile(dir, name)
		if err != nil {
			return err
		}
		var m model
		if err := toml.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		models[id] = m
		return nil
	})
	return models, err
}

func readFile(dir fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(dir, name)
}

func (m model) answer(id string) collect.Answer {
	a := collect.Answer{ID: id, Page: repository + "blob/dev/models/" + id + ".toml"}
	if m.Limit.Context > 0 { // image models have limits of 0
		a.AddCount("contextTokens", &m.Limit.Context)
	}
	if m.Limit.Output > 0 {
		a.AddCount("outputTokens", &m.Limit.Output)
	}
	if slices.Contains([]int{7, 10}, len(m.ReleaseDate)) {
		a.AddText("released", m.ReleaseDate)
	}
	return a
}
