package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
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

// MaxMoves is the maximum number of listed moves.
const MaxMoves = 10

// Formula describes how a new formula affects the scores of the content as it is after the
// change.
type Formula struct {
	Old string `json:"old"` // versions
	New string `json:"new"`
	// SameVersion is set if the formula differs but its version does not.
	SameVersion bool   `json:"sameVersion"`
	Scored      int    `json:"scored"`   // entities with a composite score by either formula
	Moved       int    `json:"moved"`    // entities whose composite differs, including changes from or to null
	FromNull    int    `json:"fromNull"` // entities that gain a composite
	ToNull      int    `json:"toNull"`   // entities that lose their composite
	Largest     []Move `json:"largest"`  // the largest changes from one number to another; at most MaxMoves of them
}

// Move is the change that a new formula makes to an entity's composite.
type Move struct {
	Type string       `json:"type"`
	Slug string       `json:"slug"`
	Name string       `json:"name"`
	Old  record.Score `json:"old"`
	New  record.Score `json:"new"`
}

// Key returns the key of the entity: type/slug.
func (m *Move) Key() string { return m.Type + "/" + m.Slug }

func (m *Move) size() float64 { return math.Abs(m.New.Float() - m.Old.Float()) }

// compareFormulas scores the new content with both formulas and compares the scores. It
// returns nil if the formulas are the same.
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

// Category is a changed category.
type Category struct {
	Event  string               `json:"event"` // category.created, category.updated or category.deleted
	Slug   string               `json:"slug"`
	Fields []record.FieldChange `json:"fields"`
}

func compareCategories(before, after []record.Category) []Category {
	both := map[string][2]record.Category{}
	for i, categories := range [][]record.Category{before, after} {
		for _, c := range categories {
			pair := both[c.Slug]
			pair[i] = c
			both[c.Slug] = pair
		}
	}
	list := []Category{}
	for _, slug := range slices.Sorted(maps.Keys(both)) {
		old, new := both[slug][0], both[slug][1]
		event := "category.updated"
		switch {
		case old.Slug == "":
			event = "category.created"
		case new.Slug == "":
			event = "category.deleted"
		}
		fields := textFields("title", old.Title, new.Title, "description", string(old.Description), string(new.Description),
			"formerly", strings.Join(old.Formerly, ", "), strings.Join(new.Formerly, ", "))
		if len(fields) > 0 || event != "category.updated" {
			list = append(list, Category{event, slug, fields})
		}
	}
	return list
}

func compareIndex(before, after *content.Index) []record.FieldChange {
	fields := textFields("title", before.Title, after.Title, "description", before.Description, after.Description,
		"url", before.URL, after.URL, "repository", before.Repository, after.Repository, "branch", before.Branch, after.Branch,
		"license", before.License, after.License)
	old, new := sourcesJSON(before.Sources), sourcesJSON(after.Sources)
	if !bytes.Equal(old, new) {
		fields = append(fields, record.FieldChange{Field: "sources", Old: old, New: new})
	}
	return fields
}

func sourcesJSON(list []store.Source) json.RawMessage {
	if len(list) == 0 {
		return null
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // encoding a struct of strings cannot fail
	}
	return data
}

// textFields compares string fields, each given as its name, old value and new value; "" means
// that there is no value.
func textFields(texts ...string) []record.FieldChange {
	fields := []record.FieldChange{}
	for t := range slices.Chunk(texts, 3) {
		if t[1] != t[2] {
			fields = append(fields, record.FieldChange{Field: t[0], Old: textJSON(t[1]), New: textJSON(t[2])})
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
