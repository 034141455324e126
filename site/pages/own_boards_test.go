package pages_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/site/pages"
)

const siteBoards = `boards:
  - slug: tools-in-use
    title: Tools <in use>
    description: Tools by their stars and by their latest release.
    type: tool
    where: {category: [ml-frameworks, nlp]}
    formula:
      minimumCoverage: 0.5
      dimensions:
        adoption:
          weight: 2
          prior: 20
          measures:
            - {signal: stars, map: log, full: 75000, weight: 2}
            - {signal: forks, map: log, full: 10000, weight: 1}
        freshness:
          weight: 1
          prior: 30
          measures:
            - {signal: lastRelease, map: age, halfLife: 730, weight: 1}
    needs: {measures: [stars, forks]}
  - slug: language-models
    title: Language models
    description: Language models by the formula of all models.
    type: model
    where: {category: language, maxPrice: 1000}
  - slug: too-few
    title: Too few
    description: Nothing has so many stars.
    type: tool
    where: {signal: "stars>=10000000"}
`

// boardBuild builds content with boards.
func boardBuild(t *testing.T) string {
	t.Helper()
	content, out := edgetest.Content(t, "nlp", "ml-frameworks", "language"), t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(content, "boards.yaml"), []byte(siteBoards), 0o644))
	edgetest.Build(t, content, out)
	return out
}

// TestOwnBoards reads the pages of boards, and compares their rows with the build's.
func TestOwnBoards(t *testing.T) {
	suite.InTest(t)
	out := boardBuild(t)
	b := suite.Must(exports.OpenCurrent(out))(t)
	defer b.Close()
	from := suite.Must(pages.SourceOf(b))(t)
	s := siteOf(t, out, pages.Options{Base: "https://index.example.org"})
	for _, own := range from.Own.Boards[:2] {
		r := from.Own.Now(own)
		rows := rowsOf(htmlAt(t, s, "/leaderboards/"+own.Slug+"/"))
		if len(rows) != min(100, len(r.Entries)) || len(rows) < board.MinEntries {
			t.Fatalf("%s has %d rows of %d", own.Slug, len(rows), len(r.Entries))
		}
		for i, row := range rows {
			typ, slug := b.Key(r.Entries[i].Ordinal)
			why := fmt.Sprintf("/%s/%s/#score", typ, slug)
			if own.Formula != nil {
				why = fmt.Sprintf("/%s/%s/#board-%s", typ, slug, own.Slug)
			}
			if row[0] != typ+"/"+slug || !strings.Contains(row[1], fmt.Sprintf(`href="%s" title="How it is calculated">%s</a>`, why, r.Entries[i].Score)) {
				t.Errorf("row %d of %s is %s: %s; want %s/%s with %s", i+1, own.Slug, row[0], row[1], typ, slug, r.Entries[i].Score)
			}
			if i < 3 {
				entity := htmlAt(t, s, "/"+typ+"/"+slug+"/")
				if want := fmt.Sprintf(`Rank <strong>%d</strong> of %d in <a href="/leaderboards/%s/">`, i+1, len(r.Entries), own.Slug); !strings.Contains(entity, want) {
					t.Errorf("the page of %s/%s lacks %s", typ, slug, want)
				}
				checkBoardExplained(t, entity, own, i+1, len(r.Entries), r.Entries[i].Score.String())
			}
		}
	}
	from.AsOf = from.AsOf.AddDate(1, 0, 0) // the figures are old then
	later := pages.New(from, pages.Options{})
	for path, heading := range map[string]string{"/leaderboards/tools-in-use/": "h1", "/leaderboards/": "h3"} {
		const note = `<span class="until">as of <time datetime="2`
		if now, then := between(htmlAt(t, s, path), "<"+heading, "</"+heading), between(htmlAt(t, later, path), "<"+heading, "</"+heading); strings.Contains(now, note) || !strings.Contains(then, note) {
			t.Errorf("%s: the heading is %s, a year later %s", path, now, then)
		}
	}
	page := htmlAt(t, s, "/leaderboards/tools-in-use/")
	inOrder(t, page, "<h1><bdi>Tools &lt;in use&gt;</bdi></h1>", "Needs figures for stars and forks. Figures from ", "From stars and forks.", "From latest release.")
	if rows := rowsOf(htmlAt(t, s, "/leaderboards/language-models/")); !strings.Contains(rows[0][1], `data-label="in" data-value="`) || strings.Contains(rows[0][1], `data-label="in" data-value="-1"`) {
		t.Errorf("a board with a highest price shows no prices: %s", rows[0][1])
	}
	checkFront(t, s, "/leaderboards/language-models/")
	if a, err := s.Get(pages.Request{Path: "/leaderboards/too-few/", Base: base}); err != nil || a.Status != http.StatusNotFound || !strings.Contains(string(a.Body), "It has 0 ranked entities, and a board needs 8.") {
		t.Errorf("a short board: %v, %d", err, a.Status)
	}
	for _, path := range []string{"/leaderboards/tools-in-use/type-model/", "/leaderboards/tools-in-use/page-99/", "/leaderboards/tools-in-use/page-0/", "/leaderboards/tools-in-uze/"} {
		if a, err := s.Get(pages.Request{Path: path, Base: base}); err != nil || a.Status != http.StatusNotFound {
			t.Errorf("%s: %v, %d", path, err, a.Status)
		}
	}
	day := b.History().Snapshots()[0]
	if past := htmlAt(t, s, "/leaderboards/language-models/at-"+day+"/"); !strings.Contains(past, "Back to today") || strings.Contains(past, "#board-") {
		t.Error("a board of an earlier day does not say so, or links to explanations of today")
	}
	inOrder(t, htmlAt(t, s, "/leaderboards/"), "Models</h2>", "Language models", "Tools</h2>", "Tools &lt;in use&gt;", "By category")
	inOrder(t, htmlAt(t, s, "/"), `<nav class="nav"`, `<a href="/leaderboards/">`, "<bdi>Language models</bdi>", "<bdi>Tools &lt;in use&gt;</bdi>")
	inOrder(t, htmlAt(t, s, "/sitemap.xml"), "org/leaderboards/<", "org/leaderboards/tools-in-use/<", "org/leaderboards/language-models/<")
	static := siteOf(t, out, pages.Options{Static: true})
	paths := pathsOf(t, static, leadsToBoards)
	for _, want := range []string{"/leaderboards/", "/leaderboards/tools-in-use/", "/leaderboards/language-models/"} {
		if !slices.Contains(paths, want) {
			t.Errorf("the static site has no page %s", want)
		}
		htmlAt(t, static, want)
	}
	if slices.Contains(paths, "/leaderboards/too-few/") {
		t.Error("the static site has a page of a board that is not published")
	}
}

// checkFront compares the front of a board's chart with the entries that no other one beats.
func checkFront(t *testing.T, s *pages.Site, path string) {
	t.Helper()
	type spot struct {
		score, price float64
		front        bool
	}
	var list []spot
	for _, m := range regexp.MustCompile(`<circle class="(spot[a-z -]*)".*?<title>.*?: score ([0-9.]+), \$([0-9.]+) per million tokens</title>`).FindAllStringSubmatch(htmlAt(t, s, path), -1) {
		score, err := strconv.ParseFloat(m[2], 64)
		price, err2 := strconv.ParseFloat(m[3], 64)
		if err != nil || err2 != nil {
			t.Fatal(m, err, err2)
		}
		list = append(list, spot{score, price, strings.Contains(m[1], "front")})
	}
	for _, m := range list {
		beaten := slices.ContainsFunc(list, func(o spot) bool {
			return o.score >= m.score && o.price <= m.price && (o.score > m.score || o.price < m.price)
		})
		if m.front == beaten {
			t.Errorf("%s: %+v is beaten: %v", path, m, beaten)
		}
	}
	if len(list) < 4 {
		t.Errorf("%s has %d points", path, len(list))
	}
}

// checkBoardExplained checks that an entity's page explains its score on a board.
func checkBoardExplained(t *testing.T, page string, own *board.Board, rank, of int, score string) {
	t.Helper()
	place := between(page, `<li id="board-`+own.Slug+`"`, "</section>")
	if !strings.Contains(place, fmt.Sprintf(`<strong class="num">%d</strong> of <span class="num">%d</span>`, rank, of)) ||
		strings.Contains(place, fmt.Sprintf(`Score <span class="num">%s</span>`, score)) != (own.Formula != nil) {
		t.Errorf("rank %d on %s is not explained: %.600s", rank, own.Slug, place)
	}
}

// inOrder checks that a page contains texts in an order.
func inOrder(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, rest, found := strings.Cut(page, text)
		if !found {
			t.Errorf("%q is missing, or is not at its place", text)
			continue
		}
		page = rest
	}
}
