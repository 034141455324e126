package gitlog

import (
	"time"

	"kindex/exports/record"
)

// Compare finds the new versions in a folder outside git, as if they had all been made by
// one commit at a given time. entities lists what the folder has now. The Log continues
// previous, which may be nil. All versions in the Log belong to a single commit, which has
// a time but no other data.
func Compare(previous Previous, at time.Time, entities []*record.Entity) (*Log, error) {
	log := &Log{Continued: previous != nil}
	c := &logged{Commit: Commit{Time: at.UTC().Truncate(time.Second)}}
	seen := map[address]bool{}
	for _, e := range entities {
		seen[address{e.Type, e.Slug}] = true
		c.files = append(c.files, &file{typ: e.Type, slug: e.Slug, entity: e})
	}
	for i := 0; previous != nil && i < previous.Versions(); i++ {
		v := previous.Version(i)
		if a := (address{v.Type, v.Slug}); !seen[a] {
			seen[a] = true
			c.files = append(c.files, &file{typ: v.Type, slug: v.Slug, gone: true})
		}
	}
	return log, newLines(log, previous).add(c)
}
