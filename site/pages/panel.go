package pages

import (
	"cmp"
	"net/http"

	"kindex/site/panel"
)

// Panel renders such a page. It may hold secrets: nobody may keep the answer.
func (s *Site) Panel(q Request, v panel.Page) (*Answer, error) {
	h := v.Head()
	p := &page{Template: h.Template, Title: h.Title, Description: h.Description, Scripts: h.Scripts,
		Data: v, NoIndex: true, Section: "/developer/",
		Status: cmp.Or(h.Status, http.StatusOK)} // said, there is no canonical address: it is one reader's page
	return (&request{Site: s, Request: q}).render(p)
}

// developer tells those who are not signed in what a key is for, and how to get one.
func (r *request) developer() (*page, error) {
	p := &page{Template: "developer", Title: "For developers", Description: "What a key for the API gives: more requests, webhooks, and submissions of your own."}
	if !r.served() {
		p.Description = "Everything is in plain files, and needs no key."
	}
	return p, nil
}
