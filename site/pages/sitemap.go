package pages

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/view"
	"kindex/site/siteurl"
)

// sitemapEntities is the number of entities in a sitemap file, which is then half a megabyte in size. The
// format allows 50,000 URLs
// (https://www.sitemaps.org/protocol.html).
const sitemapEntities = 5_000

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

// sitemapEntry is a page in a sitemap file, or a file in the index of these.
type sitemapEntry struct {
	path    string
	changed string // day of its last change, "" if that is unknown
}

// sitemapList renders a sitemap file, or their index. The URLs are absolute.
func (r *request) sitemapList(root, element string, list []sitemapEntry) *page {
	b := bytes.NewBufferString(xml.Header + "<" + root + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, e := range list {
		b.WriteString("<" + element + "><loc>")
		_ = xml.EscapeText(b, []byte(r.absolute(e.path))) // never fails
		b.WriteString("</loc>")
		if e.changed != "" {
			b.WriteString("<lastmod>" + e.changed + "</lastmod>")
		}
		b.WriteString("</" + element + ">\n")
	}
	b.WriteString("</" + root + ">\n")
	return &page{body: b.Bytes(), mediaType: "application/xml; charset=utf-8"}
}

// sitemap renders the sitemap index. A site with an unknown URL has no sitemap.
func (r *request) sitemap() (*page, error) {
	paths, err := r.sitemaps()
	if r.Base == "" || err != nil {
		return r.notFound(), err
	}
	var list []sitemapEntry
	for _, p := range paths {
		list = append(list, sitemapEntry{path: p})
	}
	return r.sitemapList("sitemapindex", "sitemap", list), nil
}

// sitemaps returns the paths of the sitemap files.
func (s *Site) sitemaps() (paths []string, err error) {
	files, err := s.mapped()
	for i := range files {
		paths = append(paths, "/sitemap/"+strconv.Itoa(i)+".xml")
	}
	return paths, err
}

// sitemapPart renders a sitemap file.
func (r *request) sitemapPart() (*page, error) {
	paths, err := r.sitemaps()
	i := slices.Index(paths, r.Path)
	if r.Base == "" || i < 0 || err != nil {
		return r.notFound(), err
	}
	files, err := r.mapped()
	return r.sitemapList("urlset", "url", files[i]), err
}

// findMapped lists the pages of each sitemap file: in the first those about the index, then those about
// entities, then those about values. It is called once for each build.
func (s *Site) findMapped() ([][]sitemapEntry, error) {
	paths := []string{"/", "/trending/", "/changes/", "/categories/", "/compare/", "/data/", qualityPath, "/docs/", "/docs/scoring/", siteurl.Submit}
	guides, err := s.guides()
	for _, g := range guides {
		paths = append(paths, g.Path())
	}
	for i, b := range s.Own.Published() {
		if i == 0 {
			paths = append(paths, boardsPath)
		}
		paths = append(paths, boardPath(b.Slug))
	}
	for _, t := range s.types() {
		paths = append(paths, s.kindPath(t))
	}
	var index, entities, values []sitemapEntry
	for _, k := range s.facetKinds {
		if s.Build.Values(k.Field) != nil && !slices.Contains(paths, k.Path()) {
			paths = append(paths, k.Path())
		}
		for _, v := range s.usedValues(k) {
			values = append(values, sitemapEntry{path: v.Path})
		}
	}
	for _, c := range s.Categories {
		paths = append(paths, categoryPath(c.Slug), boardPath(c.Slug))
	}
	for _, p := range paths {
		index = append(index, sitemapEntry{path: p})
	}
	for _, o := range s.Build.InRankOrder(s.Build.Select(&view.Filter{})) {
		entities = append(entities, sitemapEntry{s.path(o), s.Build.Entity(o).LastUpdated})
	}
	files := [][]sitemapEntry{index}
	files = slices.AppendSeq(files, slices.Chunk(entities, sitemapEntities))
	return slices.AppendSeq(files, slices.Chunk(values, sitemapEntities)), err
}
