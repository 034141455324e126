package gitlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kindex/builder/gitlog"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestMailmap checks that author names are mapped by the mailmap in the commit, and by no
// other mailmap.
func TestMailmap(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	r.commit("begin", "content/tool/a.yaml", entity("A"))
	mine := filepath.Join(t.TempDir(), "mailmap")
	suite.Check(t, os.WriteFile(mine, []byte("Mine <ada@example.org>\n"), 0o644))
	r.git("config", "mailmap.file", mine)
	r.git("config", "log.mailmap", "true")
	r.write(".mailmap", "Not Committed <ada@example.org>\n", "content/.mailmap", "Elsewhere <ada@example.org>\n",
		".git/.mailmap", "In Git <ada@example.org>\n")
	dir := filepath.Join(r.dir, "content")
	t.Chdir(r.dir)
	var f found
	f.add(t, r.walk(gitlog.Options{Dir: dir}))
	if f.log.Mailmap != "" || f.log.Commits[0].Author != "Ada" {
		t.Errorf("without a mailmap the author is %q", f.log.Commits[0].Author)
	}
	r.commit("mailmap", ".mailmap", "Ada Lovelace <ada@example.org>\n", "content/tool/b.yaml", entity("B"))
	r.write(".mailmap", "Edited Since <ada@example.org>\n")
	r.git("config", "mailmap.blob", r.git("hash-object", "-w", mine))
	log := r.walk(gitlog.Options{Dir: dir, Previous: &f})
	if log.Continued || len(log.Commits) != 2 || log.Commits[0].Author != "Ada Lovelace" || log.Mailmap != r.git("rev-parse", "HEAD:.mailmap") {
		t.Errorf("with a mailmap: %+v", log)
	}
}

// TestHostileSettings walks a repository with every setting and variable that might change
// git's output.
func TestHostileSettings(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	r.commit("begin", "content/tool/a.yaml", entity("A"), "content/tool/b.yaml", entity("B"), "content/tool/c.yaml", entity("C"), "é/x", "x")
	r.git("rm", "-q", "--cached", "content/tool/c.yaml")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+r.git("rev-parse", "HEAD")+",content/tool/c.yaml")
	r.git("commit", "-q", "-m", "a submodule")
	r.git("checkout", "-q", "-b", "side")
	r.git("mv", "content/tool/a.yaml", "content/tool/z.yaml")
	r.git("commit", "-q", "-m", "Grüße")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	dir := filepath.Join(r.dir, "content")
	want := r.walk(gitlog.Options{Dir: dir})
	expect(t, want, "0: c0 tool/a A", "1: c0 tool/b B", "2: c0 tool/c C", "3: c1 tool/a deleted after 0", "4: c1 tool/z A", want.Notes[0])

	order := filepath.Join(t.TempDir(), "order")
	settings := filepath.Join(t.TempDir(), "config")
	suite.Check(t, errors.Join(os.WriteFile(order, []byte("*z*\n"), 0o644), os.WriteFile(settings, []byte(`
[log]
	showSignature = true
	follow = true
	mailmap = false
	date = relative
	decorate = full
	abbrevCommit = true
	showRoot = false
	diffMerges = off
[diff]
	renames = copies
	noprefix = true
	relative = true
	orderFile = `+order+`
	ignoreSubmodules = all
	external = false
	mnemonicPrefix = true
	submodule = log
	algorithm = patience
[core]
	quotePath = true
	abbrev = 7
	pager = false
	precomposeUnicode = true
	ignoreCase = true
	notesRef = refs/notes/x
[color]
	ui = always
	diff = always
[i18n]
	logOutputEncoding = ISO-8859-1
	commitEncoding = UTF-16
[format]
	pretty = oneline
	notes = true
[pager]
	log = false
[submodule]
	recurse = true
[safe]
	directory = *
`), 0o644)))
	// A replacement object, a graft and a note, any of which could affect git's output.
	first := r.git("rev-list", "--max-parents=0", "HEAD")
	r.git("replace", "--graft", r.git("rev-parse", "HEAD"))
	r.git("notes", "--ref=x", "add", "-m", "a note", first)
	r.write(".git/info/grafts", r.git("rev-parse", "HEAD")+"\n")
	t.Setenv("GIT_CONFIG_GLOBAL", settings)
	for name, value := range map[string]string{
		"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_INDEX_FILE": "/nowhere", "GIT_NAMESPACE": "x",
		"GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_COMMON_DIR": "/nowhere", "GIT_LITERAL_PATHSPECS": "0", "GIT_ICASE_PATHSPECS": "1",
		"GIT_SHALLOW_FILE": settings, "GIT_DIFF_OPTS": "--unified=9", "GIT_EXTERNAL_DIFF": "false", "GIT_TRACE": "1",
		"GIT_PREFIX": "x/", "GIT_REPLACE_REF_BASE": "refs/replace", "GIT_PAGER": "false", "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo",
	} {
		t.Setenv(name, value)
	}
	if got := r.walk(gitlog.Options{Dir: dir}); !reflect.DeepEqual(got, want) {
		t.Errorf("with settings it found\n%swant\n%s", told(got), told(want))
	}
}

func TestPartialClone(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	r.commit("one", "tool/a.yaml", entity("A"))
	r.commit("two", "tool/a.yaml", entity("B"))
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	for _, filter := range []string{"blob:none", "tree:0"} {
		clone := r.at(filepath.Join(t.TempDir(), "clone"))
		r.git("clone", "-q", "--filter="+filter, "file://"+r.dir, clone.dir)
		_, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: clone.dir})
		if err == nil || !strings.Contains(err.Error(), "git fetch --refetch --no-filter") {
			t.Errorf("partial clone (%s): %v", filter, err)
		}
		clone.git("-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch", "-q", "--refetch", "--no-filter") // nothing is left running after the test
		expect(t, clone.walk(gitlog.Options{}), "0: c0 tool/a A", "1: c1 tool/a B after 0")
	}
}

// TestAnotherHistory checks that a walk continues a previous walk only if HEAD descends from
// the commit of the previous walk.
func TestAnotherHistory(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	r.commit("one", "content/tool/a.yaml", entity("A"))
	r.commit("two", "content/tool/a.yaml", entity("B"))
	dir := filepath.Join(r.dir, "content")
	var f found
	f.add(t, r.walk(gitlog.Options{Dir: dir}))
	check := func(name string, continued bool, o gitlog.Options) {
		t.Helper()
		o.Dir = dir
		full := r.walk(o)
		o.Previous = &f
		log := r.walk(o)
		if log.Continued != continued || !continued && !reflect.DeepEqual(log, full) {
			t.Errorf("%s: continued is %v, and it found\n%s", name, log.Continued, told(log))
		}
	}
	check("the same", true, gitlog.Options{})
	r.git("reset", "-q", "--hard", "HEAD~1")
	check("one commit back", false, gitlog.Options{})
	r.commit("another", "content/tool/b.yaml", entity("B"))
	check("another branch", false, gitlog.Options{})
	r.git("merge", "-q", "-m", "theirs", f.log.Head)
	check("merged as the second parent", false, gitlog.Options{})
	r.git("reset", "-q", "--hard", f.log.Head)
	r.git("mv", "content", "moved")
	r.git("commit", "-q", "-m", "moved")
	r.write("content/x", "x")
	check("the same folder, now empty", true, gitlog.Options{})
	dir = filepath.Join(r.dir, "moved")
	check("another folder", false, gitlog.Options{})
	r.git("checkout", "-q", "--orphan", "new")
	r.commit("new", "content/tool/a.yaml", entity("A"))
	dir = filepath.Join(r.dir, "content")
	check("another root", false, gitlog.Options{})
	r.git("branch", "-q", "-D", "main")
	r.git("reflog", "expire", "--expire=now", "--all")
	r.git("gc", "-q", "--prune=now")
	check("a commit that is gone", false, gitlog.Options{})
}

// TestDamage checks that unreadable objects cause an error instead of a shorter history.
func TestDamage(t *testing.T) {
	suite.InTest(t)
	for _, object := range []string{"HEAD~1:tool/a.yaml", "HEAD~1:tool", "HEAD~1", "HEAD~2^{tree}", "HEAD"} {
		r := newRepo(t)
		for _, name := range []string{"A", "B", "C", "D"} {
			r.commit(name, "tool/a.yaml", entity(name))
		}
		hash := r.git("rev-parse", object)
		path := filepath.Join(r.dir, ".git", "objects", hash[:2], hash[2:])
		for _, damage := range []func() error{func() error { return os.Remove(path) }, func() error { return os.WriteFile(path, []byte("x"), 0o644) }} {
			suite.Check(t, damage())
			log, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: r.dir})
			if err == nil || !strings.HasPrefix(err.Error(), "git ") || log != nil && log.Head != "" {
				t.Errorf("%s: found %+v, error %v", object, log, err)
			}
		}
	}
	for _, head := range []string{"", "garbage\n", "1234567890123456789012345678901234567890\n"} {
		r := newRepo(t)
		r.commit("x", "tool/a.yaml", entity("A"))
		suite.Write(t, r.dir, map[string]string{".git/refs/heads/main": head})
		if log, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: r.dir}); err == nil || log != nil {
			t.Errorf("%q: found %+v", head, log)
		}
	}
}

// gitInFront puts scripts in front of git, in which $REAL is git itself.
func gitInFront(t *testing.T) (set func(script string)) {
	t.Helper()
	real := suite.Must(exec.LookPath("git"))(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return func(script string) {
		suite.Check(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+strings.ReplaceAll(script, "$REAL", real)+"\n"), 0o755))
	}
}

// TestGitThatDies checks that a walk also returns an error if git is killed or fails to
// start.
func TestGitThatDies(t *testing.T) {
	suite.InTest(t)
	r := newRepo(t)
	for _, name := range []string{"A", "B", "C", "D"} {
		r.commit(name, "tool/a.yaml", entity(name))
	}
	set := gitInFront(t)
	for _, script := range []string{
		`case "$*" in *" log "*) "$REAL" "$@" | head -c 700; kill -9 $$;; esac; exec "$REAL" "$@"`,
		`case "$*" in *" log "*) "$REAL" "$@" | head -c 650; exit 0;; esac; exec "$REAL" "$@"`,
		`case "$*" in *" log "*) "$REAL" "$@"; echo sorry >&2; exit 3;; esac; exec "$REAL" "$@"`,
		`case "$*" in *cat-file*) kill -9 $$;; esac; exec "$REAL" "$@"`,
		`case "$*" in *cat-file*) "$REAL" "$@" | head -c 150; echo sorry >&2; exit 3;; esac; exec "$REAL" "$@"`,
		`case "$*" in *cat-file*) echo hello; exit 0;; esac; exec "$REAL" "$@"`,
		`case "$*" in *cat-file*) exit 0;; esac; exec "$REAL" "$@"`,
	} {
		set(script)
		log, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: r.dir})
		if err == nil || log != nil || !strings.Contains(err.Error(), "git ") || strings.Contains(script, "sorry") && !strings.Contains(err.Error(), "sorry") {
			t.Errorf("%s: found %+v, error %v", script, log, err)
		}
	}
}

// TestGitThatHangs checks that a walk ends when its context is cancelled, and that git then
// ends as well.
func TestGitThatHangs(t *testing.T) {
	r := newRepo(t)
	r.commit("x", "tool/a.yaml", entity("A"))
	set, pid := gitInFront(t), filepath.Join(t.TempDir(), "pid")
	for _, command := range []string{" log ", " cat-file "} {
		set(fmt.Sprintf("case \"$*\" in *\"%s\"*) echo $$ > %s.part; mv %[2]s.part %[2]s; exec sleep 600;; esac\nexec $REAL \"$@\"", command, pid))
		ctx, cancel := context.WithCancel(context.Background())
		hangs := make(chan string, 1)
		go func() {
			defer cancel()
			for range 30_000 {
				if data, err := os.ReadFile(pid); err == nil {
					hangs <- strings.TrimSpace(string(data))
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			hangs <- ""
		}()
		if _, err := gitlog.Walk(ctx, gitlog.Options{Dir: r.dir}); !errors.Is(err, context.Canceled) {
			t.Errorf("git%shangs: the walk returned %v", command, err)
		}
		if n, err := strconv.Atoi(<-hangs); err != nil {
			t.Fatalf("git%swas not run", command)
		} else if err := syscall.Kill(n, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("git%sis still there: %v", command, err)
		}
		os.Remove(pid)
	}
}

// TestPreviousThatCannotBeRead checks that a walk requests an entity from the previous walk,
// and that it fails if that entity cannot be read.
func TestPreviousThatCannotBeRead(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "tool/a.yaml", entity("A"))
	var f found
	f.add(t, r.walk(gitlog.Options{}))
	r.commit("two", "tool/a.yaml", entity("B"))
	_, err := gitlog.Walk(context.Background(), gitlog.Options{Dir: r.dir, Previous: unreadable{&f}})
	if !errors.Is(err, errUnreadable) {
		t.Errorf("it says %v", err)
	}
}

var errUnreadable = errors.New("damaged")

type unreadable struct{ *found }

func (unreadable) Entity(int) (*record.Entity, error) { return nil, errUnreadable }
