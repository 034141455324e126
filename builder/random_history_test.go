package builder_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/score"
	"kindex/exports/store"
)

// randomHistory is a content folder that goes through a random history.
type randomHistory struct {
	folder
	rand   *rand.Rand
	gitDir string    // the git directory, if it is not in the folder
	now    time.Time // the time of the next commit
	asOf   time.Time

	files map[string]*source // by type/slug
	held  map[string]bool    // former slugs that files list
	told  []string           // what has happened, for failure messages
}

// source describes an entity file that is yet to be written.
type source struct {
	name, status, stars, date string
	lists                     string // additional lines
	formerly                  []string
}

func (s *source) String() string {
	text := fmt.Sprintf("name: %s\ndescription: An example of a thing.\ncategory: nlp\n%s", s.name, s.lists)
	if s.status != "" {
		text += "status: " + s.status + "\n"
	}
	if len(s.formerly) > 0 {
		text += "formerly: [" + strings.Join(s.formerly, ", ") + "]\n"
	}
	if s.stars == "" {
		return text
	}
	return text + fmt.Sprintf("signals:\n  stars: {value: %s, date: %s, source: https://example.org/}\n"+
		"  downloads: {value: 1000, date: %s, source: https://example.org/}\n", s.stars, s.date, s.date)
}

func newRandomHistory(t *testing.T, seed uint64) *randomHistory {
	s := &randomHistory{folder: folder{t, t.TempDir()}, rand: rand.New(rand.NewPCG(seed, 3)), files: map[string]*source{}, held: map[string]bool{}}
	s.now = time.Date(2026, 3, 1, 22, 30, 0, 0, time.UTC)
	s.asOf = time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	for _, typ := range []string{"model", "tool"} {
		suite.Check(t, os.Mkdir(filepath.Join(s.dir, typ), 0o755))
	}
	s.put("tool/stays", &source{name: "Stays", stars: "10", date: "2026-02-01"})
	return s
}

func (s *randomHistory) put(key string, f *source) {
	s.files[key] = f
	s.write(key+".yaml", f.String())
}

func (s *randomHistory) drop(key string) {
	for _, old := range s.files[key].formerly {
		delete(s.held, key[:strings.Index(key, "/")+1]+old)
	}
	delete(s.files, key)
	s.remove(key + ".yaml")
}

// free returns an address that no file has ever used, or "" if there is none.
func (s *randomHistory) free(typ string) string {
	for range 4 {
		if key := fmt.Sprintf("%s/%c", typ, 'a'+s.rand.IntN(6)); s.files[key] == nil && !s.held[key] {
			return key
		}
	}
	return ""
}

// change changes one file at random.
func (s *randomHistory) change() {
	keys := slices.Sorted(maps.Keys(s.files))
	key := keys[s.rand.IntN(len(keys))]
	typ, slug, _ := strings.Cut(key, "/")
	f := s.files[key]
	did := ""
	switch kind := s.rand.IntN(12); {
	case kind < 3:
		if key = s.free([]string{"model", "tool"}[s.rand.IntN(2)]); key != "" {
			s.put(key, &source{name: fmt.Sprint("New ", s.rand.IntN(2)), stars: fmt.Sprint(s.rand.IntN(3) * 100), date: "2026-02-01"})
			did = "new"
		}
	case kind < 5:
		f.stars, did = []string{"", "100", "5000", "70000"}[s.rand.IntN(4)], "stars"
		s.put(key, f)
	case kind < 6:
		f.date, did = fmt.Sprintf("2026-02-%02d", 1+s.rand.IntN(28)), "dates"
		s.put(key, f)
	case kind < 7:
		f.status, did = []string{"", "deprecated", "withdrawn"}[s.rand.IntN(3)], "status"
		s.put(key, f)
	case kind < 8:
		f.lists, did = []string{"", "tags: []\n", "tags: [x, y]\n", "addedDate: 2020-02-29\n", "lastUpdated: 2026-01-01\n"}[s.rand.IntN(5)], "lists"
		s.put(key, f)
	case kind < 10:
		renamed := *f
		renamed.formerly = append(slices.Clone(f.formerly), slug)
		to := s.free(typ)
		if n := len(f.formerly); n > 0 && s.rand.IntN(2) == 0 {
			to, renamed.formerly = typ+"/"+f.formerly[n-1], []string{slug} // back to its former slug
		}
		if to != "" {
			s.drop(key)
			for _, old := range renamed.formerly {
				s.held[typ+"/"+old] = true
			}
			s.put(to, &renamed)
			did = "to " + to
		}
	case kind < 11:
		for _, old := range f.formerly {
			delete(s.held, typ+"/"+old)
		}
		f.formerly, did = nil, "no longer formerly"
		s.put(key, f)
	case len(keys) > 3:
		s.drop(key)
		did = "gone"
	}
	s.told = append(s.told, key+" "+did)
}

// step makes a few changes, sometimes also to the formula. The clock usually advances, but
// not always.
func (s *randomHistory) step() {
	for range 1 + s.rand.IntN(3) {
		s.change()
	}
	switch s.rand.IntN(8) {
	case 0:
		s.write("scoring.yaml", formulaWith(fmt.Sprint(6000*(1+s.rand.IntN(3)))))
	case 1:
		s.write("categories.yaml", fmt.Sprintf("categories:\n  - slug: nlp\n    title: Language %d\n    description: Words.\n", s.rand.IntN(5)))
	}
	s.now = s.now.Add([]time.Duration{0, time.Second, 5 * time.Hour, 60 * time.Hour, -30 * time.Hour}[s.rand.IntN(5)])
	s.asOf = s.asOf.AddDate(0, 0, []int{0, 0, 1, 8, 40}[s.rand.IntN(5)])
}

// formulaWith returns the built-in scoring file, except that a different number of stars counts as
// full.
func formulaWith(stars string) string {
	return strings.ReplaceAll(string(score.Default), "full: 75000,", "full: "+stars+",")
}

func (s *randomHistory) scoring() string {
	s.t.Helper()
	return folder{s.t, suite.Content(s.t)}.read("scoring.yaml")
}

// git runs git at the history's current time.
func (s *randomHistory) git(args ...string) {
	s.t.Helper()
	if s.gitDir != "" {
		args = append([]string{"--git-dir=" + s.gitDir, "--work-tree=" + s.dir}, args...)
	}
	suite.Git(s.t, s.dir, s.now.In(time.FixedZone("", -7*3600)), args...)
}

// commit commits everything, sometimes with a merge.
func (s *randomHistory) commit(message string) {
	s.t.Helper()
	s.git("add", "-A")
	if message != "begin" && s.rand.IntN(5) == 0 {
		s.git("checkout", "-q", "-b", "side")
		s.git("commit", "-q", "--allow-empty", "-m", message)
		s.git("checkout", "-q", "main")
		s.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from x", "side")
		s.git("branch", "-q", "-D", "side")
		return
	}
	s.git("commit", "-q", "--allow-empty", "-m", message)
}

// build builds the working tree, even if the new build loses something that the previous
// build has.
func (s *randomHistory) build(out string, keep int) *builder.Report {
	s.t.Helper()
	r, err := builder.Build(context.Background(), builder.Options{Content: s.dir, Out: out, AsOf: s.asOf, Keep: keep, AllowShrink: true})
	if err != nil {
		s.t.Fatalf("%v\nafter %s", err, strings.Join(s.told, "; "))
	}
	return r
}

// TestRandomHistory builds every step of a repository's history both incrementally, on top
// of an earlier build, and from scratch.
func TestRandomHistory(t *testing.T) {
	suite.InRace(t)
	t.Parallel()
	seeds := suite.Pick[uint64](1, 3)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newRandomHistory(t, seed)
			s.git("init", "-q", "-b", "main")
			s.commit("begin")
			out, seldom := t.TempDir(), t.TempDir() // builds in seldom skip commits, and only one of them is kept
			for i := range 6 {
				full := s.build(t.TempDir(), 1)
				sameAs := func(kind string, r *builder.Report) {
					if sameBuild(t, r.Dir, full.Dir); r.ID != full.ID {
						t.Errorf("%s: %s, in full %s", kind, r.ID, full.ID)
					}
				}
				sameAs("upon the commit before", s.build(out, 3))
				if i%4 == 0 {
					sameAs("upon a commit long before", s.build(seldom, 1))
				}
				if t.Failed() {
					t.Fatalf("after %d: %s", i, strings.Join(s.told, "; "))
				}
				for range 1 + s.rand.IntN(3) {
					s.step()
					s.commit(fmt.Sprint("change ", i, " (#12)"))
				}
			}
		})
	}
}

// changesOf lists the changes in a build, without the data that only a repository contains.
func changesOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	b := suite.Must(exports.Open(dir))(t)
	defer b.Close()
	for i := range b.History().Changes() {
		c := b.History().Change(i)
		list = append(list, c.ID+" "+c.Event+" "+c.Key())
	}
	return list
}

// TestRandomFolder builds every step of a folder's history twice. The folder is not in a
// repository, but the builds must find the same changes as with one.
func TestRandomFolder(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	seeds := suite.Pick([]uint64{2}, []uint64{2, 4})
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newRandomHistory(t, seed)
			s.gitDir = t.TempDir()
			s.git("init", "-q", "-b", "main")
			one, two := t.TempDir(), t.TempDir()
			for range 9 {
				s.git("add", "-A")
				s.git("commit", "-q", "--allow-empty", "-m", "a state")
				a, b := s.build(one, 1), s.build(two, 2)
				if sameBuild(t, a.Dir, b.Dir); a.ID != b.ID {
					t.Errorf("%s and %s", a.ID, b.ID)
				}
				if t.Failed() {
					t.Fatalf("after %s", strings.Join(s.told, "; "))
				}
				s.step()
			}
			kept := *s
			kept.gitDir, kept.dir = "", t.TempDir()
			kept.git("clone", "-q", s.gitDir, ".")
			id := suite.Must(store.Current(one))(t)
			here, there := changesOf(t, filepath.Join(store.BuildsDir(one), id)), changesOf(t, kept.build(t.TempDir(), 1).Dir)
			if !slices.Equal(here, there) {
				t.Errorf("the changes\n%s\nin a repository\n%s\nafter %s", strings.Join(here, "\n"), strings.Join(there, "\n"), strings.Join(s.told, "; "))
			}
		})
	}
}
