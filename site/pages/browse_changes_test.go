package pages_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/site/pages"
)

const tellingTitle = `(?s)<li class="telling">\s*<h3><span[^>]*></span>(?:<a href="[^"]*">)?<bdi>([^<]*)</bdi>`

// wanted returns the titles of the changes that match a filter, from newest to oldest.
func (b *browsed) wanted(f history.ChangeFilter) []string {
	b.t.Helper()
	a := b.build.History()
	if f.To == 0 {
		f.To = a.Changes()
	}
	titles := titlesOf(b)
	list := a.SelectChanges(f).ToArray()
	slices.Reverse(list)
	var want []string
	for _, i := range list {
		c := a.Change(int(i))
		want = append(want, feed.Summarize(c, feed.Words{Kinds: kinds.Default(), Categories: titles}).Title)
	}
	return want
}

// TestChanges checks the lists of all changes, of the changes with each filter value, and of
// the changes with each pair of values. Each list must contain exactly the matching changes
// in the archive, from newest to oldest.
func TestChanges(t *testing.T) {
	suite.InTest(t)
	b := browse(t, edgetest.Built(t), pages.Options{})
	a := b.build.History()
	choices := map[string]history.ChangeFilter{"": {}}
	for _, e := range record.Events {
		choices["event-"+strings.TrimPrefix(e, "entity.")+"/"] = history.ChangeFilter{Event: []string{e}}
	}
	for _, typ := range a.ChangeValues("type") {
		choices["type-"+typ+"/"] = history.ChangeFilter{Type: []string{typ}}
		choices["event-updated/type-"+typ+"/"] = history.ChangeFilter{Event: []string{record.Updated}, Type: []string{typ}}
	}
	for _, c := range a.ChangeValues("category") {
		choices["category-"+c+"/"] = history.ChangeFilter{Category: []string{c}}
		choices["event-created/type-tool/category-"+c+"/"] = history.ChangeFilter{Event: []string{record.Created}, Type: []string{"tool"}, Category: []string{c}}
	}
	for i, path := range slices.Sorted(maps.Keys(choices)) {
		if passedOver(i) {
			continue
		}
		f := choices[path]
		b.same(path, b.through("/changes/"+path, tellingTitle), b.wanted(f))
	}
	if n := len(b.wanted(history.ChangeFilter{})); n < 100 || len(choices) < 60 {
		t.Errorf("only %d changes and %d choices", n, len(choices))
	}
	reached := map[string]bool{}
	for _, to := range all(b.page("/changes/"), `(?:<li><a|<a class="chip") href="/changes/([^"]+)"`) {
		reached[to] = true
	}
	for path := range choices {
		if one := strings.Count(path, "/") == 1; one && !reached[path] {
			t.Errorf("no link to %s", path)
		}
	}
}

// TestChangesOfDays checks that the days in the query filter the changes on all pages,
// and that invalid days are reported and ignored.
func TestChangesOfDays(t *testing.T) {
	suite.InTest(t)
	b := browse(t, edgetest.Built(t), pages.Options{})
	a := b.build.History()
	last := a.ChangeTime(a.Changes() - 1).Format(time.DateOnly)
	first := a.ChangeTime(0).Format(time.DateOnly)
	since, _ := time.Parse(time.DateOnly, last)
	until, _ := time.Parse(time.DateOnly, first)
	if first == last {
		t.Fatal("all changes are of one day")
	}
	newer, older := history.ChangeFilter{From: a.ChangesSince(since)}, history.ChangeFilter{To: a.ChangesSince(until.AddDate(0, 0, 1)), Type: []string{"model"}}
	b.same("since", b.through("/changes/?since="+last, tellingTitle), b.wanted(newer))
	b.same("until", b.through("/changes/type-model/?until="+first, tellingTitle), b.wanted(older))
	page := b.page("/changes/?since=tomorrow")
	if !strings.Contains(page, `role="alert">“tomorrow” is not a valid date`) {
		t.Error("the invalid day is not reported")
	}
	b.same("no day", all(page, tellingTitle), all(b.page("/changes/"), tellingTitle))
}

// TestChangeInFull checks that a change is shown with the old and new value of each
// field, its author and its commit.
func TestChangeInFull(t *testing.T) {
	b := browse(t, edgetest.Built(t), pages.Options{})
	b.build.Manifest.Repository = &store.Repository{URL: "https://forge.example/a/b", Branch: "main"}
	a := b.build.History()
	page := b.page("/changes/event-updated/")
	n := 0
	for _, i := range a.SelectChanges(history.ChangeFilter{To: a.Changes(), Event: []string{record.Updated}}).ToArray() {
		c := a.Change(int(i))
		told := feed.Summarize(c, feed.Words{Kinds: kinds.Default(), Categories: titlesOf(b)})
		at := strings.Index(page, html.EscapeString(told.Title))
		if at < 0 {
			t.Fatalf("%q is missing", told.Title)
		}
		text := page[at:]
		text = text[:strings.Index(text, "\n</li>")]
		want := []string{c.Author, `href="https://forge.example/a/b/commit/` + c.Commit + `"`, c.Timestamp.Format("15:04")}
		for _, l := range told.Lines {
			for _, v := range []*feed.Value{l.Old, l.New} {
				if v != nil {
					want = append(want, html.EscapeString(v.Text))
				}
			}
		}
		for _, w := range want {
			suite.Contains(t, text, w, told.Title)
		}
		n++
	}
	if n == 0 {
		t.Error("nothing was updated")
	}
}

func titlesOf(b *browsed) map[string]string {
	m := map[string]string{}
	for _, c := range b.Categories {
		m[c.Slug] = c.Title
	}
	return m
}

// TestFeedOfChanges checks that the feed linked from a list of changes contains the same
// changes, and the calendar the same entities.
func TestFeedOfChanges(t *testing.T) {
	b := browse(t, edgetest.Built(t), pages.Options{})
	for path, want := range map[string]url.Values{"/changes/": {}, "/changes/type-model/": {"type": {"model"}}, "/changes/type-tool/category-nlp/": {"type": {"tool"}, "category": {"nlp"}},
		"/changes/figures-false/": {"figures": {"false"}}, "/changes/type-tool/category-nlp/figures-false/": {"type": {"tool"}, "category": {"nlp"}, "figures": {"false"}}} {
		m := regexp.MustCompile(`type="application/rss\+xml" title="Changes, RSS" href="([^"]*)"`).FindStringSubmatch(b.page(path))
		if m == nil {
			t.Fatalf("%s names no feed", path)
		}
		r := suite.Must(http.NewRequest(http.MethodGet, html.UnescapeString(m[1]), nil))(t)
		if q := r.URL.Query(); r.URL.Path != "/api/feed" || q.Encode() != want.Encode() {
			t.Errorf("%s names the feed %s", path, m[1])
		}
		want.Del("figures")
		calendar := strings.TrimSuffix("/api/calendar?"+want.Encode(), "?")
		if links := fmt.Sprintf(`<a href="%s">RSS</a>`, m[1]); !strings.Contains(b.page(path), links) ||
			!strings.Contains(b.page(path), fmt.Sprintf(`<a href="%s">Calendar of releases and retirements</a>`, html.EscapeString(calendar))) {
			t.Errorf("%s does not link to its feed and to %s", path, calendar)
		}
	}
}
