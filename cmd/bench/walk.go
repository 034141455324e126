package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"kindex/builder/content"
	"kindex/builder/gitlog"
	"kindex/exports/record"
)

// newCommits is the number of commits that are added to a history and walked one
// by one.
const newCommits = 5

// walkResult is the result that a child prints.
type walkResult struct {
	Commits  int
	Versions int
	Seconds  float64   // duration of the full walk
	OnTop    []float64 // durations of walks over one new commit
}

// walk is a child that walks the history of a content folder. In mode "known", the
// folder's entities have already been parsed, as in a build, and new commits are
// walked as well.
func walk(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) != 2 || args[1] != "all" && args[1] != "known" {
		return errors.New("walk CONTENT all|known")
	}
	o := gitlog.Options{Dir: args[0]}
	if args[1] == "known" {
		var err error
		if o.Known, err = knownBlobs(ctx, args[0]); err != nil {
			return err
		}
	}
	log, took, err := timedWalk(ctx, o)
	if err != nil {
		return err
	}
	w := walkResult{Commits: len(log.Commits), Versions: len(log.Versions), Seconds: took.Seconds()}
	if args[1] == "known" {
		if w.OnTop, err = walkOnTop(ctx, o, log); err != nil {
			return err
		}
	}
	return json.NewEncoder(stdout).Encode(w)
}

func timedWalk(ctx context.Context, o gitlog.Options) (*gitlog.Log, time.Duration, error) {
	start := time.Now()
	log, err := gitlog.Walk(ctx, o)
	took := time.Since(start)
	if err == nil && len(log.Versions) == 0 {
		err = fmt.Errorf("%s: no versions found", o.Dir)
	}
	return log, took, err
}

// walkOnTop creates commits that edit one entity each, and walks each of them.
func walkOnTop(ctx context.Context, o gitlog.Options, log *gitlog.Log) (seconds []float64, err error) {
	w := &workCopy{repo: filepath.Dir(o.Dir), content: o.Dir}
	if err := w.survey(23); err != nil {
		return nil, err
	}
	o.Previous = newPreviousArchive(log)
	for range newCommits {
		if _, err := w.edit(); err != nil {
			return nil, err
		}
		if err := w.commit(ctx); err != nil {
			return nil, err
		}
		more, took, err := timedWalk(ctx, o)
		if err != nil {
			return nil, err
		}
		if n := len(seconds) + 1; !more.Continued || len(more.Versions) != n {
			return nil, fmt.Errorf("%d new commits with one entity each have %d versions", n, len(more.Versions))
		}
		seconds = append(seconds, took.Seconds())
	}
	return seconds, nil
}

// knownBlobs parses the content folder and returns a function that finds entities
// by the object names of their files.
func knownBlobs(ctx context.Context, dir string) (func(typ, slug, blob string) *record.Entity, error) {
	c, problems, err := content.Load(dir, nil)
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	byKey := make(map[string]*record.Entity, len(c.Entities))
	for _, e := range c.Entities {
		byKey[e.Key()] = e
	}
	// entries of the form <mode> blob <object>TAB<path>, each terminated by a NUL
	list, err := git(ctx, dir, "ls-tree", "-r", "-z", "HEAD", "--", ".")
	if err != nil {
		return nil, err
	}
	known := make(map[string]*record.Entity, len(c.Entities))
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		about, path, ok := bytes.Cut(entry, []byte("\t"))
		if !ok {
			continue
		}
		if e := byKey[string(bytes.TrimSuffix(path, []byte(".yaml")))]; e != nil {
			known[e.Key()+" "+string(bytes.Fields(about)[2])] = e
		}
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%s: git ls-tree lists no entities", dir)
	}
	return func(typ, slug, blob string) *record.Entity { return known[typ+"/"+slug+" "+blob] }, nil
}

// previousArchive lets a walk continue from a log as if the log came from a build.
type previousArchive struct {
	log    *gitlog.Log
	newest map[string]int // versions by address
	after  map[int]bool   // versions that have a successor
}

func newPreviousArchive(log *gitlog.Log) *previousArchive {
	e := &previousArchive{log, make(map[string]int, len(log.Versions)), make(map[int]bool, len(log.Versions))}
	for i, v := range log.Versions {
		e.newest[v.Type+"/"+v.Slug] = i
		e.after[v.Before] = true
	}
	return e
}

// The methods of gitlog.Previous.
func (e *previousArchive) Commit() string       { return e.log.Head }
func (e *previousArchive) Path() string         { return e.log.Path }
func (e *previousArchive) Mailmap() string      { return e.log.Mailmap }
func (e *previousArchive) AsOf() time.Time      { return time.Time{} }
func (e *previousArchive) Commits() int         { return len(e.log.Commits) }
func (e *previousArchive) Versions() int        { return len(e.log.Versions) }
func (e *previousArchive) Time() time.Time      { return e.log.Commits[len(e.log.Commits)-1].Time }
func (e *previousArchive) Before(place int) int { return e.log.Versions[place].Before }

func (e *previousArchive) Last(typ, slug string) (version int, alive, ok bool) {
	version, ok = e.newest[typ+"/"+slug]
	return version, ok && e.log.Versions[version].Entity != nil && !e.after[version], ok
}

func (e *previousArchive) Entity(version int) (*record.Entity, error) {
	return e.log.Versions[version].Entity, nil
}

// profileWalk is a child that writes the CPU profile of a walk.
func profileWalk(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) != 2 {
		return errors.New("profile-walk CONTENT FILE")
	}
	return profileTo(args[1], func() error {
		_, err := gitlog.Walk(ctx, gitlog.Options{Dir: args[0]})
		return err
	})
}
