package gitlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/gitlog"
	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/record"
)

// repo is a repository created by a test. Its clock advances by an hour with each command.
type repo struct {
	t      testing.TB
	dir    string
	now    time.Time
	author string
}

func newRepo(t testing.TB, init ...string) *repo {
	t.Helper()
	r := &repo{t: t, dir: t.TempDir(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), author: "Ada"}
	r.git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	return r
}

// at returns a repo for another working tree with the same settings.
func (r *repo) at(dir string) *repo {
	other := *r
	other.dir = dir
	return &other
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	return r.pipe("", args...)
}

func (r *repo) pipe(input string, args ...string) string {
	r.t.Helper()
	r.now = r.now.Add(time.Hour)
	// Disable background maintenance, which could still be running after the test.
	cmd := exec.Command("git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(input)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	date := fmt.Sprintf("%d +0130", r.now.Unix())
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME="+r.author, "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=Committer", "GIT_COMMITTER_EMAIL=committer@example.org", "GIT_COMMITTER_DATE="+date)
	return strings.TrimSpace(suite.Output(r.t, cmd))
}

// write writes files, given as alternating paths and contents. If a content is empty, the file
// is deleted.
func (r *repo) write(files ...string) {
	r.t.Helper()
	for pair := range slices.Chunk(files, 2) {
		path := filepath.Join(r.dir, filepath.FromSlash(pair[0]))
		err := os.RemoveAll(path)
		if pair[1] != "" {
			err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(pair[1]), 0o644))
		}
		suite.Check(r.t, err)
	}
}

// commit writes files and commits everything.
func (r *repo) commit(message string, files ...string) {
	r.t.Helper()
	r.write(files...)
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
}

func (r *repo) walk(o gitlog.Options) *gitlog.Log {
	r.t.Helper()
	if o.Dir == "" {
		o.Dir = r.dir
	}
	return suite.Must(gitlog.Walk(context.Background(), o))(r.t)
}

// entity returns a minimal file.
func entity(name string, formerly ...string) string {
	text := "name: " + name + "\ncategory: nlp\ndescription: Something that a test needs to be there.\n"
	if len(formerly) > 0 {
		text += "formerly: [" + strings.Join(formerly, ", ") + "]\n"
	}
	return text
}

// told formats each version as its position, commit, address, name and predecessor.
func told(log *gitlog.Log) string {
	var b strings.Builder
	for i, v := range log.Versions {
		name := "deleted"
		if v.Entity != nil {
			name = v.Entity.Name
		}
		fmt.Fprintf(&b, "%d: c%d %s/%s %s", i, v.Commit, v.Type, v.Slug, name)
		if v.Previous >= 0 {
			fmt.Fprintf(&b, " after %d", v.Previous)
		}
		b.WriteByte('\n')
	}
	for _, n := range log.Notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}

// expect compares the result of a walk with the expected lines.
func expect(t *testing.T, log *gitlog.Log, want ...string) {
	t.Helper()
	suite.Equal(t, strings.TrimSpace(told(log)), strings.Join(want, "\n"))
}

// found is the result of a walk, as a previous build would keep it.
type found struct {
	log  gitlog.Log
	asOf time.Time
}

func (f *found) add(t testing.TB, log *gitlog.Log) {
	t.Helper()
	if log.Continued {
		for i, v := range f.log.Versions {
			log.Versions[i].Entity = v.Entity
		}
	}
	f.log = *log
}

func (f *found) Head() history.Head {
	return history.Head{Commit: f.log.Head, Path: f.log.Path, Mailmap: f.log.Mailmap}
}
func (f *found) AsOf() time.Time                    { return f.asOf }
func (f *found) Commits() int                       { return len(f.log.Commits) }
func (f *found) Commit(i int) record.ArchivedCommit { return f.log.Commits[i] }
func (f *found) Versions() int                      { return len(f.log.Versions) }
func (f *found) Version(i int) record.Version {
	v := f.log.Versions[i]
	v.Entity = nil
	return v
}

// Entity returns a copy in which missing lists are empty, as another storage format might
// return them.
func (f *found) Entity(i int) (*record.Entity, error) {
	if f.log.Versions[i].Entity == nil {
		return nil, fmt.Errorf("version %d is a deletion", i)
	}
	e := *f.log.Versions[i].Entity
	e.Tags, e.Formerly = append([]string{}, e.Tags...), append([]string{}, e.Formerly...)
	e.Links, e.Signals.Facts = append([]record.Link{}, e.Links...), append([]record.Fact{}, e.Signals.Facts...)
	return &e, nil
}
