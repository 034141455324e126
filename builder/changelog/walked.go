package changelog

import (
	"time"

	"kindex/builder/gitlog"
	"kindex/exports"
)

// Walked is what an archive holds, for a gitlog.Walk to go on from.
func Walked(r *exports.ArchiveReader) gitlog.Earlier { return walked{r} }

type walked struct{ *exports.ArchiveReader }

// Commit implements gitlog.Earlier.
func (w walked) Commit() string { return w.Head() }

// Time implements gitlog.Earlier.
func (w walked) Time() time.Time {
	if w.Versions() == 0 {
		return time.Time{}
	}
	return time.Unix(w.Version(w.Versions()-1).Time, 0).UTC()
}

// Last implements gitlog.Earlier.
func (w walked) Last(typ, slug string) (place int, alive, ok bool) {
	place, ok = w.ArchiveReader.Last(typ, slug)
	if !ok {
		return 0, false, false
	}
	return place, !w.Version(place).Deleted && w.Newest(place) == place, true
}

// Before implements gitlog.Earlier.
func (w walked) Before(place int) int { return int(w.Version(place).Previous) }
