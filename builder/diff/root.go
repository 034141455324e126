package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
)

// MaxMoves is how many of the largest moves are listed.
const MaxMoves = 10

// Formula is what another formula does to the scores, everything else being as
// it is after.
type Formula struct {
	Old string `json:"old"` // versions
	New string `json:"new"`
	// SameVersion tells that the formula differs and its version does not.
	SameVersion bool   `json:"sameVersion"`
	Scored      int    `json:"scored"`   // entities with a composite by either
	Moved       int    `json:"moved"`    // those whose composite differs, from and to null too
	FromNull    int    `json:"fromNull"` // those of them that had none
	ToNull      int    `json:"toNull"`   // those of them that have none any more
	Largest     []Move `json:"largest"`  // the largest moves from one number to another, at most Most
}

// Move is a composite that another formula moves.
type Move struct {
	Type string       `json:"type"`
	Slug string       `json:"slug"`
	Name string       `json:"name"`
	Old  record.Score `json:"old"`
	New  record.Score `json:"new"`
}

// Key is the address of the entity within the index: type/slug.
func (m *Move) Key() string { return m.Type + "/" + m.Slug }

func (m *Move) size() float64 { return math.Abs(m.New.Float() - m.Old.Float()) }

// compareFormulas scores the content after by the formula before, nil where
// the formulas are the same.
func compareFormulas(before *score.Formula, after *state, asOf time.Time) *Formula {
	if bytes.Equal(before.JSON(), after.formula.JSON()) {
		return nil
	}
	f := &Formula{Old: before.Version, New: after.formula.Version, SameVersion: before.Version == after.formula.Version, Largest: []Move{}}
	for _, e := range after.content.Entities {
		m := Move{e.Type, e.Slug, e.Name, before.Scores(e, asOf).Composite, e.Scores.Composite}
		if m.Old.Known() || m.New.Known() {
			f.Scored++
		}
		switch {
		case m.Old == m.New:
			continue
		case !m.Old.Known():
			f.FromNull++
		case !m.New.Known():
			f.ToNull++
		default:
			f.Largest = append(f.Largest, m)
		}
		f.Moved++
	}
	slices.SortStableFunc(f.Largest, func(x, y Move) int { return cmp.Compare(y.size(), x.size()) })
	f.Largest = slices.Clone(f.Largest[:min(len(f.Largest), MaxMoves)])
	return f
}

// Category is one category that differs.
type Category struct {
	Event  string  `json:"event"` // category.created, category.updated or category.deleted
	Slug   string  `json:"slug"`
	Fields []Field `json:"fields"`
}

// compareCategories lists the categories that differ, by slug. Both lists are
// sorted by it.
func compareCategories(before, after []content.Category) []Category {
	list := []Category{}
	add := func(event string, slug string, old, new content.Category) {
		fields := textFields("title", old.Title, new.Title, "description", old.Description, new.Description)
		if len(fields) > 0 || event != "category.updated" {
			list = append(list, Category{event, slug, fields})
		}
	}
	find := func(in []content.Category, slug string) (content.Category, bool) {
		i, ok := slices.BinarySearchFunc(in, slug, func(c content.Category, s string) int { return strings.Compare(c.Slug, s) })
		if !ok {
			return content.Category{}, false
		}
		return in[i], true
	}
	for _, c := range after {
		if old, ok := find(before, c.Slug); ok {
			add("category.updated", c.Slug, old, c)
		} else {
			add("category.created", c.Slug, old, c)
		}
	}
	for _, c := range before {
		if none, ok := find(after, c.Slug); !ok {
			add("category.deleted", c.Slug, c, none)
		}
	}
	slices.SortFunc(list, func(x, y Category) int { return strings.Compare(x.Slug, y.Slug) })
	return list
}

// compareIndex lists the fields of index.yaml that differ.
func compareIndex(before, after *content.Index) []Field {
	fields := textFields("title", before.Title, after.Title, "description", before.Description, after.Description,
		"url", before.URL, after.URL, "repository", before.Repository, after.Repository, "branch", before.Branch, after.Branch,
		"license", before.License, after.License)
	old, new := sourcesJSON(before.Sources), sourcesJSON(after.Sources)
	if !bytes.Equal(old, new) {
		fields = append(fields, Field{"sources", old, new})
	}
	return fields
}

func sourcesJSON(list []store.Source) json.RawMessage {
	if len(list) == 0 {
		return null
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // a struct of texts
	}
	return data
}

// textFields compares texts, given as name, old and new; an empty one is none.
func textFields(texts ...string) []Field {
	fields := []Field{}
	for t := range slices.Chunk(texts, 3) {
		if t[1] != t[2] {
			fields = append(fields, Field{t[0], textJSON(t[1]), textJSON(t[2])})
		}
	}
	return fields
}

func textJSON(s string) json.RawMessage {
	if s == "" {
		return null
	}
	return jsonenc.AppendString(nil, s)
}
