// Package npm reads the latest version of packages, its date and its licence from the npm
// registry, and the downloads of 30 days from its download counts.
//
// It was written from the public documentation, and is tested against a server that behaves as
// documented:
//   - https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md#getpackage
//   - https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
//   - https://github.com/npm/registry/blob/main/docs/download-counts.md
package npm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/builder/content/schema"
	"kindex/exports/record"
)

// batch is the number of packages in one query for downloads, which allows 128.
const batch = 100

// Source implements collect.Source.
type Source struct{ registry, counts string }

// New returns the source. registry and counts are the addresses of the registry and of the
// download counts; "" means the public ones.
func New(registry, counts string) *Source {
	if registry == "" {
		registry = "https://registry.npmjs.org"
	}
	if counts == "" {
		counts = "https://api.npmjs.org"
	}
	return &Source{strings.TrimSuffix(registry, "/"), strings.TrimSuffix(counts, "/")}
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	return collect.Info{Name: "npm", Title: "npm", Hosts: []string{s.registry, s.counts}, Batch: batch, PerSecond: 5,
		Pages: []string{"https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md", "https://github.com/npm/registry/blob/main/docs/download-counts.md"},
		Columns: []collect.Column{{Name: "lastRelease", Always: true}, {Name: "version", Always: true}, {Name: "npmDownloads", Always: true},
			{Name: "license"}, {Name: "status"}}}
}

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	if ids := e.IDsIn("npm"); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, names []string) ([]collect.Answer, error) {
	downloads, err := s.downloads(ctx, c, names)
	if err != nil {
		return nil, err
	}
	var out []collect.Answer
	for _, name := range names {
		a, err := s.metadata(ctx, c, name)
		if err != nil {
			return nil, err
		}
		if n, ok := downloads[name]; ok && !a.Gone {
			a.Add(collect.Value{Name: "npmDownloads", Number: n, Source: page(name)})
		}
		out = append(out, a)
	}
	return out, nil
}

func page(name string) string { return "https://www.npmjs.com/package/" + name }

// point is the number of downloads of one package.
type point struct {
	Downloads *float64 `json:"downloads"`
	Package   string   `json:"package"`
}

// downloads reads the downloads of packages. Packages with a scope cannot be asked together
// with others, and a package that alone is not in a list has another form of response.
func (s *Source) downloads(ctx context.Context, c collect.Client, names []string) (map[string]float64, error) {
	out := map[string]float64{}
	if !c.Wants("npmDownloads", "") {
		return out, nil
	}
	var plain []string
	for _, name := range names {
		if !strings.HasPrefix(name, "@") {
			plain = append(plain, name)
			continue
		}
		if err := s.point(ctx, c, name, out); err != nil {
			return nil, err
		}
	}
	switch len(plain) {
	case 0:
		return out, nil
	case 1:
		return out, s.point(ctx, c, plain[0], out)
	}
	resp, err := c.Do(ctx, collect.Request{URL: s.counts + "/downloads/point/last-month/" + strings.Join(plain, ",")})
	if err != nil {
		return nil, err
	}
	var points map[string]*point
	if err := resp.JSON(&points); err != nil {
		return nil, fmt.Errorf("npm download counts: %w", err)
	}
	for _, name := range plain {
		if p := points[name]; p != nil && p.Downloads != nil {
			out[name] = *p.Downloads
		}
	}
	return out, nil
}

func (s *Source) point(ctx context.Context, c collect.Client, name string, into map[string]float64) error {
	resp, err := c.Do(ctx, collect.Request{URL: s.counts + "/downloads/point/last-month/" + name})
	if err != nil {
		return err
	}
	if resp.Status == http.StatusNotFound {
		return nil
	}
	var p point
	if err := resp.JSON(&p); err != nil {
		return fmt.Errorf("npm download counts: %w", err)
	}
	if p.Package != name || p.Downloads == nil {
		return fmt.Errorf("npm download counts: the response has no download count for %s", name)
	}
	into[name] = *p.Downloads
	return nil
}

// packument is the part of the metadata of a package that is used.
type packument struct {
	Name     string            `json:"name"`
	DistTags map[string]string `json:"dist-tags"`
	Time     map[string]any    `json:"time"` // besides versions, created, modified and unpublished
	Versions map[string]struct {
		License    json.RawMessage `json:"license"`
		Deprecated json.RawMessage `json:"deprecated"`
	} `json:"versions"`
}

func (s *Source) metadata(ctx context.Context, c collect.Client, name string) (collect.Answer, error) {
	a := collect.Answer{ID: name}
	resp, err := c.Do(ctx, collect.Request{URL: s.registry + "/" + strings.ReplaceAll(url.PathEscape(name), "%40", "@")})
	if err != nil {
		return a, err
	}
	if resp.Status == http.StatusNotFound {
		a.Gone = true
		return a, nil
	}
	var p packument
	if err := resp.JSON(&p); err != nil {
		return a, fmt.Errorf("npm: %w", err)
	}
	if p.Name != name {
		return a, fmt.Errorf("npm returned the package %q for %s", p.Name, name)
	}
	if p.Time["unpublished"] != nil {
		a.Gone = true
		return a, nil
	}
	latest, at := p.latest()
	if !at.IsZero() {
		a.Add(collect.Value{Name: "lastRelease", Text: at.UTC().Format(time.DateOnly), Source: page(name)})
		a.Add(collect.Value{Name: "version", Text: latest, Source: page(name)})
	}
	version := p.Versions[latest]
	var text string
	if json.Unmarshal(version.License, &text) == nil { // old packages have an object or a list
		if license := schema.License(text); license != "" {
			a.Add(collect.Value{Name: "license", Text: license, Source: page(name)})
		}
	}
	var message string
	if json.Unmarshal(version.Deprecated, &message) == nil && message != "" { // false means that it is not
		a.Add(collect.Value{Name: "status", Text: record.Deprecated, Source: page(name), Note: "npm marks the package as deprecated: " + message})
	}
	return a, nil
}

// latest returns the latest version and its day. If its maker released it as the latest although it is a
// prerelease, it is the newest of the others, if there are any.
func (p *packument) latest() (version string, at time.Time) {
	version = p.DistTags["latest"]
	day := func(version string) time.Time {
		text, _ := p.Time[version].(string)
		t, err := time.Parse(time.RFC3339, text)
		if _, ok := p.Versions[version]; err != nil || !ok {
			return time.Time{}
		}
		return t
	}
	at = day(version)
	if !isPrerelease(version) {
		return version, at
	}
	newest := time.Time{}
	for _, v := range slices.Sorted(maps.Keys(p.Versions)) {
		if t := day(v); !isPrerelease(v) && t.After(newest) {
			version, at, newest = v, t, t
		}
	}
	return version, at
}

// isPrerelease reports whether a version is a prerelease of semantic versioning.
func isPrerelease(version string) bool {
	number, _, _ := strings.Cut(version, "+")
	return strings.Contains(number, "-")
}
