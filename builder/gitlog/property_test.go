package gitlog_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/gitlog"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// randomHistory generates a random history as a stream for git fast-import.
type randomHistory struct {
	rand    *rand.Rand
	out     strings.Builder
	marks   int
	files   map[string]string   // files on the main branch
	former  map[string][]string // former slugs by slug
	version int
}

func newRandomHistory(seed uint64) *randomHistory {
	s := &randomHistory{rand: rand.New(rand.NewPCG(seed, 1)), files: map[string]string{}, former: map[string][]string{}}
	s.commit("refs/heads/main", "begin", "", map[string]string{"tool/stays.yaml": entity("Stays")})
	return s
}

// commit writes a commit that changes files; an empty string deletes a file. It returns the
// commit's mark.
func (s *randomHistory) commit(branch, message, parents string, change map[string]string) int {
	s.marks++
	fmt.Fprintf(&s.out, "commit %s\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata %d\n%s\n%s",
		branch, s.marks, 1700000000+s.rand.IntN(5000), len(message), message, parents)
	for _, path := range slices.Sorted(maps.Keys(change)) {
		if text := change[path]; text == "" {
			fmt.Fprintf(&s.out, "D %s\n", path)
		} else {
			fmt.Fprintf(&s.out, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
		}
	}
	if branch == "refs/heads/main" {
		for path, text := range change {
			if text == "" {
				delete(s.files, path)
			} else {
				s.files[path] = text
			}
		}
	}
	return s.marks
}

// step adds one commit, which may be a merge, to the main branch.
func (s *randomHistory) step() {
	change := map[string]string{}
	for range 1 + s.rand.IntN(4) {
		s.change(change)
	}
	s.version++
	switch s.rand.IntN(8) {
	case 0:
		main := s.marks
		side := s.commit(fmt.Sprintf("refs/heads/side%d", main), "aside (#5)", fmt.Sprintf("from :%d\n", main),
			map[string]string{"tool/aside.yaml": entity(fmt.Sprint("Aside ", s.version))})
		message := fmt.Sprintf("Merge pull request #%d from x\n", side)
		s.commit("refs/heads/main", message, fmt.Sprintf("from :%d\nmerge :%d\n", main, side), change)
	case 1:
		s.commit("refs/heads/main", "nothing", "", nil)
	default:
		s.commit("refs/heads/main", fmt.Sprint("change ", s.version), "", change)
	}
}

// change makes a random change to one file, as part of a commit.
func (s *randomHistory) change(change map[string]string) {
	typ, slug := kinds.Default().Names()[s.rand.IntN(2)], string(rune('a'+s.rand.IntN(6)))
	path := typ + "/" + slug + ".yaml"
	text, there := s.files[path]
	if _, done := change[path]; done {
		return
	}
	switch kind := s.rand.IntN(10); {
	case !there && kind < 8:
		change[path] = entity(fmt.Sprint("New ", s.version%3), s.former[path]...)
	case !there:
		change[path] = "broken: ["
	case kind < 2:
		change[path] = ""
	case kind < 5: // a rename, declared half of the time
		to := string(rune('a' + s.rand.IntN(6)))
		next := typ + "/" + to + ".yaml"
		if _, done := change[next]; done || to == slug {
			return
		}
		if s.rand.IntN(4) > 0 {
			s.former[next] = slices.DeleteFunc(append(slices.Clone(s.former[path]), slug), func(old string) bool { return old == to })
			s.former[next] = slices.Compact(slices.Sorted(slices.Values(s.former[next])))
		}
		change[path], change[next] = "", entity(fmt.Sprint("Renamed ", s.version), s.former[next]...)
	case kind == 5:
		change[path] = text + "# a comment\n"
	case kind == 6:
		change[path] = "also broken: ["
	default:
		change[path] = entity(fmt.Sprint("Edited ", s.version%4), s.former[path]...)
	}
}

// TestRandomHistories walks random histories in pieces of arbitrary length. It compares the
// result with a single walk over the whole history, and the last versions with the files in
// the working tree.
func TestRandomHistories(t *testing.T) {
	suite.InTest(t)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			s := newRandomHistory(seed)
			for range 150 {
				s.step()
			}
			r := newRepo(t)
			r.pipe(s.out.String(), "fast-import", "--quiet")
			full := r.walk(gitlog.Options{})
			checkLines(t, full)
			commits := strings.Fields(r.git("rev-list", "--first-parent", "--reverse", "HEAD"))
			stops := map[int]bool{len(commits) - 1: true}
			for range 12 {
				stops[s.rand.IntN(len(commits))] = true
			}
			var f found
			for _, stop := range slices.Sorted(maps.Keys(stops)) {
				r.git("reset", "-q", "--hard", commits[stop])
				log := r.walk(gitlog.Options{Previous: &f})
				if log.Continued != (f.log.Head != "") {
					t.Fatalf("at commit %d: continued is %v", stop, log.Continued)
				}
				f.add(t, log)
				compareWithFiles(t, r.dir, &f)
			}
			if len(full.Versions) < 100 || !reflect.DeepEqual(f.log.Versions, full.Versions) || !reflect.DeepEqual(f.log.Commits, full.Commits) {
				t.Errorf("in %d pieces:\n%sat once:\n%s", len(stops), told(&f.log), told(full))
			}
		})
	}
}

// checkLines checks the invariants of the versions.
func checkLines(t *testing.T, log *gitlog.Log) {
	t.Helper()
	follows, renamed, resumed := map[int32]int{}, 0, 0
	for i, v := range log.Versions {
		if int(v.Commit) >= len(log.Commits) || i > 0 && (v.Commit < log.Versions[i-1].Commit || v.Time < log.Versions[i-1].Time) || int(v.Previous) >= i || v.Deleted != (v.Entity == nil) {
			t.Fatalf("version %d: %+v", i, v)
		}
		if v.Previous < 0 {
			if v.Entity == nil {
				t.Errorf("version %d deletes an entity that never existed", i)
			}
			continue
		}
		if other, ok := follows[v.Previous]; ok {
			t.Errorf("versions %d and %d both succeed %d", other, i, v.Previous)
		}
		follows[v.Previous] = i
		b := log.Versions[v.Previous]
		if b.Type != v.Type || b.Slug != v.Slug && (v.Entity == nil || !slices.Contains(v.Entity.Formerly, b.Slug)) {
			t.Errorf("version %d (%s/%s) follows %d (%s/%s)", i, v.Type, v.Slug, v.Previous, b.Type, b.Slug)
		}
		if b.Entity == nil && v.Entity == nil || v.Commit == b.Commit || reflect.DeepEqual(v.Entity, b.Entity) {
			t.Errorf("version %d does not change %d", i, v.Previous)
		}
		if b.Slug != v.Slug {
			renamed++
		}
		if b.Entity == nil {
			resumed++
		}
	}
	if renamed < 5 || resumed < 5 {
		t.Errorf("the history has only %d renames and %d restored entities", renamed, resumed)
	}
}

// compareWithFiles compares the entities that exist after the last version with the valid
// files in the working tree.
func compareWithFiles(t *testing.T, dir string, f *found) {
	t.Helper()
	loaded, problems, err := content.Load(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	faulty := map[string]bool{}
	for _, p := range problems {
		faulty[strings.TrimSuffix(strings.TrimPrefix(p.File, dir+"/"), ".yaml")] = true
	}
	want := map[string]*record.Entity{}
	for _, e := range loaded.Entities {
		want[e.Key()] = e
	}
	for i, v := range f.log.Versions {
		key := v.Type + "/" + v.Slug
		later := func(is func(x record.Version) bool) bool { return slices.ContainsFunc(f.log.Versions[i+1:], is) }
		if faulty[key] && want[key] == nil || later(func(x record.Version) bool { return x.Type == v.Type && x.Slug == v.Slug }) {
			continue
		}
		alive := v.Entity != nil && !later(func(x record.Version) bool { return int(x.Previous) == i })
		if e := want[key]; alive != (e != nil) || alive && !reflect.DeepEqual(e, v.Entity) {
			t.Errorf("at the last version of %s, %d, alive is %v, the file has %+v, the version %+v", key, i, alive, e, v.Entity)
		}
		delete(want, key)
	}
	for key := range want {
		t.Errorf("%s has no version", key)
	}
}
