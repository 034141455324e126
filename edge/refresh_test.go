package edge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/store"
)

// offer is an offer of a model at a price.
func offer(price string) string {
	return "offers:\n  - {provider: acme, id: m1, input: " + price + ", output: 4}\noffersRead: {source: 'https://acme.example/prices', date: 2026-10-01}\n"
}

func modelSheet(price, more string) string {
	return "name: Model One\ncategory: alpha\ndescription: Answers questions about data.\n" + offer(price) + more
}

// refreshed returns files of tools in which only the figures differ.
func refreshed(n, stars int) (files []string) {
	for i := range n {
		files = append(files, fmt.Sprintf("tool/n%03d.yaml", i), sheet(fmt.Sprint("Tool ", i), greek[i%3], 100+10*i+stars*(i+1)))
	}
	return files
}

// serveRefreshes serves an index with two refreshes, the first of which has a version, a price and a
// retirement in the same commit, and with an edit of many descriptions.
func serveRefreshes(t testing.TB) *served {
	t.Helper()
	const n = 24
	r := NewRepository(t)
	r.Commit("2026-09-01T08:00:00Z", "Begin", append(refreshed(n, 0), "model/m1.yaml", modelSheet("2", ""))...)
	files := refreshed(n, 7)
	files[1] += "version: 2.0.0\n"
	r.Commit("2026-10-05T08:00:00Z", "Figures (#8)", append(files, "model/m1.yaml", modelSheet("1", "lifecycle: {retires: 2027-01-31}\n"))...)
	r.Commit("2026-10-06T08:00:00Z", "One figure", "tool/n003.yaml", sheet("Tool 3", "alpha", 5000))
	words := refreshed(n, 7)
	words[1] += "version: 2.0.0\n"
	words[7] = sheet("Tool 3", "alpha", 5000)
	for i := 1; i < len(words); i += 2 {
		words[i] = strings.Replace(words[i], "heaps of data", "piles of data", 1)
	}
	r.Commit("2026-10-07T08:00:00Z", "Words", words...)
	files = refreshed(n, 9)
	files[1] += "version: 2.1.0\n"
	for i := 1; i < len(files); i += 2 {
		files[i] = strings.Replace(files[i], "heaps of data", "piles of data", 1)
	}
	files[7] = words[7]
	r.Commit("2026-10-12T08:00:00Z", "Figures (#9)", files...)
	return serveRepository(t, r, "2026-10-20")
}

// feedItem is an item of a JSON Feed.
type feedItem struct {
	ID, URL, Title string
	HTML           string `json:"content_html"`
}

// feedItems returns the items of a JSON Feed, without weeks.
func feedItems(t *testing.T, body []byte) (list []feedItem) {
	t.Helper()
	var doc struct{ Items []feedItem }
	suite.Check(t, json.Unmarshal(body, &doc))
	return slices.DeleteFunc(doc.Items, func(i feedItem) bool { return strings.HasPrefix(i.ID, "urn:kindex:week:") })
}

// TestRefreshIsOneItem checks that a commit of many figures is one item, beside which the version, the
// price and the retirement of the same commit keep theirs.
func TestRefreshIsOneItem(t *testing.T) {
	suite.InTest(t)
	const n = 24
	s := share(t, "refreshes", serveRefreshes)
	items := feedItems(t, s.ask(t, "GET", "/api/feed?format=json").body)
	var titles []string
	for _, i := range items[:min(8, len(items))] {
		titles = append(titles, i.Title)
	}
	want := []string{
		`^Figures of 22 entries were read: Tool 23 downloads 49,800 → 54,600; Tool 22 downloads `,
		`^Tool 0: version 2\.0\.0 → 2\.1\.0`,
		`^24 entries were edited: Tool 0 description Finds .* → Finds .*; Tool 1 description `,
		`^Tool 3: score .* and 5 more fields`,
		`^Figures of 23 entries were read: Tool 23 downloads 33,000 → 49,800; `,
		`^Tool 0: version 2\.0\.0 added`,
		`^Model One: retirement date 2027-01-31 added and `,
	}
	for i, w := range want {
		suite.Require(t, len(titles) > i &&
			regexp.MustCompile(w).MatchString(titles[i]), "item", i, titles, "does not match", w)
	}
	suite.Equal(t, len(items), len(want)+n+1, "items")
	file := suite.Must(os.ReadFile(filepath.Join(store.BuildsDir(s.out), s.buildID(), "feed.json")))(t)
	prebuilt := feedItems(t, file)
	for i := range items {
		if prebuilt[i].URL != "" || prebuilt[i].ID != items[i].ID || prebuilt[i].Title != items[i].Title || prebuilt[i].HTML != items[i].HTML {
			t.Errorf("the file has %+v, want %+v", prebuilt[i], items[i])
		}
	}
	_, ids, _ := s.readFeed(t, "/api/feed?type=tool&format=atom")
	suite.Holds(t, slices.Contains(ids, items[2].ID) && len(ids) == len(items)-2, len(ids), "items of tools", ids)
	// The item leads to the list of what it stands for.
	at := slices.IndexFunc(items, func(i feedItem) bool { return strings.HasPrefix(i.Title, "Figures of 22") })
	path := strings.TrimPrefix(items[at].URL, s.url)
	if page := s.ask(t, "GET", path); page.status != 200 || strings.Count(string(page.body), `<li class="telling">`) != 22 || !strings.HasSuffix(path, strings.TrimPrefix(items[at].ID, "urn:kindex:refresh:")+"/") {
		t.Errorf("%s: %d, %d entries", path, page.status, strings.Count(string(page.body), `<li class="telling">`))
	}
	suite.Equal(t, strings.Count(items[at].HTML, "<li>"), 8, items[at].HTML)
	suite.Contains(t, items[at].HTML, "And 14 more. Commit ")
}

// TestWithoutFigures checks the parameter and the filter that leave figures out, and that the API lists
// every change otherwise.
func TestWithoutFigures(t *testing.T) {
	suite.InTest(t)
	const n = 24
	s := share(t, "refreshes", serveRefreshes)
	all, without := s.changes(t, "/api/changelog?"), s.changes(t, "/api/changelog?figures=false")
	suite.Equal(t, len(all), 1+n+n+1+1+n+n-1, "changes")
	suite.Equal(t, len(without), len(all)-22-1-23, "changes without figures")
	for _, c := range without {
		if c.Event == "entity.updated" && !slices.ContainsFunc(c.Changes, func(f receivedField) bool {
			return !strings.HasPrefix(f.Field, "signals.") && !strings.HasPrefix(f.Field, "scores.")
		}) {
			t.Errorf("a change of figures: %+v", c)
		}
	}
	for _, i := range feedItems(t, s.ask(t, "GET", "/api/feed?figures=false&format=json").body) {
		suite.Holds(t, !strings.HasPrefix(i.Title, "Figures") &&
			!strings.Contains(i.ID, "week"), "a feed without figures", i.Title)
	}
	for path, count := range map[string]int{"/changes/": 30, "/changes/figures-false/": 29, "/changes/event-updated/": 7, "/changes/event-updated/figures-false/": 4} {
		if a := s.ask(t, "GET", path); a.status != 200 || strings.Count(string(a.body), `<li class="telling">`) != count {
			t.Errorf("%s: %d, %d entries", path, a.status, strings.Count(string(a.body), `<li class="telling">`))
		}
	}
	for _, path := range []string{"/api/feed?figures=fals", "/api/changelog?figures=fals"} {
		s.ask(t, "GET", path).want(t, 400, `"suggestion":"false"`)
	}
	home := string(s.ask(t, "GET", "/").body)
	_, latest, _ := strings.Cut(home, `class="columns news"`)
	latest, _, _ = strings.Cut(latest, `aria-labelledby="categories"`)
	suite.Holds(t, strings.Contains(latest, "input $2 → $1 at acme") &&
		!strings.Contains(latest, "description") && !strings.Contains(latest, "stars "), "latest changes", latest)
}

// TestMonth checks what the summary of a month says, as a response and as a page.
func TestMonth(t *testing.T) {
	suite.InTest(t)
	s := share(t, "refreshes", serveRefreshes)
	a := s.ask(t, "GET", "/api/changelog/2026-10")
	var m map[string]json.RawMessage
	unpack(t, a.body, &m)
	for name, want := range map[string]string{
		"since": `"2026-10-01"`, "until": `"2026-10-20"`, "complete": "false", "previous": `"2026-09"`, "next": "null",
		"counts": `{"changes":73,"created":0,"updated":73,"deleted":0,"figures":46,"refreshes":2,"pricesUp":0,"pricesDown":1}`,
		"added":  `{"count":0,"data":[]}`,
		"ranked": `{"count":0,"data":[]}`,
	} {
		suite.Equal(t, string(m[name]), want, name)
	}
	for name, want := range map[string]string{"releases": "tool/n000 version 2.0.0 → 2.1.0", "prices": "model/m1 offers.acme/m1.input 2 → 1", "announced": "model/m1 lifecycle.retires <nil> → 2027-01-31"} {
		var list struct {
			Count int
			Data  []receivedEvent
		}
		unpack(t, m[name], &list)
		var got []string
		for _, c := range list.Data {
			got = append(got, fmt.Sprintf("%s/%s %s %v → %v", c.Entity.Type, c.Entity.Slug, c.Changes[0].Field, c.Changes[0].Old, c.Changes[0].New))
		}
		suite.Holds(t, slices.Contains(got, want) && len(got) == list.Count, name, got, want)
	}
	var movers struct {
		Data []struct {
			Slug            string
			Previous, Score float64
		}
	}
	unpack(t, m["movers"], &movers)
	suite.Holds(t, len(movers.Data) > 0, "movers", string(m["movers"]))
	for _, mover := range movers.Data {
		suite.Holds(t, mover.Score > mover.Previous, "mover", mover)
	}
	page := s.ask(t, "GET", "/changes/2026-10/")
	for _, want := range []string{"Changes in October 2026", "0 new entries", "1 price change", "Model One: input price of m1 at acme $2 → $1 per million tokens", "Model One: retirement date 2027-01-31 added", "0 up, 1 down", `href="/changes/2026-09/"`} {
		page.says(t, want)
	}
	s.ask(t, "GET", "/api/changelog/2026-9").want(t, 404, `"suggestion":"/api/changelog/2026-09"`)
	s.ask(t, "GET", "/changes/2026-9/", "Accept", "text/html").want(t, 404, `href="/changes/2026-09/"`)
}

// TestSameFieldsAreOneItem checks that what a commit changes of the same fields of many entities is one item,
// which opens to the entities, and that the filters decide how many these are.
func TestSameFieldsAreOneItem(t *testing.T) {
	suite.InTest(t)
	const n = 12
	r := NewRepository(t)
	r.Commit("2026-09-01T08:00:00Z", "Begin", refreshed(n, 0)...)
	files := refreshed(n, 0)
	for i := 1; i < len(files); i += 2 {
		if files[i] += "pricingModel: freemium\n"; i < 8 {
			files[i] += "license: MIT\n"
		}
	}
	r.Commit("2026-10-05T08:00:00Z", "Pricing", files...)
	for i := 1; i < len(files); i += 2 {
		files[i] = strings.Replace(files[i], "pricingModel: freemium\n", "", 1)
	}
	r.Commit("2026-10-06T08:00:00Z", "No pricing", files...)
	s := serveRepository(t, r, "2026-10-20")

	items := feedItems(t, s.ask(t, "GET", "/api/feed?format=json").body)
	titles := func(path string) (list []string) {
		for _, m := range regexp.MustCompile(`(?s)<li class="telling">\s*<h3>.*?<bdi>([^<]*)</bdi>`).FindAllStringSubmatch(string(s.ask(t, "GET", path).body), -1) {
			list = append(list, m[1])
		}
		return list
	}
	all := titles("/changes/event-updated/")
	want := []string{"Pricing removed from 12 tools", "Pricing set on 8 tools"}
	suite.Require(t, len(all) == 2+4 && all[0] == want[0] && slices.Contains(all, want[1]) &&
		items[0].Title == want[0] && len(items) == len(all)+n, "entries", all, "items", items)
	for _, title := range all {
		if !slices.Contains(want, title) && !strings.Contains(title, "licence MIT added") {
			t.Errorf("a licence has no entry of its own: %q", all)
		}
	}
	page := string(s.ask(t, "GET", "/changes/event-updated/").body)
	_, told, _ := strings.Cut(page, want[1])
	told, _, _ = strings.Cut(told, "</li>")
	suite.Contains(t, told, "<summary>The entries</summary>")
	suite.Equal(t, strings.Count(told, `<dt><a href="/tool/n0`), 8)
	// Four of the twelve are of each category, too few for one entry.
	of := titles("/changes/event-updated/category-alpha/")
	suite.Holds(t, len(of) == 4+4 && !slices.ContainsFunc(of, func(t string) bool { return strings.HasSuffix(t, "tools") }), "entries of a category", of)
	path := strings.TrimPrefix(items[0].URL, s.url)
	suite.Equal(t, len(titles(path)), n, path)
}
