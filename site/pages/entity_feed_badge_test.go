package pages_test

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/store"
	"kindex/site/pages"
)

const adasSite = "https://ada.example/index"

// checkFeedsAndBadges compares the files of a static site with the responses of an
// edge for the same build, at all current and former addresses of entities and at those
// of deleted entities. The site is that of the edge.
func checkFeedsAndBadges(t *testing.T, served *pages.Site, out string) {
	s := siteOf(t, out, pages.Options{Static: true, Root: "/index/", Base: adasSite})
	e := edgetest.Start(t, edge.Options{Dir: out, URL: adasSite, LimitAnonymous: 0})
	n := 0
	for _, path := range pathsOf(t, s, func(path string) bool { return path == "/" }) {
		address, isBadge := strings.CutSuffix(path, "/badge.svg")
		if !isBadge {
			continue
		}
		typ, slug, _ := strings.Cut(strings.Trim(address, "/"), "/")
		if n++; n%7 > 0 && !slices.Contains([]string{"keras", "spacy", "tensorlayer", "pytorch"}, slug) {
			continue // a sample is enough
		}
		badge, feed := pageAt(t, s, path), pageAt(t, s, address+"/feed.xml")
		if status, body := ask(t, e.URL+"/badge/"+typ+"/"+slug+".svg"); !bytes.Equal(badge.Body, body) || badge.MediaType != "image/svg+xml" {
			t.Errorf("%s is %s\nthe edge returns %d %s", path, badge.Body, status, body)
		}
		if status, body := ask(t, e.URL+"/api/feed?entity="+typ+"/"+slug); changesIn(feed.Body) != changesIn(body) || feed.MediaType != "application/rss+xml" || !strings.Contains(string(body), "<item>") {
			t.Errorf("the feed of %s is %s\nthe edge returns %d %s", address, feed.Body, status, body)
		}
		if _, former, ok := s.Build.Find(typ, slug); ok && !former {
			self := fmt.Sprintf(`<atom:link rel="self" type="application/rss+xml" href="%s%s/feed.xml">`, adasSite, address)
			if !bytes.Contains(feed.Body, []byte(self)) {
				t.Errorf("the feed of %s does not say where it is: %s", address, feed.Body)
			}
			page := string(pageAt(t, s, address+"/").Body)
			suite.ContainsAll(t, page, "@misc{"+typ+"-"+slug+",\n  title = {{", "  url = {"+adasSite+address+"/}", "Build "+s.Build.Manifest.ID+". "+adasSite+address+"/ (accessed ")
		}
	}
	if n < s.Build.Listed()+3 {
		t.Errorf("only %d addresses have a badge", n)
	}
	for slug, says := range map[string]string{"keras": "tool/keras-three", "spacy": "tool/spacy-nlp", "tensorlayer": "tool/tensorlayer"} {
		if feed := pageAt(t, s, "/tool/"+slug+"/feed.xml"); !bytes.Contains(feed.Body, []byte("<title>The &lt;Index&gt;: "+says+"</title>")) {
			t.Errorf("the feed at the address of %s is %s", slug, feed.Body)
		}
	}
	if badge := pageAt(t, s, "/tool/tensorlayer/badge.svg"); !bytes.Contains(badge.Body, []byte("deleted")) {
		t.Errorf("the badge of a deleted entity is %s", badge.Body)
	}
	checkHomes(t, served, e)
}

// ask sends a request and follows redirects.
func ask(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	res := suite.Must(http.Get(url))(t)
	defer res.Body.Close()
	body = suite.Must(io.ReadAll(res.Body))(t)
	return res.StatusCode, body
}

var (
	relations = regexp.MustCompile(`<atom:link [^>]*></atom:link>\s*`)
	title     = regexp.MustCompile(`<title>[^<]*</title>`)
)

// changesIn returns a feed without its URLs and its title, which differ if an entity has
// moved: subscribers at a former address receive the feed of the current address.
func changesIn(feed []byte) string {
	s := relations.ReplaceAllString(string(feed), "")
	at := title.FindStringIndex(s)
	if at == nil {
		return s
	}
	return s[:at[0]] + s[at[1]:]
}

// checkHomes checks that an API, if there is one, serves an entity's feed, badge and picture, and that
// the paths of the files redirect to the API.
func checkHomes(t *testing.T, s *pages.Site, e *edgetest.Edge) {
	t.Helper()
	for path, want := range map[string]string{
		"/tool/pytorch/feed.xml": "/api/feed?entity=tool/pytorch", "/tool/pytorch/badge.svg": "/badge/tool/pytorch.svg",
		"/tool/keras/feed.xml": "/api/feed?entity=tool/keras-three", "/tool/spacy/badge.svg": "/badge/tool/spacy-nlp.svg",
		"/tool/tensorlayer/feed.xml": "/api/feed?entity=tool/tensorlayer", "/tool/tensorlayer/badge.svg": "/badge/tool/tensorlayer.svg",
	} {
		if a := get(t, s, path); a.Status != http.StatusMovedPermanently || a.Location != want {
			t.Errorf("%s: %d %s, want %s", path, a.Status, a.Location, want)
		}
		want := http.StatusOK
		if strings.HasSuffix(path, "tensorlayer/badge.svg") {
			want = http.StatusGone // with an image that states that the entity was deleted
		}
		if status, body := ask(t, e.URL+path); status != want {
			t.Errorf("%s leads to %d %s", path, status, body)
		}
	}
	picture, page := fetch(t, e.URL+"/og/tool/pytorch.png"), fetch(t, e.URL+"/tool/pytorch/")
	if c, err := png.DecodeConfig(strings.NewReader(picture.body)); err != nil || c.Width != 1200 || c.Height != 630 ||
		picture.header.Get("Content-Type") != "image/png" || picture.header.Get("Cache-Control") != "public, max-age=3600" {
		t.Errorf("the picture has %v: %v, %v", picture.header, c, err)
	}
	suite.Equal(t, page.header.Get("Cache-Control"), "private, no-cache", "a page")
	for _, path := range []string{"/tool/nothing-like-it/feed.xml", "/tool/nothing-like-it/badge.svg", "/robot/pytorch/feed.xml", "/tool/pytorch/feed.xml/", "/tool/pytorch/feed.atom"} {
		if a := get(t, s, path); a.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

// TestUseOfFiles checks the snippets and links for use elsewhere: on an edge, on a static
// site, on a static site with an unknown URL, and on one with an API.
func TestUseOfFiles(t *testing.T) {
	t.Parallel()
	out := edgetest.Built(t)
	const api = "https://api.ada.example"
	for name, c := range map[string]struct {
		o                    pages.Options
		base                 string
		picture, badge, page string
		feeds, found         []string // linked, and in the head of the page
	}{
		"edge": {o: pages.Options{}, base: base, picture: "/badge/tool/pytorch.svg", badge: base + "/badge/tool/pytorch.svg", page: base + "/tool/pytorch/",
			feeds: []string{"/api/feed?entity=tool/pytorch", "/api/feed?entity=tool/pytorch&format=atom", "/api/feed?entity=tool/pytorch&format=json"}},
		"static": {o: pages.Options{Static: true, Root: "/index/", Base: adasSite}, picture: "/index/tool/pytorch/badge.svg",
			badge: adasSite + "/tool/pytorch/badge.svg", page: adasSite + "/tool/pytorch/", feeds: []string{"/index/tool/pytorch/feed.xml"}},
		"anywhere": {o: pages.Options{Static: true}, picture: "/tool/pytorch/badge.svg", feeds: []string{"/tool/pytorch/feed.xml"}},
		"with an API": {o: pages.Options{Static: true, Root: "/index/", Base: adasSite, API: api}, badge: api + "/badge/tool/pytorch.svg", page: adasSite + "/tool/pytorch/",
			feeds: []string{api + "/api/feed?entity=tool/pytorch", api + "/api/feed?entity=tool/pytorch&format=atom", api + "/api/feed?entity=tool/pytorch&format=json"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := siteOf(t, out, c.o)
			a := suite.Must(s.Get(pages.Request{Path: "/tool/pytorch/", Base: c.base}))(t)
			p := parse(t, a.Body)
			use := p.all(func(n *node) bool { return n.attr["id"] == "use" })[0]
			pictures := use.named("img")
			if (len(pictures) == 1) != (c.picture != "") || len(pictures) == 1 && pictures[0].attr["src"] != c.picture {
				t.Errorf("the pictures are %v, want %s", pictures, c.picture)
			}
			markdown, html := "[]("+c.badge+")]("+c.page+")", fmt.Sprintf(`<a href="%s"><img src="%s" alt="`, c.page, c.badge)
			said := regexp.MustCompile(`!\[[^\]]*\]`).ReplaceAllString(use.text(), "[]")
			if has := strings.Contains(said, markdown) && strings.Contains(said, html); has != (c.badge != "") || c.badge == "" && strings.Contains(said, "<img") {
				t.Errorf("to copy there is\n%s\nwant %s and %s", said, markdown, html)
			}
			links, found := use.links(), []string{}
			for _, n := range p.named("link") {
				if n.attr["rel"] == "alternate" {
					found = append(found, n.attr["href"])
				}
			}
			for _, f := range c.feeds {
				if !links[f] {
					t.Errorf("%s is not linked", f)
				}
			}
			suite.Equal(t, found, c.feeds, "programs find")
		})
	}
}

// TestBadgeOfHostileTitle checks that the badge snippets show the title of the index even
// if it contains characters that end an attribute or the text of a link.
func TestBadgeOfHostileTitle(t *testing.T) {
	t.Parallel()
	const title = "\"The\" [best](https://evil.example) 'index' <of> `tools` *and* _more_ &copy; & \\ more]"
	b := suite.Must(exports.OpenCurrent(edgetest.Built(t)))(t)
	t.Cleanup(func() { b.Close() })
	b.Manifest.Title = title
	from := suite.Must(pages.SourceOf(b))(t)
	s := pages.New(from, pages.Options{Static: true})
	use := parse(t, get(t, s, "/tool/pytorch/").Body).all(func(n *node) bool { return n.attr["id"] == "use" })[0]
	snippets := map[string]string{}
	for _, code := range use.named("code") {
		if text := code.text(); strings.HasPrefix(text, "[![") {
			snippets["Markdown"] = text
		} else if strings.HasPrefix(text, "<a ") {
			snippets["HTML"] = text
		}
	}
	var converted bytes.Buffer
	suite.Check(t, goldmark.Convert([]byte(snippets["Markdown"]), &converted))
	for form, snippet := range map[string]string{"Markdown": converted.String(), "HTML": "<p>" + snippets["HTML"] + "</p>"} {
		p := parse(t, []byte(snippet))
		links, pictures := p.named("a"), p.named("img")
		if len(links) != 1 || len(pictures) != 1 || links[0].attr["href"] != base+"/tool/pytorch/" ||
			pictures[0].attr["src"] != base+"/tool/pytorch/badge.svg" || pictures[0].attr["alt"] != title+" score" || len(pictures[0].attr) != 2 {
			t.Errorf("%s shows links %v and pictures %v:\n%s", form, links, pictures, snippet)
		}
	}
}

// TestSuggest checks how the page offers to suggest a change, on all kinds of sites, with
// and without a public repository.
func TestSuggest(t *testing.T) {
	t.Parallel()
	const edit, api = "https://git.example/ada/index/edit/main/content/tool/pytorch.yaml", "https://api.ada.example"
	form := "/submit/?e=tool%2Fpytorch"
	for _, c := range []struct {
		o         pages.Options
		edit      string
		want, not []string
		says      string
	}{
		{pages.Options{}, edit, []string{"Suggest a change " + form, "Edit this file " + edit}, []string{"How to propose a change"}, "content/tool/pytorch.yaml"},
		{pages.Options{}, "", []string{"Suggest a change " + form}, []string{"Edit this file", "How to propose a change"}, "content/tool/pytorch.yaml"},
		{pages.Options{Static: true, API: api}, edit, []string{"Suggest a change " + api + form, "Edit this file " + edit}, []string{"How to propose a change"}, "content/tool/pytorch.yaml"},
		{pages.Options{Static: true, Root: "/index/"}, edit, []string{"Suggest a change " + edit, "How to propose a change /index/submit/"}, []string{"Edit this file"},
			"You can edit it on git.example; the maintainers will review your change"},
		{pages.Options{Static: true, Root: "/index/"}, "", []string{"How to propose a change /index/submit/"}, []string{"Edit this file", "Suggest a change"},
			"To change it, open a pull request in its repository."},
	} {
		s := siteOf(t, edgetest.Built(t), c.o)
		if s.Build.Manifest.Repository = nil; c.edit != "" {
			s.Build.Manifest.Repository = &store.Repository{URL: "https://git.example/ada/index", Branch: "main", Path: "content"}
		}
		p := parse(t, get(t, s, "/tool/pytorch/").Body)
		section := p.all(func(n *node) bool { return n.attr["aria-labelledby"] == "source-head" })[0]
		var offered []string
		for _, a := range section.named("a") {
			offered = append(offered, a.text()+" "+a.attr["href"])
		}
		for _, want := range c.want {
			if !slices.Contains(offered, want) {
				t.Errorf("%+v: %q is not among %q", c.o, want, offered)
			}
		}
		for _, not := range c.not {
			if slices.ContainsFunc(offered, func(s string) bool { return strings.HasPrefix(s, not) }) {
				t.Errorf("%+v: %q is among %q", c.o, not, offered)
			}
		}
		if !strings.Contains(section.text(), c.says) || len(offered) != len(c.want) {
			t.Errorf("%+v: it offers %q and shows %s", c.o, offered, section.text())
		}
	}
}
