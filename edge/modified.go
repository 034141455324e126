package edge

import (
	"net/http"
	"path/filepath"
	"time"

	"kindex/exports"
)

// lastModified returns the Last-Modified time to compare the client's dates with, or the
// zero time where they prove nothing. Clients send back the time that they were given, as
// simple feed readers do, or their own time of download, as curl -z does:
//
//   - the time given stands for this content only if no other build has it;
//   - after a time of their own, nothing has changed only if this edge was already serving
//     the same content then.
//
// Files of a build never change. Answers that are about the program, and pages, also change
// with the program and its settings.
func (c *call) lastModified(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil || c.immutable {
		return t
	}
	if c.view == nil || meterOf(c.request.URL.Path) != metered {
		return time.Time{}
	}
	since := c.timeIn("If-Modified-Since")
	if c.view.dated && (since.IsZero() || since.Equal(t)) {
		return t
	}
	if shown := c.view.shown.Load(); shown != nil && !since.Before(*shown) {
		return t
	}
	return time.Time{}
}

// timeIn returns the time in a header of a GET or HEAD request, or the zero time if it is
// missing or cannot be parsed: such a header is ignored.
func (c *call) timeIn(header string) time.Time {
	t, err := http.ParseTime(c.header(header))
	if err != nil || c.request.Method != http.MethodGet && c.request.Method != http.MethodHead {
		return time.Time{}
	}
	return t
}

// severalBuilds stands for the ids of builds that share a Last-Modified time.
const severalBuilds = "several"

// datedBy reports whether a view's Last-Modified time stands for its build alone, among
// those that this edge has served and those that are kept. Two builds of one day share a
// time if their commits are older than the day, or if there are no commits.
func (l *live) datedBy(v *view) bool {
	at, id := v.modified[0], v.build.Manifest.ID
	if l.served == nil {
		l.served = map[string]string{}
	}
	if first, ok := l.served[at]; ok && first != id {
		l.served[at] = severalBuilds
		return false
	}
	l.served[at] = id
	kept, err := exports.Builds(l.root)
	if err != nil {
		return false
	}
	for _, other := range kept {
		if other == id {
			continue
		}
		m, err := exports.ReadManifest(filepath.Join(exports.BuildsDir(l.root), other))
		if err != nil || m.LastModified().Equal(v.build.Manifest.LastModified()) {
			return false
		}
	}
	return true
}
