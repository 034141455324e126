package audit_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Limits of a crawl.
const (
	maxPages    = 250
	maxOfAShape = 6
	maxQueries  = 2 // per shape with a query
	maxHostile  = 2 // per shape, if the URLs contain hostile words
)

// crawl follows the links of the website.
type crawl struct {
	*website
	t      *testing.T
	queue  []string
	from   map[string]string // the visited URLs, each with the page that links to it
	shapes map[string]int
	most   int                            // per shape
	pages  []string                       // the pages that were read
	each   func(path string, d *document) // called for each page unless each is nil
	asked  map[string]bool                // URLs that may be refused, or nil
	api    []string                       // API URLs found
}

// run starts at the given pages and follows links, forms and images.
func (c *crawl) run(starts []string) {
	c.t.Helper()
	c.from, c.shapes = map[string]string{}, map[string]int{}
	for _, s := range starts {
		if c.from[s] == "" {
			c.from[s] = "the list of this test"
			c.queue = append(c.queue, s)
		}
	}
	for len(c.queue) > 0 {
		path := c.queue[0]
		c.queue = c.queue[1:]
		c.visit(path, 0)
	}
}

// crawlAll crawls the website without JavaScript, starting from every kind of page.
func (w *website) crawlAll(t *testing.T) {
	var starts []string
	for _, k := range w.kinds(t) {
		if k.status == 0 && !k.signedIn {
			starts = append(starts, k.path)
		}
	}
	titles := map[string]string{}
	c := &crawl{website: w, t: t, most: maxOfAShape, each: func(path string, d *document) {
		title := d.listedAs()
		if other := titles[title]; title != "" && other != "" {
			t.Errorf("%s and %s have the same title %q", other, path, title)
		}
		titles[title] = path
	}}
	c.run(starts)
	if len(c.pages) < len(starts) {
		t.Errorf("found %d pages", len(c.pages))
	}
	w.checkKinds(t, c.pages)
	for _, k := range w.kinds(t) {
		if k.do != "" {
			continue
		}
		d := w.get(t, k.path, k.signedIn)
		if want := cmp.Or(k.status, http.StatusOK); d.status != want {
			t.Errorf("%s: %s answers %d, want %d", k.name, k.path, d.status, want)
			continue
		}
		for _, f := range d.faults() {
			t.Errorf("%s: %s: %s", k.name, k.path, f)
		}
	}
	t.Logf("%d pages of %d shapes, %d addresses of the API", len(c.pages), len(c.shapes), len(c.api))
	if w.static() {
		return
	}
	// None of the requests for pages counted towards the API's rate limit.
	if d := w.get(t, "/api/meta", false); d.header.Get("X-RateLimit-Remaining") != "19" {
		t.Errorf("after %d pages, the API reports %v", len(c.pages), d.header)
	}
	c.askAPI()
}

// meet records a URL and queues it unless enough URLs of the same shape are already queued.
func (c *crawl) meet(path, on string) {
	if c.from[path] != "" {
		return
	}
	c.from[path] = on
	s, most, list := shape(path), c.most, &c.queue
	if !strings.HasSuffix(s, "?") {
		most = maxQueries
	}
	if strings.HasPrefix(path, "/api/") && !c.static() {
		most, list = maxQueries, &c.api
	}
	if strings.Count(s, "&") > 2 { // a search page on which each link adds another filter
		most = 0
	}
	if c.shapes[s]++; c.shapes[s] <= most {
		*list = append(*list, path)
	}
}

// visit requests a URL, following at most one redirect.
func (c *crawl) visit(path string, moved int) {
	c.t.Helper()
	if len(c.pages) >= maxPages {
		return
	}
	d := c.get(c.t, path, false)
	switch {
	// Lists of changes link to deleted entities, which have a tombstone instead of a page.
	case d.root != nil && (d.status == http.StatusGone || d.status >= 400 && d.status < 500 && c.asked[path]):
		c.read(path, &d)
		return
	case d.moved() != "" && moved == 0:
		to, err := d.url.Parse(d.moved())
		if err != nil || to.Host != d.url.Host {
			c.t.Errorf("%s on %s redirects to %q", path, c.from[path], d.moved())
			return
		}
		c.from[to.RequestURI()] = path
		c.visit(to.RequestURI(), 1)
		return
	case d.status != http.StatusOK || len(d.body) == 0:
		c.t.Errorf("%s on %s answers %d with %d bytes", path, c.from[path], d.status, len(d.body))
		return
	case d.root == nil || strings.HasPrefix(path, "/docs/api"):
		return
	}
	c.read(path, &d)
	leads := d.leads()
	for _, to := range slices.Sorted(maps.Keys(leads)) {
		c.lead(d, path, to, leads[to])
	}
	for n := range d.nodes {
		if n.Data == "form" && !strings.EqualFold(attr(n, "method"), "post") {
			c.meet(filled(n), path+", sent as it is")
		}
	}
}

// read checks a page.
func (c *crawl) read(path string, d *document) {
	c.t.Helper()
	c.pages = append(c.pages, path)
	if c.each != nil {
		c.each(path, d)
	}
	for _, f := range d.faults() {
		c.t.Errorf("%.100s: %s", path, f)
	}
}

// lead follows a URL within the site. It only checks the syntax of other URLs.
func (c *crawl) lead(d document, on, to, in string) {
	u, err := d.url.Parse(to)
	if err != nil {
		c.t.Errorf("%s: %s %q is not a URL", on, in, to)
		return
	}
	if u.Host != d.url.Host {
		return
	}
	c.meet(u.RequestURI(), on)
}

// filled returns the URL that a form leads to if it is submitted with its default values and
// a word to search for.
func filled(form *html.Node) string {
	q := url.Values{}
	for n := range form.Descendants() {
		name := attr(n, "name")
		switch kind := attr(n, "type"); {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "input" && (kind == "checkbox" || kind == "radio"):
			if has(n, "checked") {
				q.Add(name, cmp.Or(attr(n, "value"), "on"))
			}
		case n.Data == "input" && kind == "search":
			q.Add(name, "neural")
		case n.Data == "input":
			q.Add(name, attr(n, "value"))
		case n.Data == "select":
			q.Add(name, selected(n))
		}
	}
	action, _, _ := strings.Cut(attr(form, "action"), "#")
	return action + "?" + q.Encode()
}

// selected returns the initially selected value of a list.
func selected(list *html.Node) string {
	value, first := "", true
	for n := range list.Descendants() {
		if n.Data == "option" && (first || has(n, "selected")) {
			value, first = attr(n, "value"), false
		}
	}
	return value
}

// askAPI requests the API URLs found on pages. It sends a key.
func (c *crawl) askAPI() {
	key := c.Key(c.t, "crawler")
	for _, path := range c.api {
		d := c.get(c.t, path, false, "x-api-key", key)
		if d.status == http.StatusMovedPermanently || d.status == http.StatusFound {
			d = c.get(c.t, d.header.Get("Location"), false, "x-api-key", key)
		}
		if d.status != http.StatusOK {
			c.t.Errorf("%s on %s answers %d: %s", path, c.from[path], d.status, fmt.Sprintf("%.300s", d.body))
		}
	}
}
