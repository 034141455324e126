package changelog

import (
	"time"

	"kindex/builder/gitlog"
	"kindex/exports"
)

// PreviousWalk returns the history in an archive, for a gitlog.Walk to continue from.
func PreviousWalk(r *exports.ArchiveReader) gitlog.Previous { return previousWalk{r} }

type previousWalk struct{ *exports.ArchiveReader }

// Commit implements gitlog.Previous.
func (w previousWalk) Commit() string { return w.Head() }

// AsOf implements gitlog.Previous.
func (w previousWalk) AsOf() time.Time { return w.ArchiveReader.AsOf() }

// Time implements gitlog.Previous.
func (w previousWalk) Time() time.Time {
	if w.Versions() == 0 {
		return time.Time{}
	}
	return time.Unix(w.Version(w.Versions()-1).Time, 0).UTC()
}

// Last implements gitlog.Previous.
func (w previousWalk) Last(typ, slug string) (place int, alive, ok bool) {
	place, ok = w.ArchiveReader.Last(typ, slug)
	if !ok {
		return 0, false, false
	}
	return place, !w.Version(place).Deleted && w.Newest(place) == place, true
}

// Before implements gitlog.Previous.
func (w previousWalk) Before(place int) int { return int(w.Version(place).Previous) }
