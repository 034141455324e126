package pages

import (
	"context"
	"html"
	"net/url"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"kindex/exports/history"
	"kindex/exports/view"
	"kindex/site/siteurl"
)

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
	if files, err := s.sitemaps(); err == nil && s.Base != "" {
		paths = append(append(paths, "/sitemap.xml"), files...)
	}
	for _, t := range s.types() {
		paths = append(paths, "/"+t+"/")
	}
	for _, c := range s.Categories {
		for _, old := range c.Formerly {
			paths = append(paths, categoryPath(old), boardPath(old), changesPath("category", old, 1))
		}
	}
	for _, k := range s.facetKinds {
		for _, v := range s.Build.Values(k.Field) {
			for _, synonym := range s.Build.ReplacedBy(k.Field, v) {
				paths = append(paths, k.path(synonym))
			}
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
