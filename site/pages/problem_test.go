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

// TestSitemapIsWhole checks that the sitemap lists all sections of the site, and only
// pages that exist.
func TestSitemapIsWhole(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	var listed []string
	var set struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	suite.Check(t, xml.Unmarshal(get(t, s, "/sitemap.xml").Body, &set))
	for _, u := range set.URL {
		listed = append(listed, strings.TrimPrefix(u.Loc, base))
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
