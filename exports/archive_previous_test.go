package exports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/packed"
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
				a.Previous, a.Kept, a.KeptChanges = upon, kept, len(p.archive(kept).Changes)
				clear(a.Versions[:kept]) // WriteArchive must not read these
				clear(a.Changes[:a.KeptChanges])
				a.Line = func(dst []byte, i int) ([]byte, error) {
					if i < a.KeptChanges {
						t.Errorf("the line of change %d was requested", i)
					}
					return p.changes[i].AppendJSON(dst), nil
				}
				for i, s := range a.Snapshots {
					if raw, ok := upon.History().SnapshotData(s.Day); ok && p.until(s.Day) <= kept && from[name].until(s.Day) == p.until(s.Day) {
						a.Snapshots[i] = raw
					}
				}
				sameFiles(t, name, archiveFiles(t, a), want)
				// With a new formula, all changes are computed again.
				a.KeptChanges, a.Changes = 0, whole.Changes
				a.Line = whole.Line
				sameFiles(t, name+", new changes", archiveFiles(t, a), want)
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
func archiveFiles(t *testing.T, a *Archive) map[string]string {
	t.Helper()
	root, m := t.TempDir(), &store.Manifest{}
	w, err := NewWriter(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteArchive(a), w.Finalize(m, func(string) string { return "" }), w.Install(m)); err != nil {
		t.Fatal(err)
	}
	return tree(t, filepath.Join(store.BuildsDir(root), m.ID))
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) < 15 {
		t.Fatalf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %s is not the same", what, name)
		}
	}
}

// Sets that were extended must have the same bytes as sets built in one step, even
// with many thousands of items.
func TestExtendedSets(t *testing.T) {
	suite.InTest(t)
	rng := rand.New(rand.NewPCG(31, 31))
	n := 200_000
	share := map[string]func(i int) bool{
		"all": func(int) bool { return true }, "half": func(int) bool { return rng.IntN(2) == 0 }, "most": func(int) bool { return rng.IntN(50) > 0 },
		"runs": func(i int) bool { return i/700%2 == 0 }, "rare": func(int) bool { return rng.IntN(9000) == 0 },
		"pairs": func(i int) bool { return i%17 < 2 }, "first": func(i int) bool { return i < 4097 }, "last": func(i int) bool { return i > n-4000 },
	}
	sixteenth := map[string]func(i int) bool{"some": func(int) bool { return rng.IntN(16) == 0 }}
	for _, kinds := range []map[string]func(int) bool{share, sixteenth} {
		has := packed.PostingsBuilder{}
		for name, in := range kinds {
			for i := range n {
				if in(i) {
					has.Add("field", name, i)
				}
			}
		}
		part := func(from, to int) packed.PostingsBuilder {
			out := packed.PostingsBuilder{}
			for key, list := range has {
				for _, i := range list {
					if int(i) >= from && int(i) < to {
						out[key] = append(out[key], i)
					}
				}
			}
			return out
		}
		pack := func(p packed.PostingsBuilder, below [][]byte, kept, of int) [][]byte {
			t.Helper()
			old := packed.NoPostings()
			if below != nil {
				s := packed.NewSectionReader(nil)
				if old = s.Postings("sets", below); s.Err() != nil {
					t.Fatal(s.Err())
				}
			}
			parts, err := p.Pack(old, kept, of)
			if err != nil {
				t.Fatal(err)
			}
			return parts
		}
		want := pack(has, nil, 0, 0)
		same := func(what string, got [][]byte) {
			t.Helper()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: the bytes differ", what)
			}
		}
		step, at := [][]byte(nil), 0
		for at < n { // in many steps
			to := min(n, at+1+rng.IntN(20_000))
			step = pack(part(at, to), step, at, at)
			at = to
		}
		same("step by step", step)
		for _, kept := range []int{0, 1, 65_535, 65_536, 100_000, n - 1, n} {
			same(fmt.Sprint("upon ", kept), pack(part(kept, n), pack(has, nil, 0, 0), kept, n))
		}
	}
}
