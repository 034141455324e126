package archive

import (
	"bytes"
	"slices"

	"kindex/exports"
)

// compare finds what differs between the content and the newest versions of the
// build before: the history of content that no repository keeps.
func (a *Archive) compare() error {
	if a.Still {
		return nil
	}
	at := a.AsOf.Unix()
	if n := len(a.result.Versions); n > 0 {
		at = max(at, a.result.Versions[n-1].Time)
	}
	present := make(map[string]*exports.Entity, len(a.Entities))
	for _, e := range a.Entities {
		present[e.Key()] = e
	}
	gone, renamed := a.goneFrom(present), map[string]bool{}
	var found []exports.Version
	var buf []byte
	for _, e := range a.Entities {
		v := exports.Version{Type: e.Type, Slug: e.Slug, Entity: e, Time: at, Commit: none, Before: none, Change: none}
		if last, ok := a.last(e.Type, e.Slug); ok {
			known := a.result.Versions[last]
			if buf = e.AppendAuthored(buf[:0]); !known.Deleted && bytes.Equal(buf, known.Record) && a.alive(last) {
				continue
			}
			if known.Deleted || a.alive(last) {
				v.Before = last
			}
		} else if old, ok := a.renamedFrom(e, gone, renamed); ok {
			v.Before = old
		}
		found = append(found, v)
	}
	for key, last := range gone {
		if !renamed[key] {
			was := a.result.Versions[last]
			found = append(found, exports.Version{Type: was.Type, Slug: was.Slug, Deleted: true, Time: at, Commit: none, Before: last, Change: none})
		}
	}
	slices.SortFunc(found, func(x, y exports.Version) int {
		return exports.CompareKey(&exports.Entity{Type: x.Type, Slug: x.Slug}, &exports.Entity{Type: y.Type, Slug: y.Slug})
	})
	a.result.Versions = append(a.result.Versions, found...)
	return nil
}

// last is the newest version that carries an address.
func (a *Archive) last(typ, slug string) (int32, bool) {
	if a.earlier == nil {
		return none, false
	}
	v, ok := a.earlier.Last(typ, slug)
	return int32(v), ok
}

// alive tells whether a version is what an entity is like in the build before.
func (a *Archive) alive(v int32) bool {
	return !a.result.Versions[v].Deleted && a.earlier.Newest(int(v)) == int(v)
}

// goneFrom lists the entities that are at their addresses no more.
func (a *Archive) goneFrom(present map[string]*exports.Entity) map[string]int32 {
	gone := map[string]int32{}
	for i := range a.result.Versions {
		v := &a.result.Versions[i]
		if key := v.Type + "/" + v.Slug; present[key] == nil && a.alive(int32(i)) {
			gone[key] = int32(i)
		}
	}
	return gone
}

// renamedFrom finds the entity that a new one was before: one that goes now, or
// one that was deleted earlier and that no other has taken up. Of several earlier
// slugs the one listed last counts, or the one deleted last, as in git.
func (a *Archive) renamedFrom(e *exports.Entity, gone map[string]int32, renamed map[string]bool) (int32, bool) {
	for _, old := range slices.Backward(e.Formerly) {
		key := e.Type + "/" + old
		if last, ok := gone[key]; ok && !renamed[key] {
			renamed[key] = true
			return last, true
		}
	}
	from, taken := int32(none), ""
	for _, old := range e.Formerly {
		key := e.Type + "/" + old
		last, ok := a.last(e.Type, old)
		if ok && !renamed[key] && last > from && a.result.Versions[last].Deleted && a.earlier.Newest(int(last)) == int(last) {
			from, taken = last, key
		}
	}
	if from != none {
		renamed[taken] = true
	}
	return from, from != none
}
