package pages

import (
	"net/http"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/indexes"
)

// problemPage says why there is no page.
type problemPage struct {
	Heading string
	Text    string
	Near    []near // what was probably meant
	History string // path to the history of what is gone, "" for none
}

// near is an entity or a page that was probably meant.
type near struct {
	Path, Name, Note string
}

// nothing is the page for an address that there is nothing at.
func (r *request) nothing() *page {
	return r.missing("There is nothing at this address", "", nil)
}

// parts are the parts of the site by the first part of their addresses, in the order
// of the navigation.
var parts = []struct{ key, path, name string }{
	{"leaderboards", "/leaderboards/all/", "Leaderboards"}, {"trending", "/trending/", "Trending"},
	{"changes", "/changes/", "Changes"}, {"categories", "/categories/", "Categories"},
	{"providers", "/providers/", "Providers"}, {"tags", "/tags/", "Tags"}, {"capabilities", "/capabilities/", "Capabilities"},
	{"compare", "/compare/", "Compare"}, {"search", "/search/", "Search"}, {"data", "/data/", "Data"}, {"docs", "/docs/", "Docs"},
	{"submit", SubmitPath, "Submit"}, {"developer", "/developer/", "Developers"},
}

// lost is the page for an address that is of no kind: people write them by hand. The
// first part may have meant a part of the site, the last one an entity.
func (r *request) lost() (*page, error) {
	p := r.nothing()
	list := p.Data.(*problemPage)
	first, rest, deeper := strings.Cut(strings.Trim(r.Path, "/"), "/")
	keys := r.types()
	for _, k := range parts {
		keys = append(keys, k.key)
	}
	for _, key := range didyoumean.Names(first, keys, maxNear) {
		if i := slices.IndexFunc(parts, func(k struct{ key, path, name string }) bool { return k.key == key }); i >= 0 {
			list.Near = append(list.Near, near{Path: parts[i].path, Name: parts[i].name})
		} else {
			list.Near = append(list.Near, near{Path: "/" + key + "/", Name: "All " + key + "s"})
		}
	}
	slug := first
	if deeper {
		slug = rest
	} else if len(list.Near) > 0 {
		return p, nil
	}
	if slug == "" || strings.ContainsAny(slug, "/.") { // a file, or too far from any entity
		return p, nil
	}
	found, err := r.nearest(slug, &exports.Filter{})
	list.Near = append(list.Near, found[:min(len(found), maxNear-len(list.Near))]...)
	return p, err
}

func (r *request) missing(heading, text string, list []near) *page {
	return &page{Template: "problem", Title: heading, Status: http.StatusNotFound, NoIndex: true,
		Data: &problemPage{Heading: heading, Text: text, Near: list}}
}

// maxNear is how many names are suggested.
const maxNear = 5

// nearest are the entities that a text may have meant.
func (s *Site) nearest(text string, f *exports.Filter) ([]near, error) {
	if s.Index == nil {
		return nil, nil
	}
	all, err := s.Build.Select(f)
	if err != nil {
		return nil, err
	}
	words, _ := indexes.TruncateQuery(cut(text, 100), maxPhrases)
	found, err := s.Index.Alternatives(words, all, maxNear)
	if err != nil {
		return nil, err
	}
	var list []near
	for _, o := range found {
		e, err := s.Build.Entity(o)
		if err != nil {
			return nil, err
		}
		list = append(list, near{entityPath(e.Type, e.Slug), e.Name, name(s.categoryTitle(e.Category))})
	}
	return list, nil
}
