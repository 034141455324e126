package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/exports/record"
)

// NPM returns the source of npm packages: the latest version, its date and its licence, and the downloads
// of 30 days. registry and counts are the addresses of the registry and of the download counts; "" means
// the public ones.
func NPM(registry, counts string) *Source {
	s := &Source{name: func(id string) string { return id }, ask: askNPM}
	// A query for downloads allows 128 packages.
	s.info = collect.Info{Name: "npm", Title: "npm", Hosts: []string{"https://registry.npmjs.org", "https://api.npmjs.org"}, Batch: 100, PerSecond: 5,
		Pages: []string{"https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md", "https://github.com/npm/registry/blob/main/docs/download-counts.md"},
		Columns: []collect.Column{{Name: "lastRelease", Always: true}, {Name: "version", Always: true}, {Name: "npmDownloads", Always: true},
			{Name: "license"}, {Name: "status"}}}
	return s.at(registry, counts)
}

func askNPM(ctx context.Context, s *Source, c collect.Client, names []string) ([]collect.Answer, error) {
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
		if !a.Gone {
			a.AddCount("npmDownloads", downloads[name])
		}
		out = append(out, a)
	}
	return out, nil
}

// point is the number of downloads of one package.
type point struct {
	Downloads *float64 `json:"downloads"`
	Package   string   `json:"package"`
}

// downloads reads the downloads of packages. Packages with a scope cannot be asked together
// with others, and a package that alone is not in a list has another form of response.
func (s *Source) downloads(ctx context.Context, c collect.Client, names []string) (map[string]*float64, error) {
	out := map[string]*float64{}
	if !c.Wants("npmDownloads", "") {
		return out, nil
	}
	get := func(list string, into any) (bool, error) {
		return collect.Get(ctx, c, "npm download counts", collect.Request{URL: s.info.Hosts[1] + "/downloads/point/last-month/" + list}, into)
	}
	var single, plain []string
	for _, name := range names {
		if strings.HasPrefix(name, "@") {
			single = append(single, name)
		} else {
			plain = append(plain, name)
		}
	}
	if len(plain) == 1 {
		single, plain = append(single, plain[0]), nil
	}
	for _, name := range single {
		var p point
		found, err := get(name, &p)
		if err == nil && found && (p.Package != name || p.Downloads == nil) {
			err = fmt.Errorf("npm download counts: the response has no download count for %s", name)
		}
		if err != nil {
			return nil, err
		}
		out[name] = p.Downloads
	}
	if len(plain) == 0 {
		return out, nil
	}
	var points map[string]point
	found, err := get(strings.Join(plain, ","), &points)
	if err == nil && !found {
		err = fmt.Errorf("npm download counts: status 404 instead of 200")
	}
	for _, name := range plain {
		out[name] = points[name].Downloads
	}
	return out, err
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
	a := collect.Answer{ID: name, Page: "https://www.npmjs.com/package/" + name}
	var p packument
	found, err := collect.Get(ctx, c, "npm", collect.Request{URL: s.info.Hosts[0] + "/" + strings.ReplaceAll(url.PathEscape(name), "%40", "@")}, &p)
	switch {
	case err != nil:
		return a, err
	case found && p.Name != name:
		return a, fmt.Errorf("npm returned the package %q for %s", p.Name, name)
	case !found || p.Time["unpublished"] != nil:
		a.Gone = true
		return a, nil
	}
	latest, at := p.latest()
	if !at.IsZero() {
		a.AddDay("lastRelease", at)
		a.AddText("version", latest)
	}
	version := p.Versions[latest]
	var text string
	if json.Unmarshal(version.License, &text) == nil { // old packages have an object or a list
		a.AddLicense(text)
	}
	var message string
	if json.Unmarshal(version.Deprecated, &message) == nil && message != "" { // false means that it is not
		a.Add(collect.Value{Name: "status", Text: record.Deprecated, Note: "npm marks the package as deprecated: " + message})
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
