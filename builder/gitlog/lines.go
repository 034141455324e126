package gitlog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kindex/exports/record"
)

// lines follows entities through the commits. The line of an entity is all its
// versions, under whatever address.
type lines struct {
	log      *Log
	previous Previous // nil for none
	commits  int      // of earlier
	places   int      // versions of earlier
	last     time.Time

	known     map[address]tip
	continued map[int]bool // versions of earlier that another follows; nil until needed
}

// address is where an entity is found.
type address struct{ typ, slug string }

// tip is the newest version that carries an address.
type tip struct {
	place int
	state state
}

// state says what has become of the entity at an address.
type state uint8

const (
	never state = iota // there was none
	alive
	deleted // its line has ended here, and another file may take it up
	moved   // its line goes on, or has ended, elsewhere
)

func newLines(log *Log, previous Previous) *lines {
	l := &lines{log: log, previous: previous, known: map[address]tip{}, last: firstTime}
	if previous != nil {
		l.commits, l.places = previous.Commits(), previous.Versions()
		if l.places > 0 {
			l.last = previous.Time().UTC()
		}
	}
	return l
}

// at returns what is known of an address.
func (l *lines) at(a address) tip {
	t, ok := l.known[a]
	if ok || l.previous == nil {
		return t
	}
	place, isAlive, ok := l.previous.Last(a.typ, a.slug)
	switch {
	case !ok:
	case isAlive:
		t = tip{place, alive}
	case l.followed(place):
		t = tip{place, moved}
	default:
		t = tip{place, deleted}
	}
	l.known[a] = t
	return t
}

// followed tells whether a version of the earlier walk has one after it.
func (l *lines) followed(place int) bool {
	if l.continued == nil {
		l.continued = map[int]bool{}
		for i := range l.places {
			if before := l.previous.Before(i); before >= 0 {
				l.continued[before] = true
			}
		}
	}
	return l.continued[place]
}

// entity returns the content of a version.
func (l *lines) entity(place int) (*record.Entity, error) {
	if place < l.places {
		return l.previous.Entity(place)
	}
	return l.log.Versions[place-l.places].Entity, nil
}

// add takes over a commit whose files are read.
func (l *lines) add(c *logged) error {
	slices.SortFunc(c.files, func(a, b *file) int {
		return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.slug, b.slug))
	})
	renamed, left := l.renames(c.files)
	before := len(l.log.Versions)
	for _, f := range c.files {
		a := address{f.typ, f.slug}
		t := l.at(a)
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

// renames finds the files, in order, that come where another goes whose slug they
// had formerly: the version each goes on from, by its new address, and the old
// addresses. Of several earlier slugs the one listed last counts.
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
		for _, slug := range slices.Backward(f.entity.Formerly) {
			old := address{f.typ, slug}
			if place, ok := going[old]; ok {
				renamed[a], left[old] = place, true
				delete(going, old)
				break
			}
		}
	}
	return renamed, left
}

// continueLine returns the version that a new file goes on from: where its own entity
// was deleted in an earlier commit or, else, the one of its earlier slugs that was
// deleted last; -1 for none. No line is taken up twice.
func (l *lines) continueLine(f *file) int {
	own := address{f.typ, f.slug}
	if t := l.at(own); t.state == deleted {
		return t.place
	}
	from, at := -1, own
	for _, slug := range f.entity.Formerly {
		a := address{f.typ, slug}
		if t := l.at(a); t.state == deleted && t.place > from {
			from, at = t.place, a
		}
	}
	if from >= 0 {
		l.known[at] = tip{from, moved}
	}
	return from
}

// same tells whether two entities say the same. A list that is not there and an
// empty one are the same; scores are not authored.
func same(a, b *record.Entity) bool {
	return a.Type == b.Type && a.Slug == b.Slug && a.Name == b.Name && a.Provider == b.Provider &&
		a.Description == b.Description && a.Category == b.Category && a.Version == b.Version &&
		a.PricingModel == b.PricingModel && a.License == b.License && a.URL == b.URL &&
		a.AddedDate == b.AddedDate && a.LastUpdated == b.LastUpdated && a.Status == b.Status &&
		slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Capabilities, b.Capabilities) && slices.Equal(a.Links, b.Links) &&
		slices.Equal(a.Signals.Facts, b.Signals.Facts) && slices.Equal(a.Signals.Benchmarks, b.Signals.Benchmarks) &&
		slices.Equal(a.Formerly, b.Formerly)
}
