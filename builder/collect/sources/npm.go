package sources

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kindex/builder/collect"
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
	get := func(list string, into any) (bool, error) {
		return c.Get(ctx, "npm download counts", collect.Request{URL: s.Hosts[1] + "/downloads/point/last-month/" + list}, into)
	}
	scoped := func(name string) bool { return strings.HasPrefix(name, "@") }
	single, plain := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !scoped(n) }), slices.DeleteFunc(slices.Clone(names), scoped)
	if len(plain) == 1 {
		single, plain = append(single, plain[0]), nil
	}
	for _, name := range single {
		var p object
		found, err := get(name, &p)
		if _, ok := number(p["downloads"]); err == nil && found && (p.text("package") != name || !ok) {
			err = fmt.Errorf("npm download counts: the response has no download count for %s", name)
		}
		if err != nil {
			return nil, err
		}
		out[name] = p
	}
	if len(plain) == 0 {
		return out, nil
	}
	var points map[string]object
	found, err := get(strings.Join(plain, ","), &points)
	if err == nil && !found {
		err = fmt.Errorf("npm download counts: status 404 instead of 200")
	}
	maps.Copy(out, points)
	return out, err
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
