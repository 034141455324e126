package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"kindex/exports"
	"kindex/exports/record"
)

const (
	pageTimes   = 200 // requests per kind of page
	pageSamples = 50  // maximum number of distinct addresses per kind
	firstByte   = 5.0 // target in milliseconds
)

// browserHeader contains the headers of a browser's request, so that the server
// responds with a compressed page.
var browserHeader = http.Header{"Accept": {"text/html"}, "Accept-Encoding": {"gzip"}}

// measurePages requests every kind of page on the website, alternating with a bare
// handler that writes the same bytes. If there is a repository, it requests the
// pages of the repository's build, which has a history.
func (b *bench) measurePages(ctx context.Context) error {
	root, err := b.pagesRoot(ctx)
	if err != nil {
		return err
	}
	build, err := exports.OpenCurrent(root)
	if err != nil {
		return err
	}
	defer build.Close()
	b.paged = build.Len()
	product, err := b.serve(ctx, root, "pages")
	if err != nil {
		return err
	}
	defer func() { _ = product.stop() }() // only has an effect after an error, which is reported instead
	product.header = browserHeader
	classes, err := b.pageClasses(ctx, build, product)
	if err != nil {
		return err
	}
	slowest, file := durations{}, filepath.Join(b.tmp, "pages.gob")
	for _, c := range classes { // the first page of each kind fills the caches
		product.status = c.status
		took, err := product.firstByte(ctx, c.paths[0])
		if err != nil {
			return err
		}
		slowest = append(slowest, took)
	}
	if err := recordAnswers(ctx, product, classes, file); err != nil {
		return err
	}
	bare, err := serveRecorded(ctx, file)
	if err != nil {
		return err
	}
	defer func() { _ = bare.stop() }()
	bare.header = browserHeader
	for _, c := range classes {
		fmt.Fprintln(b.progress, "measuring: pages", c.name)
		if err := b.pagesOf(ctx, root, c, product, bare); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if err := b.add(row{Part: "pages", Name: "slowest first request", Value: slowest.quantile(1), Unit: "ms", Count: len(classes),
		Note: "the first request for each kind of page after the edge has started; all page times are measured from the request to the first byte of the response, on loopback, one request at a time on a keep-alive connection, with gzip; the bare handler writes the same bytes"}); err != nil {
		return err
	}
	return errors.Join(b.addMemory("pages", product), product.stop(), bare.stop())
}

// pagesRoot returns the output folder whose pages are measured.
func (b *bench) pagesRoot(ctx context.Context) (string, error) {
	if b.history == "" || b.built != "" {
		_, err := b.opened()
		return b.root, err
	}
	dir, _, err := b.repositoryBuild(ctx)
	return dir, err
}

// serveRecorded starts the bare handler.
func serveRecorded(ctx context.Context, file string) (*process, error) {
	cmd, err := child(ctx, "serve-bare", file)
	if err != nil {
		return nil, err
	}
	return start(ctx, cmd)
}

// pageClasses returns the kinds of pages, each with a sample of its addresses.
func (b *bench) pageClasses(ctx context.Context, build *exports.Build, p *process) ([]httpClassOf, error) {
	rng := rand.New(rand.NewPCG(b.seed, 29))
	words := &words{build: build}
	search := httpClassOf{name: "search"}
	for range pageSamples {
		search.paths = append(search.paths, "/search/?q="+url.QueryEscape(strings.Join(words.two(rng), " ")))
	}
	list := append([]httpClassOf{{name: "home", paths: []string{"/"}}, search}, entityPages(rng, build)...)
	for _, at := range []string{"search", "trending", "changes", "categories", "providers", "tags", "capabilities", "data", "docs", "submit"} {
		list = append(list, httpClassOf{name: "/" + at + "/", paths: []string{"/" + at + "/"}})
	}
	list = append(list, httpClassOf{name: "leaderboard", paths: []string{"/leaderboards/all/"}})
	for _, l := range []struct{ name, from, pattern string }{
		{"past leaderboard", "/leaderboards/all/", `/leaderboards/all/at-[0-9-]+/`}, {"leaderboard of a category", "/leaderboards/all/", `/leaderboards/[^/"]+/`},
		{"changes by event", "/changes/", `/changes/event-[a-z]+/`}, {"category", "/categories/", `/categories/[^/"]+/`},
		{"provider", "/providers/", `/providers/[^/"]+/`}, {"tag", "/tags/", `/tags/[^/"]+/`},
		{"capability", "/capabilities/", `/capabilities/[^/"]+/`}, {"guide", "/docs/", `/docs/[a-z-]+/`},
	} {
		paths, err := p.linked(ctx, l.from, l.pattern)
		if err != nil {
			return nil, err
		}
		if len(paths) > 0 { // there are no earlier days without a repository
			list = append(list, httpClassOf{name: l.name, paths: paths})
		}
		if l.name == "past leaderboard" {
			list = append(list, byScores(paths)...)
		}
	}
	return append(list, expensivePages(rng, words)...), words.err
}

// entityPages returns the classes of pages about entities.
func entityPages(rng *rand.Rand, build *exports.Build) []httpClassOf {
	of := map[string][]string{}
	for _, o := range sample(rng, build.Listed(), 40*pageSamples) {
		if typ, slug := build.Key(o); len(of[typ]) < pageSamples {
			of[typ] = append(of[typ], typ+"/"+slug)
		}
	}
	var list []httpClassOf
	compare := httpClassOf{name: "compare four"}
	for _, t := range record.Types {
		page, history := httpClassOf{name: t}, httpClassOf{name: t + " history"}
		for i, e := range of[t] {
			page.paths, history.paths = append(page.paths, "/"+e+"/"), append(history.paths, "/"+e+"/history/")
			if i >= 3 {
				compare.paths = append(compare.paths, "/compare/?e="+strings.Join(of[t][i-3:i+1], "&e="))
			}
		}
		list = append(list, page, history)
	}
	return slices.DeleteFunc(append(list, compare), func(c httpClassOf) bool { return len(c.paths) == 0 })
}

// linked returns the addresses matching a pattern that a page links to.
func (p *process) linked(ctx context.Context, from, pattern string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/html")
	res, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	var list []string
	for _, m := range regexp.MustCompile(`href="(`+pattern+`)"`).FindAllSubmatch(body, -1) {
		if path := html.UnescapeString(string(m[1])); path != from && !slices.Contains(list, path) && len(list) < pageSamples {
			list = append(list, path)
		}
	}
	return list, nil
}

// pagesOf measures one kind of page. Each request is sent to one server and then to
// the other.
func (b *bench) pagesOf(ctx context.Context, root string, c httpClassOf, product, bare *process) error {
	n := min(pageTimes, b.requests)
	product.status, bare.status = c.status, c.status
	var own, other durations
	for i := range n {
		path := c.paths[i%len(c.paths)]
		for turn := range 2 {
			p, list := product, &own
			if (turn+i)%2 == 1 {
				p, list = bare, &other
			}
			took, err := p.firstByte(ctx, path)
			if err != nil {
				return err
			}
			*list = append(*list, took)
		}
	}
	return b.add(
		row{Part: "pages", Name: c.name + " p50", Value: own.quantile(0.5), Unit: "ms", Count: n}.
			against("bare net/http", other.quantile(0.5), n).atMost(firstByte).explained(serveProfileOf(ctx, root, "pages-", browserHeader, c, "0")),
		row{Part: "pages", Name: c.name + " p99", Value: own.quantile(0.99), Unit: "ms", Count: n}.
			against("bare net/http", other.quantile(0.99), n))
}

// firstByte requests a page and returns the time to its first byte. It also reads
// the rest of the page.
func (p *process) firstByte(ctx context.Context, path string) (took time.Duration, err error) {
	var begin time.Time
	trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { took = time.Since(begin) }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodGet, p.url+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header = p.header.Clone()
	begin = time.Now()
	res, err := p.client.Do(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return 0, err
	}
	if !p.answered(res) {
		return 0, fmt.Errorf("%s: status %d", path, res.StatusCode)
	}
	return took, nil
}
