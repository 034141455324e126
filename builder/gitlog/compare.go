package gitlog

import (
	"strings"
	"time"

	"kindex/exports/record"
)

// Compare finds the new versions in a folder outside git, as if they had all been made at a given
// time. entities lists what the folder has now. The Log continues previous, which may be nil.
func Compare(previous Previous, at time.Time, entities []*record.Entity) (*Log, error) {
	log := &Log{Continued: previous != nil}
	l, c := newLines(log, previous), &logged{time: at}
	seen := map[string]bool{}
	for _, e := range entities {
		seen[e.Key()] = true
		c.files = append(c.files, &file{typ: e.Type, slug: e.Slug, entity: e})
	}
	for key := range l.newest {
		if typ, slug, _ := strings.Cut(key, "/"); !seen[key] {
			c.files = append(c.files, &file{typ: typ, slug: slug, gone: true})
		}
	}
	return log, l.add(c)
}
