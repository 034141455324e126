package pages_test

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/indexes"
	"kindex/site/pages"
)

const base = "https://index.example.org"

// siteOf opens the site of an output folder.
func siteOf(t testing.TB, out string, o pages.Options, edits ...exports.Edit) *pages.Site {
	t.Helper()
	b := suite.Must(exports.OpenCurrent(out))(t)
	index := suite.Must(indexes.Open(out, b))(t)
	t.Cleanup(func() { b.Close() })
	shown := b
	if len(edits) > 0 {
		shown = suite.Must(b.WithEdits(edits))(t)
	}
	from := suite.Must(pages.SourceOf(shown))(t)
	if len(edits) == 0 && !o.Static {
		from.Index = index
	}
	return pages.New(from, o)
}

// get renders a page.
func get(t testing.TB, s *pages.Site, path string) *pages.Answer {
	t.Helper()
	a, err := s.Get(pages.Request{Path: path, Base: base})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return a
}

// node is an element of a page with its children.
type node struct {
	name     string
	attr     map[string]string
	children []*node
	page     *strings.Builder // text of the whole page
	from, to int              // the part within the element
}

// text returns the text within a node.
func (n *node) text() string { return n.page.String()[n.from:n.to] }

// parse parses a page.
func parse(t testing.TB, html []byte) *node {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	root := &node{page: &strings.Builder{}}
	open := []*node{root}
	for {
		token, err := d.Token()
		if token == nil || err != nil {
			suite.Equal(t, len(open), 1, "the page ends inside", open[len(open)-1].name, err)
			root.to = root.page.Len()
			return root
		}
		switch x := token.(type) {
		case xml.StartElement:
			n := &node{name: x.Name.Local, attr: map[string]string{}, page: root.page, from: root.page.Len()}
			for _, a := range x.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			last := open[len(open)-1]
			last.children = append(last.children, n)
			open = append(open, n)
		case xml.EndElement:
			open[len(open)-1].to = root.page.Len()
			open = open[:len(open)-1]
		case xml.CharData:
			root.page.Write(x)
		}
	}
}

// all returns the elements within a node that a function selects.
func (n *node) all(is func(*node) bool) (list []*node) {
	for _, c := range n.children {
		if is(c) {
			list = append(list, c)
		}
		list = append(list, c.all(is)...)
	}
	return list
}

func (n *node) named(name string) []*node { return n.all(func(c *node) bool { return c.name == name }) }

func (n *node) with(attr string) []*node {
	return n.all(func(c *node) bool { _, has := c.attr[attr]; return has })
}

// links returns the targets of all links within a node.
func (n *node) links() map[string]bool {
	set := map[string]bool{}
	for _, a := range n.named("a") {
		set[a.attr["href"]] = true
	}
	return set
}

// hundredths parses a number with two decimals.
func hundredths(t *testing.T, s string) int {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !strings.Contains(s, ".") {
		t.Fatalf("%q is not a number with two decimals", s)
	}
	return int(math.Round(100 * x))
}

// TestEntityPages reads the page of every entity of the content for tests.
func TestEntityPages(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	for o := range uint32(s.Build.Len()) {
		if passedOver(int(o)) {
			continue
		}
		e := s.Build.Entity(o)
		checkEntityPage(t, s, e)
	}
}

func checkEntityPage(t *testing.T, s *pages.Site, e *record.Entity) {
	t.Helper()
	path := "/" + e.Key() + "/"
	a := get(t, s, path)
	if a.Status != http.StatusOK {
		t.Errorf("%s: status %d", path, a.Status)
		return
	}
	p := parse(t, a.Body)
	if h := p.named("h1"); len(h) != 1 || !strings.HasPrefix(h[0].text(), e.Name) {
		t.Errorf("%s: the headings are %v", path, h)
	}
	if n := zipped(a.Body); n > 100_000 {
		t.Errorf("%s: %d bytes compressed", path, n)
	}
	checkHead(t, path, p)
	checkSum(t, s, path, p, e)
	links := p.links()
	for _, f := range e.Signals.Facts {
		if f.Source != "" && !links[f.Source] {
			t.Errorf("%s: the source of %s is not linked: %s", path, f.Name, f.Source)
		}
	}
	for _, b := range e.Signals.Benchmarks {
		if b.Source != "" && !links[b.Source] || !strings.Contains(p.text(), b.Name) {
			t.Errorf("%s: %s or its source is missing: %s", path, b.Name, b.Source)
		}
	}
	for _, l := range e.Links {
		if !links[l.URL] {
			t.Errorf("%s: %s is not linked", path, l.URL)
		}
	}
	checkSimilar(t, s, path, p, e)
}

// checkSimilar checks that the page lists alternatives apart from related entities, and links
// alternatives to comparisons.
func checkSimilar(t *testing.T, s *pages.Site, path string, p *node, e *record.Entity) {
	t.Helper()
	lists := map[bool]map[string]bool{}
	for id, alternative := range map[string]bool{"alternatives": true, "related": false} {
		lists[alternative] = map[string]bool{}
		for _, section := range p.all(func(n *node) bool { return n.attr["id"] == id }) {
			lists[alternative] = section.links()
		}
	}
	listed := map[bool]int{}
	for _, n := range s.Build.Similar(mustFind(t, s, e)) {
		typ, slug := s.Build.Key(n.Ordinal)
		here := lists[n.Alternative]["/"+typ+"/"+slug+"/"]
		if here {
			listed[n.Alternative]++
		} else if !n.Alternative && listed[false] < 5 {
			t.Errorf("%s: %s/%s is not listed as related", path, typ, slug)
		}
		if lists[!n.Alternative]["/"+typ+"/"+slug+"/"] {
			t.Errorf("%s: %s/%s is in the wrong list", path, typ, slug)
		}
		if compared := lists[true]["/compare/?e="+strings.ReplaceAll(e.Key(), "/", "%2F")+"&e="+typ+"%2F"+slug]; here && n.Alternative != compared {
			t.Errorf("%s: %s/%s is linked to a comparison: %t", path, typ, slug, compared)
		}
	}
	if want := s.Build.Similar(mustFind(t, s, e)); listed[true] != min(5, len(want)-count(want, false)) || listed[false] != min(5, count(want, false)) {
		t.Errorf("%s: %d alternatives and %d related entities are listed", path, listed[true], listed[false])
	}
}

func count(near []exports.Neighbour, alternative bool) (n int) {
	for i := range near {
		if near[i].Alternative == alternative {
			n++
		}
	}
	return n
}

func mustFind(t *testing.T, s *pages.Site, e *record.Entity) uint32 {
	o, former, ok := s.Build.Find(e.Type, e.Slug)
	if !ok || former {
		t.Fatalf("%s is missing", e.Key())
	}
	return o
}

func zipped(b []byte) int {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(b)
	_ = w.Close()
	return z.Len()
}

// checkHead checks the metadata in the head of the page.
func checkHead(t *testing.T, path string, p *node) {
	t.Helper()
	head := map[string]string{}
	for _, n := range p.named("link") {
		if head[n.attr["rel"]] == "" {
			head[n.attr["rel"]] = n.attr["href"]
		}
	}
	for _, n := range p.named("meta") {
		head[n.attr["name"]+n.attr["property"]] = n.attr["content"]
	}
	if head["canonical"] != base+path || head["og:image"] != base+"/og"+strings.TrimSuffix(path, "/")+".png" {
		t.Errorf("%s: canonical URL %s with the image %s", path, head["canonical"], head["og:image"])
	}
	if want := "/api/feed?entity=" + strings.Trim(path, "/"); head["alternate"] != want {
		t.Errorf("%s: the feed is %s, want %s", path, head["alternate"], want)
	}
}

// checkSum checks that the points on the page add up to the score.
func checkSum(t *testing.T, s *pages.Site, path string, p *node, e *record.Entity) {
	t.Helper()
	x := s.Formula.Explain(e, s.AsOf)
	section := p.with("data-composite")
	if x.Uncapped == nil {
		if len(section) != 0 || len(p.with("data-points")) != 0 || !strings.Contains(p.text(), *x.Reason) {
			t.Errorf("%s has no score, but the page does not say so", path)
		}
		return
	}
	total, sum := hundredths(t, section[0].attr["data-total"]), 0
	for i, n := range p.with("data-points") {
		points, d := hundredths(t, n.attr["data-points"]), x.Dimensions[i]
		sum += points
		weights := 0.0
		for _, d := range x.Dimensions {
			weights += d.Weight
		}
		if exact := 100 * d.Weight * d.Counted / weights; math.Abs(exact-float64(points)) >= 1.001 || n.attr["data-part"] != d.Name {
			t.Errorf("%s: %s contributes %.4f, the page shows %d of %s", path, d.Name, exact, points, n.attr["data-part"])
		}
		if !strings.Contains(n.text(), strconv.FormatFloat(d.Counted, 'f', 2, 64)) {
			t.Errorf("%s: %s does not show %v", path, d.Name, d.Counted)
		}
		hatched := n.all(func(c *node) bool { return strings.HasPrefix(c.attr["fill"], "url(#unknown-") })
		if (len(hatched) > 0) != (d.Value == nil) {
			t.Errorf("%s: %s is hatched %d times", path, d.Name, len(hatched))
		}
	}
	uncapped := record.ScoreOf(float64(total) / 100)
	if sum != total || uncapped != record.ScoreOf(*x.Uncapped) {
		t.Errorf("%s: the points add up to %d, the total is %d, the score %v", path, sum, total, *x.Uncapped)
	}
	if section[0].attr["data-composite"] != e.Scores.Composite.String() || x.Cap == nil && uncapped != e.Scores.Composite {
		t.Errorf("%s: the score is %s, the page shows %s", path, e.Scores.Composite, section[0].attr["data-composite"])
	}
	if x.Cap != nil && !strings.Contains(p.text(), fmt.Sprintf("capped at %v", *x.Cap)) {
		t.Errorf("%s does not mention the cap", path)
	}
}
