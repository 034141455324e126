package pages

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"kindex/exports/feed"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// changeList is a page of the changes to an entity, newest first.
type changeList struct {
	pager
	Changes []changeSummary
}

// Latest returns the changes that the entity's page shows, and Earlier those that it folds.
func (h *changeList) Latest() []changeSummary  { return h.Changes[:min(entityLatest, len(h.Changes))] }
func (h *changeList) Earlier() []changeSummary { return h.Changes[len(h.Latest()):] }

// shortHash is the number of digits of a commit hash that are shown.
const shortHash = 10

// history returns the latest changes to the entity at a path. If path is "", there are no links to the others.
func (s *Site) history(path string, changes []uint32) *changeList {
	p := pager{Total: len(changes), Last: min(entityChanges, len(changes))}
	if path != "" && p.Last < p.Total {
		p.Next = path + "history/page-2/"
	}
	return s.changesOn(p, path, changes)
}

// changesOn returns the changes of a page, newest first.
func (s *Site) changesOn(p pager, path string, changes []uint32) *changeList {
	h := &changeList{pager: p}
	for i := max(1, p.First); i <= p.Last; i++ {
		h.Changes = append(h.Changes, s.changeRow(path, int(changes[len(changes)-i])))
	}
	return h
}

// changeRow describes a change. path is that of the entity, to link to its earlier states, or "".
func (s *Site) changeRow(path string, i int) changeSummary {
	change := s.Build.History().Change(i)
	c, repository := s.changeSummary(change), s.Build.Manifest.Repository
	if titleSays(&c.Summary) {
		c.Lines = nil
	}
	c.Address, c.Pull, c.Short = textfmt.WebURL(repository.Commit(c.Commit)), textfmt.WebURL(repository.Pull(c.PullRequest)), c.Commit[:min(shortHash, len(c.Commit))]
	if path != "" && !s.Static && c.Event != record.Deleted {
		c.Then = path + "at-" + c.Timestamp.UTC().Format(time.DateOnly) + "/"
	}
	return c
}

// titleSays reports whether the title of a change already contains the values of its only line.
func titleSays(x *feed.Summary) bool {
	if len(x.Lines) != 1 || x.Lines[0].New == nil || x.Lines[0].Words != nil {
		return false
	}
	text := x.Lines[0].New.Text
	if x.Lines[0].Old != nil {
		text = x.Lines[0].Old.Text + " → " + text
	}
	return strings.Contains(x.Title, " "+text)
}

type historyPage struct {
	Name    string
	Crumbs  []link
	Deleted bool
	*changeList
}

func (r *request) entityHistory() (*page, error) {
	typ, slug := r.args["type"], r.args["slug"]
	of := r.subject(typ, slug)
	switch {
	case of == nil:
		return r.missingEntity(typ, slug)
	case of.typ != typ || of.slug != slug:
		return r.moved(of.path()+"history/", ""), nil
	}
	p, from, ok := r.pageOf(len(of.changes), entityChanges)
	if !ok {
		return r.notFound(), nil
	}
	name := slug
	if !of.deleted {
		name = textfmt.Name(r.Build.Entity(of.ordinal).Name)
	}
	crumbs := []link{{Name: textfmt.Capitalize(r.plural(typ)), To: r.kindPath(typ)}, {Name: name, To: of.path()}}
	return &page{Template: "history", Title: "History of " + name, Data: &historyPage{name, crumbs, of.deleted, r.changesOn(p, of.path(), of.changes)}, NoIndex: of.deleted || from > 0,
		Description: "Every change to " + name + ", field by field, with commits and pull requests.", Feed: entityFeed + typ + "/" + slug}, nil
}

type tombstonePage struct {
	Type, Slug, Name string
	Day              string // day of the deletion, YYYY-MM-DD
	Taken            bool   // another entity, listed in Near, now has the address
	History          *changeList
	Near             []link
}

// missingEntity responds to a request for an address without an entity: with a redirect if
// the entity has moved, with its tombstone if it was deleted, or else with an error page.
func (r *request) missingEntity(typ, slug string) (*page, error) {
	of := r.subject(typ, slug)
	switch {
	case of != nil && of.deleted:
		return r.tombstone(of.last, of.changes)
	case of != nil:
		return r.moved(r.route.path(map[string]string{"type": of.typ, "slug": of.slug}, r.choices), ""), nil
	}
	list := r.suggestEntities(slug, only("type", typ)) // those of the requested type come first
	for _, o := range r.suggestEntities(slug, &view.Filter{}) {
		if len(list) < maxNear && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return r.missing("There is no "+typ+" “"+textfmt.Name(slug)+"”", "", list...), nil
}

// currentEntity returns the current entity at an address as a link, if there is
// one.
func (r *request) currentEntity(typ, slug string) []link {
	if now := r.reference(typ + "/" + slug); now.To != "" {
		return []link{{now.Name, now.To, "current version"}}
	}
	return nil
}

// tombstone renders the page of a deleted entity, given the version that deleted it.
func (r *request) tombstone(v record.Version, changes []uint32) (*page, error) {
	d := &tombstonePage{Type: v.Type, Slug: v.Slug, Name: v.Slug, Day: time.Unix(v.Time, 0).UTC().Format(time.DateOnly)}
	d.History = r.history(siteurl.Entity(v.Type, v.Slug), changes)
	if len(d.History.Changes) > 0 {
		d.Name = d.History.Changes[0].Change.Name
	}
	d.Near = r.currentEntity(v.Type, v.Slug)
	if d.Taken = len(d.Near) > 0; d.Taken {
		d.History.Next = "" // these pages belong to the other entity
	} else {
		d.Near = r.suggestEntities(d.Name, only("type", v.Type))
	}
	return &page{Template: "tombstone", Title: textfmt.Name(d.Name) + " was deleted", Answer: Answer{Status: http.StatusGone, Gone: &v}, NoIndex: true, Data: d}, nil
}
