package changelog

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
)

// findChanges determines which versions since the previous build count as changes. It also
// determines the dates that records show from each version on.
func (a *Archive) findChanges() error {
	r := &a.result
	ids, from := ids{seen: map[[sha256.Size]byte]uint32{}}, 0
	if a.keptChanges > 0 { // otherwise, a new formula changes the scores listed with each change
		ids.previous, from = a.previous, r.Kept
	}
	for i := from; i < len(r.Versions); i++ {
		v := &r.Versions[i]
		before, after := a.before(v), a.entity(int32(i))
		fields, old, now := record.Transition(before, after)
		if v.Change = none; len(fields) > 0 {
			v.Change = int32(len(r.Changes))
			r.Changes = append(r.Changes, history.Change{ID: ids.next(v.Type+"/"+v.Slug, old, now), Version: int32(i), Category: cmp.Or(after, before).Category})
		}
		if i >= r.Kept {
			if err := a.dateVersion(int32(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func eventOf(before, after *record.Entity) string {
	switch {
	case before == nil:
		return record.Created
	case after == nil:
		return record.Deleted
	}
	return record.Updated
}

// scoresOf lists the scores that a change affects. It calculates both the old and the new
// scores with today's formula, as of the time of the change.
func (a *Archive) scoresOf(before, after *record.Entity, at int64) []record.FieldChange {
	var old, now record.Scores
	when := time.Unix(at, 0).UTC()
	if before != nil {
		old = a.Formula.Scores(before, when)
	}
	if after != nil {
		now = a.Formula.Scores(after, when)
	}
	return record.DiffScores(&old, &now)
}

// dateVersion finds the dates that an entity's record shows from a version on.
func (a *Archive) dateVersion(i int32) (err error) {
	v, e := &a.result.Versions[i], a.entity(i)
	added, updated := dayOf(a.result.Versions[a.line[i]].Time), dayOf(a.lastChange(i))
	if e != nil && e.AddedDate != "" && !e.AddedDerived {
		added = e.AddedDate
	}
	if e != nil && e.LastUpdated != "" && !e.UpdatedDerived {
		updated = e.LastUpdated
	}
	if v.Added, err = record.DayNumber(added); err != nil {
		return err
	}
	v.Updated, err = record.DayNumber(updated)
	return err
}

// ids assigns the IDs of changes. An ID is a hash of the entity, its old and new state, and
// the number of times the same transition has happened before. It does not depend on the
// commit, so it survives a rebase.
type ids struct {
	previous *history.Archive
	seen     map[[sha256.Size]byte]uint32
}

func (x *ids) next(key string, old, now [sha256.Size]byte) string {
	h := sha256.New()
	h.Write([]byte(key + "\x00"))
	h.Write(old[:])
	h.Write(now[:])
	var transition [sha256.Size]byte
	h.Sum(transition[:0])
	n, known := x.seen[transition]
	for ; !known && x.previous != nil; n++ {
		if _, taken := x.previous.FindChange(changeID(transition, n)); !taken {
			break
		}
	}
	x.seen[transition] = n + 1
	return changeID(transition, n)
}

func changeID(transition [sha256.Size]byte, n uint32) string {
	sum := sha256.Sum256(binary.BigEndian.AppendUint32(transition[:], n))
	return hex.EncodeToString(sum[:12])
}

// Newest yields the changes, newest first.
func (a *Archive) Newest() iter.Seq2[*record.Change, error] {
	return func(yield func(*record.Change, error) bool) {
		for i := len(a.result.Changes) - 1; i >= 0; i-- {
			if c, err := a.changeOf(i); !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func (a *Archive) changeOf(i int) (*record.Change, error) {
	if i < a.keptChanges {
		return a.previous.Change(i), nil
	}
	entry := &a.result.Changes[i]
	v := &a.result.Versions[entry.Version]
	before, after := a.before(v), a.entity(entry.Version)
	c := &record.Change{ID: entry.ID, Event: eventOf(before, after), Timestamp: time.Unix(v.Time, 0).UTC(), Type: v.Type, Slug: v.Slug,
		Name: cmp.Or(after, before).Name, Fields: append(record.Diff(before, after), a.scoresOf(before, after, v.Time)...)}
	if v.Commit != none {
		commit := a.result.Commits[v.Commit]
		c.Commit, c.Author, c.PullRequest = commit.Hash, commit.Author, commit.PullRequest
	}
	return c, a.err()
}
