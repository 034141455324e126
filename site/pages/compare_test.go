package pages_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/pages"
	"kindex/site/textfmt"
)

var (
	compareHead = regexp.MustCompile(`<th scope="col" data-key="([^"]*)" id="c\d">`)
	compareRow  = regexp.MustCompile(`(?s)<tr data-field="([^"]*)"( data-same)?><th scope="row" id="r[\d-]+">[^<]*</th>(.*?)</tr>`)
	compareCell = regexp.MustCompile(`(?s)<td headers="[^"]+"( class="best")?( colspan="\d+")?>(.*?)</td>`)
	anyTag      = regexp.MustCompile(`<[^>]*>`)
)

// shownCell is a cell of a comparison.
type shownCell struct {
	Text string
	Best bool
}

// readComparison reads a comparison: its columns, and its rows by field.
func readComparison(t *testing.T, s *pages.Site, keys ...string) (columns []string, rows map[string][]shownCell) {
	t.Helper()
	a, err := s.Get(pages.Request{Path: "/compare/", Query: url.Values{"e": keys}})
	if err != nil || a.Status != http.StatusOK {
		t.Fatalf("%s: %v, %+v", keys, err, a)
	}
	body := string(a.Body)
	for _, m := range compareHead.FindAllStringSubmatch(body, -1) {
		columns = append(columns, html.UnescapeString(m[1]))
	}
	rows = map[string][]shownCell{}
	for _, m := range compareRow.FindAllStringSubmatch(body, -1) {
		for _, c := range compareCell.FindAllStringSubmatch(m[3], -1) {
			text := strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllString(c[3], " "))), " ")
			rows[m[1]] = append(rows[m[1]], shownCell{text, c[1] != ""})
		}
	}
	return columns, rows
}

// TestCompare checks that comparisons show the scores of the entities in the requested
// order, and mark the best score if the scores differ and come from the same figures: those of tools, and
// the adoption and the freshness of models.
func TestCompare(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	rng := rand.New(rand.NewPCG(4, 2))
	marked, ties := 0, 0
	for range 120 {
		var keys []string
		var list []*record.Entity
		for _, o := range rng.Perm(s.Build.Len())[:2+rng.IntN(3)] {
			e := s.Build.Entity(uint32(o))
			keys, list = append(keys, e.Key()), append(list, e)
		}
		columns, rows := readComparison(t, s, keys...)
		if fmt.Sprint(columns) != fmt.Sprint(keys) {
			t.Fatalf("%v are shown as %v", keys, columns)
		}
		for _, name := range record.ScoreNames {
			best, least := -1, 1001
			mixed := slices.ContainsFunc(list, func(e *record.Entity) bool { return e.Type != list[0].Type })
			alike := !mixed && (list[0].Type == "tool" && name != "quality" || name == "adoption" || name == "freshness")
			for _, e := range list {
				if v := e.Scores.Get(name); v.Known() {
					best, least = max(best, int(v.Tenths())), min(least, int(v.Tenths()))
				}
			}
			for i, e := range list {
				v := e.Scores.Get(name)
				want := shownCell{v.String(), alike && v.Known() && best > least && int(v.Tenths()) == best}
				switch {
				case !v.Known():
					want.Text = "– unknown"
				case want.Best:
					want.Text += " best"
					marked++
				case alike && best == least:
					ties++
				}
				if len(rows[name]) == 0 {
					if best >= 0 {
						t.Errorf("%v: no row of %s", keys, name)
					}
					continue
				}
				if got := rows[name][i]; got != want {
					t.Errorf("%v: %s of %s is shown as %+v, want %+v", keys, name, keys[i], got, want)
				}
			}
		}
	}
	if marked < 50 || ties == 0 {
		t.Errorf("%d were marked, %d tied", marked, ties)
	}
}

// TestCompareBenchmarks checks that comparisons show the benchmarks that two entities share.
func TestCompareBenchmarks(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	having := map[string][]string{} // by benchmark
	for o := range uint32(s.Build.Len()) {
		e := s.Build.Entity(o)
		for _, b := range e.Signals.Benchmarks {
			having[b.FoldedName()] = append(having[b.FoldedName()], e.Key())
		}
	}
	shown := 0
	for name, keys := range having {
		if len(keys) < 2 || keys[0] == keys[1] {
			continue
		}
		shown++
		if _, rows := readComparison(t, s, keys[0], keys[1], "tool/pytorch"); len(rows["benchmark-"+name]) != 3 || rows["benchmark-"+name][2].Text != "– unknown" {
			t.Errorf("%s of %v is shown as %v", name, keys[:2], rows["benchmark-"+name])
		}
		if _, rows := readComparison(t, s, keys[0], "tool/pytorch"); rows["benchmark-"+name] != nil {
			t.Errorf("%s, which only one has, is shown as %v", name, rows["benchmark-"+name])
		}
	}
	if shown < 5 {
		t.Errorf("%d benchmarks are too few to test", shown)
	}
}

// TestTrendingRows compares the trending pages with the build.
func TestTrendingRows(t *testing.T) {
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	gains := 0
	for path, window := range map[string]string{"/trending/": "7d", "/trending/window-30d/": "30d", "/trending/type-model/": "7d"} {
		trends := slices.DeleteFunc(s.Build.History().Window(window).List, func(x history.Trend) bool {
			typ, _ := s.Build.Key(x.Ordinal)
			return strings.Contains(path, "type-") && typ != "model"
		})
		if trends[0].Gain() == 0 {
			trends = nil // they changed, but their scores did not
		}
		body := htmlAt(t, s, path)
		rows, at := rowsOf(body), 0
		suite.Equal(t, strings.Contains(between(body, `<p class="lead"`, "</p>"), "rose the most"), len(rows) > 0, path)
		for _, trend := range trends[:min(50, len(trends))] {
			typ, slug := s.Build.Key(trend.Ordinal)
			if at >= len(rows) || rows[at][0] != typ+"/"+slug {
				t.Fatalf("%s: row %d is not %s/%s", path, at, typ, slug)
			}
			text := strings.Join(strings.Fields(anyTag.ReplaceAllString(rows[at][1], " ")), " ")
			if trend.Gain() > 0 {
				gains++
				if !strings.Contains(text, fmt.Sprintf(" +%d.%d ", trend.Gain()/10, trend.Gain()%10)) {
					t.Errorf("%s: %s/%s gained %d tenths, shown as %s", path, typ, slug, trend.Gain(), text)
				}
			}
			if score := s.Build.Entity(trend.Ordinal).Scores.Composite; score.Known() && !strings.Contains(text, " "+score.String()+" ") ||
				trend.Previous.Known() && !strings.Contains(text, " "+trend.Previous.String()+" → ") || !strings.HasSuffix(text, fmt.Sprint(" ", trend.Changes)) {
				t.Errorf("%s: %+v is shown as %s", path, trend, text)
			}
			at++
		}
		suite.Equal(t, at, len(rows), path, "rows")
	}
	if gains < 20 {
		t.Errorf("%d gains are no test", gains)
	}
	for path, want := range map[string]string{"/trending/window-7d/": "301 /trending/", "/trending/window-9d/": "404", "/trending/type-tol/": "404 /trending/type-tool/"} {
		a, err := s.Get(pages.Request{Path: path})
		if err != nil || !strings.HasPrefix(want, fmt.Sprint(a.Status)) || !strings.Contains(a.Location+string(a.Body), want[min(4, len(want)):]) {
			t.Errorf("%s: %v %+v, want %s", path, err, a, want)
		}
	}
}

// TestGrowthRows compares the trending pages by figures with the build.
func TestGrowthRows(t *testing.T) {
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	compared := 0
	for _, window := range []string{"7d", "30d"} {
		moved, signals := s.Build.History().Window(window), map[string]bool{}
		for _, g := range moved.Growth {
			signals[g.Signal] = true
		}
		for signal := range signals {
			path := "/trending/by-" + signal + "/"
			if window != "7d" {
				path = "/trending/window-" + window + "/by-" + signal + "/"
			}
			list := moved.GrowthOf(signal)
			rows := rowsOf(htmlAt(t, s, path))
			if len(rows) != min(len(list), 50) {
				t.Fatalf("%s has %d rows, want %d", path, len(rows), len(list))
			}
			for i, row := range rows {
				typ, slug := s.Build.Key(list[i].Ordinal)
				text := strings.Join(strings.Fields(anyTag.ReplaceAllString(row[1], " ")), " ")
				gain := " +" + textfmt.Count(int(list[i].Gain())) + " "
				if row[0] != typ+"/"+slug || !strings.Contains(text, gain) || !strings.Contains(text, textfmt.Count(int(list[i].Now))) {
					t.Errorf("%s: %+v (%s/%s) is shown as %s", path, list[i], typ, slug, text)
				}
				compared++
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d rows are no test", compared)
	}
	a, err := s.Get(pages.Request{Path: "/trending/by-star/"})
	if err != nil || a.Status != 404 || !strings.Contains(string(a.Body), "/trending/by-stars/") {
		t.Errorf("an unknown figure: %v %d", err, a.Status)
	}
}
