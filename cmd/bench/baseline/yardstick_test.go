package baseline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// documents returns a small set of documents with predictable results.
func documents() Documents {
	var docs []Document
	for i, name := range []string{"Gradient", "Granite", "Gradients", "Tensor \"quoted\"", "Forest"} {
		e := &record.Entity{Type: "tool", Slug: fmt.Sprint("s", i), Name: name, Category: "alpha", Tags: []string{"shared", fmt.Sprint("tag-", i%2)},
			Description: "Boosting of trees", License: []string{"MIT", "ISC"}[i%2]}
		if i != 4 {
			e.Scores.Composite = record.ScoreOf(float64(90 - i))
		}
		docs = append(docs, Document{Entity: e, Title: "Alpha things", Record: []byte("<" + name + ">")})
	}
	return Documents{Len: len(docs), Read: func(i int) (Document, error) { return docs[i], nil }}
}

func TestFTS5(t *testing.T) {
	f, err := NewFTS5(filepath.Join(t.TempDir(), "db"), documents())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Words.Bytes <= 0 || f.Trigrams.Bytes <= 0 || f.Words.Took <= 0 {
		t.Errorf("%+v %+v", f.Words, f.Trigrams)
	}
	for name, c := range map[string]struct {
		ask  func() ([]byte, int, error)
		n    int
		want string
	}{
		"term":         {func() ([]byte, int, error) { return f.All(nil, "granite") }, 1, "<Granite>"},
		"two words":    {func() ([]byte, int, error) { return f.All(nil, "tensor", "boosting") }, 1, `<Tensor "quoted">`},
		"not together": {func() ([]byte, int, error) { return f.All(nil, "tensor", "granite") }, 0, ""},
		"quotes":       {func() ([]byte, int, error) { return f.All(nil, `"quoted"`) }, 1, "<Tensor"},
		"category":     {func() ([]byte, int, error) { return f.All(nil, "things") }, 5, "<Forest>"},
		"prefix":       {func() ([]byte, int, error) { return f.Prefix(nil, "gra") }, 3, "<Granite>"},
		"trigrams":     {func() ([]byte, int, error) { return f.AnyTrigram(nil, "tensro") }, 1, "<Tensor"},
		"exchanged":    {func() ([]byte, int, error) { return f.Corrected(nil, "grantie") }, 1, "<Granite>"},
		"two edits":    {func() ([]byte, int, error) { return f.Corrected(nil, "graadientz") }, 2, "<Gradients>"},
		"too far":      {func() ([]byte, int, error) { return f.Corrected(nil, "gronote") }, 0, ""},
		"facets":       {func() ([]byte, int, error) { return f.Faceted(nil, "boosting") }, 5, "categoryalpha"},
		"tag counts":   {func() ([]byte, int, error) { return f.Faceted(nil, "granite") }, 1, "tagsharedtagtag-1"},
	} {
		got, n, err := c.ask()
		if err != nil || n != c.n || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %d records, %q, %v", name, n, got, err)
		}
	}
}

func TestBleve(t *testing.T) {
	x, err := NewBleve(filepath.Join(t.TempDir(), "bleve"), documents())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	f := Filters{Terms: []Term{{"type", "tool"}, {"category", "alpha"}, {"tag", "tag-0"}}, Sort: "composite"}
	got, page, total, err := x.Page(nil, f, 0, 2)
	if err != nil || total != 3 || fmt.Sprint(page) != "[0 2]" || string(got) != "<Gradient><Gradients>" {
		t.Errorf("%q %v %d %v", got, page, total, err)
	}
	// Documents without a score come last.
	if got, page, total, err = x.Page(nil, f, 2, 2); err != nil || total != 3 || fmt.Sprint(page) != "[4]" || string(got) != "<Forest>" {
		t.Errorf("%q %v %d %v", got, page, total, err)
	}
	f.Terms[1].Value = "beta"
	if _, page, total, err = x.Page(nil, f, 0, 2); err != nil || total != 0 || len(page) != 0 {
		t.Errorf("%v %d %v", page, total, err)
	}
}

func TestSQLiteLists(t *testing.T) {
	l, err := NewSQLiteLists(filepath.Join(t.TempDir(), "db"), documents())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := Filters{Terms: []Term{{"type", "tool"}, {"category", "alpha"}, {"tag", "tag-0"}}, Sort: "composite"}
	got, page, total, err := l.Page(nil, f, 1, 2)
	if err != nil || total != 3 || fmt.Sprint(page) != "[2 4]" || string(got) != "<Gradients><Forest>" {
		t.Errorf("%q %v %d %v", got, page, total, err)
	}
	f.Ranges = []Range{{Field: "stars", Bound: 1}}
	if _, page, total, err = l.Page(nil, f, 0, 2); err != nil || total != 0 || len(page) != 0 {
		t.Errorf("%v %d %v", page, total, err)
	}
}

func TestXapian(t *testing.T) {
	x, err := NewXapian(context.Background(), filepath.Join(t.TempDir(), "db"), documents())
	if errors.Is(err, ErrNoXapian) {
		suite.NotRun(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for name, c := range map[string]struct {
		ask  func() ([]byte, int, error)
		n    int
		want string
	}{
		"term":      {func() ([]byte, int, error) { return x.All(nil, "granite") }, 1, "<Granite>"},
		"two words": {func() ([]byte, int, error) { return x.All(nil, "tensor", "boosting") }, 1, `<Tensor "quoted">`},
		"prefix":    {func() ([]byte, int, error) { return x.Prefix(nil, "gra") }, 3, "<Granite>"},
		"one edit":  {func() ([]byte, int, error) { return x.Fuzzy(nil, "grantie") }, 1, "<Granite>"},
		"facets":    {func() ([]byte, int, error) { return x.Faceted(nil, "boosting") }, 5, "alpha"},
	} {
		got, n, err := c.ask()
		if err != nil || n != c.n || !strings.Contains(string(got), c.want) || x.Took <= 0 {
			t.Errorf("%s: %d records, %q, %v", name, n, got, err)
		}
	}
}
