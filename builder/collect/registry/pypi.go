package registry

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"kindex/builder/collect"
	"kindex/exports/ids"
)

// PyPI returns the source of Python packages: the latest version, its date and its licence, and the
// downloads of a month. base and stats are the addresses of PyPI and of pypistats.org; "" means the public
// ones.
func PyPI(base, stats string) *Source {
	s := &Source{name: func(id string) string { return ids.Canonical("pypi", id) }, ask: askPyPI}
	s.info = collect.Info{Name: "pypi", Title: "PyPI", Hosts: []string{"https://pypi.org", "https://pypistats.org"}, Batch: 1, PerSecond: 5,
		Pages: []string{"https://docs.pypi.org/api/json/", "https://pypistats.org/api/"},
		Columns: []collect.Column{{Name: "lastRelease", Always: true}, {Name: "version", Always: true}, {Name: "pypiDownloads", Mostly: true},
			{Name: "license"}}}
	return s.at(base, stats)
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

func askPyPI(ctx context.Context, s *Source, c collect.Client, names []string) ([]collect.Answer, error) {
	a := collect.Answer{ID: names[0], Page: "https://pypi.org/project/" + names[0] + "/"}
	var p project
	found, err := collect.Get(ctx, c, "PyPI", collect.Request{URL: s.info.Hosts[0] + "/pypi/" + url.PathEscape(a.ID) + "/json"}, &p)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return []collect.Answer{{ID: a.ID, Gone: true}}, nil
	case ids.Canonical("pypi", p.Info.Name) != a.ID:
		return nil, fmt.Errorf("PyPI returned the package %q for %s", p.Info.Name, a.ID)
	}
	if first := p.released(); !p.Info.Yanked && !first.IsZero() && p.Info.Version != "" {
		a.AddDay("lastRelease", first)
		a.AddText("version", p.Info.Version)
	}
	// The old field license is free text, up to the whole licence.
	if !a.AddLicense(p.Info.Expression) && len(p.Info.License) < 100 {
		a.AddLicense(p.Info.License)
	}
	if !c.Wants("pypiDownloads", a.ID) {
		return []collect.Answer{a}, nil
	}
	var r recent
	found, err = collect.Get(ctx, c, "pypistats.org", collect.Request{URL: s.info.Hosts[1] + "/api/packages/" + url.PathEscape(a.ID) + "/recent?period=month"}, &r)
	if err != nil || !found { // it has no downloads yet
		return []collect.Answer{a}, err
	}
	if r.Type != "recent_downloads" || ids.Canonical("pypi", r.Package) != a.ID || r.Data.LastMonth == nil {
		return nil, fmt.Errorf("pypistats.org: the response has no download count for %s", a.ID)
	}
	a.Page = "https://pypistats.org/packages/" + a.ID
	a.AddCount("pypiDownloads", r.Data.LastMonth)
	return []collect.Answer{a}, nil
}

// released returns the time of the first file of the latest version.
func (p *project) released() (first time.Time) {
	for _, f := range p.URLs {
		if !f.Yanked && !f.Uploaded.IsZero() && (first.IsZero() || f.Uploaded.Before(first)) {
			first = f.Uploaded
		}
	}
	return first
}
