package gitlog_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/gitlog"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestVersions checks the versions found in the histories in testdata/versions.txtar.
func TestVersions(t *testing.T) {
	a, err := txtar.ParseFile("testdata/versions.txtar")
	if err != nil || len(a.Files) < 20 {
		t.Fatal(err, len(a.Files))
	}
	for _, f := range a.Files {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			var commits [][]string
			var want []string
			for line := range strings.Lines(string(f.Data)) {
				if found, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> "); ok {
					want = append(want, found)
				} else {
					commits = append(commits, filesOf(line))
				}
			}
			checkVersions(t, commits, want)
		})
	}
	for name, commits := range map[string][][]string{
		"comments and layout are no version": {{"tool/a.yaml", entity("A")}, {"tool/a.yaml", "# hello\n" + strings.ReplaceAll(entity("A"), "\n", "\r\n")}},
		"what is no entity file": {
			{"tool/a.yml", entity("A"), "tool/A.yaml", entity("A"), "tool/in/a.yaml", entity("A"), "tool/é.yaml", entity("A"),
				"tool.yaml", entity("A"), "tools/a.yaml", entity("A"), "categories.yaml", "x: 1\n", "tool/-a.yaml", entity("A"), "tool/a\n.yaml", entity("A")},
			{"tool/a.yaml/b.yaml", entity("A")}, {"tool/a.yaml", entity("A")}},
	} {
		t.Run(name, func(t *testing.T) { checkVersions(t, commits, []string{"0: c0 tool/a A"}) })
	}
	t.Run("dates are a version", func(t *testing.T) {
		checkVersions(t, [][]string{{"tool/a.yaml", entity("A")}, {"tool/a.yaml", entity("A") + "addedDate: 2024-01-01\n"}},
			[]string{"0: c0 tool/a A", "1: c1 tool/a A after 0"})
	})
}

// filesOf returns the files of a commit in testdata/versions.txtar, as repo.commit needs them.
func filesOf(line string) (files []string) {
	for _, item := range strings.Fields(line) {
		path, value, _ := strings.Cut(item, "=")
		name, formerly, _ := strings.Cut(value, "<")
		switch {
		case !strings.Contains(path, "/"):
			files = append(files, path, value)
			continue
		case value == "!":
			value = "name: [\n"
		case value != "":
			value = entity(name, strings.FieldsFunc(formerly, func(r rune) bool { return r == ',' })...)
		}
		files = append(files, path+".yaml", value)
	}
	return files
}

// checkVersions commits lists of paths and contents, and compares the versions that are found.
func checkVersions(t *testing.T, commits [][]string, want []string) {
	t.Helper()
	r := newRepo(t)
	for _, files := range commits {
		r.commit("a commit", files...)
	}
	log := r.walk(gitlog.Options{})
	for i, n := range log.Notes {
		suite.Contains(t, n, ".yaml at "+r.git("rev-parse", "--short=12", strings.Fields(n)[2][:12])+": ", "the note")
		log.Notes[i] = "NOTE"
	}
	expect(t, log, want...)
	// Repeat the walk in two parts, split at each commit in turn.
	for i := range len(commits) - 1 {
		old := r.git("rev-parse", "HEAD~"+string(rune('1'+i)))
		clone := r.at(filepath.Join(t.TempDir(), "clone"))
		r.git("clone", "-q", r.dir, clone.dir)
		clone.git("update-ref", "HEAD", old)
		var f found
		f.add(t, clone.walk(gitlog.Options{}))
		clone.git("update-ref", "HEAD", "origin/main")
		next := clone.walk(gitlog.Options{Previous: &f})
		f.add(t, next)
		if !next.Continued || !reflect.DeepEqual(f.log.Versions, log.Versions) || !reflect.DeepEqual(f.log.Commits, log.Commits) {
			t.Errorf("in two pieces, %d commits in the second, the history differs:\n%s", i+1, told(&f.log))
		}
	}
}

func TestMergesAndReverts(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	r.commit("begin", "content/tool/a.yaml", entity("A"))
	r.git("checkout", "-q", "-b", "side")
	r.commit("one (#99)", "content/tool/b.yaml", entity("B"))
	r.commit("two", "content/tool/b.yaml", entity("C"), "content/tool/a.yaml", entity("A2"))
	r.git("checkout", "-q", "main")
	r.commit("meanwhile", "other", "x")
	r.author = "Zoë Ångström"
	r.git("merge", "-q", "--no-ff", "-m", "Merge pull request #12 from example/side\n\nTwo things", "side")
	r.author = "Ada"
	for _, b := range []string{"x", "y"} {
		r.git("checkout", "-q", "-b", b, "main")
		r.commit("on "+b, "content/model/"+b+".yaml", entity(b))
	}
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "octopus", "x", "y")
	r.git("revert", "--no-edit", "-m", "1", "HEAD")
	r.commit("nothing at all")
	r.git("merge", "-q", "-s", "ours", "-m", "See no change (#7)", "x")
	log := r.walk(gitlog.Options{Dir: filepath.Join(r.dir, "content")})
	expect(t, log, "0: c0 tool/a A", "1: c1 tool/a A2 after 0", "2: c1 tool/b C", "3: c2 model/x x", "4: c2 model/y y",
		"5: c3 model/x deleted after 3", "6: c3 model/y deleted after 4")
	if log.Path != "content/" || log.Head != r.git("rev-parse", "HEAD") || log.Continued || log.Shallow {
		t.Errorf("the walk reports %+v", log)
	}
	merge := log.Commits[1]
	if merge.Author != "Zoë Ångström" || merge.PullRequest != 12 || merge.Hash != r.git("log", "--format=%H", "--merges", "-1", "--grep=Two things") {
		t.Errorf("the merge is %+v", merge)
	}
	suite.Equal(t, r.git("log", "-1", "--format=%ct", merge.Hash), strconv.FormatInt(log.Versions[1].Time, 10), "the merge", log.Versions[1].Time)
	for i, c := range log.Commits {
		if i != 1 && c.PullRequest != 0 {
			t.Errorf("commit %d has pull request %d", i, c.PullRequest)
		}
	}
}

func TestOddFiles(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	r.commit("begin", "tool/a.yaml", entity("A"), "tool/b.yaml", entity("B"), "tool/c.yaml", entity("C"))
	r.write("tool/a.yaml", "")
	suite.Check(t, os.Symlink("b.yaml", filepath.Join(r.dir, "tool", "a.yaml")))
	r.commit("a link")
	r.git("rm", "-q", "--cached", "tool/b.yaml")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+r.git("rev-parse", "HEAD")+",tool/b.yaml")
	r.git("commit", "-q", "-m", "a submodule")
	link := r.git("rev-parse", "--short=12", "HEAD~1")
	expect(t, r.walk(gitlog.Options{}), "0: c0 tool/a A", "1: c0 tool/b B", "2: c0 tool/c C",
		"tool/a.yaml at "+link+": must be a regular file, not a link",
		"tool/b.yaml at "+r.git("rev-parse", "--short=12", "HEAD")+": must be a regular file, not a submodule")
	r.git("rm", "-q", "--cached", "tool/b.yaml")
	r.write("tool/a.yaml", "", "tool/b.yaml", "")
	suite.Check(t, os.Chmod(filepath.Join(r.dir, "tool/c.yaml"), 0o755))
	r.commit("files again", "tool/a.yaml", entity("A"), "tool/b.yaml", entity("B2"), "tool/big.yaml", entity("Big")+strings.Repeat("# much\n", 300_000))
	log := r.walk(gitlog.Options{})
	if n := log.Notes[len(log.Notes)-1]; !strings.HasPrefix(n, "tool/big.yaml at ") || !strings.Contains(n, "is larger than") {
		t.Errorf("the note on a file that is too large is %q", n)
	}
	log.Notes = nil
	expect(t, log, "0: c0 tool/a A", "1: c0 tool/b B", "2: c0 tool/c C", "3: c1 tool/b B2 after 1")
}

func TestTimes(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	seconds := []string{"-5", "500", "100", "1700000000", "1600000000", "999999999999999", "99999999999999999999999", "1700000001"}
	want := []int64{0, 500, 500, 1700000000, 1700000000, 253402300799, 253402300799, 253402300799}
	parent := ""
	for i, s := range seconds {
		r.write("tool/a.yaml", entity(strings.Repeat("A", i+1)))
		r.git("add", "-A")
		text := "tree " + r.git("write-tree") + "\n" + parent + "author A\xff <a@example.org> 1 +0000\ncommitter C <c@example.org> " + s + " +0000\n"
		if i == 1 {
			text = strings.Replace(text, "A\xff <", "Jos\xe9 <", 1) + "encoding ISO-8859-1\n"
		}
		if i == 2 {
			text = strings.Replace(text, "A\xff <", " <", 1)
		}
		hash := r.pipe(text+"\nmessage \xe9\xff (#3)\n", "hash-object", "-t", "commit", "-w", "--literally", "--stdin")
		parent = "parent " + hash + "\n"
		r.git("update-ref", "HEAD", hash)
	}
	log := r.walk(gitlog.Options{})
	for i, c := range log.Commits {
		author := map[int]string{1: "José", 2: ""}
		name, ok := author[i]
		if !ok {
			name = "A\ufffd"
		}
		if log.Versions[i].Time != want[i] || c.Author != name || c.PullRequest != 3 {
			t.Errorf("commit %d is of %d by %q, #%d; want %d by %q", i, log.Versions[i].Time, c.Author, c.PullRequest, want[i], name)
		}
	}
	suite.Equal(t, len(log.Commits), len(seconds), "commits")
	// Times never decrease from one part to the next.
	r.git("update-ref", "HEAD", "HEAD~3")
	var f found
	f.add(t, r.walk(gitlog.Options{}))
	r.git("update-ref", "HEAD", log.Head)
	f.add(t, r.walk(gitlog.Options{Previous: &f}))
	if !reflect.DeepEqual(f.log.Versions, log.Versions) {
		t.Errorf("in two pieces the versions are %v", f.log.Versions)
	}
}

func TestKnown(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t, "--object-format="+format)
		r.commit("one", "tool/a.yaml", entity("A"), "model/b.yaml", entity("B"))
		r.commit("two", "tool/a.yaml", entity("A2"))
		blob, mine, asked := r.git("rev-parse", "HEAD:tool/a.yaml"), &record.Entity{Type: "tool", Slug: "a", Name: "Mine"}, 0
		log := r.walk(gitlog.Options{Known: func(typ, slug, name string) *record.Entity {
			asked++
			if typ == "tool" && slug == "a" && name == blob {
				return mine
			}
			return nil
		}})
		if len(log.Versions) != 3 || len(log.Versions[0].Entity.Name) != 1 {
			t.Fatalf("%s: found\n%s", format, told(log))
		}
		if got := log.Versions[2].Entity; format == "sha1" && (got != mine || asked != 3) || format == "sha256" && (got.Name != "A2" || asked != 0) {
			t.Errorf("%s: the last version is %v, after %d lookups", format, got.Name, asked)
		}
	}
}

func TestNoHistory(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) string{
		"no repository": func(t *testing.T) string { return t.TempDir() },
		"no commit":     func(t *testing.T) string { return newRepo(t).dir },
	} {
		log, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: make(t)})
		if err != nil || !reflect.DeepEqual(log, &gitlog.Log{}) {
			t.Errorf("%s: found %+v, %v", name, log, err)
		}
	}
	bare := newRepo(t)
	bare.commit("x", "tool/a.yaml", entity("A"))
	bare.git("config", "core.bare", "true")
	_, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: filepath.Join(bare.dir, ".git")})
	if err == nil || !strings.Contains(err.Error(), "looks like a git directory") {
		t.Errorf("bare repository: %v", err)
	}
	r := newRepo(t)
	r.commit("x", ".gitignore", "content/\n")
	r.write("content/tool/a.yaml", entity("A"))
	if log := r.walk(gitlog.Options{Dir: filepath.Join(r.dir, "content")}); log.Head == "" || len(log.Commits)+len(log.Versions) > 0 {
		t.Errorf("untracked: found %+v", log)
	}
	if _, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: filepath.Join(r.dir, "nowhere")}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("missing folder: %v", err)
	}
}
