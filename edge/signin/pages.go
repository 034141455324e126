package signin

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"

	"kindex/edge/keys"
)

//go:embed pages/*.html
var files embed.FS

//go:embed pages/style.css
var style string

// styleHash lets a browser take the one style sheet that is in the pages
// (Content Security Policy Level 3, section 2.3.1).
var styleHash = func() string {
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// templates are the pages by their names, each within the layout.
var templates = func() map[string]*template.Template {
	m := map[string]*template.Template{}
	for _, name := range []string{"choose", "key", "developer", "problem"} {
		m[name] = template.Must(template.ParseFS(files, "pages/layout.html", "pages/"+name+".html"))
	}
	return m
}()

// page is what the pages show.
type page struct {
	Title     string // of the service
	Style     template.CSS
	Base      string
	Contact   string
	Heading   string // of a problem
	Text      string // of a problem
	Account   string
	Login     string
	Key       string
	Token     string
	Keys      []keys.Key
	Most      int
	Providers []offer
}

// offer is a provider to choose.
type offer struct{ Name, Title string }

func (h *Handler) offers() []offer {
	var list []offer
	for _, p := range h.providers {
		list = append(list, offer{p.name(), p.title()})
	}
	return list
}

// guard sets the headers that every answer here has: nothing of these pages is
// kept, framed, guessed at or loaded from elsewhere, and no page of another origin
// reads them.
func (h *Handler) guard(w http.ResponseWriter) {
	header := w.Header()
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"} {
		header.Del(name)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Not no-referrer: with it, the forms' own requests would say that they come
	// from nowhere (Fetch, "append a request Origin header").
	header.Set("Referrer-Policy", "same-origin")
	h.allowForms(w, "'self'")
}

// allowForms sets the policy of a page, with where its forms may lead.
func (h *Handler) allowForms(w http.ResponseWriter, to string) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src "+styleHash+
		"; form-action "+to+"; base-uri 'none'; frame-ancestors 'none'")
}

// leaving is where the forms of the choice lead: to a provider, and to wherever
// that sends the browser on, since browsers hold redirects against form-action too.
func (h *Handler) leaving() string {
	if h.secure {
		return "'self' https:"
	}
	return "'self' https: http:"
}

// show sends a page.
func (h *Handler) show(w http.ResponseWriter, status int, name string, p page) {
	p.Title, p.Style, p.Base, p.Contact, p.Most = h.title(), template.CSS(style), h.base.String(), h.contact, keys.MaxActive
	var b bytes.Buffer
	if err := templates[name].ExecuteTemplate(&b, "layout", p); err != nil {
		h.log.Error("a page cannot be made", "page", name, "error", err)
		http.Error(w, "Something went wrong here.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that has gone misses nothing
}

func (h *Handler) problem(w http.ResponseWriter, status int, heading, text string) {
	h.show(w, status, "problem", page{Heading: heading, Text: text})
}
