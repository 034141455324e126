package builder

import (
	"context"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestReusedEntitiesAreTheParsedOnes checks that an entity reused from an earlier build
// equals the parsed entity in every field, both for real content and for a generated
// corpus.
func TestReusedEntitiesAreTheParsedOnes(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	fixture := suite.Content(t)
	corpus := filepath.Join(t.TempDir(), "corpus")
	if out, err := exec.Command("go", "run", "../cmd/gencorpus", "-n", "300", "-content", fixture, "-out", corpus).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, dir := range []string{fixture, corpus} {
		o := Options{Content: dir, Out: t.TempDir(), AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Keep: 1, Key: GenerateKey()}
		if _, err := Build(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		b := &build{Options: o}
		if err := b.openPrevious(context.Background()); err != nil || b.previous == nil {
			t.Fatal("no earlier build", err)
		}
		defer b.closePrevious()
		parsed, _, err := content.Load(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		reused, _, err := content.LoadWithReuse(dir, reuse{b}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(parsed.Entities) < 200 || len(reused.Entities) != len(parsed.Entities) || slices.Contains(reused.Unchanged, false) || slices.Contains(parsed.Unchanged, true) {
			t.Fatalf("%s: %d entities, %d of them reused or not", dir, len(parsed.Entities), len(reused.Entities))
		}
		for i, want := range parsed.Entities {
			if got := reused.Entities[i]; !reflect.DeepEqual(got, want) {
				t.Fatalf("%s\nreused %#v\nparsed %#v", want.Key(), got, want)
			}
		}
		if !reflect.DeepEqual(reused.Blobs, parsed.Blobs) || !reflect.DeepEqual(reused.Sums, parsed.Sums) {
			t.Errorf("%s: sums differ", dir)
		}
	}
}

// TestContentHandedOverIsMarked passes content that has already been read to a build, as
// the watcher does.
func TestContentHandedOverIsMarked(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	o := Options{Content: suite.Content(t), Out: t.TempDir(), AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Keep: 2, Key: GenerateKey()}
	first, err := Build(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	f := content.Open(o.Content)
	if _, err := f.Refresh(nil); err != nil {
		t.Fatal(err)
	}
	if o.Loaded, _, err = SnapshotFolder(f); err != nil {
		t.Fatal(err)
	}
	o.Loaded.Complete()
	second, err := Build(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if second.ID != first.ID || second.Reused != first.Counts.Entities+first.Counts.Withdrawn || first.Reused != 0 {
		t.Errorf("first %s reuses %d, second %s reuses %d of %d", first.ID, first.Reused, second.ID, second.Reused, first.Counts.Entities)
	}
	if !slices.IsSortedFunc(o.Loaded.Entities, record.CompareRank) {
		t.Error("the entities are not in ordinal order")
	}
	for i, e := range o.Loaded.Entities {
		if _, ok := (&build{}).unchanged(e.Type, e.Slug, o.Loaded.Sums[i]); ok {
			t.Fatal("entities are marked unchanged without an earlier build")
		}
	}
}
