package pages

import (
	"net/http"
	"slices"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// tombstonePage is the page of a deleted entity.
type tombstonePage struct {
	Type, Slug, Name string
	Day              string // day of the deletion, YYYY-MM-DD
	Taken            bool   // another entity, listed in Near, now has the address
	History          *changeList
	Near             []suggestion
}

// missingEntity responds to a request for an address without an entity: with a redirect if
// the entity has moved, with its tombstone if it was deleted, or else with an error page.
func (r *request) missingEntity(typ, slug string) (*page, error) {
	now, standing := r.Build.ResolveRemoved(typ, slug)
	switch standing {
	case history.Exists:
		to := siteurl.Entity(now.Type, now.Slug)
		if day := r.choice("at"); day != "" {
			to += "at-" + day + "/"
		}
		return &page{location: to}, nil
	case history.Gone:
		return r.tombstone(now, r.Build.History().EntityChanges(r.lastVersion([2]string{typ, slug})))
	}
	return r.missing("There is no "+typ+" “"+textfmt.Name(slug)+"”", "", r.suggestForMissing(typ, slug)), nil
}

// suggestForMissing returns suggestions for a slug, starting with entities of the requested type.
func (r *request) suggestForMissing(typ, slug string) []suggestion {
	list := r.suggestEntities(slug, &view.Filter{Fields: map[string][][]string{"type": {{typ}}}})
	for _, o := range r.suggestEntities(slug, &view.Filter{}) {
		if len(list) < maxNear && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// currentEntity returns the current entity at an address as a suggestion, if there is
// one.
func (r *request) currentEntity(typ, slug string) []suggestion {
	o, _, ok := r.Build.Find(typ, slug)
	if !ok {
		return nil
	}
	e := r.Build.Entity(o)
	return []suggestion{{siteurl.Entity(e.Type, e.Slug), e.Name, "current version"}}
}

// tombstone renders the page of a deleted entity, given the version that deleted it.
func (r *request) tombstone(v record.Version, changes []uint32) (*page, error) {
	d := &tombstonePage{Type: v.Type, Slug: v.Slug, Name: v.Slug, Day: time.Unix(v.Time, 0).UTC().Format(time.DateOnly)}
	var err error
	if d.History, err = r.history(siteurl.Entity(v.Type, v.Slug), changes); err != nil {
		return nil, err
	}
	if len(d.History.Changes) > 0 {
		d.Name = d.History.Changes[0].Change.Name
	}
	d.Near = r.currentEntity(v.Type, v.Slug)
	if d.Taken = len(d.Near) > 0; d.Taken {
		d.History.Next, d.History.All = "", "" // these pages belong to the other entity
	} else {
		d.Near = r.suggestEntities(d.Name, &view.Filter{Fields: map[string][][]string{"type": {{v.Type}}}})
	}
	return &page{Template: "tombstone", Title: textfmt.Name(d.Name) + " was deleted", Status: http.StatusGone, NoIndex: true, Data: d, deletedBy: &v}, nil
}
