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
	previous Previous         // may be nil
	newest   map[string]int32 // by address, as type/slug
	followed []bool           // whether a version has a successor
}

// none is what the first version of an entity has before it, and what stands for a missing commit or change.
const none = -1

// state is the state of the entity at an address.
type state uint8

const (
	never state = iota // there has never been an entity at the address
	alive
	deleted // the entity was deleted: its line has ended here, but another file may continue it
	moved   // the entity's line has moved to another address, where it continues or has ended
)

func newLines(log *Log, previous Previous) *lines {
	l := &lines{log: log, previous: previous, newest: map[string]int32{}}
	if previous == nil {
		return l
	}
	for i := range previous.Commits() {
		log.Commits = append(log.Commits, previous.Commit(i))
	}
	for i := range previous.Versions() {
		l.append(previous.Version(i))
	}
	return l
}

func (l *lines) append(v record.Version) {
	if v.Previous != none {
		l.followed[v.Previous] = true
	}
	l.newest[v.Type+"/"+v.Slug] = int32(len(l.log.Versions))
	l.log.Versions, l.followed = append(l.log.Versions, v), append(l.followed, false)
}

// at returns the newest version at an address, and the state of its entity.
func (l *lines) at(a string) (int32, state) {
	i, known := l.newest[a]
	switch {
	case !known:
		return none, never
	case l.followed[i]:
		return i, moved
	case l.log.Versions[i].Deleted:
		return i, deleted
	}
	return i, alive
}

func (l *lines) entity(i int32) (*record.Entity, error) {
	if e := l.log.Versions[i].Entity; e != nil {
		return e, nil
	}
	return l.previous.Entity(int(i))
}

// add adds a commit whose files have been read. Outside git, it has no hash.
func (l *lines) add(c *logged) error {
	slices.SortFunc(c.files, func(a, b *file) int {
		return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.slug, b.slug))
	})
	before, commit, at := len(l.log.Versions), int32(none), c.time.Unix()
	if c.Hash != "" {
		commit = int32(len(l.log.Commits))
	}
	if before > 0 {
		at = max(at, l.log.Versions[before-1].Time)
	}
	renamed, left := l.renames(c.files)
	for _, f := range c.files {
		a := f.key()
		i, state := l.at(a)
		if f.incomplete {
			l.log.Undeclared++
		}
		v := record.Version{Type: f.typ, Slug: f.slug, Entity: f.entity, Deleted: f.gone, Time: at, Commit: commit, Previous: i, Change: none}
		switch {
		case f.problem != "":
			l.log.Notes = append(l.log.Notes, f.key()+".yaml at "+c.Hash[:12]+": "+f.problem)
			continue
		case f.gone && (state != alive || left[a]):
			continue
		case f.gone:
		case state == alive:
			was, err := l.entity(i)
			if err != nil {
				return err
			}
			if same(was, f.entity) {
				continue
			}
		default:
			from, ok := renamed[a]
			if !ok {
				from = l.continues(f)
			}
			v.Previous = from
		}
		l.append(v)
	}
	if len(l.log.Versions) > before && commit != none {
		l.log.Commits = append(l.log.Commits, c.ArchivedCommit)
	}
	return nil
}

// renames finds new files that list the slug of a deleted file in formerly. renamed maps the
// address of each such file to the version that it continues, and left contains the old
// addresses. If several slugs in formerly match, renames uses the last one.
func (l *lines) renames(files []*file) (renamed map[string]int32, left map[string]bool) {
	going := map[string]int32{}
	for _, f := range files {
		a := f.key()
		if i, state := l.at(a); f.gone && state == alive {
			going[a] = i
		}
	}
	renamed, left = map[string]int32{}, map[string]bool{}
	for _, f := range files {
		a := f.key()
		if _, state := l.at(a); f.entity == nil || state == alive {
			continue
		}
		for _, old := range slices.Backward(f.entity.FormerKeys()) {
			if i, ok := going[old]; ok {
				renamed[a], left[old] = i, true
				delete(going, old)
				break
			}
		}
	}
	return renamed, left
}

// continues returns the version that a new file continues, or none. This is the deletion at the
// file's own address in an earlier commit or, failing that, the most recent deletion at one of its
// earlier slugs. A line is never continued twice.
func (l *lines) continues(f *file) int32 {
	if i, state := l.at(f.key()); state == deleted {
		return i
	}
	from := int32(none)
	for _, key := range f.entity.FormerKeys() {
		if i, state := l.at(key); state == deleted {
			from = max(from, i)
		}
	}
	return from
}

func same(a, b *record.Entity) bool { return bytes.Equal(a.AppendAuthored(nil), b.AppendAuthored(nil)) }

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
