package diff

import (
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
)

func TestPlainURL(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://example.org", "http://example.org/", true},
		{"https://example.org/a/", "https://www.Example.org/a", true},
		{"https://example.org:443/a", "http://example.org:80/a", true},
		{"https://github.com/o/r", "https://github.com/O/R.git", true},
		{"https://github.com/o/r", "https://github.com/o/r.git/", true},
		{"https://gitlab.com/o/r", "https://gitlab.com/O/r", true},
		{"https://example.org/a?x=1", "https://example.org/a?x=1", true},
		{"https://example.org/A", "https://example.org/a", false},
		{"https://example.org/a?x=1", "https://example.org/a?x=2", false},
		{"https://example.org/#/a", "https://example.org/#/b", false},
		{"https://example.org:8443/", "https://example.org/", false},
		{"https://github.com/o/r", "https://github.com/o/r2", false},
		{"https://a.example.org", "https://example.org", false},
		{"https://example.org/%61", "https://example.org/%zz", false},
	} {
		if got := record.NormalizeURL(c.a) == record.NormalizeURL(c.b); got != c.same {
			t.Errorf("%s and %s: %s, %s", c.a, c.b, record.NormalizeURL(c.a), record.NormalizeURL(c.b))
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"PyTorch", "pytorch", SameName},
		{"Scikit Learn", "scikit-learn", SameName},
		{"Électron", "Electron", SameName},
		{"GPT-4", "GPT 4", SameName},
		{"PyTorch", "PyTroch", ""},
		{"Claude 4", "Claude 5", ""},
		{"Claude 4.1", "Claude 41", SameName},
		{"Llama 3 8B", "Llama 38 B", SameName},
		{"GPT-4", "GPT-5", ""},
		{"C++", "C", ""},
		{"C#", "C", ""},
		{"???", "!!!", ""}, // nothing is left of either name
	} {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got := ""
			a := entity("a", p[0])
			list := duplicates([]*record.Entity{a, entity("b", p[1])}, []*record.Entity{a})
			for _, d := range list {
				for _, r := range d.Reasons {
					got += r.Kind
				}
			}
			suite.Equal(t, got, c.want, p[0], p[1])
		}
	}
}

// entity returns an entity that shares nothing with others but its name.
func entity(slug, name string) *record.Entity {
	return &record.Entity{Type: "tool", Slug: slug, Name: name, Category: "of-" + slug, Status: record.Active}
}

func TestAddresses(t *testing.T) {
	repo := func(e *record.Entity, url string) *record.Entity {
		e.Links = append(e.Links, record.Link{Name: "repository", URL: url})
		return e
	}
	home := func(e *record.Entity, url string) *record.Entity {
		e.Links = append(e.Links, record.Link{Name: "homepage", URL: url})
		return e
	}
	weights := func(e *record.Entity, url string) *record.Entity {
		e.Links = append(e.Links, record.Link{Name: "weights", URL: url})
		return e
	}
	model := func(e *record.Entity) *record.Entity { e.Type = "model"; return e }
	page := func(e *record.Entity, url string) *record.Entity { e.URL = url; return e }
	const x, y = "https://github.com/o/r", "https://o.example.org"
	for _, c := range []struct {
		a, b *record.Entity
		want string
	}{
		{page(entity("a", "A"), y), page(entity("b", "B"), y+"/"), "tool/a tool/b url " + y},
		{repo(entity("a", "A"), x), repo(entity("b", "B"), x+".git"), "tool/a tool/b repository " + x},
		{page(entity("a", "A"), x), repo(entity("b", "B"), x), "tool/a tool/b repository " + x},
		{page(entity("a", "A"), y), home(entity("b", "B"), y), "tool/a tool/b url " + y},
		{home(entity("a", "A"), y), home(entity("b", "B"), y), ""},
		{entity("a", "A"), entity("b", "B"), ""},
		{page(repo(entity("a", "A"), x), x), page(repo(entity("b", "B"), x), x), "tool/a tool/b repository " + x},
		{model(page(repo(entity("a", "A"), x), y)), model(page(repo(entity("b", "B"), x), y)), ""}, // of one family
		{model(weights(entity("a", "A"), x)), model(weights(entity("b", "B"), x)), "model/a model/b url " + x},
		{model(page(entity("a", "A"), x)), model(weights(entity("b", "B"), x)), "model/a model/b url " + x},
		{model(repo(entity("a", "A"), x)), repo(entity("b", "B"), x), ""},
	} {
		var got []string
		for _, d := range duplicates([]*record.Entity{c.a, c.b}, []*record.Entity{c.a}) {
			for _, r := range d.Reasons {
				got = append(got, d.Entity+" "+d.Other+" "+r.Kind+" "+r.Value)
			}
		}
		suite.Equal(t, strings.Join(got, ","), c.want)
		// A pair in which both entities are new is listed only once.
		if n := len(duplicates([]*record.Entity{c.a, c.b}, []*record.Entity{c.b, c.a})); (n == 1) != (c.want != "") || n > 1 {
			t.Errorf("%d pairs of %v", n, c.want)
		}
	}
}

func fixtureContent(t *testing.T) *content.Content {
	t.Helper()
	c, problems, err := content.Load(suite.Content(t), nil)
	if n, _ := problems.Count(); err != nil || n > 0 || len(c.Entities) < 200 {
		t.Fatal(err, problems)
	}
	return c
}

// TestDifferentAreDistinct checks that no two real entities are reported as duplicates, whichever part
// of the catalogue is compared.
func TestDifferentAreDistinct(t *testing.T) {
	suite.InTest(t)
	all := fixtureContent(t).Entities
	for size := len(all); size >= 3; size /= 3 {
		for from := 0; from+size <= len(all); from += size {
			part := all[from : from+size]
			for _, d := range duplicates(part, part) {
				t.Errorf("of %d: %+v", size, d)
			}
		}
	}
}
