package exports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestNamed compares FindByName with a scan of all records, both with and without
// edits.
func TestNamed(t *testing.T) {
	suite.InTest(t)
	rng := rand.New(rand.NewPCG(1, 2))
	list := catalogue(77, catalogueSize)
	for i, e := range list { // some entities share a name in different spellings
		if i%9 == 0 {
			e.Name = []string{"Ÿ Same", "ÿ SAME", "y same"}[i%3]
		}
	}
	next := onlySome(rng, list, nextYear(rng, list), 50)
	base := openBuild(t, list)
	with, err := base.WithEdits(editsBetween(list, next))
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		build *Build
		list  []*record.Entity
	}{"build": {base, list}, "build with edits": {with, next}} {
		by := map[string][]string{"none has this": nil, "": nil, "zzzz": nil}
		for _, e := range c.list {
			by[record.Fold(e.Name)] = append(by[record.Fold(e.Name)], e.Key())
		}
		for name, want := range by {
			slices.Sort(want)
			var got []string
			for _, o := range c.build.FindByName(name, catalogueSize*2) {
				typ, slug := c.build.Key(o)
				got = append(got, typ+"/"+slug)
			}
			sorted := slices.Sorted(slices.Values(got))
			if !slices.Equal(sorted, want) {
				t.Fatalf("%s: %q is the name of %v, found %v", what, name, want, got)
			}
			if len(want) > 2 && len(c.build.FindByName(name, 2)) != 2 {
				t.Errorf("%s: the limit for %q does not hold", what, name)
			}
		}
		if n := len(by["y same"]); n < 10 {
			t.Fatal(fmt.Sprint("only ", n, " have a name in common"))
		}
	}
}
