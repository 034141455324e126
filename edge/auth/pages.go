package auth

import (
	"net/http"
	"strconv"
)

// Pages render what people see, in the look of the website: HTML in UTF-8 that loads
// nothing from elsewhere and has no script or style within.
type Pages interface {
	// Choice lets people choose a provider. The form for one is sent to
	// /signin/<its name>.
	Choice(r *http.Request, c Choice) ([]byte, error)
	// FirstKey shows the key of a new account, this once.
	FirstKey(r *http.Request, k FirstKey) ([]byte, error)
	// Problem says why somebody was not signed in or out.
	Problem(r *http.Request, p Problem) ([]byte, error)
}

// Choice are the providers that there are.
type Choice struct{ Providers []Offer }

// Offer is a provider to choose.
type Offer struct{ Name, Title string }

// FirstKey is a key that was made with its account.
type FirstKey struct {
	Account string // name of the account
	Login   string // what the provider calls them, "" where it does not tell; anything may be in it
	Key     string
}

// Problem is why something was not done.
type Problem struct {
	Status        int
	Heading, Text string
}

func (h *Handler) offers() []Offer {
	var list []Offer
	for _, p := range h.providers {
		list = append(list, Offer{p.name(), p.title()})
	}
	return list
}

// Guard sets the headers that every page of somebody's own has: nothing of it is
// kept, framed, guessed at or loaded from elsewhere, and no page of another origin
// reads it.
func Guard(header http.Header) {
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"} {
		header.Del(name)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Cookie")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Not no-referrer: with it, the forms' own requests would say that they come
	// from nowhere (Fetch, "append a request Origin header").
	header.Set("Referrer-Policy", "same-origin")
	allowForms(header, "'self'")
}

// allowForms sets the policy of a page, with where its forms may lead. Styles,
// scripts and pictures are files of the website; nothing that is written into the
// page counts.
func allowForms(header http.Header, to string) {
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action "+to+"; base-uri 'none'; frame-ancestors 'none'")
}

// leaving is where the forms of the choice lead: to a provider, and to wherever
// that sends the browser on, since browsers hold redirects against form-action too.
func (h *Handler) leaving() string {
	if h.secure {
		return "'self' https:"
	}
	return "'self' https: http:"
}

// render sends a page that was rendered.
func (h *Handler) render(w http.ResponseWriter, r *http.Request, status int, body []byte, err error) {
	if err != nil {
		h.log.Error("rendering a page failed", "path", r.URL.Path, "error", err)
		http.Error(w, "Something went wrong here.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) //nolint:gosec // html/template has escaped it; a write error only means the client is gone
	}
}

func (h *Handler) problem(w http.ResponseWriter, r *http.Request, status int, heading, text string) {
	body, err := h.pages.Problem(r, Problem{status, heading, text})
	h.render(w, r, status, body, err)
}
