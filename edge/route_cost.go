package edge

import "strings"

// routeCost classifies routes by what a request costs the caller.
type routeCost int

const (
	unmetered routeCost = iota // not under /api: a page; requests are rate-limited
	file                       // not under /api: a file of a build, which anyone, including a CDN, can download
	asset                      // not under /api: bytes held in memory
	free                       // sends the limit headers but does not count towards the limit; rate-limited like pages
	metered
	// conditional is like metered, but for handlers that return a file or a stream. The response's
	// entity tag depends only on the build and the query, so a caller without remaining requests
	// can still receive a 304.
	conditional
)

// costOf returns the cost of requests to a path, whether or not the path exists.
func costOf(path string) routeCost {
	switch {
	case path == "/api/openapi" || strings.HasPrefix(path, "/api/sdk/"):
		return free
	case path == "/api" || strings.HasPrefix(path, "/api/"):
		return metered
	}
	return unmetered
}
