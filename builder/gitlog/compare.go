package gitlog

import (
	"time"

	"kindex/exports/record"
)

// Compare finds the new versions in a folder outside git, as if they had all been made by
// one commit at a given time. changed lists entities that may have changed, and gone lists
// the addresses of deleted entities. The Log continues previous, which may be nil. All
// versions in the Log belong to a single commit, which has a time but no other data.
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
