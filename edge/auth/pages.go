package auth

import (
	"cmp"
	"net/http"
	"strconv"

	"kindex/site/panel"
)

// Guard sets the headers of every personal page: the page is not cached, framed or sniffed,
// loads nothing from other origins, and cannot be read by pages from other origins.
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
	// With no-referrer, the requests of the page's own forms would have a null origin (Fetch,
	// "append a request Origin header").
	header.Set("Referrer-Policy", "same-origin")
	allowForms(header, "'self'")
}

// allowForms sets the content security policy of a page, with the allowed form targets. Styles,
// scripts and images must be files of the website. Inline styles and scripts are blocked.
func allowForms(header http.Header, to string) {
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action "+to+"; base-uri 'none'; frame-ancestors 'none'")
}

// leaving returns the form targets that the sign-in page allows: the providers, and any site
// that they redirect to, because browsers apply form-action to redirects, too.
func (h *Handler) leaving() string {
	if h.secure {
		return "'self' https:"
	}
	return "'self' https: http:"
}

func (h *Handler) render(w http.ResponseWriter, r *http.Request, p *panel.Page) {
	body, err := h.Render(r, p)
	if err != nil {
		h.Log.Error("rendering a page failed", "path", r.URL.Path, "error", err)
		http.Error(w, "Something went wrong on this server.", http.StatusInternalServerError)
		return
	}
	Send(w, r, cmp.Or(p.Status, http.StatusOK), "text/html; charset=utf-8", body)
}

// Send sends a personal page uncompressed: it contains the form's token and possibly text written by
// other people, so the compressed length could reveal the token (BREACH).
func Send(w http.ResponseWriter, r *http.Request, status int, mediaType string, body []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // ignore an error: the client has disconnected
	}
}

func (h *Handler) problem(w http.ResponseWriter, r *http.Request, status int, heading, text string) {
	h.render(w, r, &panel.Page{Template: "refusal", Title: heading, Status: status, Data: panel.Refusal{Heading: heading, Text: text, Back: "/signin", BackTo: "Sign in"}})
}
