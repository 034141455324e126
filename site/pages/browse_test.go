package pages_test

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
	"kindex/site/pages"
	"kindex/site/siteurl"
)

// browsed is a site with pages that a test reads.
type browsed struct {
	*pages.Site
	t       *testing.T
	build   *exports.Build
	formula *score.Formula
	read    map[string]string
}

// browse opens a site of the published build of a folder.
func browse(t *testing.T, dir string, o pages.Options) *browsed {
	t.Helper()
	o.Base = cmp.Or(o.Base, "https://index.example")
	s := siteOf(t, dir, o)
	return &browsed{s, t, s.Build, s.Formula, map[string]string{}}
}

// largest is the maximum compressed size of a page.
const largest = 100_000

// page requests a page, which must exist and not be too large.
func (b *browsed) page(address string) string {
	b.t.Helper()
	if text, ok := b.read[address]; ok {
		return text
	}
	text := b.answer(address, http.StatusOK)
	if n := packed(text); n > largest {
		b.t.Errorf("%s has %d bytes compressed", address, n)
	}
	b.read[address] = text
	return text
}

// packed returns the compressed size of a page if it is large.
func packed(text string) int {
	if len(text) <= largest {
		return len(text)
	}
	return zipped([]byte(text))
}

// answer requests a path, which may have a query.
func (b *browsed) answer(address string, status int) string {
	b.t.Helper()
	a := pageAt(b.t, b.Site, address)
	if a.Status != status {
		b.t.Fatalf("%s answers %d, want %d", address, a.Status, status)
	}
	return string(a.Body)
}

// all returns the text that a pattern's first group matches, for each match on a page.
func all(page, pattern string) []string {
	var list []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(page, -1) {
		list = append(list, html.UnescapeString(m[1]))
	}
	return list
}

const (
	rowLink = `<th scope="row" class="b-name"><a href="([^"]*)">`
	onward  = `<a rel="next" href="([^"]*)">`
)

// through reads a page and all following pages, and returns the matches of a pattern.
func (b *browsed) through(address, pattern string) []string {
	b.t.Helper()
	var list []string
	seen := map[string]bool{}
	for address != "" {
		if seen[address] {
			b.t.Fatalf("%s follows itself", address)
		}
		seen[address] = true
		page := b.page(address)
		list = append(list, all(page, pattern)...)
		next := append(all(page, onward), "")
		address = next[0]
	}
	return list
}

// ordered returns the paths of the entities that match a filter, in the given order.
func (b *browsed) ordered(f map[string][][]string, s view.Sort) []string {
	b.t.Helper()
	set := b.build.Select(&view.Filter{Fields: f})
	found, _, _ := b.build.Page(set, s, nil, 0, int(set.GetCardinality()))
	var list []string
	for _, o := range found {
		typ, slug := b.build.Key(o)
		list = append(list, "/"+typ+"/"+slug+"/")
	}
	return list
}

// escape escapes a path for a URL.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

func (b *browsed) same(address string, got, want []string) {
	b.t.Helper()
	if !slices.Equal(got, want) {
		b.t.Errorf("%s and what follows list %d, want %d:\n%.300q\n%.300q", address, len(got), len(want), got, want)
	}
}

var (
	byName   = view.Sort{Key: "name"}
	byUpdate = view.Sort{Key: "lastUpdated", Desc: true}
)

// valueLink is a link in the list of all values, with its count.
const valueLink = `<li><a href="([^"]*)"><bdi>[^<]*</bdi>&nbsp;<span class="num quiet">[0-9,]+</span></a></li>`

// crowded builds content with more values than a page can list, including values whose names
// are easily confused in paths.
func crowded(t *testing.T) string {
	t.Helper()
	files := map[string]string{"index.yaml": "title: A crowd\ndescription: Many of everything.\n"}
	providers := []string{"A/B", "A B", "A-B", "A_B", "a~b", "..", ".", "%2F", "?#", "letter-a", "All", "page-2", "北京 AI", "Ähre", "C++", "C#", "1st", "2nd",
		"<script>alert(1)</script>", `"quoted" & 'so'`, strings.Repeat("x", 199) + "1", strings.Repeat("x", 199) + "2", strings.Repeat("界", 200)}
	for i := len(providers); i < 540; i++ {
		providers = append(providers, fmt.Sprintf("%c provider %d", 'a'+i%26, i))
	}
	for i, p := range providers {
		slug := fmt.Sprintf("tool-%d", i)
		if special := []string{"all", "page-2", "sort-name"}; i < len(special) {
			slug = special[i]
		}
		status := ""
		if i == 300 {
			status = "status: withdrawn\n"
		}
		files["tool/"+slug+".yaml"] = fmt.Sprintf("name: Tool %d\nprovider: %q\ndescription: What it does.\ncategory: c%d\ntags: [t%d]\n%saddedDate: 2026-01-02\nlastUpdated: 2026-01-02\n",
			i, p, i%3, i%60, status)
	}
	return builtOf(t, files)
}

// TestLists reads all list pages, for the content for tests and for crowded.
func TestLists(t *testing.T) {
	suite.InTest(t)
	for name, dir := range map[string]string{"content": edgetest.Built(t), "crowd": crowded(t)} {
		t.Run(name, func(t *testing.T) {
			if name == "content" {
				suite.InSoak(t, "the other content has as many kinds of lists, and fewer pages")
			}
			b := browse(t, dir, pages.Options{})
			for field, list := range valueLists {
				b.checkValues(field, list)
			}
			b.checkValuePages()
			b.checkCategories()
			if name == "crowd" {
				checkAddresses(b)
			}
		})
	}
}

var valueLists = map[string]string{"provider": "/providers/", "tag": "/tags/", "capability": "/capabilities/"}

// checkValues checks that the lists of providers, tags and capabilities contain every value
// once, and that each value's pages list exactly the entities that have it, best first.
func (b *browsed) checkValues(field, list string) {
	b.t.Helper()
	links := b.through(list, valueLink)
	listed := b.build.Select(&view.Filter{})
	values := b.build.Facet(listed, field, 1<<30)
	slices.SortFunc(values, func(x, y view.FacetCount) int { return cmp.Compare(record.Fold(x.Value), record.Fold(y.Value)) })
	if len(values) == 0 && field != "capability" || len(links) != len(values) {
		b.t.Fatalf("%s links to %d values of %d", list, len(links), len(values))
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(links))); len(unique) != len(links) {
		b.t.Errorf("%s: %d values have %d addresses", list, len(links), len(unique))
	}
	have := map[string]int{} // number of values, keyed by the joined paths of their entities
	for _, v := range values {
		have[strings.Join(b.ordered(map[string][][]string{field: {{v.Value}}}, view.DefaultSort), " ")]++
	}
	for _, l := range links {
		have[strings.Join(b.through(l, rowLink), " ")]--
	}
	for entities, n := range have {
		suite.Equal(b.t, n, 0, list, "values have exactly", entities)
	}
}

// checkValuePages checks that each value has a page, even if only a withdrawn entity has
// the value.
func (b *browsed) checkValuePages() {
	b.t.Helper()
	for field, list := range valueLists {
		for _, v := range b.build.Values(field) {
			u := escape(list + siteurl.Key(record.Fold(v)) + "/")
			if _, replaced := b.build.Preferred(field, v); replaced { // only withdrawn entities still have the value
				b.answer(u, http.StatusMovedPermanently)
				continue
			}
			b.same(u, b.through(u, rowLink), b.ordered(map[string][][]string{field: {{v}}}, view.DefaultSort))
		}
	}
}

// checkCategories checks categories and types in the way that checkValues checks values. It
// covers each order and each type.
func (b *browsed) checkCategories() {
	b.t.Helper()
	orders := map[string]view.Sort{"": view.DefaultSort, "?sort=name": byName, "?sort=lastUpdated": byUpdate}
	classes := all(b.page("/categories/"), `<h3><a href="/categories/([^"/]*)/">`)
	if want := b.build.Values("category"); !slices.Equal(slices.Sorted(slices.Values(classes)), want) {
		b.t.Errorf("the categories are %q, want %q", classes, want)
	}
	for _, c := range classes {
		for path, order := range orders {
			b.same(c, b.through("/categories/"+c+"/"+path, rowLink), b.ordered(map[string][][]string{"category": {{c}}}, order))
		}
		for _, to := range all(b.page("/categories/"+c+"/"), `<a class="chip" href="(/categories/[^"]*/type-[^"]*)"`) {
			typ := strings.TrimSuffix(strings.TrimPrefix(to, "/categories/"+c+"/type-"), "/")
			b.same(to, b.through(to, rowLink), b.ordered(map[string][][]string{"category": {{c}}, "type": {{typ}}}, view.DefaultSort))
		}
	}
	for _, typ := range b.Build.Kinds().Names() {
		for path, order := range orders {
			if b.build.Bitmap("type", typ) == nil {
				continue
			}
			if typ == "model" && path == "" {
				order = view.Sort{Key: "signal.released", Desc: true} // scores of models come from different tests
			}
			address := "/" + typ + "s/" + path
			b.same(address, b.through(address, rowLink), b.ordered(map[string][][]string{"type": {{typ}}}, order))
		}
	}
}

// checkAddresses checks that each page has a single address.
func checkAddresses(b *browsed) {
	b.t.Helper()
	for _, nothing := range []string{"/tools/page-1/", "/tools/page-02/", "/tools/page-99/", "/tools/page-9223372036854775807/", "/tools/sort-name/",
		"/providers/all/letter-q/page-9223372036854775807/", "/changes/page-9223372036854775807/", "/categories/c1/type-model/",
		"/categories/c1/type-tool/", "/providers/all/letter-q9/", "/providers/all/letter-a/page-1/", "/providers/nobody/", "/categories/c9/",
		"/changes/page-1/", "/changes/page-x/", "/changes/event-other/", "/changes/type-book/", "/docs/nothing/"} {
		b.answer(nothing, http.StatusNotFound)
	}
	for address, near := range map[string]string{"/tags/t1x/": "/tags/t1/", "/providers/1stt/": "/providers/1st/", "/categories/c0x/": "/categories/c0/", "/docs/pipeline/": "/docs/pipelines/"} {
		if page := b.answer(address, http.StatusNotFound); !strings.Contains(page, `href="`+near) {
			b.t.Errorf("%s does not link to %s: %.600q", address, near, page[strings.Index(page, "<main"):])
		}
	}
}
