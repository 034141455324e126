package pages

import (
	"bytes"
	"context"
	"embed"
	"encoding/xml"
	"html"
	"io/fs"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/exports/board"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site"
	"kindex/site/ogimage"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

//go:embed assets
var assetFiles embed.FS

// The style sheet is one file for browsers; its sources are one file per kind of page.
//
//go:embed css
var styleFiles embed.FS

// Files from npm, if they were present when the program was built.
//
//go:embed npm
var npmFiles embed.FS

// Searchable reports whether the program contains the search engine of static sites.
func Searchable() bool {
	_, err := fs.Stat(npmFiles, "npm/"+engine)
	return err == nil
}

// engine is MiniSearch (https://github.com/lucaong/minisearch), as a module.
const engine = "minisearch.js"

// Asset returns a file that pages load from /assets/, given its name as it appears in the
// URL.
func Asset(name string) (site.Asset, bool) {
	a, ok := assets().ByName[name]
	return a, ok
}

// Assets returns all files that the pages of a static site load.
func Assets() []site.Asset {
	var list []site.Asset
	for name, a := range assets().ByName {
		if name != assets().Names[layeredSheet] {
			list = append(list, a)
		}
	}
	return list
}

func (s *Site) asset(file string) string { return s.to("/assets/" + assets().Names[file]) }

// The style sheet, and a copy of it in a cascade layer. Rules outside any layer override the
// rules in the copy, whatever their specificity. Pages that embed a third-party style sheet
// load the copy.
const (
	styleSheet   = "style.css"
	layeredSheet = "layered.css"
)

var assets = sync.OnceValue(func() *site.Assets {
	list := &site.Assets{ByName: map[string]site.Asset{}, Names: map[string]string{}}
	names, _ := fs.Glob(assetFiles, "assets/*") // the pattern is valid
	for _, name := range names {
		list.Add(path.Base(name), site.Embedded(assetFiles, name), nil)
	}
	var styles []byte // sorted by name
	names, _ = fs.Glob(styleFiles, "css/*")
	for _, name := range names {
		styles = append(append(styles, site.Embedded(styleFiles, name)...), '\n')
	}
	list.Add(styleSheet, styles, nil)
	list.Add(layeredSheet, slices.Concat([]byte("@layer site {\n"), styles, []byte("}\n")), nil)
	if data, err := fs.ReadFile(npmFiles, "npm/"+engine); err == nil {
		list.Add(engine, data, nil)
	}
	return list
})

//go:embed favicon.ico
var icon []byte

// favicon returns the icon for programs that cannot read icon.svg, which pages link to.
func (r *request) favicon() (*page, error) {
	return file("image/vnd.microsoft.icon", icon, 24*time.Hour), nil
}

// sharedPicture is the preview image of the index, for all pages without their own.
const sharedPicture = "/og/index.png"

// maxPictures is the largest number of entities for which a static site has one image per entity.
const maxPictures = 5000

// picturePath returns the path of an entity's image, or "" for that of the index.
func (s *Site) picturePath(typ, slug string) string {
	if s.Static && s.Build.Listed() > maxPictures {
		return ""
	}
	return "/og/" + typ + "/" + slug + ".png"
}

func (r *request) entityPicture() (*page, error) {
	slug, isPNG := strings.CutSuffix(r.args["file"], ".png")
	o, former, ok := r.Build.Find(r.args["type"], slug)
	switch {
	case !isPNG || !ok:
		return r.notFound(), nil
	case former:
		return r.moved(r.picturePath(r.Build.Key(o)), ""), nil
	}
	e := r.Build.Entity(o)
	about := r.kind(e.Type).Title
	if e.Provider != "" && record.Fold(e.Provider) != record.Fold(e.Name) {
		about += " by " + e.Provider
	}
	facts := each(r.mainFacts(e), func(f fact) string { return f.Name + " " + textfmt.Name(f.Value()) })
	facts = facts[:min(3, len(facts))]
	return picture(ogimage.Card{Site: r.Build.Manifest.Title, Name: safetext.OneLine(e.Name), Fallback: e.Key(), About: safetext.OneLine(about), Facts: strings.Join(facts, "   ")})
}

func (r *request) indexPicture() (*page, error) {
	if r.Path != sharedPicture {
		return r.notFound(), nil
	}
	m := r.Build.Manifest
	return picture(ogimage.Card{Name: safetext.OneLine(m.Title), Fallback: "Index", About: textfmt.Plural(m.Counts.Entities, "entry", "entries") + " with sources",
		Facts: safetext.OneLine(m.Description)})
}

func picture(c ogimage.Card) (*page, error) {
	body, err := ogimage.PNG(c)
	return file("image/png", body, time.Hour), err
}

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
	if to := r.Abs("/sitemap.xml"); to != "" {
		b.WriteString("Sitemap: " + to + "\n")
	}
	return file("text/plain; charset=utf-8", []byte(b.String()), 0), nil
}

// maxMapped is the number of URLs that a sitemap can have (https://www.sitemaps.org/protocol.html).
const maxMapped = 50_000

// sitemap renders the sitemap. A site with an unknown URL has none, because the URLs in it are absolute.
func (r *request) sitemap() (*page, error) {
	list, err := r.mapped()
	if r.Base == "" || err != nil {
		return r.notFound(), err
	}
	b := bytes.NewBufferString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, e := range list {
		b.WriteString("<url><loc>")
		_ = xml.EscapeText(b, []byte(r.Abs(e.To))) // never fails
		b.WriteString("</loc>")
		if e.Note != "" {
			b.WriteString("<lastmod>" + e.Note + "</lastmod>")
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>\n")
	return file("application/xml; charset=utf-8", b.Bytes(), 0), nil
}

// findMapped lists the pages of the sitemap: those about the index, then those about entities, the best first, then
// those about values. Their notes are the days of their last changes, if they are known. It is called once for each build.
func (s *Site) findMapped() (list []link, err error) {
	paths := []string{"/", "/trending/", "/changes/", "/categories/", "/compare/", "/data/", qualityPath, "/docs/", "/docs/scoring/", siteurl.Submit}
	guides, err := s.guides()
	paths = append(append(paths, each(guides, (*guidePage).Path)...), each(s.types(), s.kindPath)...)
	if boards := s.Own.Published(); len(boards) > 0 {
		paths = append(append(paths, boardsPath), each(boards, func(b *board.Board) string { return boardPath(b.Slug) })...)
	}
	for _, k := range s.facetKinds {
		if s.Build.Values(k.Field) != nil {
			paths = append(paths, s.valuesPath(k))
		}
	}
	for _, c := range s.Categories {
		if paths = append(paths, categoryPath(c.Slug)); c.Ranked > 0 {
			paths = append(paths, boardPath(c.Slug))
		}
	}
	list = each(paths, func(path string) link { return link{To: path} })
	for _, o := range s.Build.InRankOrder(s.Build.Select(&view.Filter{})) {
		list = append(list, link{To: s.path(o), Note: s.Build.Entity(o).LastUpdated})
	}
	for _, k := range s.facetKinds {
		for _, v := range s.usedValues(k) {
			list = append(list, link{To: v.Path})
		}
	}
	return list[:min(maxMapped, len(list))], err
}

// Crawl calls visit with the path of each page and file of a static site, once: of those that no page links
// to, and of those that the answers of visit lead to. It calls visit concurrently.
func (s *Site) Crawl(ctx context.Context, visit func(path string) (*Answer, error)) error {
	var mu sync.Mutex
	seen := map[string]bool{}
	for next := s.unlinked(); len(next) > 0; {
		paths := next
		next = nil
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(runtime.GOMAXPROCS(0))
		for _, p := range paths {
			if seen[p] {
				continue
			}
			seen[p] = true
			g.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				a, err := visit(p)
				if err != nil || a == nil {
					return err
				}
				linked := s.linked(a)
				mu.Lock()
				defer mu.Unlock()
				next = append(next, linked...)
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// linked returns the paths of the pages and files of the site that an answer leads to.
func (s *Site) linked(a *Answer) (paths []string) {
	root, known := s.to("/"), map[string]bool{}
	add := func(to string) {
		if from, ok := strings.CutPrefix(to, strings.TrimSuffix(s.Base, "/")+"/"); ok && s.Base != "" {
			to = root + from
		}
		if known[to] || !strings.HasPrefix(to, root) {
			return
		}
		known[to] = true
		u, err := url.Parse(html.UnescapeString(to))
		if err != nil {
			return
		}
		if path := "/" + strings.TrimPrefix(u.Path, s.Root); s.Route(path) != "" {
			paths = append(paths, path)
		}
	}
	if add(a.Location); a.MediaType != htmlType {
		return paths
	}
	for attribute := range strings.SplitSeq(string(a.Body), `="`) {
		to, _, _ := strings.Cut(attribute, `"`)
		add(to)
	}
	return paths
}

// unlinked returns the paths of a static site to which no page links: of files that programs ask for, of all
// entities, and of former addresses.
func (s *Site) unlinked() []string {
	paths := []string{"/", "/search.json", "/robots.txt", "/favicon.ico", sharedPicture, "/quality-and-price/", boardPath(view.AllBoard)}
	if s.Base != "" {
		paths = append(paths, "/sitemap.xml")
	}
	paths = append(paths, each(s.types(), func(t string) string { return "/" + t + "/" })...)
	for _, c := range s.Categories {
		for _, old := range c.Formerly {
			paths = append(paths, categoryPath(old), boardPath(old), changesPath("category", old))
		}
	}
	for _, k := range s.facetKinds {
		for _, v := range s.Build.Values(k.Field) {
			paths = append(paths, each(s.Build.ReplacedBy(k.Field, v), k.path)...)
		}
	}
	add := func(typ, slug string) bool {
		_, former, ok := s.Build.Find(typ, slug)
		if !ok {
			if _, standing := s.Build.ResolveRemoved(typ, slug); standing == history.Unknown {
				return true
			}
		}
		path := siteurl.Entity(typ, slug)
		if paths = append(paths, path, path+feedFile, path+badgeFile); ok && !former {
			paths = append(paths, path+"entity.json", path+"entity.md", path+"history.json")
		}
		return true
	}
	s.Build.Keys(add)
	for i := range s.Build.History().Versions() {
		v := s.Build.History().Version(i)
		add(v.Type, v.Slug)
	}
	return paths
}
