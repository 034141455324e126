// Package auth lets people sign in on the website with GitHub (OAuth 2.0) or an OpenID
// Connect provider of the operator's choice, and manages their sessions. The first sign-in
// creates an account and its first API key.
//
// An account belongs to a provider and its subject (OpenID Connect Core 1.0, section 2), never
// to a name or an email address, which can pass to somebody else. Both kinds of providers use
// the authorization code flow with PKCE (RFC 7636, S256) and a state. OpenID Connect adds a
// nonce and the issuer of the response (RFC 9207). Each provider has a separate redirect
// address (RFC 9700, section 4.4). A sign-in attempt is bound to the browser by a cookie, from
// which its data is derived.
package auth

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kindex/exports/safetext"
	"kindex/site/panel"
)

// Options configure sign-in.
type Options struct {
	// URL is the public address of the service, such as https://index.example.org. Redirect
	// addresses are derived from it, never from a request.
	URL string
	// OIDC and GitHub are the providers. A provider whose options are empty is not offered.
	OIDC   OIDC
	GitHub GitHub

	Store Store
	// AllowStart reports whether a client can start a sign-in now.
	AllowStart func(*http.Request) bool
	Address    func(*http.Request) string // the IP address of a request, for the audit log
	Now        func() time.Time
	Log        *slog.Logger
	// Render renders a page in the style of the website: HTML in UTF-8 that loads nothing from other
	// origins and has no inline scripts or styles.
	Render func(*http.Request, *panel.Page) ([]byte, error)
}

// OIDC is a client that is registered with an OpenID Connect provider.
type OIDC struct {
	Issuer string // the provider's address, exactly as in its tokens
	Client string
	Secret string
}

// GitHub is an OAuth app on GitHub or GitHub Enterprise.
type GitHub struct {
	Client string
	Secret string
	URL    string // default: https://github.com
	API    string // default: GitHub's API for URL
}

// Configured reports whether at least one provider is configured.
func (o Options) Configured() bool { return o.OIDC != OIDC{} || o.GitHub != GitHub{} }

// Check returns an error if the options are not valid.
func (o Options) Check() error {
	_, err := New(o)
	return err
}

// Handler serves the sign-in pages and identifies signed-in users. It is safe for
// concurrent use.
type Handler struct {
	Options
	base      *url.URL
	secure    bool // the public address uses https
	providers []provider
	foreign   *http.CrossOriginProtection
	mux       *http.ServeMux
}

// New returns a handler. It does not contact providers yet: the service must be able to start
// while a provider is down.
func New(o Options) (*Handler, error) {
	base, err := publicURL(o.URL)
	if err != nil {
		return nil, err
	}
	h := &Handler{Options: o, base: base, secure: base.Scheme == "https", foreign: http.NewCrossOriginProtection()}
	if err := h.foreign.AddTrustedOrigin(h.origin()); err != nil {
		return nil, err
	}
	if o.GitHub != (GitHub{}) {
		p, err := newGitHub(o.GitHub, h.callback("github"))
		if err != nil {
			return nil, err
		}
		h.providers = append(h.providers, p)
	}
	if o.OIDC != (OIDC{}) {
		p, err := newOIDC(o.OIDC, h.callback("oidc"), h.Now)
		if err != nil {
			return nil, err
		}
		h.providers = append(h.providers, p)
	}
	if len(h.providers) == 0 {
		return nil, errors.New("sign-in needs a provider")
	}
	h.mux = http.NewServeMux()
	for _, r := range Routes() {
		h.mux.HandleFunc(r.Method+" "+strings.ReplaceAll(r.Path, ":provider", "{provider}"), func(w http.ResponseWriter, req *http.Request) { r.handle(h, w, req) })
	}
	return h, nil
}

// publicURL parses --url. For sign-in, it must use https, or http on loopback.
func publicURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil, errors.New("sign-in requires --url: set it to the public address, such as https://index.example.org")
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("--url %s: sign-in needs an address such as https://index.example.org", safetext.Address(s))
	case u.Path != "" && u.Path != "/":
		return nil, fmt.Errorf("--url %s: sign-in needs an address without a path, because its cookies cover the whole host", safetext.Address(s))
	case u.Scheme != "https" && !(u.Scheme == "http" && safetext.Loopback(u.Hostname())):
		return nil, fmt.Errorf("--url %s: sign-in needs https, except on http://127.0.0.1 and http://localhost for testing", safetext.Address(s))
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}

// origin returns the origin of the service as browsers send it (RFC 6454): without a
// default port.
func (h *Handler) origin() string {
	host := h.base.Host
	if p := h.base.Port(); p == "443" && h.secure || p == "80" && !h.secure {
		host = strings.TrimSuffix(host, ":"+p)
	}
	return h.base.Scheme + "://" + host
}

func (h *Handler) callback(provider string) string {
	return h.base.String() + "/signin/" + provider + "/callback"
}

// Route is a path that the handler serves, with its method.
type Route struct {
	Method, Path string
	handle       func(*Handler, http.ResponseWriter, *http.Request)
}

// Routes returns the handler's routes. A path segment that starts with a colon is a
// parameter.
func Routes() []Route {
	return []Route{
		{http.MethodGet, "/signin", (*Handler).choose},
		{http.MethodPost, "/signin/:provider", (*Handler).start},
		{http.MethodGet, "/signin/:provider/callback", (*Handler).finish},
		{http.MethodPost, "/signout", (*Handler).signOut},
	}
}

// Panel is the path of the page shown after signing in. The program that uses this package
// must serve it.
const Panel = "/developer/"

// Owns reports whether a path belongs to the handler or the panel.
func Owns(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first == "signin" || first == "signout" || first == "developer"
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Guard(w.Header())
	h.mux.ServeHTTP(w, r)
}

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
