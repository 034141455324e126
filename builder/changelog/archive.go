// Package changelog derives a build's history from the versions of entities: the changelog,
// the leaderboards of earlier days, the trending entities, and the movers of each week. The
// results depend only on the versions, the formulas and the as-of time.
package changelog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"kindex/builder/gitlog"
	"kindex/exports"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/score"
)

// Input is the input to New.
type Input struct {
	// Log is the result of the git walk; nil outside git.
	Log *gitlog.Log
	// Previous is the previous build, or nil if there is none. It has been verified.
	Previous *exports.Build
	Formula  *score.Formula
	AsOf     time.Time
	// Entities lists the entities in the content, sorted by type and slug.
	Entities []*record.Entity
	// Frozen is set while the content is being edited. If the content is outside git, its
	// history is then left unchanged.
	Frozen bool
}

// Archive is the history of a content folder while its build is being created. Call its
// methods in this order: Date, BuildSnapshots, Result.
type Archive struct {
	Input
	result      history.Data
	previous    *history.Archive // whose versions the history continues, or nil
	keptChanges int              // how many changes are those of the previous build

	mu     sync.Mutex
	read   map[int32]*record.Entity // the contents of versions that were read from the previous build
	failed error                    // the first error of reading one

	newest  map[string]int32 // the newest version at each address
	line    []int32          // for each version, the first version of its entity
	after   []int32          // for each version, the next version of its entity, or none
	current []bool           // for each version, whether its content is that of the entity at its address
}

// New collects the versions and finds the changes between them.
func New(in Input) (*Archive, error) {
	a := &Archive{Input: in, newest: make(map[string]int32, len(in.Entities)), read: map[int32]*record.Entity{}}
	r, log := &a.result, in.Log
	r.Head.Formula = formulaHash(in.Formula)
	if in.Previous != nil && (log == nil || log.Continued) {
		a.previous = in.Previous.History()
		r.Previous, r.Kept = a.previous, a.previous.Versions()
	}
	if log == nil {
		var err error
		if log, err = a.compare(); err != nil {
			return nil, err
		}
	}
	r.Head.Commit, r.Head.Path, r.Head.Mailmap, r.Commits, r.Versions = log.Head, log.Path, log.Mailmap, log.Commits, log.Versions
	a.keepChanges()
	if err := a.attach(); err != nil {
		return nil, err
	}
	if err := a.findChanges(); err != nil {
		return nil, err
	}
	r.Change = a.changeOf
	return a, a.err()
}

// compare finds the differences between the content and the newest versions in the previous
// build. Outside git, the previous build is the only record of the content's history.
func (a *Archive) compare() (*gitlog.Log, error) {
	var previous gitlog.Previous
	if a.previous != nil {
		previous = a.previous
	}
	log, err := gitlog.Compare(previous, a.AsOf, a.Entities)
	if err == nil && a.Frozen {
		log.Versions = log.Versions[:a.result.Kept]
	}
	return log, err
}

func formulaHash(f *score.Formula) string {
	sum := sha256.Sum256(f.JSON())
	return hex.EncodeToString(sum[:16])
}

// Result returns the archive to write.
func (a *Archive) Result() *history.Data { return &a.result }

// keepChanges copies the changes from the previous build if the formula is the same; a new formula
// changes the scores that are listed with each change.
func (a *Archive) keepChanges() {
	if a.previous == nil || a.previous.Head().Formula != a.result.Head.Formula {
		return
	}
	a.keptChanges = a.previous.Changes()
	for i := range a.keptChanges {
		a.result.Changes = append(a.result.Changes, history.Change{ID: a.previous.Change(i).ID, Version: int32(a.previous.ChangeVersion(i)), Category: a.previous.Category(i)})
	}
}

// none means no version, commit or change.
const none = -1

// attach finds the newest version at every address, the first version of every entity, and the
// versions that equal an entity in the content. If such a version is from the previous build, it then
// shares that entity's data.
func (a *Archive) attach() error {
	versions := a.result.Versions
	a.line, a.after, a.current = make([]int32, len(versions)), history.Followers(versions), make([]bool, len(versions))
	for i := range versions {
		v := &versions[i]
		a.newest[v.Type+"/"+v.Slug] = int32(i)
		if a.line[i] = int32(i); v.Previous != none {
			a.line[i] = a.line[v.Previous]
		}
	}
	a.result.Current = func(i int) bool { return a.current[i] }
	for _, e := range a.Entities {
		i, ok := a.newest[e.Key()]
		if !ok || versions[i].Deleted {
			continue
		}
		v := &versions[i]
		if v.Entity != nil {
			a.current[i] = v.Entity == e || bytes.Equal(e.AppendAuthored(nil), v.Entity.AppendAuthored(nil))
			continue
		}
		was, err := a.previous.Record(int(i))
		if err != nil {
			return err
		}
		if a.current[i] = bytes.Equal(e.AppendAuthored(nil), was); a.current[i] {
			v.Entity = e
		}
	}
	return nil
}

// entity returns the content of a version, or nil for a deleted one. If it cannot be read, entity returns
// an empty one, and err returns the error.
func (a *Archive) entity(i int32) *record.Entity {
	if v := &a.result.Versions[i]; v.Entity != nil || v.Deleted {
		return v.Entity
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.read[i]; e != nil {
		return e
	}
	e, err := a.previous.Entity(int(i))
	if err != nil {
		a.failed, e = cmp.Or(a.failed, err), &record.Entity{}
	}
	a.read[i] = e
	return e
}

func (a *Archive) err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// before returns the content of the version before a given one, or nil if the entity did not
// exist then.
func (a *Archive) before(v *record.Version) *record.Entity {
	if v.Previous == none {
		return nil
	}
	return a.entity(v.Previous)
}

// Date sets the dates of entities whose files do not set them.
func (a *Archive) Date() {
	for _, e := range a.Entities {
		i, ok := a.newestOf(e)
		if !ok {
			continue
		}
		first, last := a.result.Versions[a.line[i]].Time, a.lastChange(i)
		if e.AddedDate == "" {
			e.AddedDate, e.AddedDerived = dayOf(first), true
		}
		if e.LastUpdated == "" {
			e.LastUpdated, e.UpdatedDerived = dayOf(last), true
		}
	}
}

// newestOf returns the newest version of an entity in the content. If the entity's file has an
// uncommitted edit, this is the version that the edit is based on. The git walk will choose
// the same version as the predecessor once the edit is committed.
func (a *Archive) newestOf(e *record.Entity) (int32, bool) {
	versions := a.result.Versions
	own, known := a.newest[e.Key()]
	if known = known && a.after[own] == none; known && !versions[own].Deleted {
		return own, true
	}
	ended := int32(none)
	for _, old := range slices.Backward(e.FormerKeys()) {
		i, ok := a.newest[old]
		switch {
		case !ok || a.after[i] != none: // the entity at this address has moved to another one
		case !versions[i].Deleted:
			return i, true
		default:
			ended = max(ended, i)
		}
	}
	if known {
		return own, true
	}
	return ended, ended != none
}

// lastChange returns the time of the latest change to an entity, up to and including a
// version.
func (a *Archive) lastChange(i int32) int64 {
	v := &a.result.Versions[i]
	for v.Change == none && v.Previous != none {
		v = &a.result.Versions[v.Previous]
	}
	return v.Time
}

func dayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }

// FormulaAt returns the formula in force at a commit, or nil if there was no valid one.
type FormulaAt func(commit string) (*score.Formula, error)

// BuildSnapshots builds the leaderboards of earlier days and finds trending entities and the
// movers of each week. ranked contains the scored entities, ordered by ordinal. formulaAt is nil
// outside git.
func (a *Archive) BuildSnapshots(ranked []*record.Entity, formulaAt FormulaAt) error {
	if len(a.result.Versions) == 0 {
		a.result.Trends = emptyTrends(a.AsOf)
		return nil
	}
	if err := a.takeSnapshots(); err != nil {
		return fmt.Errorf("dated leaderboards: %w", err)
	}
	a.findTrends(ranked)
	if err := a.findWeeks(formulaAt); err != nil {
		return fmt.Errorf("movers of the week: %w", err)
	}
	return a.err()
}
