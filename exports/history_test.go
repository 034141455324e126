package exports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
)

// madeHistory is a generated history. It is both the source of an archive and the model that
// the archive is compared with. A line is the sequence of an entity's versions across all its
// slugs, deletions and restorations.
type madeHistory struct {
	rng      *rand.Rand
	now      int64
	versions []record.Version
	changes  []*record.Change
	commits  []record.ArchivedCommit
	lines    [][]int          // the versions of each line
	lineOf   []int            // by version
	entities []*record.Entity // by version, with the dates that the version shows; nil for a deletion
	ends     []int            // number of versions after each commit
	trends   []history.Trends // as archived writes them
}

// historyStart is the time of the first commit, a few seconds before the end of a
// day.
var historyStart = time.Date(2024, 2, 28, 23, 59, 50, 0, time.UTC).Unix()

// newMadeHistory returns a history with a single commit that adds the entities.
func newMadeHistory(seed uint64, entities []*record.Entity) *madeHistory {
	p := &madeHistory{rng: rand.New(rand.NewPCG(seed, 77)), now: historyStart}
	p.commit(func(did map[string]bool) {
		for _, e := range entities {
			p.create(did, e, -1)
		}
	})
	return p
}

// commit adds versions and puts them in the order in which a walk of the repository
// finds them.
func (p *madeHistory) commit(work func(did map[string]bool)) {
	from := len(p.versions)
	work(map[string]bool{})
	order := make([]int, len(p.versions)-from)
	for i := range order {
		order[i] = from + i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.versions[a].Type, p.versions[b].Type), cmp.Compare(p.versions[a].Slug, p.versions[b].Slug))
	})
	versions, entities, lineOf := slices.Clone(p.versions), slices.Clone(p.entities), slices.Clone(p.lineOf)
	for i, o := range order {
		v := from + i
		p.versions[v], p.entities[v], p.lineOf[v] = versions[o], entities[o], lineOf[o]
		line := p.lines[lineOf[o]]
		line[len(line)-1] = v
	}
	for v := from; v < len(p.versions); v++ {
		p.note(v)
	}
	p.commits = append(p.commits, record.ArchivedCommit{Hash: fmt.Sprintf("%040x", p.rng.Uint64()), Author: pick(p.rng, 0, "Ada", "Élan", ""), PullRequest: p.rng.IntN(3)})
	p.ends = append(p.ends, len(p.versions))
	p.now += []int64{0, 1, 5, 3600, 86399, 86400, 3 * 86400}[p.rng.IntN(7)]
	if p.rng.IntN(3) == 0 { // the last second of a day, or the first
		p.now = (p.now/86400+1)*86400 - int64(p.rng.IntN(2))
	}
}

// note creates the change that belongs to a version. One version in six has none,
// as if nothing relevant had changed.
func (p *madeHistory) note(i int) {
	v := &p.versions[i]
	if v.Change = -1; p.rng.IntN(6) == 0 {
		return
	}
	var before *record.Entity
	if v.Previous >= 0 {
		before = p.entities[v.Previous]
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", i, v.Slug))
	c := &record.Change{ID: hex.EncodeToString(sum[:12]), Timestamp: time.Unix(v.Time, 0).UTC(), Type: v.Type, Slug: v.Slug,
		Fields: record.Diff(before, p.entities[i]), Commit: fmt.Sprint(v.Commit), Author: pick(p.rng, 0.2, "Ada", "B, \"C\"")}
	switch {
	case v.Deleted:
		c.Event, c.Name = record.Deleted, before.Name
	case before == nil:
		c.Event, c.Name = record.Created, p.entities[i].Name
	default:
		c.Event, c.Name = record.Updated, p.entities[i].Name
	}
	v.Change = int32(len(p.changes))
	p.changes = append(p.changes, c)
}

// append adds a version to a line. If line is -1, it starts a new line.
func (p *madeHistory) append(did map[string]bool, line int, typ, slug string, e *record.Entity) {
	if line < 0 {
		line = len(p.lines)
		p.lines = append(p.lines, nil)
	}
	v := record.Version{Type: typ, Slug: slug, Entity: e, Deleted: e == nil, Time: p.now, Commit: int32(len(p.commits)), Previous: -1, Added: record.NoDate, Updated: record.NoDate}
	if had := p.lines[line]; len(had) > 0 {
		v.Previous = int32(had[len(had)-1])
	}
	if e != nil {
		v.Added, _ = record.DayNumber(e.AddedDate)
		v.Updated, _ = record.DayNumber(e.LastUpdated)
	}
	did[typ+"/"+slug] = true
	p.lines[line] = append(p.lines[line], len(p.versions))
	p.versions, p.entities, p.lineOf = append(p.versions, v), append(p.entities, e), append(p.lineOf, line)
}

func (p *madeHistory) create(did map[string]bool, e *record.Entity, line int) {
	with := *e
	with.AddedDerived, with.UpdatedDerived = p.rng.IntN(2) == 0, p.rng.IntN(2) == 0
	p.append(did, line, e.Type, e.Slug, &with)
}

// state returns the last version of every line after n versions, or -1 for each line that had
// not started by then.
func (p *madeHistory) state(n int) []int {
	state := make([]int, len(p.lines))
	for i, line := range p.lines {
		state[i] = -1
		for _, v := range line {
			if v < n {
				state[i] = v
			}
		}
	}
	return state
}

// goOn adds commits that, together, contain all kinds of changes.
func (p *madeHistory) goOn(commits int) {
	for range commits {
		p.commit(func(did map[string]bool) {
			state := p.state(len(p.versions))
			taken := map[string]bool{}
			for _, v := range state {
				if e := p.entities[v]; e != nil {
					taken[e.Key()] = true
				}
			}
			free := func(typ, slug string) bool { key := typ + "/" + slug; return !taken[key] && !did[key] }
			for range 1 + p.rng.IntN(6) {
				p.change(did, state, free)
			}
		})
	}
}

func (p *madeHistory) change(did map[string]bool, state []int, free func(typ, slug string) bool) {
	line := p.rng.IntN(len(state))
	v := p.versions[state[line]]
	if p.rng.IntN(4) == 0 { // a new entity, at a formerly used address if such an address is free
		typ, slug := randomKey(p.rng)
		if old := p.versions[p.rng.IntN(len(p.versions))]; p.rng.IntN(2) == 0 {
			typ, slug = old.Type, old.Slug
		}
		last := -1
		for i, line := range p.lineOf {
			if x := p.versions[i]; x.Type == typ && x.Slug == slug {
				last = line
			}
		}
		// An entity that was deleted at this address is restored, but not one that
		// was renamed.
		if last >= 0 && (last >= len(state) || !p.versions[state[last]].Deleted || p.versions[state[last]].Slug != slug) {
			last = -1
		}
		if free(typ, slug) && (last < 0 || state[last] == p.lines[last][len(p.lines[last])-1]) {
			p.create(did, randomEntity(p.rng, typ, slug), last)
		}
		return
	}
	if did[v.Type+"/"+v.Slug] || state[line] != p.lines[line][len(p.lines[line])-1] {
		return
	}
	_, slug := randomKey(p.rng)
	switch kind := p.rng.IntN(5); {
	case v.Deleted && kind == 0 && free(v.Type, slug): // restored under a different slug
		p.create(did, randomEntity(p.rng, v.Type, slug), line)
	case v.Deleted:
	case kind == 0:
		p.append(did, line, v.Type, v.Slug, nil)
	case kind <= 2 && free(v.Type, slug):
		did[v.Type+"/"+v.Slug] = true
		with := *v.Entity
		with.Slug = slug
		p.create(did, &with, line)
	default:
		p.create(did, randomEntity(p.rng, v.Type, v.Slug), line)
	}
}

// listed returns the catalogue after n versions, in the order of CompareRank: the
// version of each entity, and the entity with scores.
func (p *madeHistory) listed(n int, rng *rand.Rand) (versions []uint32, entities []*record.Entity) {
	for _, v := range p.state(n) {
		if v >= 0 && p.entities[v] != nil {
			e := *p.entities[v]
			e.Scores = randomScores(rng)
			versions, entities = append(versions, uint32(v)), append(entities, &e)
		}
	}
	order := make([]int, len(versions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return record.CompareRank(entities[a], entities[b]) })
	sortedVersions, sorted := make([]uint32, len(order)), make([]*record.Entity, len(order))
	for i, o := range order {
		sortedVersions[i], sorted[i] = versions[o], entities[o]
	}
	return sortedVersions, sorted
}

func snapshotOf(day string, versions []uint32, entities []*record.Entity) *history.SnapshotData {
	rows := make([]history.SnapshotRow, len(versions))
	for i, e := range entities {
		rows[i] = history.SnapshotRow{Version: versions[i], Type: e.Type, Slug: e.Slug, Name: e.Name, Provider: e.Provider, Category: e.Category, Status: e.Status, Scores: e.Scores}
	}
	s, err := history.NewSnapshot(day, rows)
	if err != nil {
		panic(err)
	}
	return s
}

// endOfDay returns the first second of the next day.
func endOfDay(day string) int64 {
	t, err := time.Parse("2006-01-02", day)
	if err != nil {
		panic(err)
	}
	return t.AddDate(0, 0, 1).Unix()
}

// until returns the number of versions that exist at the end of a day.
func (p *madeHistory) until(day string) int {
	n := 0
	for _, v := range p.versions {
		if v.Time < endOfDay(day) {
			n++
		}
	}
	return n
}

// days returns the days with commits, and the days before and after each.
func (p *madeHistory) days() (days []string) {
	for _, v := range p.versions {
		for _, off := range []int64{-86400, 0, 86400} {
			day := time.Unix(v.Time+off, 0).UTC().Format("2006-01-02")
			if !slices.Contains(days, day) {
				days = append(days, day)
			}
		}
	}
	slices.Sort(days)
	return days
}

// archive returns the archive that a builder would write for the first n
// versions.
func (p *madeHistory) archive(n int) *history.Data {
	a := &history.Data{Head: history.Head{Commit: "head", Path: "content", Mailmap: "m", Formula: "f"}, Commits: p.commits, Versions: slices.Clone(p.versions[:n])}
	for i, c := range p.changes {
		if int(p.versionOf(i)) >= n {
			break
		}
		entry := history.Change{ID: c.ID, Version: p.versionOf(i)}
		if e := p.entities[entry.Version]; e != nil {
			entry.Category = e.Category
		}
		a.Changes = append(a.Changes, entry)
	}
	a.Line = func(dst []byte, i int) ([]byte, error) { return p.changes[i].AppendJSON(dst), nil }
	for i, day := range p.days() {
		if m := p.until(day); i%7 == 3 && m <= n {
			versions, entities := p.listed(m, rand.New(rand.NewPCG(uint64(m), 5)))
			a.Snapshots = append(a.Snapshots, snapshotOf(day, versions, entities))
		}
	}
	return a
}

// asCurrent returns the archive of the first n versions for a build whose records are those that
// listed returns.
func (p *madeHistory) asCurrent(n int) *history.Data {
	a, state := p.archive(n), p.state(n)
	a.Current = func(i int) bool { return p.entities[i] != nil && slices.Contains(state, i) }
	return a
}

func (p *madeHistory) versionOf(change int) int32 {
	return int32(slices.IndexFunc(p.versions, func(v record.Version) bool { return int(v.Change) == change }))
}

// standing returns the expected result of At, computed by scanning the whole
// history.
func (p *madeHistory) standing(typ, slug, day string) (v int, standing history.Lifecycle) {
	state := p.state(p.until(day))
	lineOfLast := -1
	for i, v := range p.versions {
		if v.Type == typ && v.Slug == slug {
			lineOfLast = p.lineOf[i]
		}
	}
	for _, v := range state {
		if v >= 0 && !p.versions[v].Deleted && p.versions[v].Type == typ && p.versions[v].Slug == slug {
			return v, history.Exists
		}
	}
	switch {
	case lineOfLast < 0:
		return -1, history.Unknown
	case state[lineOfLast] < 0:
		return p.lines[lineOfLast][0], history.NotYet
	case p.versions[state[lineOfLast]].Deleted:
		return state[lineOfLast], history.Gone
	}
	return state[lineOfLast], history.Exists
}

// addresses returns all addresses ever used, and some unused ones.
func (p *madeHistory) addresses() [][2]string {
	list := [][2]string{{"tool", "nobody"}, {"", ""}, {"tool\x00", "a"}}
	for _, v := range p.versions {
		if k := [2]string{v.Type, v.Slug}; !slices.Contains(list, k) {
			list = append(list, k, [2]string{v.Type, strings.ToUpper(v.Slug)})
		}
	}
	return list
}
