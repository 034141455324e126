package api

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"kindex/edge/web"
)

// SecurityPath is where people who have found a vulnerability look for the contact address (RFC
// 9116).
const SecurityPath = "/.well-known/security.txt"

// securityTxtLifetime is how long the file is valid, counted from the day of the request. The
// period starts again every day because a service that still responds is presumably maintained.
const securityTxtLifetime = 180 * 24 * time.Hour

// SecurityText handles GET /.well-known/security.txt.
func (a *API) SecurityText(c *web.Call) (*web.Reply, error) {
	contact := contactURI(c.Shared.ContactAddress)
	if contact == "" {
		return c.NotFound()
	}
	day := c.Shared.Now().UTC().Truncate(24 * time.Hour)
	var b strings.Builder
	fmt.Fprintf(&b, "Contact: %s\nExpires: %s\nPreferred-Languages: en\n", contact, day.Add(securityTxtLifetime).Format(time.RFC3339))
	if u, err := url.Parse(c.Shared.URL); err == nil && u.Scheme == "https" {
		fmt.Fprintf(&b, "Canonical: %s://%s%s\n", u.Scheme, u.Host, SecurityPath)
	}
	return &web.Reply{MediaType: "text/plain; charset=utf-8", Body: []byte(b.String())}, nil
}

// contactURI returns the operator's address as a URI. A URI with the scheme https, mailto or tel
// is returned unchanged, and an email address is returned as a mailto URI. For any other string,
// contactURI returns "".
func contactURI(contact string) string {
	contact = strings.TrimSpace(contact)
	if a, err := mail.ParseAddress(contact); err == nil && a.Name == "" {
		return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(a.Address)}).String()
	}
	u, err := url.Parse(contact)
	switch {
	case err != nil || u.User != nil:
		return ""
	case u.Scheme == "https" && u.Host != "", (u.Scheme == "mailto" || u.Scheme == "tel") && u.Opaque != "":
		return u.String()
	}
	return ""
}
