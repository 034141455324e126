package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"kindex/builder/suite"
)

// TestBuildsAreDurable checks the order of syncs: first each file and folder of a build,
// before the build is renamed to its final name, then the folder that contains that name,
// then the pointer to the build, and finally the pointer's folder. After a power failure,
// either the earlier build or the new one is current, and it is complete.
func TestBuildsAreDurable(t *testing.T) { // cannot run in parallel, because it replaces fsync
	root := t.TempDir()
	var synced []string // relative to root
	fsync = func(f *os.File) error {
		name, err := filepath.Rel(root, f.Name())
		if err != nil || f.Name() == "" {
			t.Errorf("%q is synced: %v", f.Name(), err)
		}
		synced = append(synced, name)
		return f.Sync()
	}
	defer func() { fsync = (*os.File).Sync }()

	w := suite.Must(NewStaging(root))(t)
	m := &Manifest{}
	suite.Check(t, errors.Join(w.Add("a", []byte("x")), w.Add("deep/er/b", []byte("y")), w.Finalize(m, func(string) string { return "" })))
	part := filepath.Join("exports", "builds", filepath.Base(w.dir.Name()))
	suite.Check(t, errors.Join(w.Install(m), Publish(root, m.ID)))
	want := []string{part, "a", "deep", "deep/er", "deep/er/b", ManifestFile}
	for i := range want[1:] {
		want[i+1] = filepath.Join(part, filepath.FromSlash(want[i+1]))
	}
	builds := slices.Index(synced, filepath.Join("exports", "builds"))
	if builds < 0 || !slices.Equal(slices.Sorted(slices.Values(synced[:builds])), slices.Sorted(slices.Values(want))) {
		t.Fatalf("synced %q, want %q before the folder of builds", synced, want)
	}
	// The remaining syncs are those of the pointer, under its temporary name, and of its
	// folder.
	if rest := synced[builds+1:]; len(rest) != 2 || rest[1] != "exports" {
		t.Errorf("synced %q at the end, want the pointer and exports", rest)
	}
}
