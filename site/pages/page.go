package pages

import (
	"net/url"
	"time"

	"kindex/exports/record"
)

// Request asks for a page.
type Request struct {
	Path  string // begins with a slash, without Options.Root
	Query url.Values
	Base  string // the absolute address of the site, without a slash at its end; "" for Options.Base
	// Account is who is signed in, "" for nobody. It changes a link in the head of the page.
	Account string
}

// Answer is a page, or where it has gone to.
type Answer struct {
	Status    int // 200, 301, 400, 404 or 410
	MediaType string
	Body      []byte
	Location  string // for 301, with Options.Root
	// Gone is the version that deleted what the address had, for 410.
	Gone *record.Version
	// Keep is for how long whoever got the answer may use it without asking again.
	Keep time.Duration
}

const htmlType = "text/html; charset=utf-8"

// page is what a template is filled with, and what stands around it.
type page struct {
	Template    string // file name without .html
	Title       string // "" for that of the index alone
	Description string // a sentence for search engines and links
	Data        any
	Status      int    // 0: 200
	NoIndex     bool   // search engines are to leave it out
	Sheet       string // the style sheet, "" for the usual one
	Scripts     []string
	Picture     string // path of the picture that links show, "" for that of the index
	Feed        string // path of the API's feed with its query, "" for that of all
	LinkedData  any    // schema.org, as JSON-LD; nil for none
	Canonical   string // path under which the page is best known, "" for its own
	Section     string // of the navigation, where the path does not tell

	deletedBy *record.Version // the version that deleted it, for 410
	location  string          // where the page is instead: a path, not escaped, which may hold what a visitor typed
	query     string          // the query of location, escaped
	body      []byte          // a whole answer that is no page
	mediaType string
	maxAge    time.Duration // for how long that may be used without asking again
}

// Policy is the Content-Security-Policy of every page: it loads and runs what the
// site has, and nothing that is written into the page.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'"

// option is something to choose.
type option struct {
	Name, Value string
	Count       int
	To          string // address with the option chosen, or given up where it is chosen
	Chosen      bool
}
