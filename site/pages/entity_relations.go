package pages

import (
	"kindex/site/textfmt"
)

// maxRelations is the maximum number of entities that a page lists for each relation.
const maxRelations = 150

// relationGroup lists what is related to an entity in one way.
type relationGroup struct {
	Title string
	Rows  []link
	More  int // that are not listed
}

// relations returns what a record's fields name, and what names the record, by field. The provider stands
// among the facts.
func (s *Site) relations(o uint32) (groups []relationGroup) {
	type way struct {
		field   string
		inverse bool
	}
	at := map[way]int{}
	for _, rel := range s.Build.Relations(o) {
		if rel.Field == byProvider.Field && !rel.Inverse {
			continue
		}
		key := way{rel.Field, rel.Inverse}
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, relationGroup{Title: rel.Title})
		}
		g := &groups[at[key]]
		if len(g.Rows) == maxRelations {
			g.More++
			continue
		}
		g.Rows = append(g.Rows, link{textfmt.Name(s.Build.Entity(rel.Ordinal).Name), s.path(rel.Ordinal)})
	}
	return groups
}
