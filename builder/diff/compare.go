// Package diff tells what one state of the content would do to the index
// that another one makes: entities, their scores and places, the formula, the
// categories, and what a reviewer should look at twice. It is pure.
package diff

import (
	"encoding/json"
	"time"

	"kindex/builder/content"
	"kindex/builder/rank"
	"kindex/exports/record"
	"kindex/exports/score"
)

// Revision is one of the two states that are compared. A nil Content stands for no
// content at all; a formula is needed all the same.
type Revision struct {
	Content *content.Content
	Formula *score.Formula
}

// Comparison is what differs between two states of the content. As JSON it is
// what the command line prints.
type Comparison struct {
	AsOf    string `json:"asOf"`    // the time of all scores, RFC 3339
	Changed bool   `json:"changed"` // false where the two would make the same index
	Before  Totals `json:"before"`
	After   Totals `json:"after"`
	Counts  Counts `json:"counts"`
	// Entities are those whose files differ: the created ones, the updated, the
	// deleted and the touched, each by type and slug.
	Entities      []Entity   `json:"entities"`
	MovedByOthers Moved      `json:"movedByOthers"`
	Formula       *Formula   `json:"formula"`    // nil where it is the same
	Categories    []Category `json:"categories"` // those that differ, by slug
	Index         []Field    `json:"index"`      // the fields of index.yaml that differ
	// Duplicates are pairs that may be one and the same thing, one of which is
	// created or has a new slug.
	Duplicates []Duplicate `json:"duplicates"`
	Shrink     Shrink      `json:"shrink"`
}

// Totals are the sizes of one revision.
type Totals struct {
	Entities   int    `json:"entities"` // withdrawn ones too
	Ranked     int    `json:"ranked"`
	Categories int    `json:"categories"`
	Formula    string `json:"formula"` // its version
}

// Counts are the numbers of entities by what happened to them.
type Counts struct {
	Created int `json:"created"`
	Updated int `json:"updated"` // renamed ones too
	Renamed int `json:"renamed"`
	Deleted int `json:"deleted"`
	Touched int `json:"touched"`
}

// Field is one value before and after, as JSON; null where there is none.
type Field struct {
	Name string          `json:"field"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// Moved counts the entities that are as they were, score included, and stand
// elsewhere.
type Moved struct {
	All        int `json:"all"`        // on the leaderboard of all
	Categories int `json:"categories"` // on that of their category
}

// MaxShrink is the share of the entities that one build may delete. A build that
// would delete more is refused, as that is more often a mistake than meant.
const MaxShrink = 0.10

// Shrink is what the guard against vanishing content would say.
type Shrink struct {
	Deleted int     `json:"deleted"`
	Of      int     `json:"of"` // entities before
	Share   float64 `json:"share"`
	Refused bool    `json:"refused"` // a build would be refused, see MaxShrink
}

// Compare compares two states. Scores are computed as of one time, each with
// the formula of its revision, and written into the entities. words splits a text
// into the words that count for likeness.
func Compare(before, after Revision, asOf time.Time, words func(string) []string) *Comparison {
	a, b := newState(before, asOf), newState(after, asOf)
	p := match(a, b)
	c := &Comparison{AsOf: asOf.UTC().Format(time.RFC3339), Before: a.totals(), After: b.totals(),
		Entities: []Entity{}, Categories: compareCategories(a.content.Categories, b.content.Categories),
		Index: compareIndex(&a.content.Index, &b.content.Index), Duplicates: []Duplicate{}}
	c.addEntities(p, a, b)
	if before.Content != nil && after.Content != nil {
		c.Formula = compareFormulas(before.Formula, b, asOf)
	}
	c.Duplicates = duplicates(b.content.Entities, p.added(), words)
	c.Shrink = shrink(c.Counts.Deleted, len(a.content.Entities))
	c.Changed = len(c.Entities) > 0 || c.Formula != nil || len(c.Categories) > 0 || len(c.Index) > 0
	return c
}

func shrink(deleted, of int) Shrink {
	s := Shrink{Deleted: deleted, Of: of}
	if of > 0 {
		s.Share = float64(deleted) / float64(of)
	}
	s.Refused = s.Share > MaxShrink
	return s
}

// state is a revision with its scores and leaderboards.
type state struct {
	content *content.Content
	formula *score.Formula
	byKey   map[string]*record.Entity
	all     map[*record.Entity]int // rank on the leaderboard of all, from 1
	within  map[*record.Entity]int // rank on that of its category
}

func newState(s Revision, asOf time.Time) *state {
	st := &state{content: s.Content, formula: s.Formula, byKey: map[string]*record.Entity{}}
	if st.content == nil {
		st.content = &content.Content{}
	}
	for _, e := range st.content.Entities {
		e.Scores = st.formula.Scores(e, asOf)
		st.byKey[e.Key()] = e
	}
	st.all, st.within = places(st.content)
	return st
}

// places are the ranks of all entities that have one. The order of the content
// stays as it is.
func places(c *content.Content) (all, within map[*record.Entity]int) {
	ordered := append([]*record.Entity(nil), c.Entities...)
	rank.Order(ordered)
	slugs := make([]string, len(c.Categories))
	for i, category := range c.Categories {
		slugs[i] = category.Slug
	}
	all, within = map[*record.Entity]int{}, map[*record.Entity]int{}
	for i, board := range rank.Boards(ordered, slugs) {
		places := within
		if i == 0 {
			places = all
		}
		for place, e := range board.Entities {
			places[e] = place + 1
		}
	}
	return all, within
}

func (s *state) totals() Totals {
	return Totals{Entities: len(s.content.Entities), Ranked: len(s.all), Categories: len(s.content.Categories), Formula: s.formula.Version}
}
