package exports

import (
	"path/filepath"
	"reflect"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/exports/store"
)

// openWithSources writes a build with information about source files, and opens it. Some dates are
// derived.
func openWithSources(t *testing.T, list []*record.Entity) *Build {
	t.Helper()
	for i, e := range list {
		e.AddedDerived, e.UpdatedDerived = i%2 == 0, i%5 == 0
	}
	root := t.TempDir()
	id := writeBuild(t, root, list)
	b, err := Open(filepath.Join(store.BuildsDir(root), id))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func TestAuthoredIsWhatTheFileGave(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	list := catalogue(11, catalogueSize)
	b := openWithSources(t, list)
	for i, e := range list {
		want := *e
		want.Kinds = b.Kinds()
		want.Scores, want.Computed = record.Scores{}, record.Computed{}
		if e.AddedDerived {
			want.AddedDate = ""
		}
		if e.UpdatedDerived {
			want.LastUpdated = ""
		}
		want.AddedDerived, want.UpdatedDerived = false, false
		if got, err := b.Authored(uint32(i)); err != nil || !reflect.DeepEqual(*got, want) {
			t.Fatalf("%v\ngot  %+v\nwant %+v", err, got, want)
		}
	}
}
