package diff

import (
	"fmt"
	"strings"

	"kindex/builder/plural"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

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
// created again under another slug. It recognizes a deleted entity by its name or
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
				notes = append(notes, fmt.Sprintf("%s looks like %s under a new slug: if it was renamed, add formerly: [%s] in the same change to keep its old address and history",
					e.Key(), old[0].Key(), old[0].Slug))
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

// renameKeys returns the keys that identify an entity across slugs.
func renameKeys(e *Entity) []string {
	list := []string{e.Type + " name " + strings.ToLower(e.Name)}
	for _, f := range e.Fields {
		if f.Field != "url" {
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
