package pages

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/view"
	"kindex/site/siteurl"
)

// sitemapEntities is the number of entities in a sitemap file. Such a file is half a megabyte
// in size, and it is rendered for each request. The format allows 50,000 URLs
// (https://www.sitemaps.org/protocol.html).
const sitemapEntities = 5_000

const xmlType = "application/xml; charset=utf-8"

// robots renders robots.txt. It keeps crawlers away from the API, where their IP
// addresses have only a small daily quota.
func (r *request) robots() (*page, error) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, p := range []string{"/search/?", "/compare/?", "/prices/?", "/submit/?", "/developer/"} {
		b.WriteString("Disallow: " + r.to(p) + "\n")
	}
	if !r.Static {
		b.WriteString("Disallow: /api/\nDisallow: /signin\n")
	}
	if to := r.absolute("/sitemap.xml"); to != "" {
		b.WriteString("Sitemap: " + to + "\n")
	}
	return &page{body: []byte(b.String()), mediaType: "text/plain; charset=utf-8"}, nil
}

// sitemapList renders URLs of a sitemap: elements of a kind, each with the day of its last change, "" if unknown.
func (r *request) sitemapList(root, element string, paths []string, changed func(i int) string) *page {
	b := bytes.NewBufferString(xml.Header + "<" + root + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for i, p := range paths {
		b.WriteString("<" + element + "><loc>")
		_ = xml.EscapeText(b, []byte(r.absolute(p))) // never fails
		b.WriteString("</loc>")
		if day := changed(i); day != "" {
			b.WriteString("<lastmod>" + day + "</lastmod>")
		}
		b.WriteString("</" + element + ">\n")
	}
	b.WriteString("</" + root + ">\n")
	return &page{body: b.Bytes(), mediaType: xmlType}
}

// undated is for pages whose last change is unknown.
func undated(int) string { return "" }

// sitemap renders the sitemap index. Its URLs are absolute, so a site with an unknown URL has
// no sitemap.
func (r *request) sitemap() (*page, error) {
	if r.Base == "" {
		return r.notFound(), nil
	}
	return r.sitemapList("sitemapindex", "sitemap", r.sitemaps(), undated), nil
}

// sitemaps returns the paths of the sitemap files.
func (s *Site) sitemaps() (paths []string) {
	for i := range 1 + files(s.Build.Listed()) + files(len(s.valuePaths())) {
		paths = append(paths, fmt.Sprintf("/sitemap/%d.xml", i))
	}
	return paths
}

// valuePaths returns the paths of the pages of values that entities have.
func (s *Site) valuePaths() (paths []string) {
	for _, k := range s.facetKinds {
		for _, v := range s.facets[k.Field]().all {
			if v.Count > 0 {
				paths = append(paths, v.Path)
			}
		}
	}
	return paths
}

// files returns the number of sitemap files for some URLs.
func files(urls int) int { return (urls + sitemapEntities - 1) / sitemapEntities }

// sitemapPart renders a sitemap file. Part 0 lists the pages of the site, the next parts list entities, and the
// other parts list pages of values.
func (r *request) sitemapPart() (*page, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(r.arg("file"), ".xml"))
	if err != nil || r.Base == "" || !slices.Contains(r.sitemaps(), r.Path) {
		return r.notFound(), nil //nolint:nilerr // no part has this name
	}
	switch entities := files(r.Build.Listed()); {
	case n > entities:
		paths := r.valuePaths()[(n-entities-1)*sitemapEntities:]
		return r.sitemapList("urlset", "url", paths[:min(sitemapEntities, len(paths))], undated), nil
	case n > 0:
		var paths []string
		list, _, _ := r.Build.Page(r.Build.Select(&view.Filter{}), view.DefaultSort, nil, (n-1)*sitemapEntities, sitemapEntities)
		for _, o := range list {
			paths = append(paths, r.path(o))
		}
		return r.sitemapList("urlset", "url", paths, func(i int) string { return r.Build.Entity(list[i]).LastUpdated }), nil
	}
	paths, err := r.sections()
	if err != nil {
		return nil, err
	}
	return r.sitemapList("urlset", "url", paths, undated), nil
}

// sections returns the paths of the pages of the site that are not about an entity or a value.
func (r *request) sections() ([]string, error) {
	paths := []string{"/", "/trending/", "/changes/", "/categories/", "/compare/", "/data/", qualityPath, "/docs/", "/docs/scoring/", siteurl.Submit}
	guides, err := r.guides()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(guides)) {
		paths = append(paths, guidePath(name))
	}
	for i, b := range r.ownBoards() {
		if i == 0 {
			paths = append(paths, boardsPath)
		}
		paths = append(paths, boardPath(b.Slug))
	}
	for _, t := range r.types() {
		paths = append(paths, r.kindPath(t))
	}
	for _, k := range r.facetKinds {
		if r.Build.Values(k.Field) != nil && !slices.Contains(paths, k.Path()) {
			paths = append(paths, k.Path())
		}
	}
	for _, c := range r.Categories {
		paths = append(paths, categoryPath(c.Slug), boardPath(c.Slug))
	}
	return paths, nil
}
