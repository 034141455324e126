package exports

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/packed"
)

// TestArchivesThatDoNotFit finalizes builds in which one of the archive's files is truncated
// or comes from another archive, and checks that none of them can be opened.
func TestArchivesThatDoNotFit(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(16, 6))
	dir, m := smallBuild(t)
	_, list, a := smallHistory(9)
	other := openBuild(t, list[:1], a)
	a.Versions, a.Changes, a.Commits, a.Snapshots = nil, nil, nil, nil
	nothing := openBuild(t, list[:1], a)
	seen := 0
	for _, f := range m.Files {
		if !slices.Contains([]string{versionsFile, archiveFile, changesFile, trendsFile, weeksFile, ChangelogFile + ".jsonl"}, f.Path) &&
			!strings.HasPrefix(f.Path, snapshotsDir) {
			continue
		}
		seen++
		cuts := []int{0, 7, 8, int(f.Size) - 8}
		for range 6 {
			cuts = append(cuts, rng.IntN(int(f.Size)-7))
		}
		for _, n := range cuts {
			if !openWith(t, dir, m, f.Path, func(b []byte) []byte { return b[:n] }) {
				t.Errorf("%s was opened with %d of %d bytes", f.Path, n, f.Size)
			}
		}
		if f.Path == weeksFile || f.Path == trendsFile || strings.HasPrefix(f.Path, snapshotsDir) {
			continue // these files fit any archive with enough records or versions, see below
		}
		for _, b := range []*Build{other, nothing} {
			if !openWith(t, dir, m, f.Path, func([]byte) []byte { return b.files[f.Path] }) {
				t.Errorf("%s was opened with that of another build", f.Path)
			}
		}
	}
	for _, weeks := range []string{"null]", "[null]", `[{"end": "2026-01-05T00:00:00+00:00", "figures": [{}]}, {"end": "2026-01-05T00:00:00Z", "figures": [{}]}]`, `[{"end": "2026-01-05T00:00:00Z"}]`,
		`[{"end": "2026-01-05T01:00:00+01:00", "figures": [{}]}]`, `[{"end": "2026-01-05T00:00:00Z", "scores": [{"score": 101}]}]`} {
		if !openWith(t, dir, m, weeksFile, func([]byte) []byte { return packed.PackSections([]byte(weeks)) }) {
			t.Errorf("%s was opened with %s", weeksFile, weeks)
		}
	}
	if seen < 8 {
		t.Errorf("only %d files", seen)
	}
	large := newMadeHistory(10, catalogue(10, 400))
	versions, list := large.listed(400, large.rng)
	a = large.archive(400)
	a.Trends, a.Snapshots = []Trends{{Window: "7d", List: []Trend{{Ordinal: 399}}}}, []*SnapshotData{snapshotOf("2025-01-01", versions, list)}
	big := openBuild(t, list, a)
	for _, f := range m.Files {
		file := f.Path
		if strings.HasPrefix(f.Path, snapshotsDir) {
			file = snapshotsDir + "2025-01-01.bin"
		} else if file != trendsFile {
			continue
		}
		if !openWith(t, dir, m, f.Path, func([]byte) []byte { return big.files[file] }) {
			t.Errorf("%s was opened with that of a larger build", f.Path)
		}
	}
}
