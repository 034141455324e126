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
	if to := (frame{r, nil}).Abs("/sitemap.xml"); to != "" {
		b.WriteString("Sitemap: " + to + "\n")
	}
	return &page{body: []byte(b.String()), mediaType: "text/plain; charset=utf-8"}, nil
}

// sitemap renders the sitemap index. Its URLs are absolute, so a site with an unknown URL has
// no sitemap.
func (r *request) sitemap() (*page, error) {
	if r.Base == "" {
		return r.notFound(), nil
	}
	var b bytes.Buffer
	b.WriteString(xml.Header + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, p := range r.sitemaps() {
		b.WriteString("<sitemap><loc>")
		_ = xml.EscapeText(&b, []byte((frame{r, nil}).Abs(p))) // never fails
		b.WriteString("</loc></sitemap>\n")
	}
	b.WriteString("</sitemapindex>\n")
	return &page{body: b.Bytes(), mediaType: xmlType}, nil
}

// sitemaps returns the paths of the sitemap files.
func (s *Site) sitemaps() (paths []string) {
	for i := range (s.Build.Listed()+sitemapEntities-1)/sitemapEntities + 1 {
		paths = append(paths, fmt.Sprintf("/sitemap/%d.xml", i))
	}
	return paths
}

// sitemapPart renders a sitemap file. Part 0 lists the pages of the site, the other parts
// list entities.
func (r *request) sitemapPart() (*page, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(r.arg("file"), ".xml"))
	if err != nil || r.Base == "" || !slices.Contains(r.sitemaps(), r.Path) {
		return r.notFound(), nil //nolint:nilerr // no part has this name
	}
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	add := func(path, changed string) {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(&b, []byte((frame{r, nil}).Abs(path))) // never fails
		b.WriteString("</loc>")
		if changed != "" {
			b.WriteString("<lastmod>" + changed + "</lastmod>")
		}
		b.WriteString("</url>\n")
	}
	if n == 0 {
		for _, p := range []string{"/", "/trending/", "/changes/", "/categories/", "/providers/", "/tags/", "/capabilities/", "/compare/", "/data/", qualityPath, "/docs/", "/docs/scoring/", siteurl.Submit} {
			add(p, "")
		}
		guides, err := r.guides()
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(guides)) {
			add(guidePath(name), "")
		}
		boards := r.ownBoards()
		if len(boards) > 0 {
			add("/leaderboards/", "")
		}
		for _, b := range boards {
			add(boardPath(b.Slug), "")
		}
		for _, t := range r.types() {
			add(r.kindPath(t), "")
		}
		for _, c := range r.Categories {
			add("/categories/"+c.Slug+"/", "")
			add("/leaderboards/"+c.Slug+"/", "")
		}
	} else {
		all := r.Build.Select(&view.Filter{})
		by := view.Sort{Key: "lastUpdated"}
		list, _, _ := r.Build.Page(all, view.DefaultSort, nil, (n-1)*sitemapEntities, sitemapEntities)
		for _, o := range list {
			add(siteurl.Entity(r.Build.Key(o)), r.Build.PositionOf(by, o).Value)
		}
	}
	b.WriteString("</urlset>\n")
	return &page{body: b.Bytes(), mediaType: xmlType}, nil
}
