// Package pypi reads the latest version of packages, its date and its licence from PyPI, and the
// downloads of a month from pypistats.org, which leaves mirrors out.
//
// It was written from the public documentation, and is tested against a server that behaves as
// documented:
//   - https://docs.pypi.org/api/json/
//   - https://docs.pypi.org/api/ (ETag, limits)
//   - https://pypistats.org/api/
package pypi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/builder/content/schema"
	"kindex/exports/ids"
	"kindex/exports/record"
)

// Source implements collect.Source.
type Source struct{ base, stats string }

// New returns the source. base and stats are the addresses of PyPI and of pypistats.org; ""
// means the public ones.
func New(base, stats string) *Source {
	if base == "" {
		base = "https://pypi.org"
	}
	if stats == "" {
		stats = "https://pypistats.org"
	}
	return &Source{strings.TrimSuffix(base, "/"), strings.TrimSuffix(stats, "/")}
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	return collect.Info{Name: "pypi", Title: "PyPI", Hosts: []string{s.base, s.stats}, Batch: 1, PerSecond: 5,
		Pages: []string{"https://docs.pypi.org/api/json/", "https://pypistats.org/api/"},
		Columns: []collect.Column{{Name: "lastRelease", Always: true}, {Name: "version", Always: true}, {Name: "pypiDownloads", Mostly: true},
			{Name: "license"}}}
}

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	if list := e.IDsIn("pypi"); len(list) > 0 {
		return ids.Canonical("pypi", list[0])
	}
	return ""
}

type project struct {
	Info struct {
		Name       string `json:"name"`
		Version    string `json:"version"`
		License    string `json:"license"`
		Expression string `json:"license_expression"`
		Yanked     bool   `json:"yanked"`
	} `json:"info"`
	URLs []struct {
		Uploaded time.Time `json:"upload_time_iso_8601"`
		Yanked   bool      `json:"yanked"`
	} `json:"urls"`
}

type recent struct {
	Data struct {
		LastMonth *float64 `json:"last_month"`
	} `json:"data"`
	Package string `json:"package"`
	Type    string `json:"type"`
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, names []string) ([]collect.Answer, error) {
	id := names[0]
	resp, err := c.Do(ctx, collect.Request{URL: s.base + "/pypi/" + url.PathEscape(id) + "/json"})
	if err != nil {
		return nil, err
	}
	if resp.Status == http.StatusNotFound {
		return []collect.Answer{{ID: id, Gone: true}}, nil
	}
	var p project
	if err := resp.JSON(&p); err != nil {
		return nil, fmt.Errorf("PyPI: %w", err)
	}
	if ids.Canonical("pypi", p.Info.Name) != id {
		return nil, fmt.Errorf("PyPI returned the package %q for %s", p.Info.Name, id)
	}
	a := collect.Answer{ID: id}
	p.addRelease(&a)
	if c.Wants("pypiDownloads", id) {
		if err := s.addDownloads(ctx, c, &a); err != nil {
			return nil, err
		}
	}
	return []collect.Answer{a}, nil
}

// addRelease adds the latest version, unless it was yanked, with the day of its first file.
func (p *project) addRelease(a *collect.Answer) {
	page := "https://pypi.org/project/" + a.ID + "/"
	var first time.Time
	for _, f := range p.URLs {
		if !f.Yanked && !f.Uploaded.IsZero() && (first.IsZero() || f.Uploaded.Before(first)) {
			first = f.Uploaded
		}
	}
	if !p.Info.Yanked && !first.IsZero() && p.Info.Version != "" {
		a.Add(collect.Value{Name: "lastRelease", Text: first.UTC().Format(time.DateOnly), Source: page})
		a.Add(collect.Value{Name: "version", Text: p.Info.Version, Source: page})
	}
	// The old field license is free text, up to the whole licence.
	text := schema.License(p.Info.Expression)
	if text == "" && len(p.Info.License) < 100 {
		text = schema.License(p.Info.License)
	}
	if text != "" {
		a.Add(collect.Value{Name: "license", Text: text, Source: page})
	}
}

func (s *Source) addDownloads(ctx context.Context, c collect.Client, a *collect.Answer) error {
	resp, err := c.Do(ctx, collect.Request{URL: s.stats + "/api/packages/" + url.PathEscape(a.ID) + "/recent?period=month"})
	if err != nil {
		return err
	}
	if resp.Status == http.StatusNotFound {
		return nil // it has no downloads yet
	}
	var r recent
	if err := resp.JSON(&r); err != nil {
		return fmt.Errorf("pypistats.org: %w", err)
	}
	if r.Type != "recent_downloads" || ids.Canonical("pypi", r.Package) != a.ID || r.Data.LastMonth == nil {
		return fmt.Errorf("pypistats.org: the response has no download count for %s", a.ID)
	}
	a.Add(collect.Value{Name: "pypiDownloads", Number: *r.Data.LastMonth, Source: "https://pypistats.org/packages/" + a.ID})
	return nil
}
