package pages

import (
	"strconv"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// changeList is a page of the changes to an entity, newest first.
type changeList struct {
	Changes []changeRow
	Total   int
	Page    int
	Pages   int
	Prev    string // path of the previous page, or "" if there is none
	Next    string
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

// history returns a page of the changes to the entity at a path. If path is "", the page has
// no links to other pages.
func (s *Site) history(path string, changes []uint32, number int) (*changeList, error) {
	h := &changeList{Total: len(changes), Page: number, Pages: (len(changes) + entityChanges - 1) / entityChanges}
	last := len(changes) - (number-1)*entityChanges
	for i := last - 1; i >= max(0, last-entityChanges); i-- {
		t, err := s.changeRow(path, int(changes[i]))
		if err != nil {
			return nil, err
		}
		h.Changes = append(h.Changes, t)
	}
	if path == "" || h.Pages < 2 {
		return h, nil
	}
	h.All = path + "history/"
	page := func(n int) string {
		switch {
		case n < 1 || n > h.Pages:
			return ""
		case n == 1:
			return h.All
		}
		return h.All + "page-" + strconv.Itoa(n) + "/"
	}
	h.Prev, h.Next = page(number-1), page(number+1)
	return h, nil
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
	number, ok := r.chosenPage()
	if !ok {
		return r.notFound(), nil
	}
	var err error
	if d.changeList, err = r.history(d.Path, changes, number); err != nil {
		return nil, err
	}
	if number > max(1, d.Pages) {
		return r.notFound(), nil
	}
	d.Crumbs = []link{{textfmt.Capitalize(r.plural(typ)), r.kindPath(typ)}, {textfmt.Name(d.Name), d.Path}}
	p := &page{Template: "history", Title: "History of " + textfmt.Name(d.Name), Data: d, NoIndex: d.Deleted || number > 1,
		Description: "Every change to " + textfmt.Name(d.Name) + ", field by field, with commits and pull requests.", Feed: entityFeedPath(typ, slug)}
	return p, nil
}

func (s *Site) lastVersion(address [2]string) int {
	last, _ := s.Build.History().Last(address[0], address[1])
	return last
}
