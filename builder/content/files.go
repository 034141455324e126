package content

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rootFiles are the files beside the type folders. All are optional.
var rootFiles = []string{"categories.yaml", "index.yaml", "scoring.yaml"}

// Category is one class of entities.
type Category struct {
	Slug        string `json:"slug"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Index is what index.yaml says about the index as a whole.
type Index struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	License     string   `json:"license"`
	Sources     []Source `json:"sources"`
}

// Source credits a collection that facts were taken from.
type Source struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	License string   `json:"license"`
	Types   []string `json:"types"`
	Changes string   `json:"changes"`
}

// loadRootFiles reads categories.yaml, index.yaml and scoring.yaml.
func (c *Content) loadRootFiles(dir string) (Problems, error) {
	var problems Problems
	var categories struct{ Categories []Category }
	for _, f := range []struct {
		name string
		s    *schema
		into any
	}{
		{"categories.yaml", categoriesSchema, &categories},
		{"index.yaml", indexSchema, &c.Index},
		{"scoring.yaml", scoringSchema, nil},
	} {
		data, err := os.ReadFile(filepath.Join(dir, f.name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		asJSON, found := parseChecked(shownPath(dir, f.name), data, f.s)
		problems = append(problems, found...)
		if n, _ := found.Count(); n > 0 {
			continue
		}
		if f.into == nil {
			c.Scoring, c.ScoringText, c.ScoringPath = asJSON, data, shownPath(dir, f.name)
		} else if err := json.Unmarshal(asJSON, f.into); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	seen := map[string]bool{}
	for _, cat := range categories.Categories {
		if seen[cat.Slug] {
			problems = append(problems, Problem{File: shownPath(dir, "categories.yaml"), Line: 1, Column: 1,
				Severity: Error, Field: "categories", Message: shown(cat.Slug) + " is given twice"})
		}
		seen[cat.Slug] = true
	}
	c.Categories = categories.Categories
	return problems, nil
}

// ParseScoring checks a scoring file by its schema and returns it as JSON.
func ParseScoring(path string, data []byte) ([]byte, Problems) {
	return parseChecked(path, data, scoringSchema)
}

// LocateScoring returns the place of a field of a scoring file, for messages
// about what its schema cannot tell.
func LocateScoring(path string, data []byte, field ...string) (line, column int) {
	return parseDocument(path, data, "version").locate(field, false)
}

// parseChecked reads a YAML file, checks it by its schema and returns its JSON
// form.
func parseChecked(path string, data []byte, s *schema) ([]byte, Problems) {
	d := parseDocument(path, data, "version")
	if d.root != nil {
		if _, ok := d.value.(map[string]any); !ok {
			d.addAt(nil, false, Problem{Message: "must be a set of fields, one \"name: value\" a line"})
			return nil, d.problems
		}
		s.check(d)
	}
	d.problems.sort()
	if n, _ := d.problems.Count(); n > 0 || d.root == nil {
		return nil, d.problems
	}
	asJSON, err := json.Marshal(d.value)
	if err != nil {
		d.add(1, 1, Problem{Message: err.Error()})
	}
	return asJSON, d.problems
}

// completeCategories takes the categories from the entities where no file
// declares them, and sorts them.
func (c *Content) completeCategories() {
	if len(c.Categories) == 0 {
		seen := map[string]bool{}
		for _, e := range c.Entities {
			if !seen[e.Category] {
				seen[e.Category] = true
				c.Categories = append(c.Categories, Category{Slug: e.Category, Title: titleOf(e.Category)})
			}
		}
	}
	slices.SortFunc(c.Categories, func(a, b Category) int { return cmp.Compare(a.Slug, b.Slug) })
}

// titleOf makes a heading from a slug.
func titleOf(slug string) string {
	s := strings.ReplaceAll(slug, "-", " ")
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
