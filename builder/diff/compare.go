// Package diff compares the indexes that two states of the content produce: their entities,
// scores, ranks, formulas and categories. It also finds problems that a reviewer should
// double-check. It has no side effects.
package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kindex/builder/content"
	"kindex/builder/plural"
	"kindex/builder/rank"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/score"
)

// Revision is one of the two states being compared. If Content is nil, there is no content
// at all. The formula is required even then.
type Revision struct {
	Content *content.Content
	Formula *score.Formula
}

// Comparison describes the differences between two states of the content. The command line
// prints it as JSON.
type Comparison struct {
	AsOf    string `json:"asOf"`    // all scores are calculated as of this time, in RFC 3339 format
	Changed bool   `json:"changed"` // false if both produce the same index
	Before  Totals `json:"before"`
	After   Totals `json:"after"`
	Counts  Counts `json:"counts"`
	// Entities lists the entities whose files differ: created, updated, deleted and touched,
	// each sorted by type and slug.
	Entities   []Entity             `json:"entities"`
	Formula    *Formula             `json:"formula"`    // nil if unchanged
	Categories []Category           `json:"categories"` // changed categories, by slug
	Index      []record.FieldChange `json:"index"`      // changed fields of index.yaml
	// Duplicates lists pairs of entities that may be the same thing. One entity in each pair
	// was created or has a new slug.
	Duplicates []Duplicate `json:"duplicates"`
	Shrink     Shrink      `json:"shrink"`
}

// Totals contains the numbers of entities in one revision.
type Totals struct {
	Entities   int    `json:"entities"` // including withdrawn entities
	Ranked     int    `json:"ranked"`
	Categories int    `json:"categories"`
	Formula    string `json:"formula"` // its version
}

// Counts contains the number of entities for each event.
type Counts struct {
	Created int `json:"created"`
	Updated int `json:"updated"` // including renamed entities
	Renamed int `json:"renamed"` // including those of another kind now
	Deleted int `json:"deleted"`
	Touched int `json:"touched"`
}

// MaxShrink is the maximum share of entities that one build may delete. A build that would
// delete more is refused, because such a deletion is usually a mistake.
const MaxShrink = 0.10

// Shrink describes how much of the index is deleted.
type Shrink struct {
	Deleted int     `json:"deleted"`
	Of      int     `json:"of"` // entities before
	Share   float64 `json:"share"`
	Refused bool    `json:"refused"` // whether a build would be refused, see MaxShrink
}

// Compare compares two states. It scores both as of asOf, each with its own formula, and
// stores the scores in the entities.
func Compare(before, after Revision, asOf time.Time) *Comparison {
	a, b := newState(before, asOf), newState(after, asOf)
	pairs := record.Pairs(slices.Values(a.content.Entities), slices.Values(b.content.Entities))
	c := &Comparison{AsOf: asOf.UTC().Format(time.RFC3339), Before: a.totals(), After: b.totals(),
		Entities: []Entity{}, Categories: compareCategories(a.content.Categories, b.content.Categories),
		Index: compareIndex(&a.content.Index, &b.content.Index), Duplicates: []Duplicate{}}
	c.addEntities(pairs, a, b)
	if before.Content != nil && after.Content != nil {
		c.Formula = compareFormulas(before.Formula, b, asOf)
	}
	c.Duplicates = duplicates(b.content.Entities, added(pairs))
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
	all     map[*record.Entity]int // rank on the overall leaderboard, counted from 1
	within  map[*record.Entity]int // rank on the leaderboard of the entity's category
}

func newState(s Revision, asOf time.Time) *state {
	st := &state{content: s.Content, formula: s.Formula}
	if st.content == nil {
		st.content = &content.Content{}
	}
	for _, e := range st.content.Entities {
		e.Scores = st.formula.Scores(e, asOf)
		e.Computed = st.content.Providers.Compute(e, asOf.UTC().Format(time.DateOnly))
	}
	st.all, st.within = places(st.content)
	return st
}

// places returns the ranks of all ranked entities. It does not reorder the content.
func places(c *content.Content) (all, within map[*record.Entity]int) {
	all, within = map[*record.Entity]int{}, map[*record.Entity]int{}
	for i, board := range rank.Boards(slices.Clone(c.Entities), c.Categories) {
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

// Report is a comparison of two revisions, with notes. kindex diff --format json prints it as
// JSON.
type Report struct {
	From Ref `json:"from"`
	To   Ref `json:"to"`
	*Comparison
	Notes []string `json:"notes"`
}

// Ref identifies one of the two compared revisions.
type Ref struct {
	Name   jsonenc.OptionalString `json:"revision"` // "" for the working tree
	Commit jsonenc.OptionalString `json:"commit"`

	MergeBase bool `json:"-"` // whether Commit is the merge base of the named revision and the other one
}

// String returns a human-readable name for the revision.
func (r Ref) String() string {
	switch {
	case r.Commit == "":
		return "the working tree"
	case r.MergeBase:
		return fmt.Sprintf("%s at %.12s", r.Name, string(r.Commit))
	}
	return string(r.Name)
}

// NoteRenames adds notes on how to declare a rename if an entity was deleted and
// created again under another slug, or as another kind. It recognizes a deleted entity by its name or
// address, unless other deleted entities have the same one.
func (d *Report) NoteRenames() {
	gone := map[string][]*Entity{} // keyed by rename key
	for i := range d.Entities {
		if e := &d.Entities[i]; e.Event == record.Deleted && e.LeadsTo == "" {
			for _, l := range renameKeys(e) {
				gone[l] = append(gone[l], e)
			}
		}
	}
	var notes []string
	said := map[*Entity]bool{}
	for i := range d.Entities {
		e := &d.Entities[i]
		if e.Event != record.Created {
			continue
		}
		for _, l := range renameKeys(e) {
			if old := gone[l]; len(old) == 1 && !said[old[0]] {
				said[old[0]] = true
				change, former := "under a new slug: if it was renamed", old[0].Slug
				if old[0].Type != e.Type {
					change, former = "as another kind: if it was moved", old[0].Key()
				}
				notes = append(notes, fmt.Sprintf("%s looks like %s %s, add formerly: [%s] in the same change to keep its old address and history",
					e.Key(), old[0].Key(), change, former))
				break
			}
		}
	}
	if more := len(notes) - maxRenames; more > 0 {
		notes = append(notes[:maxRenames], plural.Count(more, "other entity also looks", "other entities also look")+" renamed")
	}
	d.Notes = append(d.Notes, notes...)
}

// maxRenames is the maximum number of rename notes.
const maxRenames = 5

// renameKeys returns the keys that identify an entity across slugs, and then those across kinds.
func renameKeys(e *Entity) []string {
	list := []string{"name " + strings.ToLower(e.Name)}
	for _, f := range e.Fields {
		if f.Field != "url" {
			continue
		}
		for _, v := range []string{string(f.Old), string(f.New)} {
			if v != "null" {
				list = append(list, "url "+v)
			}
		}
	}
	within := make([]string, len(list))
	for i, key := range list {
		within[i] = e.Type + " " + key
	}
	return append(within, list...)
}
