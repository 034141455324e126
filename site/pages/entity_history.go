package pages

import (
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// changeList is a page of the changes to an entity, newest first.
type changeList struct {
	pager
	Changes []changeRow
	All     string // path of the first page, or "" if this page has all changes
}

// Latest returns the changes that the entity's page shows, and Earlier those that it folds.
func (h *changeList) Latest() []changeRow  { return h.Changes[:min(entityLatest, len(h.Changes))] }
func (h *changeList) Earlier() []changeRow { return h.Changes[len(h.Latest()):] }

// changeRow is a change with links to its commit and pull request.
type changeRow struct {
	changeSummary
	Address string // URL of the commit, or "" if the repository is not on the web
	Pull    string // URL of the pull request
	Short   string // start of the commit's hash
	Then    string // path of the entity as of the end of that day, or "" if there is none
}

// shortHash is the number of digits of a commit hash that are shown.
const shortHash = 10

// history returns the latest changes to the entity at a path. If path is "", there are no links to the others.
func (s *Site) history(path string, changes []uint32) (*changeList, error) {
	h := &changeList{pager: pager{Total: len(changes), Last: min(entityChanges, len(changes))}}
	if path != "" && h.Last < h.Total {
		h.All = path + "history/"
		h.Next = h.All + "page-2/"
	}
	return h, h.fill(s, path, changes, 0)
}

// fill reads the changes of the page that begins at from, newest first.
func (h *changeList) fill(s *Site, path string, changes []uint32, from int) error {
	for i := from; i < h.Last; i++ {
		t, err := s.changeRow(path, int(changes[len(changes)-1-i]))
		if err != nil {
			return err
		}
		h.Changes = append(h.Changes, t)
	}
	return nil
}

func (s *Site) changeRow(path string, i int) (changeRow, error) {
	change, err := s.Build.History().Change(i)
	if err != nil {
		return changeRow{}, err
	}
	c := s.changeSummary(change)
	repository := s.Build.Manifest.Repository
	t := changeRow{changeSummary: c, Address: textfmt.WebURL(repository.Commit(c.Commit)), Pull: textfmt.WebURL(repository.Pull(c.PullRequest)), Short: c.Commit[:min(shortHash, len(c.Commit))]}
	if path != "" && !s.Static && c.Event != record.Deleted {
		t.Then = path + "at-" + c.Timestamp.UTC().Format(time.DateOnly) + "/"
	}
	return t, nil
}

// historyPage is a page of an entity's history.
type historyPage struct {
	Name    string
	Path    string // path of the entity
	Crumbs  []link
	Deleted bool
	*changeList
}

func (r *request) entityHistory() (*page, error) {
	typ, slug := r.arg("type"), r.arg("slug")
	d := &historyPage{Name: slug, Path: siteurl.Entity(typ, slug)}
	var changes []uint32
	switch o, former, ok := r.Build.Find(typ, slug); {
	case ok && former:
		return &page{location: r.path(o) + "history/"}, nil
	case ok:
		e := r.Build.Entity(o)
		d.Name, changes = e.Name, r.changesOf(o)
	default:
		now, standing := r.Build.ResolveRemoved(typ, slug)
		if standing == history.Exists {
			return &page{location: siteurl.Entity(now.Type, now.Slug) + "history/"}, nil
		}
		last, known := r.Build.History().Last(typ, slug)
		if standing == history.Unknown || !known {
			return r.missingEntity(typ, slug)
		}
		d.Deleted, changes = true, r.Build.History().EntityChanges(last)
	}
	p, from, ok := r.pageOf(len(changes), entityChanges)
	if !ok {
		return r.notFound(), nil
	}
	d.changeList = &changeList{pager: p}
	if err := d.fill(r.Site, d.Path, changes, from); err != nil {
		return nil, err
	}
	d.Crumbs = []link{{textfmt.Capitalize(r.plural(typ)), r.kindPath(typ)}, {textfmt.Name(d.Name), d.Path}}
	return &page{Template: "history", Title: "History of " + textfmt.Name(d.Name), Data: d, NoIndex: d.Deleted || from > 0,
		Description: "Every change to " + textfmt.Name(d.Name) + ", field by field, with commits and pull requests.", Feed: entityFeedPath(typ, slug)}, nil
}

func (s *Site) lastVersion(address [2]string) int {
	last, _ := s.Build.History().Last(address[0], address[1])
	return last
}
