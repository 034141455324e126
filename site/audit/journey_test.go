package audit_test

import (
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/record"
)

// TestVisitor runs the same journey on both kinds of website, with and without scripts.
func TestVisitor(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	out := part.build(t)
	both := func(base func(*testing.T) string, served bool) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			address := base(t)
			visit(t, visitor{base: address, out: out, served: served, scripts: true})
			visit(t, visitor{base: address, out: out, served: served})
		}
	}
	t.Run("edge", both(func(t *testing.T) string { return edgetest.Start(t, edge.Options{Dir: out}).URL }, true))
	t.Run("static", both(func(t *testing.T) string { return part.file(t).URL }, false))
}

// known returns an entity of a build, which must exist.
func known(t *testing.T, out, typ, slug string) *record.Entity {
	t.Helper()
	b := suite.Must(exports.OpenCurrent(out))(t)
	defer b.Close()
	ordinal, _, ok := b.Find(typ, slug)
	if !ok {
		t.Fatalf("no entity %s/%s", typ, slug)
	}
	e := b.Entity(ordinal)
	return e
}
