package web

import (
	"net/http"
	"time"
)

// lastModified returns the Last-Modified time to compare with the client's
// If-Modified-Since, or the zero time if a comparison would prove nothing. Some clients,
// such as simple feed readers, send back the time they received. Others, such as curl -z,
// send the time of their download.
//
//   - A time that the client received identifies this content only if no other build has
//     the same time.
//   - For any other time, the content is known to be unchanged only if this edge was
//     already serving it at that time.
//
// A build's files never change. Pages and responses about the program also change when the
// program or its settings do.
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

// headerTime returns the time in a header of a GET or HEAD request. It returns the zero time if
// the header is missing or must be ignored because it cannot be parsed.
func (c *Call) headerTime(header string) time.Time {
	t, err := http.ParseTime(c.Header(header))
	if err != nil || c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead {
		return time.Time{}
	}
	return t
}
