package changelog

import (
	"time"

	"kindex/builder/gitlog"
	"kindex/exports/history"
)

// PreviousWalk returns the history in an archive, for a gitlog.Walk to continue from.
func PreviousWalk(r *history.Archive) gitlog.Previous { return previousWalk{r} }

type previousWalk struct{ *history.Archive }

// Commit implements gitlog.Previous.
func (w previousWalk) Commit() string { return w.Head().Commit }

// Path implements gitlog.Previous.
func (w previousWalk) Path() string { return w.Head().Path }

// Mailmap implements gitlog.Previous.
func (w previousWalk) Mailmap() string { return w.Head().Mailmap }

// Time implements gitlog.Previous.
func (w previousWalk) Time() time.Time {
	if w.Versions() == 0 {
		return time.Time{}
	}
	return time.Unix(w.Version(w.Versions()-1).Time, 0).UTC()
}

// Last implements gitlog.Previous.
func (w previousWalk) Last(typ, slug string) (place int, alive, ok bool) {
	place, ok = w.Archive.Last(typ, slug)
	if !ok {
		return 0, false, false
	}
	return place, !w.Version(place).Deleted && w.Newest(place) == place, true
}

// Before implements gitlog.Previous.
func (w previousWalk) Before(place int) int { return int(w.Version(place).Previous) }
