package pages

import (
	"cmp"
	"net/http"

	"kindex/site/panel"
)

// Panel renders a page of the panel. The response may contain secrets and must not be
// cached.
func (s *Site) Panel(q Request, v panel.Page) (*Answer, error) {
	h := v.Head()
	p := &page{Template: h.Template, Title: h.Title, Description: h.Description, Scripts: h.Scripts,
		Data: v, NoIndex: true, Section: "/developer/",
		Status: cmp.Or(h.Status, http.StatusOK)} // set explicitly: personal pages have no canonical URL
	return (&request{Site: s, Request: q}).render(p)
}

// developer explains to visitors who are not signed in what an API key is for and how to get
// one.
func (r *request) developer() (*page, error) {
	p := &page{Template: "developer", Title: "For developers", Description: "What an API key gets you: more requests, webhooks and submissions."}
	if !r.served() {
		p.Description = "All data is in plain files; no key is needed."
	}
	return p, nil
}
