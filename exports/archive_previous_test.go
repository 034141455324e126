package exports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/store"
)

// TestArchiveReusesAnother writes the same archive from scratch and by reusing earlier
// archives: one that is a prefix of it, and one that has diverged. The files must be the
// same.
func TestArchiveReusesAnother(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := newMadeHistory(60+seed, catalogue(seed, 60))
			p.goOn(60)
			kept := p.ends[p.rng.IntN(len(p.ends))]
			_, before := p.listed(kept, p.rng)
			earlier := openBuild(t, before, p.asCurrent(kept))
			other := *p // the two are identical up to this point and differ after it
			other.cut(kept, seed)
			other.goOn(20)
			_, list := other.listed(len(other.versions), other.rng)
			elsewhere := openBuild(t, list, other.asCurrent(len(other.versions)))
			from := map[string]*madeHistory{"earlier": p, "elsewhere": &other}
			whole := p.asCurrent(len(p.versions))
			want := archiveFiles(t, whole)
			for name, upon := range map[string]*Build{"earlier": earlier, "elsewhere": elsewhere} {
				a := p.asCurrent(len(p.versions))
				a.Previous, a.Kept = upon.History(), kept
				for i := range kept {
					a.Versions[i].Entity = nil // the earlier history has it
				}
				for i, s := range a.Snapshots {
					was, err := upon.History().Snapshot(s.Day)
					if err != nil {
						t.Fatal(err)
					}
					if was != nil && p.until(s.Day) <= kept && from[name].until(s.Day) == p.until(s.Day) {
						if a.Snapshots[i], err = was.Data(); err != nil {
							t.Fatal(err)
						}
					}
				}
				sameFiles(t, name, archiveFiles(t, a), want)
			}
		})
	}
}

// cut keeps only the first versions.
func (p *madeHistory) cut(n int, seed uint64) {
	p.rng = rand.New(rand.NewPCG(seed, 78))
	p.versions, p.entities, p.lineOf = slices.Clone(p.versions[:n]), slices.Clone(p.entities[:n]), slices.Clone(p.lineOf[:n])
	var lines [][]int
	for _, line := range p.lines {
		var kept []int
		for _, v := range line {
			if v < n {
				kept = append(kept, v)
			}
		}
		if kept != nil {
			lines = append(lines, kept)
		}
	}
	for i, line := range lines {
		for _, v := range line {
			p.lineOf[v] = i
		}
	}
	p.lines = lines
	changes := 0
	for _, v := range p.versions {
		changes = max(changes, int(v.Change)+1)
	}
	p.changes = slices.Clone(p.changes[:changes])
	p.commits = slices.Clone(p.commits[:slices.Index(p.ends, n)+1])
	p.ends = slices.Clone(p.ends[:len(p.commits)])
	p.now = p.versions[n-1].Time + 1
}

// archiveFiles returns an archive's files.
func archiveFiles(t *testing.T, a *history.Data) map[string]string {
	t.Helper()
	root, m := t.TempDir(), &store.Manifest{}
	w, err := NewWriter(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteHistory(a), w.Finalize(m, func(string) string { return "" }), w.Install(m)); err != nil {
		t.Fatal(err)
	}
	return tree(t, filepath.Join(store.BuildsDir(root), m.ID))
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) < 10 {
		t.Fatalf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %s is not the same", what, name)
		}
	}
}
