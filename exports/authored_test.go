package exports

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

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
	id := writeBuildWith(t, root, list, func(w *Writer) error { return w.WriteSources(list) })
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

// TestAuthoredIsCareful decodes records that AppendJSON did not write or that do not fully
// determine the entity.
func TestAuthoredIsCareful(t *testing.T) {
	lost := &record.Entity{Type: "tool", Slug: "a", Name: "a\xffb", Status: record.Active}
	if e, err := record.ParseAuthored(lost.AppendJSON(nil)); err == nil {
		t.Errorf("invalid UTF-8 was read as %q", e.Name)
	}
	var whole []byte // the record of the entity that has the most fields
	for _, e := range catalogue(3, 20) {
		if b := e.AppendJSON(nil); len(b) > len(whole) {
			whole = b
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range len(whole) {
		if e, err := record.ParseAuthored(whole[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were read as %+v", n, len(whole), e)
		}
		altered := append([]byte{}, whole...)
		altered[n] = byte(rng.IntN(256))
		_, _ = record.ParseAuthored(altered) // the altered record may be valid, but decoding it must not panic
	}
	if _, err := record.ParseAuthored(append(whole, ' ')); err == nil {
		t.Error("a space after the record was ignored")
	}
}

// FuzzAuthored looks for panics, and for records that, once decoded, differ from what was
// written.
func FuzzAuthored(f *testing.F) {
	for _, e := range catalogue(3, 20) {
		f.Add(e.AppendJSON(nil))
	}
	f.Fuzz(func(t *testing.T, authored []byte) {
		e, err := record.ParseAuthored(authored)
		if err != nil || !utf8.Valid(authored) {
			return
		}
		again, err := record.ParseAuthored(e.AppendJSON(nil))
		if err != nil || !reflect.DeepEqual(e, again) {
			t.Errorf("%v\nfirst  %+v\nsecond %+v", err, e, again)
		}
	})
}

// TestParseTexts: the texts of a record are those that the whole record has, whatever they contain.
func TestParseTexts(t *testing.T) {
	list := catalogue(13, 400)
	odd := *list[0]
	odd.Name, odd.Description = `"quoted" \ ,"scores":{}`, "line\n\u2028 broken \xff UTF-8"
	odd.Tags, odd.Capabilities = []string{"a\"b", ","}, nil
	for _, e := range append(list, &odd) {
		stored := e.AppendJSON(nil)
		var whole record.Entity
		if err := whole.UnmarshalJSON(stored); err != nil {
			t.Fatal(err)
		}
		got, err := record.ParseTexts(stored)
		if err != nil {
			t.Fatalf("%s: %v", stored, err)
		}
		texts := func(e *record.Entity) []string {
			return slices.Concat([]string{e.Type, e.Slug, e.Name, e.Provider, e.Description, e.Category}, e.Tags, []string{""}, e.Capabilities)
		}
		if !slices.Equal(texts(got), texts(&whole)) {
			t.Fatalf("got  %q\nwant %q", texts(got), texts(&whole))
		}
	}
	for n := range 200 {
		if _, err := record.ParseTexts(list[0].AppendJSON(nil)[:n]); err == nil {
			t.Fatalf("a record cut off after %d bytes was read", n)
		}
	}
}
