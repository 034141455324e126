// Package modelsdev reads facts about models from models.dev: the lengths of input and output,
// and the day of release. It reads them over HTTP, or from a checkout of the repository, or from
// a saved models.json.
//
// It is written from the public documentation, and tested against a server that behaves as the
// documentation says:
//   - https://github.com/anomalyco/models.dev#api
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

// maxFile is the maximum size of a file in a checkout, in bytes.
const maxFile = 64 << 20

// Source implements collect.Source.
type Source struct {
	base   string
	dir    string           // a checkout, a file, or "" for HTTP
	day    string           // on which dir was read, or ""
	models map[string]model // of dir, when read
}

// New returns the source. base is the address of models.dev; "" means https://models.dev. If dir
// is not "", it is a checkout of the repository, or a models.json, of the given day ("" means
// today), and no request is sent.
func New(base, dir, day string) *Source {
	if base == "" {
		base = "https://models.dev"
	}
	return &Source{base: strings.TrimSuffix(base, "/"), dir: dir, day: day}
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	info := collect.Info{Name: "modelsdev", Title: "models.dev", Hosts: []string{s.base}, Batch: 1 << 20, PerSecond: 1,
		Pages:   []string{"https://github.com/anomalyco/models.dev#api"},
		Columns: []collect.Column{{Name: "contextTokens", Mostly: true}, {Name: "outputTokens"}, {Name: "released", Always: true}}}
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
	ReleaseDate string `json:"release_date" toml:"release_date"`
	Limit       struct {
		Context float64 `json:"context" toml:"context"`
		Output  float64 `json:"output" toml:"output"`
	} `json:"limit" toml:"limit"`
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, ids []string) ([]collect.Answer, error) {
	models, err := s.read(ctx, c)
	if err != nil {
		return nil, err
	}
	out := make([]collect.Answer, len(ids))
	for i, id := range ids {
		m, ok := models[id]
		out[i] = m.answer(id)
		out[i].Gone, out[i].Day = !ok, s.day
	}
	return out, nil
}

// read reads all models.
func (s *Source) read(ctx context.Context, c collect.Client) (models map[string]model, err error) {
	if s.dir != "" {
		if s.models == nil {
			s.models, err = readFiles(s.dir)
		}
		return s.models, err
	}
	resp, err := c.Do(ctx, collect.Request{URL: s.base + "/models.json"})
	if err != nil {
		return nil, err
	}
	if err := resp.JSON(&models); err != nil {
		return nil, fmt.Errorf("models.dev: %w", err)
	}
	if len(models) == 0 {
		return nil, errors.New("models.dev: the response has no models")
	}
	return models, nil
}

// readFiles reads a checkout or a saved models.json.
func readFiles(path string) (models map[string]model, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		data, err := readFile(os.DirFS(filepath.Dir(path)), filepath.Base(path))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &models); err != nil {
			return nil, fmt.Errorf("%s: %w; save https://models.dev/models.json, or use a checkout", path, err)
		}
		return models, nil
	}
	root, err := os.OpenRoot(path) // links do not lead out of a checkout
	if err != nil {
		return nil, err
	}
	defer root.Close()
	models = map[string]model{}
	err = fs.WalkDir(root.FS(), "models", func(name string, d fs.DirEntry, err error) error {
		id, ok := strings.CutSuffix(strings.TrimPrefix(name, "models/"), ".toml")
		if err != nil || !ok || d.IsDir() {
			return err
		}
		data, err := readFile(root.FS(), name)
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
	if err == nil && len(models) == 0 {
		err = fmt.Errorf("%s: has no models/<lab>/<model>.toml", path)
	}
	return models, err
}

func readFile(dir fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(dir, name)
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(dir, name)
}

func (m model) answer(id string) collect.Answer {
	a := collect.Answer{ID: id}
	page := "https://github.com/anomalyco/models.dev/blob/dev/models/" + id + ".toml"
	for _, v := range []collect.Value{{Name: "contextTokens", Number: m.Limit.Context}, {Name: "outputTokens", Number: m.Limit.Output}} {
		if v.Number > 0 { // image models have limits of 0
			v.Source = page
			a.Add(v)
		}
	}
	if slices.Contains([]int{7, 10}, len(m.ReleaseDate)) {
		a.Add(collect.Value{Name: "released", Text: m.ReleaseDate, Source: page})
	}
	return a
}
