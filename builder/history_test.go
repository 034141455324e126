package builder_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
)

// newRepository returns a random history in a repository, with one commit.
func newRepository(t *testing.T) *randomHistory {
	s := newRandomHistory(t, 1)
	s.git("init", "-q", "-b", "main")
	s.put("tool/a", &source{name: "A", stars: "100", date: "2026-02-01"})
	s.commit("begin")
	s.now = s.now.AddDate(0, 0, 17)
	return s
}

// built opens a finished build.
func built(t *testing.T, r *builder.Report) *exports.Build {
	t.Helper()
	b := suite.Must(exports.Open(r.Dir))(t)
	t.Cleanup(func() { b.Close() })
	return b
}

// TestUncommittedFileOfADeletedEntity builds a working tree that still contains the file of an
// entity that the last commit deleted.
func TestUncommittedFileOfADeletedEntity(t *testing.T) {
	s := newRepository(t)
	s.remove("tool/a.yaml")
	s.git("commit", "-q", "-a", "-m", "gone")
	s.put("tool/a", &source{name: "A", stars: "200", date: "2026-02-01"})
	s.asOf = s.asOf.AddDate(0, 0, 1)
	if list := built(t, s.build(t.TempDir(), 1)).History().Window("7d").List; len(list) > 0 {
		t.Errorf("%v is trending", list)
	}
}

// TestUncommittedFileAtAnEarlierSlug gives an entity's former slug to another entity, which must
// not inherit the first one's date.
func TestUncommittedFileAtAnEarlierSlug(t *testing.T) {
	s := newRepository(t)
	s.drop("tool/a")
	s.put("tool/b", &source{name: "A", formerly: []string{"a"}})
	s.commit("a rename")
	s.put("tool/b", &source{name: "A"})
	s.put("tool/a", &source{name: "Another"})
	r := built(t, s.build(t.TempDir(), 1))
	for slug, want := range map[string]string{"a": `"addedDate":null`, "b": `"addedDate":"2026-03-01"`} {
		if o, _, ok := r.Find("tool", slug); !ok || !strings.Contains(string(r.Record(o)), want) {
			t.Errorf("%s: want %s: %s", slug, want, r.Record(o))
		}
	}
}

// TestSlugFreedInAFolder gives a new entity the slug of a deleted one after another entity
// has claimed it as a former slug. The content is in a folder without a repository.
func TestSlugFreedInAFolder(t *testing.T) {
	suite.InTest(t)
	s := newRandomHistory(t, 1)
	out := t.TempDir()
	s.put("tool/a", &source{name: "A"})
	s.build(out, 1)
	s.drop("tool/a")
	s.build(out, 1)
	s.put("tool/b", &source{name: "B", formerly: []string{"a"}})
	s.build(out, 1)
	s.put("tool/b", &source{name: "B"})
	s.put("tool/a", &source{name: "Another A"})
	s.build(out, 1)
}

// TestRepositoryWithoutGit builds content in a repository while git is not installed. The
// content must not be treated as if it were outside git: the build would date all changes with
// the as-of day, and no later build could find those changes in the commits.
func TestRepositoryWithoutGit(t *testing.T) {
	suite.InTest(t)
	s := newRepository(t)
	out := t.TempDir()
	before := changesOf(t, s.build(out, 3).Dir)
	s.put("tool/a", &source{name: "B"})
	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	r := s.build(out, 3)
	if now := changesOf(t, r.Dir); len(now) != len(before) || !strings.Contains(strings.Join(r.Warnings, "\n"), "git is not installed") {
		t.Errorf("changes %v, before %v; warnings %q", now, before, r.Warnings)
	}
	t.Setenv("PATH", path)
	if _, err := builder.Build(context.Background(), builder.Options{Content: s.dir, Out: out, AsOf: s.asOf, Keep: 3}); err != nil {
		t.Errorf("once git is back: %v", err)
	}
}

// TestOddTimes builds a repository as of times before, during and long after its history, both
// incrementally and from scratch.
func TestOddTimes(t *testing.T) {
	suite.InTest(t)
	s := newRepository(t)
	s.put("tool/a", &source{name: "A", stars: "70000", date: "2026-02-01"})
	s.git("commit", "-q", "-a", "-m", "later")
	out := t.TempDir()
	for _, at := range []string{"2026-03-20T00:00:00Z", "2026-03-10T20:00:00-07:00", "2026-02-20T00:00:00Z", "1969-12-31T23:00:00Z", "9998-01-01T00:00:00Z"} {
		s.asOf = suite.Must(time.Parse(time.RFC3339, at))(t)
		incremental, full := s.build(out, 2), s.build(t.TempDir(), 1)
		sameBuild(t, incremental.Dir, full.Dir)
		if days := built(t, incremental).History().Snapshots(); len(days) > 12*50+20 {
			t.Errorf("as of %s: %d snapshots", at, len(days))
		}
	}
}
