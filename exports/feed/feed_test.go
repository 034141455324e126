package feed_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports/feed"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// changeOf returns the change between two states of an entity, like the builder.
func changeOf(n int, before, after *record.Entity) *record.Change {
	c := &record.Change{
		ID: fmt.Sprintf("%024x", n), Event: record.Updated, Timestamp: time.Date(2026, 11, 1, 12, 0, n, 0, time.UTC),
		Fields: record.Diff(before, after), Commit: strings.Repeat("0123456789abcdef", 3)[:40], Author: "Ada Example",
	}
	var scores [2]record.Scores
	shown := after
	for i, e := range []*record.Entity{before, after} {
		if e != nil {
			scores[i] = e.Scores
		}
	}
	switch {
	case before == nil:
		c.Event = record.Created
	case after == nil:
		c.Event, shown = record.Deleted, before
	}
	c.Fields = append(c.Fields, record.DiffScores(&scores[0], &scores[1])...)
	c.Type, c.Slug, c.Name = shown.Type, shown.Slug, shown.Name
	return c
}

func example() *record.Entity {
	e := &record.Entity{
		Type: "tool", Slug: "example", Name: "Example", Provider: "Example & Co.", Category: "ml-frameworks",
		Description: "Trains and runs neural networks on one machine or many, with automatic differentiation.",
		Version:     "2.1", PricingModel: "open-source", License: "Apache-2.0", URL: "https://example.org/?a=1&b=2",
		Tags: []string{"python", "cuda"}, Capabilities: []string{"training"}, AddedDate: "2026-01-02", Status: record.Active,
		Links: []record.Link{{Name: "repository", URL: "https://example.org/repository"}},
	}
	e.Scores.Composite, e.Scores.Adoption = record.ScoreOf(71.2), record.ScoreOf(82)
	e.Signals.Facts = []record.Fact{
		{Name: "lastRelease", Day: "2026-10-30"}, {Name: "stars", Number: 81000, Date: "2026-11-01"},
	}
	e.Signals.Benchmarks = []record.Benchmark{{Name: "MMLU", Value: 71.25}, {Name: "GSM8K", Value: 90}}
	return e
}

// edited returns the example after an edit.
func edited(edit func(*record.Entity)) *record.Entity {
	e := example()
	edit(e)
	return e
}

// news lists changes of all kinds, oldest first, each with its expected title.
var news = []struct {
	title         string
	before, after *record.Entity
}{
	{"Example was added", nil, example()},
	{"Example: version 2.1 → 2.2", example(), edited(func(e *record.Entity) { e.Version = "2.2" })},
	// A score that changes by less than a point is not worth a headline.
	{"Example: context window 1,048,576 added and 4 more fields", example(), edited(func(e *record.Entity) {
		e.Links = append(e.Links, record.Link{Name: "weights", URL: "https://example.org/weights"})
		e.Signals.Facts = []record.Fact{{Name: "contextTokens", Number: 1 << 20}, {Name: "stars", Number: 82310}}
		e.Scores.Composite = record.ScoreOf(71.5)
	})},
	{"Example: score 71.2 → 74.0 and 2 more fields", example(), edited(func(e *record.Entity) {
		e.Signals.Facts[1].Number = 12345678
		e.Scores.Composite, e.Scores.Adoption = record.ScoreOf(74), record.ScoreOf(90.1)
	})},
	{"Example: score removed and 1 more field", example(), edited(func(e *record.Entity) {
		e.Signals.Facts, e.Scores.Composite = e.Signals.Facts[:1], record.Score{}
	})},
	{"Example: category Machine-learning frameworks → other and 1 more field", example(), edited(func(e *record.Entity) {
		e.Category, e.License = "other", ""
	})},
	{"Example: licence Apache-2.0 → MIT", example(), edited(func(e *record.Entity) { e.License = "MIT" })},
	{"Example: pricing removed", example(), edited(func(e *record.Entity) { e.PricingModel = "" })},
	{"Example: benchmark MMLU 71.25 → 73.5", example(), edited(func(e *record.Entity) {
		e.Signals.Benchmarks[0].Value = 73.5
	})},
	{"Example: benchmarks (1 added, 1 changed, 1 removed)", example(), edited(func(e *record.Entity) {
		e.Signals.Benchmarks = []record.Benchmark{{Name: "GSM8K", Value: 91}, {Name: "Elo", Value: 1300}}
	})},
	{"Example: tags +rocm −cuda", example(), edited(func(e *record.Entity) { e.Tags = []string{"python", "rocm"} })},
	{"Example: tags (6 added, 1 removed)", example(), edited(func(e *record.Entity) {
		e.Tags = []string{"a", "b", "c", "d", "e", "f", "python"}
	})},
	{"Example: tags reordered", example(), edited(func(e *record.Entity) { e.Tags = []string{"cuda", "python"} })},
	{"Example: new description and 1 more field", example(), edited(func(e *record.Entity) {
		e.Description += " " + strings.Repeat("It runs on many kinds of machine, which takes a long text to say. ", 6) + "First words."
		e.URL = "https://example.org/new"
	})},
	// The difference between two long descriptions must be visible.
	{"Example: new description", edited(func(e *record.Entity) {
		e.Description = strings.Repeat("A text that is long. ", 30) + "It ends in one way."
	}), edited(func(e *record.Entity) {
		e.Description = strings.Repeat("A text that is long. ", 30) + "It ends in another way."
	})},
	{"Example was renamed Sample; 1 more field changed", example(), edited(func(e *record.Entity) {
		e.Name, e.Slug, e.Version = "Sample", "sample", "3"
	})},
	{"Example: slug example → sample", example(), edited(func(e *record.Entity) { e.Slug = "sample" })},
	{"Example was deprecated; 2 more fields changed", example(), edited(func(e *record.Entity) {
		e.Status, e.Version, e.Scores.Composite = record.Deprecated, "2.3", record.ScoreOf(20)
	})},
	{"Example was withdrawn", example(), edited(func(e *record.Entity) { e.Status = record.Withdrawn })},
	{"Example is active again", edited(func(e *record.Entity) { e.Status = record.Withdrawn }), example()},
	{"Example is deprecated, no longer withdrawn", edited(func(e *record.Entity) { e.Status = record.Withdrawn }),
		edited(func(e *record.Entity) { e.Status = record.Deprecated })},
	{`A</title>]]> <script>alert("&amp;")</script> was added`, nil, &record.Entity{
		Type: "model", Slug: "a-b", Name: "A</title>]]> <script>alert(\"&amp;\")</script>", Category: "<b>",
		Description: "First.\n\nSecond, with ]]> and <img src=x onerror=alert(1)>.", URL: `javascript:alert("1")`,
		Status: record.Deprecated,
	}},
	{"\uFFFD nul, \uFFFD bell, \uFFFD no character, \uFFFD no UTF-8 was deleted", &record.Entity{
		Type: "model", Slug: "b", Name: "\x00 nul, \a bell, \uFFFF no character, \xff no\u2028UTF-8\r", Category: "other",
		Status: record.Active,
	}, nil},
	{"Example was deleted", example(), nil},
	{"Seller's: input price of lab/m.1 at acme $1.25 → $1.10 per million tokens", offered(nil), offered(func(e *record.Entity) {
		e.Offers[0].Prices[record.InputPrice] = record.PriceOf(1_100_000)
	})},
	{"Seller's: offers +y at zeta ($2 input, unknown output per million tokens)", offered(nil), offered(func(e *record.Entity) {
		e.Offers = append(e.Offers, record.Offer{Provider: "zeta", ID: "y", Prices: record.Prices{record.InputPrice: record.PriceOf(2_000_000)}, Source: "https://a.example/"})
	})},
	{"Seller's: offers (40 added, 2 removed)", offered(nil), offered(func(e *record.Entity) {
		e.Offers = nil
		for i := range 40 {
			e.Offers = append(e.Offers, record.Offer{Provider: "router", ID: fmt.Sprintf("m-%02d", i)})
		}
	})},
	{"Seller's: cached input price of lab/m.1 at acme $0.125 per million tokens added and 60 more fields", offered(nil), offered(func(e *record.Entity) {
		o := &e.Offers[0]
		for i := range o.Prices {
			o.Prices[i] = record.PriceOf(int64(125_000 * (i + 1)))
		}
		o.Prices[record.InputPrice], o.Prices[record.OutputPrice], o.Prices[record.CacheReadPrice] = record.PriceOf(1_250_000), record.PriceOf(10_000_000), record.PriceOf(125_000)
		o.Modes = nil
		for _, name := range []string{"batch", "flex", "priority"} {
			o.Modes = append(o.Modes, record.Mode{Name: name, Prices: o.Prices})
		}
		o.Tiers, o.Deprecated, o.Context = []record.Tier{{Over: 200_000, Prices: o.Prices}}, true, 400_000
	})},
	{"Seller's: retirement date 2026-12-11 added and 3 more fields", offered(nil), offered(func(e *record.Entity) {
		e.Lifecycle = &record.Lifecycle{Retires: "2026-12-11", ReplacedBy: "model/next"}
		e.IDs = []record.ID{{Namespace: "pypi", Value: "x"}}
		e.Values.Set(kinds.Default().Field("openWeights"), true)
	})},
	{"Seller's was added", nil, offered(nil)},
}

// offered returns a model with two offers after an edit.
func offered(edit func(*record.Entity)) *record.Entity {
	e := &record.Entity{Type: "model", Slug: "seller", Name: "Seller's", Category: "other", Status: record.Active,
		Values: record.ValuesOf(kinds.Default(), map[string]any{"openWeights": false, "modalities": map[string]any{"input": []string{"text"}}}),
		Offers: []record.Offer{
			{Provider: "acme", ID: "lab/m.1", Prices: record.Prices{record.InputPrice: record.PriceOf(1_250_000), record.OutputPrice: record.PriceOf(10_000_000)},
				Date: "2026-10-30", Source: "https://acme.example/prices"},
			{Provider: "zeta", ID: "<b>x</b>"}}}
	if edit != nil {
		edit(e)
	}
	return e
}

// newest returns the changes in news, newest first.
func newest() []*record.Change {
	var list []*record.Change
	for i, n := range news {
		c := changeOf(i, n.before, n.after)
		switch {
		case i%3 == 1:
			c.PullRequest = i
		case i == 2:
			c.Commit, c.Author = "", "" // outside git
		}
		list = append([]*record.Change{c}, list...)
	}
	return list
}

func sample(changes ...*record.Change) *feed.Feed {
	return &feed.Feed{
		Title: "Example index", Description: "Every change of the <example> index & more.",
		Base: "https://index.example.org/", Self: "https://index.example.org/api/feed?type=tool&page=2",
		First: "https://index.example.org/api/feed?type=tool", Last: "https://index.example.org/api/feed?type=tool&page=3",
		Next: "https://index.example.org/api/feed?type=tool&page=3", Previous: "https://index.example.org/api/feed?type=tool",
		Words: feed.Words{Kinds: kinds.Default(), Categories: map[string]string{"ml-frameworks": "Machine-learning frameworks"}}, Changes: changes,
	}
}

func write(t *testing.T, f *feed.Feed, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	suite.Check(t, f.Write(&b, format))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	f := sampleOfAll()
	for _, format := range feed.Formats {
		got := write(t, f, format)
		if !bytes.Equal(got, write(t, f, format)) {
			t.Errorf("%s: two writes of one feed differ", format)
		}
		suite.Golden(t, filepath.Join("testdata", "feed."+format), got)
	}
}

func TestTitles(t *testing.T) {
	got := readJSON(t, write(t, sample(newest()...), "json"))
	for i, n := range news {
		if title := got.Items[len(news)-1-i].Title; title != n.title {
			t.Errorf("title %q, want %q", title, n.title)
		}
	}
}

// TestWithoutAnything writes a feed of the first build of an index that is not in git.
func TestWithoutAnything(t *testing.T) {
	f := &feed.Feed{Updated: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	rss := readRSS(t, write(t, f, "rss"))
	if rss.Channel.Links[0].Text != "urn:kindex:index" || rss.Channel.Title == "" || rss.Channel.Description == "" {
		t.Errorf("RSS requires title, link and description: %+v", rss.Channel)
	}
	atom := readAtom(t, write(t, f, "atom"))
	if atom.ID != "urn:kindex:feed" || atom.Updated != "2026-11-21T00:00:00Z" || atom.Author == "" {
		t.Errorf("Atom requires id, updated and author: %+v", atom)
	}
	if b := write(t, f, "json"); !bytes.Contains(b, []byte(`"items": []`)) {
		t.Errorf("JSON Feed requires items: %s", b)
	}
	f.Changes = []*record.Change{changeOf(1, nil, example())}
	if b := write(t, f, "rss"); bytes.Contains(b, []byte("<link></link>")) || bytes.Contains(b, []byte("/api/")) {
		t.Errorf("without a base there are no links: %s", b)
	}
}

// TestID checks that the ID is the same on all pages of a feed and differs
// between feeds.
func TestID(t *testing.T) {
	for _, c := range []struct{ first, self, want string }{
		{"https://a.example/api/feed", "https://a.example/api/feed?page=2", "https://a.example/api/feed"},
		{"", "https://a.example/feed.atom", "https://a.example/feed.atom"},
		{"/api/feed?type=tool", "/api/feed?type=tool&page=2", "urn:kindex:feed:%2Fapi%2Ffeed%3Ftype=tool"},
		{"", "", "urn:kindex:feed"},
	} {
		f := &feed.Feed{First: c.first, Self: c.self}
		if got := readAtom(t, write(t, f, "atom")).ID; got != c.want {
			t.Errorf("first %q, self %q: id %q, want %q", c.first, c.self, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	if err := sample().Write(&bytes.Buffer{}, "rs"); err == nil || !strings.Contains(err.Error(), "rss, atom, json") {
		t.Errorf("an unknown format: %v", err)
	}
	c := changeOf(1, nil, example())
	c.Timestamp = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, format := range feed.Formats {
		if err := sample(c).Write(&bytes.Buffer{}, format); err == nil || !strings.Contains(err.Error(), "tool/example") {
			t.Errorf("%s: the year 10000: %v", format, err)
		}
	}
}
