package pages_test

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// TestLost checks that mistyped URLs get suggestions: sections of the site, or entities.
func TestLost(t *testing.T) {
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	for path, want := range map[string]string{
		"/tols/": "/tools/", "/modles/": "/models/", "/leaderboard/": "/leaderboards/", "/categorie/": "/categories/",
		"/keras": "/tool/keras/", "/tools/keras": "/tool/keras/", "/tools/kras/": "/tool/keras/",
		"/wp-login.php": "", "/a/b/c/": "", "/404.html": "",
	} {
		a := get(t, s, path)
		_, near, found := strings.Cut(string(a.Body), "Did you mean")
		if a.Status != http.StatusNotFound || found != (want != "") || found && !strings.Contains(near, `<a href="`+want+`">`) {
			t.Errorf("%s: %d, suggested %q, want %q", path, a.Status, near, want)
		}
	}
}

// TestSitemapIsWhole checks that the sitemap lists all sections of the site, and only
// pages that exist.
func TestSitemapIsWhole(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	var listed []string
	for _, file := range []string{"/sitemap/0.xml", "/sitemap/1.xml", "/sitemap/2.xml"} {
		var set struct {
			URL []struct {
				Loc string `xml:"loc"`
			} `xml:"url"`
		}
		if err := xml.Unmarshal(get(t, s, file).Body, &set); err != nil {
			t.Fatal(err)
		}
		for _, u := range set.URL {
			listed = append(listed, strings.TrimPrefix(u.Loc, base))
		}
	}
	for _, path := range listed {
		if a := get(t, s, path); a.Status != http.StatusOK {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	for _, want := range []string{"/", "/tools/", "/models/", "/capabilities/", "/docs/scoring/", "/docs/pipelines/", "/tool/keras/", "/tags/python/"} {
		if !slices.Contains(listed, want) {
			t.Errorf("the sitemap lacks %s", want)
		}
	}
	if sorted := slices.Sorted(slices.Values(listed)); len(slices.Compact(sorted)) != len(listed) {
		t.Error("a URL occurs twice")
	}
}

// TestAbsoluteAddressesBelowAFolder checks that absolute URLs contain the folder exactly
// once, whatever its name is.
func TestAbsoluteAddressesBelowAFolder(t *testing.T) {
	t.Parallel()
	const folder = "https://ada.example/mod%C3%A8les%20ml"
	s := siteOf(t, edgetest.Built(t), pages.Options{Static: true, Root: "/modèles ml/", Base: folder})
	for path, want := range map[string]string{
		"/robots.txt":                  "Sitemap: " + folder + "/sitemap.xml\n",
		"/sitemap.xml":                 "<loc>" + folder + "/sitemap/1.xml</loc>",
		"/sitemap/1.xml":               "<loc>" + folder + "/tool/keras/</loc>",
		"/tool/keras/":                 `<link rel="canonical" href="` + folder + `/tool/keras/">`,
		"/leaderboards/ml-frameworks/": `<meta property="og:image" content="` + folder + `/og/index.png">`,
	} {
		a, err := s.Get(pages.Request{Path: path})
		if err != nil || !strings.Contains(string(a.Body), want) {
			t.Errorf("%s: %v, lacks %s", path, err, want)
		}
	}
}
