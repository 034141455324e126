// Package journeys_test uses the website in a browser, like a visitor, a developer and the
// owner of a webhook. Contributing an entity is covered by a test in cmd/kindex, because it
// requires kindex commands.
package e2e_test

import (
	"path/filepath"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/site/static/statictest"
)

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop) }

// patience is how long a test waits for something before it gives up, which is far longer
// than even a slow machine needs.
const patience = 5 * time.Minute

// TestVisitor runs the same journey on both kinds of website, with and without scripts.
func TestVisitor(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	out := build(t)
	both := func(base func(*testing.T) string, served bool) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			address := base(t)
			visit(t, visitor{base: address, out: out, served: served, scripts: true})
			visit(t, visitor{base: address, out: out, served: served})
		}
	}
	t.Run("edge", both(func(t *testing.T) string { return edgetest.Start(t, edge.Options{Dir: out}).URL }, true))
	t.Run("static", both(func(t *testing.T) string { return statictest.Serve(t, out, true).URL }, false))
}

// build builds some categories of the content for tests: a static site has a dozen files
// for each entity.
func build(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	edgetest.Build(t, edgetest.Content(t, "ml-frameworks", "framework-extensions", "reinforcement-learning", "training", "language"), out)
	return out
}

// known returns an entity of a build, which must exist.
func known(t *testing.T, out, typ, slug string) *record.Entity {
	t.Helper()
	b, err := exports.OpenCurrent(out)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ordinal, _, ok := b.Find(typ, slug)
	if !ok {
		t.Fatalf("no entity %s/%s", typ, slug)
	}
	e, err := b.Entity(ordinal)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
