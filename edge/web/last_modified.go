package web

import (
	"net/http"
	"time"
)

// lastModified returns the Last-Modified time to compare with the client's
// If-Modified-Since, or the zero time if a comparison would prove nothing. Clients send
// back the time they received, as simple feed readers do, or the time of their download,
// as curl -z does:
//
//   - a received time identifies this content only if no other build has it;
//   - since another time, nothing has changed only if this edge was already serving the
//     same content then.
//
// Files of a build never change. Responses about the program, and pages, also change with
// the program and its settings.
func (c *Call) lastModified(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil || c.immutable {
		return t
	}
	if c.Served == nil || !c.BuildOnly {
		return time.Time{}
	}
	since := c.headerTime("If-Modified-Since")
	if c.Served.UniqueModified && (since.IsZero() || since.Equal(t)) {
		return t
	}
	if shown := c.Served.ShownSince.Load(); shown != nil && !since.Before(*shown) {
		return t
	}
	return time.Time{}
}

// headerTime returns the time in a header of a GET or HEAD request, or the zero time if it is
// missing or cannot be parsed: such a header is ignored.
func (c *Call) headerTime(header string) time.Time {
	t, err := http.ParseTime(c.Header(header))
	if err != nil || c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return time.Time{}
	}
	return t
}
