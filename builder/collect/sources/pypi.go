package sources

import (
	"context"
	"fmt"
	"net/url"

	"kindex/builder/collect"
	"kindex/exports/ids"
)

// PyPI returns the source of Python packages: the latest version, its date and its licence, and the
// downloads of a month, without mirrors. base and stats are the addresses of PyPI and of pypistats.org; ""
// means the public ones.
func PyPI(base, stats string) *collect.Source {
	s := newService(collect.Source{Name: "pypi", Title: "PyPI", Hosts: []string{"https://pypi.org", "https://pypistats.org"}, Batch: 1, PerSecond: 5,
		Pages: []string{"https://docs.pypi.org/api/json/", "https://pypistats.org/api/"}}, func(id string) string { return ids.Canonical("pypi", id) },
		[]fact{{Column: always("lastRelease"), at: "first", as: day}, {Column: always("version"), at: "version", as: text},
			{Column: mostly("pypiDownloads"), at: "data.last_month"}, {Column: sometimes("license"), at: "license", as: license}}, base, stats)
	s.Ask = s.askPyPI
	return &s.Source
}

func (s *service) askPyPI(ctx context.Context, c *collect.Client, names []string) ([]collect.Answer, error) {
	a := collect.Answer{ID: names[0], Page: "https://pypi.org/project/" + names[0] + "/"}
	var p, r object
	found, err := c.Get(ctx, "PyPI", collect.Request{URL: s.Hosts[0] + "/pypi/" + url.PathEscape(a.ID) + "/json"}, &p)
	switch name := p.text("info.name"); {
	case err != nil:
		return nil, err
	case !found:
		return []collect.Answer{{ID: a.ID, Gone: true}}, nil
	case ids.Canonical("pypi", name) != a.ID:
		return nil, fmt.Errorf("PyPI returned the package %q for %s", name, a.ID)
	}
	s.read(&a, released(p))
	if !c.Wants("pypiDownloads", a.ID) {
		return []collect.Answer{a}, nil
	}
	found, err = c.Get(ctx, "pypistats.org", collect.Request{URL: s.Hosts[1] + "/api/packages/" + url.PathEscape(a.ID) + "/recent?period=month"}, &r)
	if err != nil || !found { // it has no downloads yet
		return []collect.Answer{a}, err
	}
	if _, ok := number(r.at("data.last_month")); !ok || r.text("type") != "recent_downloads" || ids.Canonical("pypi", r.text("package")) != a.ID {
		return nil, fmt.Errorf("pypistats.org: the response has no download count for %s", a.ID)
	}
	a.Page = "https://pypistats.org/packages/" + a.ID
	s.read(&a, r)
	return []collect.Answer{a}, nil
}

// released returns the latest version of a project with its licence and the time of its first file.
func released(p object) object {
	out := object{"license": p.at("info.license_expression")}
	// The old field license is free text, up to the whole licence.
	if old := p.text("info.license"); p.text("info.license_expression") == "" && len(old) < 100 {
		out["license"] = old
	}
	first := ""
	files, _ := p.at("urls").([]any)
	for _, f := range files {
		file, _ := f.(map[string]any)
		if at := object(file).text("upload_time_iso_8601"); file["yanked"] != true && at != "" && (first == "" || at < first) {
			first = at
		}
	}
	if first != "" && p.at("info.yanked") != true && p.text("info.version") != "" {
		out["first"], out["version"] = first, p.text("info.version")
	}
	return out
}
