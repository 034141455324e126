package pages

import (
	"net/http"
	"slices"
	"strings"
	"time"

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
	if len(c.Lines) == 1 && c.Lines[0].New != nil && c.Lines[0].Words == nil { // the title may already say it
		text := c.Lines[0].New.Text
		if c.Lines[0].Old != nil {
			text = c.Lines[0].Old.Text + " → " + text
		}
		if strings.Contains(c.Summary.Title, " "+text) {
			c.Lines = nil
		}
	}
	c.Address, c.Pull, c.Short = textfmt.WebURL(repository.Commit(c.Commit)), textfmt.WebURL(repository.Pull(c.PullRequest)), c.Commit[:min(shortHash, len(c.Commit))]
	if path != "" && !s.Static && c.Event != record.Deleted {
		c.Then = path + "at-" + c.Timestamp.UTC().Format(time.DateOnly) + "/"
	}
	return c
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

// notice is a warning at the top of an entity's page.
type notice struct {
	Strong, Text string
	Next         *link // the page of the successor, or nil
	Out          *link // an announcement, or nil
}

// notices returns what users of an entity must know: its status, its announced end, and
// whether it is still maintained.
func (r *request) notices(d *entityPage, ended *link, asOf time.Time) (list []notice) {
	e := d.Entity
	switch e.Status {
	case record.Deprecated:
		n := notice{Strong: "Deprecated.", Text: "Its makers advise against adopting it."}
		if d.Score.Limit != "" {
			n.Text = "Its makers advise against adopting it; its score is capped at " + d.Score.Limit + "."
		}
		list = append(list, n)
	case record.Withdrawn:
		list = append(list, notice{Strong: "Withdrawn.", Text: "It no longer appears in lists, search or leaderboards, but this page remains."})
	}
	if n := lifecycleNotice(e.Lifecycle, asOf); n != nil {
		list = append(list, *n)
	}
	read := asOfNote(e.Maintenance.AsOf)
	switch state := e.Maintenance.State; {
	case len(list) > 0 && e.Lifecycle != nil:
	case state == record.Archived:
		list = append(list, notice{Strong: "Archived.", Text: "Its repository is read-only, " + read + "."})
	case state == record.Dormant:
		commit, _ := e.Signals.Fact("lastCommit")
		list = append(list, notice{Strong: "Dormant.", Text: "The latest commit to its repository is from " + textfmt.DayOrUnknown(commit.Day) + ", " + read + "."})
	}
	if len(list) == 0 {
		return nil
	}
	last := &list[len(list)-1]
	if e.Lifecycle != nil {
		if next := r.reference(e.Lifecycle.ReplacedBy); next.To != "" {
			last.Next = &next
		}
		if to := textfmt.WebURL(e.Lifecycle.Source); to != "" && ended == nil {
			ended = &link{To: to}
		}
	}
	if ended != nil {
		last.Out = &link{Name: "Read the announcement", To: ended.To}
	}
	return list
}

// lifecycleNotice returns a notice of the announced end, or nil if there is none.
func lifecycleNotice(l *record.Lifecycle, asOf time.Time) *notice {
	if l == nil || l.Deprecated == "" && l.Retires == "" && l.ReplacedBy == "" {
		return nil
	}
	n := &notice{Strong: "A successor is available."}
	today, since := asOf.UTC().Format(time.DateOnly), "Deprecated since "+textfmt.Day(l.Deprecated)+"."
	switch {
	case l.Deprecated > today:
		n.Strong, since = "To be deprecated on "+textfmt.Day(l.Deprecated)+".", ""
	case l.Deprecated != "":
		n.Strong = since
	default:
		since = ""
	}
	switch days, ok := record.DaysApart(today, l.Retires); {
	case !ok:
	case days <= 0:
		n.Strong = "Retired on " + textfmt.Day(l.Retires) + "."
	default:
		n.Strong, n.Text = "Retires on "+textfmt.Day(l.Retires)+", in "+textfmt.Plural(days, "day", "days")+".", since
	}
	return n
}

// reference returns the name and the page of an entity named as type/slug, or only the key of one that there is not.
func (s *Site) reference(key string) link {
	typ, slug, _ := strings.Cut(key, "/")
	o, _, found := s.Build.Find(typ, slug)
	if !found {
		return link{Name: textfmt.Name(key)}
	}
	return link{Name: textfmt.Name(s.Build.Entity(o).Name), To: s.path(o)}
}
