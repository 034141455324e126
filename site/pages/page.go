package pages

import (
	"net/url"
	"time"

	"kindex/exports/record"
)

// Request is a request for a page.
type Request struct {
	Path  string // begins with a slash, without Options.Root
	Query url.Values
	Base  string // absolute URL of the site, without a trailing slash; "" means Options.Base
	// Account is the signed-in account, or "" if there is none. It changes a link in the page header.
	Account string
}

// Answer is a page or a redirect.
type Answer struct {
	Status    int // 200, 301, 400, 404 or 410
	MediaType string
	Body      []byte
	Location  string // redirect target for 301, including Options.Root
	// Gone is the version that deleted the entity, for 410.
	Gone *record.Version
	// Keep is the time for which the response may be cached without revalidation.
	Keep time.Duration
}

const htmlType = "text/html; charset=utf-8"

// page is a page: its template, data and metadata.
type page struct {
	Template    string // file name without .html
	Title       string // if "", only the title of the index is shown
	Description string // a sentence for search engines and links
	Data        any
	Status      int    // 0 means 200
	NoIndex     bool   // search engines must not index the page
	Sheet       string // the style sheet, or "" for the default
	Scripts     []string
	Picture     string // path of the preview image; "" means the image of the index
	Feed        string // path and query of the API's feed; "" means the feed of all changes
	LinkedData  any    // schema.org, as JSON-LD; nil if there is none
	Canonical   string // canonical path; "" means the page's own
	Section     string // section of the navigation, if the path does not determine it

	deletedBy *record.Version // the version that deleted the entity, for 410
	location  string          // redirect target: an unescaped path, which may contain user input
	query     string          // the query of location, escaped
	body      []byte          // a complete response other than a page
	mediaType string
	maxAge    time.Duration // the time for which body may be cached
}

// Policy is the Content-Security-Policy of every page. It permits only files from the
// site, and nothing inline.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'"

// option is a choice.
type option struct {
	Name, Value string
	Count       int
	To          string // URL with the option chosen or, if the option is already chosen, with it removed
	Chosen      bool
}
