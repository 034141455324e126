package pages

import (
	"net/http"

	"kindex/exports"
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

func (r *request) missing(heading, text string, list []near) *page {
	return &page{Template: "problem", Title: heading, Status: http.StatusNotFound, NoIndex: true,
		Data: &problemPage{Heading: heading, Text: text, Near: list}}
}

// mostNear is how many names are suggested.
const mostNear = 5

// nearest are the entities that a text may have meant.
func (s *Site) nearest(text string, f *exports.Filter) ([]near, error) {
	if s.Index == nil {
		return nil, nil
	}
	all, err := s.Build.Select(f)
	if err != nil {
		return nil, err
	}
	words, _ := indexes.Heeded(cut(text, 100), mostPhrases)
	found, err := s.Index.Instead(words, all, mostNear)
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
