package webhook

import (
	"slices"
	"time"

	"kindex/exports/record"
)

// maxRemembered is the maximum number of changes that a cursor remembers. A history can be
// rewritten that far back without losing events.
const maxRemembered = 1000

// Cursor is the position in the changelog up to which events have been created.
type Cursor struct {
	Version  int64     // the number of moves so far
	Build    string    // the id of the build
	ChangeID string    // the build's last change, or "" if it has none
	ChangeAt time.Time // the time of that change
	Log      []string  // the build's newest changes, oldest first
	// Gone lists changes that earlier builds had and this build does not have. They are not
	// sent again if they come back.
	Gone []string
	// Noticed is set if retirements have been checked. Only RecordNotices changes it.
	Noticed bool
}

// Archive is the history of a build, on which moves are based. *history.Archive
// implements it.
type Archive interface {
	Changes() int
	Change(i int) (*record.Change, error)
	ChangeTime(i int) time.Time
	FindChange(id string) (i int, ok bool)
}

// Relation describes how a build relates to the cursor.
type Relation string

// The relations.
const (
	First     Relation = "first"     // there was no cursor
	Same      Relation = "same"      // the cursor is at this build
	Older     Relation = "older"     // all changes in the build, and later ones, have already been sent
	Newer     Relation = "newer"     // the changelog continues from the cursor, possibly without new changes
	Rewritten Relation = "rewritten" // the changelog continues from a change before the cursor
	Foreign   Relation = "foreign"   // the changelog and the cursor have no changes in common
)

// Move is the step from a cursor to a build.
type Move struct {
	Relation Relation
	To       Cursor // the resulting cursor
	Events   []Event
}

// Advances reports whether the cursor changes.
func (m *Move) Advances() bool { return m.Relation != Same && m.Relation != Older }

// Plan plans the move from a cursor to a build. It reads the changes since the cursor and the
// newest thousand changes, and does not write anything.
//
// If the history was rewritten, the changes that an earlier build had keep their ids and are not
// sent again. New changes are those after the common beginning of the old and the new history. A
// change that is missing from the new history is not reverted. If the histories differ even before
// the oldest change that the cursor remembers, Plan looks for the first remembered change that the
// new history contains, and treats everything up to that change as common.
func Plan(c Cursor, build string, a Archive) (Move, error) {
	m := Move{Relation: First, To: Cursor{Version: c.Version, Build: build}}
	from := a.Changes()
	if c.Build == build {
		return Move{Relation: Same, To: c}, nil
	}
	sent := c.sentChanges()
	if c.Build != "" {
		m.Relation, from = c.relation(a)
	}
	var steps []Step
	hasUnsent := false
	for i := from; i < a.Changes() && m.Advances(); i++ {
		change, err := a.Change(i)
		if err != nil {
			return m, err
		}
		steps = append(steps, Step{change, sent[change.ID]})
		hasUnsent = hasUnsent || !sent[change.ID]
	}
	if m.Relation == Rewritten && !hasUnsent && !c.includesLastChange(a) {
		m.Relation = Older
	}
	if !m.Advances() {
		m.To = c
		return m, nil
	}
	var err error
	if m.Events, err = Coalesce(steps); err != nil {
		return m, err
	}
	return m, m.To.remember(c, a)
}

// sentChanges returns the changes that have been sent, as far as the cursor remembers them.
func (c *Cursor) sentChanges() map[string]bool {
	sent := make(map[string]bool, len(c.Log)+len(c.Gone))
	for _, id := range slices.Concat(c.Log, c.Gone) {
		sent[id] = true
	}
	return sent
}

// relation compares the changes that the cursor remembers with the changes of a build. from
// is the index of the first change that may be new.
func (c *Cursor) relation(a Archive) (r Relation, from int) {
	if len(c.Log) == 0 {
		return Newer, 0
	}
	first := slices.IndexFunc(c.Log, func(id string) bool {
		_, ok := a.FindChange(id)
		return ok
	})
	if first < 0 {
		if n := a.Changes(); n == 0 || !a.ChangeTime(n-1).After(c.ChangeAt) {
			return Older, 0 // the build is so old that the cursor remembers none of its changes
		}
		return Foreign, a.Changes()
	}
	index, _ := a.FindChange(c.Log[first])
	if len(c.Log) < maxRemembered && (first > 0 || index > 0) {
		return Rewritten, 0 // the cursor remembers the whole history, which began differently
	}
	same := first
	for ; same < len(c.Log); same++ {
		if i, ok := a.FindChange(c.Log[same]); !ok || i != index+same-first {
			break
		}
	}
	from = index + same - first
	if first == 0 && same == len(c.Log) {
		return Newer, from
	}
	return Rewritten, from
}

// includesLastChange reports whether a build's history contains the cursor's last change.
func (c *Cursor) includesLastChange(a Archive) bool {
	_, ok := a.FindChange(c.ChangeID)
	return ok
}

// remember stores the newest changes of a build and, from the previous cursor, those that
// the build no longer has.
func (c *Cursor) remember(previous Cursor, a Archive) error {
	n := a.Changes()
	for i := max(0, n-maxRemembered); i < n; i++ {
		change, err := a.Change(i)
		if err != nil {
			return err
		}
		c.Log = append(c.Log, change.ID)
		c.ChangeID, c.ChangeAt = change.ID, change.Timestamp
	}
	for _, id := range slices.Concat(previous.Gone, previous.Log) {
		if _, ok := a.FindChange(id); !ok {
			c.Gone = append(c.Gone, id)
		}
	}
	c.Gone = c.Gone[max(0, len(c.Gone)-maxRemembered):]
	return nil
}
