package diff

import (
	"fmt"
	"strings"

	"kindex/builder/plural"
	"kindex/exports/record"
)

// NoteRenames says of entities that are deleted and created again under another
// slug what would make renames of them. Only what is told apart by its name or its
// address is taken for one.
func (d *Report) NoteRenames() {
	gone := map[string][]*Entity{} // by likeness
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
				notes = append(notes, fmt.Sprintf("%s looks like %s under another slug: if it is renamed, give it formerly: [%s] in the same change, else its address and its history end here",
					e.Key(), old[0].Key(), old[0].Slug))
				break
			}
		}
	}
	if more := len(notes) - maxRenames; more > 0 {
		notes = append(notes[:maxRenames], plural.Count(more, "other looks", "others look")+" renamed, too")
	}
	d.Notes = append(d.Notes, notes...)
}

// maxRenames is how many possible renames are noted.
const maxRenames = 5

// renameKeys are by what an entity is known again under another slug.
func renameKeys(e *Entity) []string {
	list := []string{e.Type + " name " + strings.ToLower(e.Name)}
	for _, f := range e.Fields {
		if f.Name != "url" {
			continue
		}
		for _, v := range []string{string(f.Old), string(f.New)} {
			if v != "null" {
				list = append(list, e.Type+" url "+v)
			}
		}
	}
	return list
}
