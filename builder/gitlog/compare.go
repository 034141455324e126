package gitlog

import (
	"time"

	"kindex/exports/record"
)

// Compare finds the versions that a folder adds which no repository keeps, as if
// a commit of that time had brought them: files that may have changed, and the
// addresses of those that are gone. The Log continues earlier, nil for none. All
// its versions are of one commit, which has a time only.
func Compare(previous Previous, at time.Time, changed, gone []*record.Entity) (*Log, error) {
	log := &Log{Continued: previous != nil}
	c := &logged{Commit: Commit{Time: at.UTC().Truncate(time.Second)}}
	for _, e := range changed {
		c.files = append(c.files, &file{typ: e.Type, slug: e.Slug, entity: e})
	}
	for _, e := range gone {
		c.files = append(c.files, &file{typ: e.Type, slug: e.Slug, gone: true})
	}
	return log, newLines(log, previous).add(c)
}
