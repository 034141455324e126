package exports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
)

func TestBuildReadsBack(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	list := catalogue(2, catalogueSize)
	b := openBuild(t, list)
	t.Run("addresses", func(t *testing.T) { checkAddresses(t, b, list) })
	t.Run("records", func(t *testing.T) { checkRecords(t, b, list) })
	t.Run("similar", func(t *testing.T) { checkSimilar(t, b, list) })
}

func checkAddresses(t *testing.T, b *Build, list []*record.Entity) {
	type target struct {
		ordinal int
		moved   bool
	}
	want := map[[2]string]target{}
	for i, e := range list {
		want[[2]string{e.Type, e.Slug}] = target{i, false}
	}
	moved := 0
	for i, e := range list {
		for _, old := range e.Formerly {
			if _, taken := want[[2]string{e.Type, old}]; !taken {
				want[[2]string{e.Type, old}] = target{i, true}
				moved++
			}
		}
	}
	if moved < 100 {
		t.Fatalf("the catalogue has only %d earlier slugs", moved)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	asked := [][2]string{{"", ""}, {"tool", ""}, {"", "a"}, {"tool\x00a", ""}, {"tools", "a"}, {"zzz", "zzz"}, {"tool", "a\x00"}, {"tool\x00", "a"}}
	for k := range want {
		asked = append(asked, k, [2]string{k[0], k[1] + "x"}, [2]string{k[0], k[1][:rng.IntN(len(k[1]))]}, [2]string{k[0][1:], k[1]})
	}
	for _, k := range asked {
		w, known := want[k]
		o, moved, ok := b.Find(k[0], k[1])
		if ok != known || int(o) != w.ordinal || moved != w.moved {
			t.Errorf("Find%q = %d, %v, %v; want %d, %v, %v", k, o, moved, ok, w.ordinal, w.moved, known)
		}
	}
	for i, e := range list {
		if typ, slug := b.Key(uint32(i)); typ != e.Type || slug != e.Slug {
			t.Errorf("Key(%d) = %s/%s, want %s", i, typ, slug, e.Key())
		}
	}
	var got [][2]string
	b.Keys(func(typ, slug string) bool { got = append(got, [2]string{typ, slug}); return true })
	if len(got) != len(want) || !slices.IsSortedFunc(got, func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		t.Errorf("%d keys, want %d in order", len(got), len(want))
	}
	for _, k := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("Keys returns %q, which no entity has", k)
		}
	}
	n := 0
	b.Keys(func(string, string) bool { n++; return n < 5 })
	if n != 5 {
		t.Errorf("Keys continued to %d, want it to stop at 5", n)
	}
}

func checkRecords(t *testing.T, b *Build, list []*record.Entity) {
	lines := map[string][]byte{}
	data, err := b.ReadFile(EntitiesFile + ".jsonl")
	if data == nil || err != nil {
		t.Fatalf("there is no JSONL export: %v", err)
	}
	last := ""
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		var row struct{ Type, Slug string }
		suite.Check(t, json.Unmarshal(s.Bytes(), &row))
		key := row.Type + "\x00" + row.Slug
		if key <= last {
			t.Errorf("%q comes after %q", key, last)
		}
		last = key
		lines[key] = slices.Clone(s.Bytes())
	}
	if b.Len() != len(list) || b.Listed() != len(lines) {
		t.Errorf("%d records, want %d; %d are listed, and there are %d lines", b.Len(), len(list), b.Listed(), len(lines))
	}
	ranked := 0
	for i, e := range list {
		o := uint32(i)
		if got, want := b.Record(o), e.AppendJSON(nil); !bytes.Equal(got, want) {
			t.Fatalf("record %d\ngot  %s\nwant %s", i, got, want)
		}
		back := b.Entity(o)
		want := *e
		want.Kinds = back.Kinds
		if !reflect.DeepEqual(*back, want) {
			t.Fatalf("entity %d\ngot  %+v\nwant %+v", i, *back, want)
		}
		var row []byte
		if e.Status != record.Withdrawn {
			row = table.AppendRow(nil, table.EntityColumns, table.EntityRow(table.EntityColumns, e, 0))
			if e.Scores.Composite.Known() {
				ranked++
			}
		}
		if got := lines[e.Type+"\x00"+e.Slug]; !bytes.Equal(got, row) {
			t.Fatalf("row %d\ngot  %s\nwant %s", i, got, row)
		}
	}
	suite.Equal(t, b.Manifest.Counts.Ranked, ranked, "ranked")
}

func checkSimilar(t *testing.T, b *Build, list []*record.Entity) {
	near, features := someNeighbours(rand.New(rand.NewPCG(7, 7)), len(list))
	for i, want := range near {
		got := b.Similar(uint32(i))
		if len(got) != len(want) {
			t.Fatalf("%d neighbours of %d, want %d", len(got), i, len(want))
		}
		for j := range want {
			if !reflect.DeepEqual(got[j], want[j]) {
				t.Errorf("neighbour %d of %d is %+v, want %+v", j, i, got[j], want[j])
			}
			for _, r := range got[j].Reasons {
				suite.Equal(t, b.Feature(r), features[r], "feature", r)
			}
		}
	}
}

func TestSpellingShown(t *testing.T) {
	var list []*record.Entity
	for i, provider := range []string{"acme", "ACME", "Acme", "ACME", "acme"} {
		list = append(list, &record.Entity{Type: "tool", Slug: fmt.Sprint("t", i), Name: "T", Category: "c", Status: record.Active, Provider: provider, Tags: []string{"É", "e", "E"}})
	}
	b := openBuild(t, list)
	set := b.Select(&view.Filter{Fields: map[string][][]string{"provider": {{"Acmé"}}}})
	if set.GetCardinality() != 5 {
		t.Error(set)
	}
	// If several spellings are equally frequent, the first in sorted order is used. Each
	// entity is counted only once.
	for field, want := range map[string]view.FacetCount{"provider": {Value: "ACME", Count: 5}, "tag": {Value: "E", Count: 5}} {
		suite.Equal(t, b.Facet(set, field, 9), []view.FacetCount{want}, field)
	}
}

func TestNothingToWrite(t *testing.T) {
	b := openBuild(t, nil)
	set := b.Select(&view.Filter{})
	if !set.IsEmpty() || b.Len() != 0 {
		t.Errorf("%v of %d", set, b.Len())
	}
	page, more, ok := b.Page(set, view.DefaultSort, &view.Position{Type: "tool", Slug: "a"}, 0, 10)
	if len(page) != 0 || more || !ok || len(b.Facet(set, "tag", 5)) != 0 {
		t.Error(page, more, ok)
	}
	if data, _ := b.ReadFile(EntitiesFile + ".json"); string(data) != "[]\n" {
		t.Errorf("an empty export is %q", data)
	}
	if _, _, ok := b.Find("tool", "a"); ok {
		t.Error("an empty build found something")
	}
	if o, ok := b.SortPositionOf(view.Position{Value: "5", Type: "tool", Slug: "a"}); !ok || o != -0.5 {
		t.Error(o, ok)
	}
	if _, _, ok := b.File("../" + filepath.Base(os.TempDir())); ok {
		t.Error("a path outside the build was found")
	}
}
