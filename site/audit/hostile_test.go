package audit_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"kindex/builder/suite"
)

// words holds the building blocks of pages: elements, attributes and classes.
type words map[string]string // building block to the URL of a page that has it

// add records the building blocks of a page.
func (v words) add(path string, d *document) {
	for n := range d.nodes {
		v[n.Data] = path
		for _, a := range n.Attr {
			v[n.Data+" "+a.Key] = path
			if a.Key == "class" || a.Key == "rel" || a.Key == "type" || a.Key == "role" {
				for w := range strings.FieldsSeq(a.Val) {
					v[n.Data+" "+a.Key+"="+w] = path
				}
			}
		}
	}
}

// hostilePages returns the pages that show an attacker's strings.
func hostilePages() []string {
	paths := []string{"/", "/search/", "/leaderboards/", "/leaderboards/class-0/", "/trending/", "/trending/window-30d/", "/changes/", "/changes/event-updated/",
		"/categories/", "/categories/class-1/", "/providers/", "/tags/", "/data/", "/submit/", "/compare/", "/leaderboards/class-0/at-" + daysAgo(5) + "/",
		"/compare/?e=tool/n0&e=tool/n1&e=tool/n2&e=tool/n3", "/compare/?e=model/m0&e=model/m3&e=tool/n10"}
	for i := range hostileTools {
		paths = append(paths, fmt.Sprint("/tool/n", i, "/"))
	}
	for i := range hostileModels {
		paths = append(paths, fmt.Sprint("/model/m", i, "/"))
	}
	return paths
}

// opened returns the hostilePages that are opened in a browser: those that show strings in
// different ways. Every entity's strings are also in lists.
func opened() (list []kind) {
	paths := append(hostilePages()[:18], "/tool/n0/", "/tool/n2/", "/tool/n4/", "/tool/n8/", "/model/m0/", "/model/m2/", "/model/m4/")
	few := []string{"/", "/search/", "/leaderboards/class-0/", "/changes/", "/categories/", "/tags/", "/compare/?e=tool/n0&e=tool/n1&e=tool/n2&e=tool/n3", "/tool/n0/", "/tool/n4/", "/model/m0/"}
	for _, path := range suite.Pick(few, paths) {
		list = append(list, kind{name: path, path: path})
	}
	return list
}

// asked returns URLs that contain an attacker's strings.
func (a attacker) asked() (paths []string) {
	all := len(markup) + len(wild)
	if !a {
		all = 1
	}
	for i := range all {
		word := a.markup(i)
		if i >= len(markup) {
			word = a.wild(i)
		}
		q, part := url.QueryEscape(cutTo(word, 400)), url.PathEscape(cutTo(word, 400))
		paths = append(paths, "/search/?q=plain&tag="+q+"&provider="+q+"&sort="+q+"&page="+q, "/compare/?e="+q+"&e=tool/n1&e=tool/"+q)
		if i == 0 || i == 10 {
			paths = append(paths, "/search/?q="+q) // marking the matches in such strings takes a while
		}
		for n, in := range []string{"/%s/", "/%s", "/tool/%s/", "/model/%s/", "/categories/%s/", "/providers/%s/", "/tags/%s/", "/leaderboards/%s/",
			"/leaderboards/class-0/by-%s/", "/leaderboards/class-0/at-%s/", "/changes/event-%s/", "/changes/page-%s/", "/trending/%s/", "/docs/%s/"} {
			if !a || (i+n)%suite.Pick(12, 1) == 0 {
				paths = append(paths, fmt.Sprintf(in, part))
			}
		}
	}
	return paths
}

// TestHostile checks that hostile strings in content and URLs are shown and have no other
// effect. It compares the website with the same website built from harmless strings.
func TestHostile(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	builds := map[attacker]string{false: attacker(false).build(t), true: attacker(true).build(t)}
	together(t, map[string]func(*testing.T){
		"edge":  func(t *testing.T) { bearsServed(t, builds) },
		"files": func(t *testing.T) { bearsFiled(t, builds) },
	})
}

// bearsServed checks websites served by edges.
func bearsServed(t *testing.T, builds map[attacker]string) {
	sites := map[attacker]*website{}
	for a, dir := range builds {
		sites[a] = serve(t, dir, a)
	}
	known, counts := words{}, map[string]map[string]int{}
	sites[false].walk(t, append(hostilePages(), attacker(false).asked()...), func(path string, d *document) {
		known.add(path, d)
		counts[path] = d.counts()
	})
	// elements in search results, in which matches are marked
	for _, w := range []string{"mark", "bdi"} {
		known[w] = "anywhere"
	}
	for _, a := range []attacker{false, true} {
		sites[a].account(t, a, known, counts)
	}
	n := sites[true].walk(t, append(hostilePages(), attacker(true).asked()...), func(path string, d *document) {
		d.checkBears(t, path, known)
		for name, n := range d.counts() {
			if was, same := counts[path]; same && was[name] != n {
				t.Errorf("%.100s has %d <%s>, and with harmless words %d", path, n, name, was[name])
			}
		}
	})
	if n < 100 {
		t.Errorf("checked %d pages", n)
	}
	sites[true].bears(t, append(opened(), kind{name: "asked", path: "/search/?q=" + url.QueryEscape(markup[0])}), nil)
}

// unlike returns the building blocks of a page that are missing from known.
func (d *document) unlike(known words) (wrong []string) {
	met := words{}
	met.add("", d)
	for word := range met {
		if known[word] == "" {
			wrong = append(wrong, fmt.Sprintf("has <%.100s>, which no page with harmless words has", word))
		}
	}
	return wrong
}

// account checks the pages of a signed-in account.
func (w *website) account(t *testing.T, a attacker, known words, counts map[string]map[string]int) {
	t.Helper()
	for _, k := range kinds {
		if !k.signedIn {
			continue
		}
		d := w.get(t, w.named(k.path), true)
		if d.status != http.StatusOK || d.root == nil {
			t.Errorf("%s answers %d", k.name, d.status)
			continue
		}
		for _, f := range d.faults() {
			t.Errorf("%s: %s", k.name, f)
		}
		if !a {
			known.add(k.path, &d)
			counts[k.name+", signed in"] = d.counts()
			continue
		}
		d.checkBears(t, k.path, known)
		if got := d.counts(); !maps.Equal(got, counts[k.name+", signed in"]) {
			t.Errorf("%s has %v, and with harmless words %v", k.name, got, counts[k.name+", signed in"])
		}
	}
}

// walk opens the given pages, including error pages, and the pages that they link to.
func (w *website) walk(t *testing.T, paths []string, each func(string, *document)) int {
	t.Helper()
	c := &crawl{website: w, t: t, most: maxHostile, each: each, asked: map[string]bool{}}
	for _, p := range paths {
		c.asked[p] = true
	}
	c.run(paths)
	return len(c.pages)
}

// counts returns the number of elements of each kind that hostile strings must not add.
func (d *document) counts() map[string]int {
	m := map[string]int{}
	for n := range d.nodes {
		if n.Namespace == "" && slices.Contains([]string{"script", "meta", "form", "h1", "title", "main", "header", "footer", "nav", "style", "iframe"}, n.Data) {
			m[n.Data]++
		}
	}
	return m
}

// most is the maximum compressed size of a page in bytes.
const most = 100_000

// checkBears fails if hostile strings affect a page, whose building blocks must be known.
func (d *document) checkBears(t *testing.T, path string, known words) {
	t.Helper()
	for _, f := range append(d.unborne(t), d.unlike(known)...) {
		t.Errorf("%.100s %s", path, f)
	}
}

// unborne returns the faults of a page: it is too large, or it contains characters that
// change the text around them.
func (d *document) unborne(t testing.TB) (wrong []string) {
	t.Helper()
	if n := zipped(t, d.body); n > most {
		wrong = append(wrong, fmt.Sprintf("has %d bytes, compressed", n))
	}
	for n := range d.root.Descendants() {
		if n.Type == html.CommentNode {
			wrong = append(wrong, fmt.Sprintf("has the comment %.100q", n.Data))
		}
		if n.Type != html.TextNode || n.Parent.Data == "script" {
			continue
		}
		if at := strings.IndexFunc(n.Data, turns); at >= 0 {
			return append(wrong, fmt.Sprintf("says %q in a <%s>", shortly(n.Data[at:]), n.Parent.Data))
		}
	}
	return wrong
}

// turns reports whether r is an invisible character that changes the text around it.
func turns(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r == 0xfffd
}

func shortly(s string) string { return s[:min(len(s), 100)] }

func zipped(t testing.TB, body []byte) int {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	suite.Must(z.Write(body))(t)
	suite.Check(t, z.Close())
	return b.Len()
}
