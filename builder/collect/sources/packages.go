package sources

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kindex/builder/collect"
	"kindex/exports/ids"
	"kindex/exports/record"
)

// NPM returns the source of npm packages: the latest version, its date and its licence, and the downloads
// of 30 days. registry and counts are the addresses of the registry and of the download counts; "" means
// the public ones.
func NPM(registry, counts string) *collect.Source {
	// A query for downloads allows 128 packages.
	s := newService(collect.Source{Name: "npm", Title: "npm", Hosts: []string{"https://registry.npmjs.org", "https://api.npmjs.org"}, Batch: 100, PerSecond: 5,
		Pages:   []string{"https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md", "https://github.com/npm/registry/blob/main/docs/download-counts.md"},
		Columns: []collect.Column{sometimes("status")}}, same,
		[]fact{{Column: always("lastRelease"), at: "day", as: day}, {Column: always("version"), at: "version", as: text},
			{Column: always("npmDownloads"), at: "downloads"}, {Column: sometimes("license"), at: "license", as: license}}, registry, counts)
	s.Ask = s.askNPM
	return &s.Source
}

func (s *service) askNPM(ctx context.Context, c *collect.Client, names []string) ([]collect.Answer, error) {
	downloads, err := s.downloads(ctx, c, names)
	if err != nil {
		return nil, err
	}
	var out []collect.Answer
	for _, name := range names {
		a := collect.Answer{ID: name, Page: "https://www.npmjs.com/package/" + name}
		var p object
		found, err := c.Get(ctx, "npm", collect.Request{URL: s.Hosts[0] + "/" + strings.ReplaceAll(url.PathEscape(name), "%40", "@")}, &p)
		switch {
		case err != nil:
			return nil, err
		case found && p.text("name") != name:
			return nil, fmt.Errorf("npm returned the package %q for %s", p.text("name"), name)
		case !found || p.at("time.unpublished") != nil:
			a.Gone = true
		default:
			latest := latestOf(p)
			latest["downloads"] = downloads[name]["downloads"]
			s.read(&a, latest)
			if message := latest.text("deprecated"); message != "" { // false means that it is not
				a.Add(collect.Value{Name: "status", Text: record.Deprecated, Note: "npm marks the package as deprecated: " + message})
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// downloads reads the downloads of packages. Packages with a scope cannot be asked together
// with others, and a package that alone is not in a list has another form of response.
func (s *service) downloads(ctx context.Context, c *collect.Client, names []string) (map[string]object, error) {
	out := map[string]object{}
	if !c.Wants("npmDownloads", "") {
		return out, nil
	}
	var groups [][]string
	plain := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		scoped := strings.HasPrefix(name, "@")
		if scoped {
			groups = append(groups, []string{name})
		}
		return scoped
	})
	if len(plain) > 0 {
		groups = append(groups, plain)
	}
	for _, group := range groups {
		var p object
		found, err := c.Get(ctx, "npm download counts", collect.Request{URL: s.Hosts[1] + "/downloads/point/last-month/" + strings.Join(group, ",")}, &p)
		_, counted := number(p["downloads"])
		switch {
		case err != nil:
			return nil, err
		case len(group) > 1 && !found:
			return nil, errors.New("npm download counts: status 404 instead of 200")
		case len(group) > 1:
			for _, name := range group {
				out[name], _ = p[name].(map[string]any)
			}
		case found && (p.text("package") != group[0] || !counted):
			return nil, fmt.Errorf("npm download counts: the response has no download count for %s", group[0])
		default:
			out[group[0]] = p
		}
	}
	return out, nil
}

// latestOf returns the latest version of a package, with its name and day. If its maker released it as the
// latest although it is a prerelease, it is the newest of the others, if there are any.
func latestOf(p object) object {
	versions, _ := p["versions"].(map[string]any)
	days, _ := p["time"].(map[string]any) // besides versions, created and modified
	latest := p.text("dist-tags.latest")
	if isPrerelease(latest) {
		newest := ""
		for _, v := range slices.Sorted(maps.Keys(versions)) {
			if t, _ := days[v].(string); !isPrerelease(v) && t > newest {
				latest, newest = v, t
			}
		}
	}
	out := object{}
	if fields, ok := versions[latest].(map[string]any); ok {
		maps.Copy(out, fields)
		if out["day"] = days[latest]; out["day"] != nil {
			out["version"] = latest
		}
	}
	return out
}

// isPrerelease reports whether a version is a prerelease of semantic versioning.
func isPrerelease(version string) bool {
	number, _, _ := strings.Cut(version, "+")
	return strings.Contains(number, "-")
}

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
