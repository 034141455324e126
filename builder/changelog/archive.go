// Package changelog turns the versions of entities into what a build says of the
// past: the changelog, the boards of earlier days, and what is trending. Nothing
// in it depends on anything but the versions, the formula and the as-of time.
package changelog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"kindex/builder/gitlog"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
)

// Input is what an archive is made from.
type Input struct {
	// Log is what the walk over git has found: everything, or what is new since
	// the build before. It is nil outside git.
	Log *gitlog.Log
	// Previous is the build before, nil for none. It has been verified.
	Previous *exports.Build
	Formula  *score.Formula
	AsOf     time.Time
	// Entities are those of the content, sorted by type and slug.
	Entities []*record.Entity
	// Frozen lets the past of content outside git rest as it is: somebody is
	// editing it.
	Frozen bool
}

// Archive is the past of a content folder while its build is being made. Its
// methods are called one after the other: Date, BuildSnapshots, then Result.
type Archive struct {
	Input
	result   exports.Archive
	previous *exports.ArchiveReader // nil without a build to go on from

	failed   firstError
	newest   map[string]int32 // by address: the newest version that carries it
	line     []int32          // by version: the first version of the entity
	followed []bool           // by version: another one follows it
}

// New gathers the versions and finds the changes among them.
func New(in Input) (*Archive, error) {
	a := &Archive{Input: in, newest: make(map[string]int32, len(in.Entities))}
	a.result.Formula = formulaHash(in.Formula)
	if in.Previous != nil && (in.Log == nil || in.Log.Continued) {
		a.result.Previous, a.previous = in.Previous, in.Previous.Archive()
		a.keep()
	}
	if in.Log != nil {
		a.result.Head, a.result.Path, a.result.Mailmap = in.Log.Head, in.Log.Path, in.Log.Mailmap
		a.append(in.Log)
	} else if err := a.compare(); err != nil {
		return nil, err
	}
	a.attach()
	if err := a.findChanges(); err != nil {
		return nil, err
	}
	a.result.Line = func(dst []byte, i int) []byte {
		c, err := a.changeOf(i)
		if err != nil {
			a.failed.set(err)
			return dst
		}
		return c.AppendJSON(dst)
	}
	return a, nil
}

// formulaHash names a formula by what it says.
func formulaHash(f *score.Formula) string {
	sum := sha256.Sum256(f.JSON())
	return hex.EncodeToString(sum[:16])
}

// Err tells why changes could not be given while the Result was written, nil
// where all could.
func (a *Archive) Err() error { return a.failed.err }

// Result is the archive, to be written; then Err is to be asked.
func (a *Archive) Result() *exports.Archive { return &a.result }

// keep takes over the versions of the build before, and its changes unless
// another formula would show other scores in them.
func (a *Archive) keep() {
	r, e := &a.result, a.previous
	r.Kept = e.Versions()
	for i := range e.Commits() {
		r.Commits = append(r.Commits, e.Commit(i))
	}
	r.Versions = make([]record.Version, r.Kept, r.Kept+64)
	for i := range r.Versions {
		r.Versions[i] = e.Version(i)
	}
	if e.Formula() == r.Formula {
		r.KeptChanges = e.Changes()
	}
}

// append takes over what the walk has found.
func (a *Archive) append(log *gitlog.Log) {
	r := &a.result
	first := len(r.Commits)
	for _, c := range log.Commits {
		r.Commits = append(r.Commits, record.ArchivedCommit{Hash: c.Hash, Author: c.Author, PullRequest: c.PullRequest})
	}
	for _, v := range log.Versions {
		r.Versions = append(r.Versions, record.Version{Type: v.Type, Slug: v.Slug, Entity: v.Entity, Deleted: v.Entity == nil,
			Time: log.Commits[v.Commit-first].Time.Unix(), Commit: int32(v.Commit), Previous: int32(v.Before), Change: none})
	}
}

// none stands for a version, a commit or a change that is not there.
const none = -1

// attach finds the newest version at every address and the first one of every
// entity, and gives versions that an earlier build holds the entities of the
// content where these are the same.
func (a *Archive) attach() {
	versions := a.result.Versions
	a.line, a.followed = make([]int32, len(versions)), make([]bool, len(versions))
	for i := range versions {
		v := &versions[i]
		a.newest[v.Type+"/"+v.Slug] = int32(i)
		if a.line[i] = int32(i); v.Previous != none {
			a.line[i], a.followed[v.Previous] = a.line[v.Previous], true
		}
	}
	inParallel(len(a.Entities), func(from, to int) {
		var buf []byte
		for _, e := range a.Entities[from:to] {
			i, ok := a.newest[e.Key()]
			if !ok || versions[i].Record == nil {
				continue
			}
			if buf = e.AppendAuthored(buf[:0]); bytes.Equal(buf, versions[i].Record) {
				versions[i].Entity = e
			}
		}
	})
}

// entity is the content of a version, nil for a deleted one.
func (a *Archive) entity(i int32) (*record.Entity, error) {
	switch v := &a.result.Versions[i]; {
	case v.Entity != nil || v.Deleted:
		return v.Entity, nil
	default:
		return a.previous.Entity(int(i))
	}
}

// before is the content before a version, nil where the entity was not there.
func (a *Archive) before(v *record.Version) (*record.Entity, error) {
	if v.Previous == none {
		return nil, nil
	}
	return a.entity(v.Previous)
}

// Date gives the entities of the content the dates that their files do not give.
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

// newestOf is the version that an entity of the content has come to, or goes on
// from where it is not committed: the walk will say the same once it is.
func (a *Archive) newestOf(e *record.Entity) (int32, bool) {
	versions := a.result.Versions
	own, known := a.newest[e.Key()]
	if known = known && !a.followed[own]; known && !versions[own].Deleted {
		return own, true
	}
	ended := int32(none)
	for _, old := range slices.Backward(e.Formerly) {
		i, ok := a.newest[e.Type+"/"+old]
		switch {
		case !ok || a.followed[i]: // that entity has gone on elsewhere
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

// lastChange is the time of the latest change of an entity up to a version.
func (a *Archive) lastChange(i int32) int64 {
	v := &a.result.Versions[i]
	for v.Change == none && v.Previous != none {
		v = &a.result.Versions[v.Previous]
	}
	return v.Time
}

// dayOf is the UTC day of a time.
func dayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }

// inParallel calls f for parts of a range, on all processors.
func inParallel(n int, f func(from, to int)) {
	part := max(1, (n+runtime.GOMAXPROCS(0)*4-1)/(runtime.GOMAXPROCS(0)*4))
	var wg sync.WaitGroup
	for from := 0; from < n; from += part {
		wg.Go(func() { f(from, min(from+part, n)) })
	}
	wg.Wait()
}

// firstError keeps the first of the errors of several goroutines.
type firstError struct {
	once sync.Once
	err  error
}

func (f *firstError) set(err error) {
	if err != nil {
		f.once.Do(func() { f.err = err })
	}
}

// BuildSnapshots makes the boards of earlier days and finds what is trending. The
// entities are now in the order of their ordinals, with their scores.
func (a *Archive) BuildSnapshots(ranked []*record.Entity) error {
	if len(a.result.Versions) == 0 {
		a.result.Trends = emptyTrends(a.AsOf)
		return nil
	}
	if err := a.takeSnapshots(); err != nil {
		return fmt.Errorf("dated leaderboards: %w", err)
	}
	if err := a.findTrends(ranked); err != nil {
		return fmt.Errorf("trending: %w", err)
	}
	return nil
}
