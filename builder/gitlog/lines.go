package gitlog

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"kindex/exports/record"
)

// lines follows entities through the commits. An entity's line consists of all its versions,
// whatever their addresses.
type lines struct {
	log      *Log
	previous Previous // may be nil
	commits  int      // of previous
	places   int      // number of versions in previous
	last     time.Time

	known map[address]tip
}

// address is the address of an entity.
type address struct{ typ, slug string }

// tip is the newest version at an address.
type tip struct {
	place int
	state state
}

// state is the state of the entity at an address.
type state uint8

const (
	never state = iota // there has never been an entity at the address
	alive
	deleted // the entity was deleted: its line has ended here, but another file may continue it
	moved   // the entity's line has moved to another address, where it continues or has ended
)

func newLines(log *Log, previous Previous) *lines {
	l := &lines{log: log, previous: previous, known: map[address]tip{}, last: firstTime}
	if previous != nil {
		l.commits, l.places = previous.Commits(), previous.Versions()
		if l.places > 0 {
			l.last = time.Unix(previous.Version(l.places-1).Time, 0).UTC()
		}
	}
	return l
}

// at returns the tip at an address.
func (l *lines) at(a address) tip {
	t, ok := l.known[a]
	if ok || l.previous == nil {
		return t
	}
	place, ok := l.previous.Last(a.typ, a.slug)
	switch {
	case !ok:
	case l.previous.Newest(place) != place:
		t = tip{place, moved}
	case l.previous.Version(place).Deleted:
		t = tip{place, deleted}
	default:
		t = tip{place, alive}
	}
	l.known[a] = t
	return t
}

// entity returns the content of a version.
func (l *lines) entity(place int) (*record.Entity, error) {
	if place < l.places {
		return l.previous.Entity(place)
	}
	return l.log.Versions[place-l.places].Entity, nil
}

// add adds a commit whose files have been read.
func (l *lines) add(c *logged) error {
	slices.SortFunc(c.files, func(a, b *file) int {
		return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.slug, b.slug))
	})
	renamed, left := l.renames(c.files)
	before := len(l.log.Versions)
	for _, f := range c.files {
		a := address{f.typ, f.slug}
		t := l.at(a)
		if f.incomplete {
			l.log.Undeclared++
		}
		switch {
		case f.problem != "":
			l.log.Notes = append(l.log.Notes, f.typ+"/"+f.slug+".yaml at "+c.Hash[:12]+": "+f.problem)
		case f.gone && t.state == alive && left[a]:
			l.known[a] = tip{t.place, moved}
		case f.gone && t.state == alive:
			l.append(a, nil, t.place, deleted)
		case f.gone:
		case t.state == alive:
			was, err := l.entity(t.place)
			if err != nil {
				return err
			}
			if !same(was, f.entity) {
				l.append(a, f.entity, t.place, alive)
			}
		default:
			from, ok := renamed[a]
			if !ok {
				from = l.continueLine(f)
			}
			l.append(a, f.entity, from, alive)
		}
	}
	if len(l.log.Versions) > before {
		if c.Time.Before(l.last) {
			c.Time = l.last
		}
		l.last = c.Time
		l.log.Commits = append(l.log.Commits, c.Commit)
	}
	return nil
}

// append adds a version of the commit that is being added.
func (l *lines) append(a address, e *record.Entity, before int, s state) {
	l.known[a] = tip{l.places + len(l.log.Versions), s}
	l.log.Versions = append(l.log.Versions, Version{Type: a.typ, Slug: a.slug, Entity: e,
		Commit: l.commits + len(l.log.Commits), Before: before})
}

func addressOf(key string) address {
	typ, slug, _ := strings.Cut(key, "/")
	return address{typ, slug}
}

// renames finds new files that list the slug of a deleted file in formerly. renamed maps the
// address of each such file to the version that it continues, and left contains the old
// addresses. If several slugs in formerly match, renames uses the last one.
func (l *lines) renames(files []*file) (renamed map[address]int, left map[address]bool) {
	var going map[address]int
	for _, f := range files {
		a := address{f.typ, f.slug}
		if t := l.at(a); f.gone && t.state == alive {
			if going == nil {
				going = map[address]int{}
			}
			going[a] = t.place
		}
	}
	if going == nil {
		return nil, nil
	}
	renamed, left = map[address]int{}, map[address]bool{}
	for _, f := range files {
		a := address{f.typ, f.slug}
		if f.entity == nil || l.at(a).state == alive {
			continue
		}
		for _, key := range slices.Backward(f.entity.FormerKeys()) {
			old := addressOf(key)
			if place, ok := going[old]; ok {
				renamed[a], left[old] = place, true
				delete(going, old)
				break
			}
		}
	}
	return renamed, left
}

// continueLine returns the version that a new file continues, or -1 if there is none. This
// is the deletion at the file's own address in an earlier commit or, failing that, the most
// recent deletion at one of its earlier slugs. A line is never continued twice.
func (l *lines) continueLine(f *file) int {
	own := address{f.typ, f.slug}
	if t := l.at(own); t.state == deleted {
		return t.place
	}
	from, at := -1, own
	for _, key := range f.entity.FormerKeys() {
		a := addressOf(key)
		if t := l.at(a); t.state == deleted && t.place > from {
			from, at = t.place, a
		}
	}
	if from >= 0 {
		l.known[at] = tip{from, moved}
	}
	return from
}

// same reports whether two entities have the same authored content.
func same(a, b *record.Entity) bool { return bytes.Equal(a.AppendAuthored(nil), b.AppendAuthored(nil)) }
