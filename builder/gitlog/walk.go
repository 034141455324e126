package gitlog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/git"
	"kindex/exports/record"
)

// Commit is one commit of the first-parent history that changed entities.
type Commit struct {
	Hash        string
	Time        time.Time // of the committer, UTC, never earlier than that of the commit before
	Author      string    // the name, by the repository's mailmap; never the address
	PullRequest int       // 0 for none
}

// Version is the authored content of an entity from a commit on.
type Version struct {
	Type, Slug string
	// Entity is nil where the entity was deleted; Type and Slug are then those it
	// had. It is what Options.Known gave, where that was asked.
	Entity *record.Entity
	Commit int // place in all commits, those of the earlier walk first
	// Before is the place in all versions, those of the earlier walk first, of the
	// version before of the same entity, across renames and re-creations; -1 for
	// none. No two versions have the same one before them.
	Before int
}

// Previous is what an earlier walk has found, for the next to go on from.
type Previous interface {
	Commit() string  // Log.Head at that time, "" for none
	Path() string    // Log.Path
	Mailmap() string // Log.Mailmap
	Commits() int
	Versions() int
	Time() time.Time // of its last version

	// Last returns the newest version that carries an address. alive tells whether
	// the entity has this address now: the version is no deletion, and none follows.
	Last(typ, slug string) (place int, alive, ok bool)
	// Entity returns the authored content of a version that is no deletion, formerly
	// included.
	Entity(place int) (*record.Entity, error)
	// Before returns Version.Before.
	Before(place int) int
}

// Options say what to walk.
type Options struct {
	Dir string // the content folder
	// Commit is the one to walk to, as ReadHead has told it; "" for that of HEAD.
	Commit   string
	Previous Previous // nil: walk everything
	// Known, if not nil, returns the entity of a file whose bytes have this SHA-1
	// object name, nil where it is not known, which saves reading and parsing it.
	// It is called from one goroutine. What it returns must not change while the
	// Log is in use, but for Scores, which do not count.
	Known func(typ, slug, blob string) *record.Entity
}

// Log is what a walk has found: all there is, or what is new since Earlier.
type Log struct {
	Head      string // the commit that was walked to; "" without repository or commit: then all else is empty
	Path      string // of the content folder within the repository, "" for its top, else ending in a slash
	Mailmap   string // object name of .mailmap at Head, "" for none
	Shallow   bool   // the repository is a shallow clone; what is cut off was walked earlier
	Continued bool   // Commits and Versions follow those of Options.Earlier
	Commits   []Commit
	Versions  []Version // by commit, then by type and slug
	// Notes name the files of old commits that could not be read. The entity stays
	// as it was until its file can be read again.
	Notes []string
}

// Walk finds every version of every entity in the first-parent history of HEAD, by
// what is committed alone: neither the working tree nor anybody's settings count.
// One commit makes at most one version of an entity, and none where its file still
// says the same. On top of an earlier walk only newer commits are read, with the
// same result, provided that HEAD has grown out of the commit of that walk and the
// folder and the mailmap are still the same. A history that is cut off is a
// *ShallowError.
func Walk(ctx context.Context, o Options) (*Log, error) {
	r, err := open(ctx, o.Dir, o.Commit)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return &Log{}, nil
	}
	defer r.Close() // what stays is the system's to remove
	log := &Log{Head: r.head, Path: r.Prefix, Mailmap: r.mailmap, Shallow: r.Shallow}
	if log.Continued, err = r.continues(ctx, o.Previous); err != nil {
		return nil, err
	}
	since := ""
	if log.Continued {
		since = o.Previous.Commit()
	} else {
		o.Previous = nil
		if complete, err := r.complete(ctx); err != nil {
			return nil, err
		} else if !complete {
			return nil, &ShallowError{o.Dir}
		}
	}
	if err := r.walk(ctx, since, o.Known, newLines(log, o.Previous)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, r.explain(ctx, err)
	}
	return log, nil
}

// continues tells whether a walk can go on from an earlier one.
func (r *repository) continues(ctx context.Context, e Previous) (bool, error) {
	if e == nil || !git.IsObjectName(e.Commit()) || e.Path() != r.Prefix || e.Mailmap() != r.mailmap {
		return false, nil
	}
	return r.onFirstParentLine(ctx, e.Commit())
}

// walk runs git log and git cat-file side by side, parses on all processors what
// they give, and adds up the commits in their order.
func (r *repository) walk(ctx context.Context, since string, known knownFunc, lines *lines) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work, ctx := errgroup.WithContext(ctx)
	list, err := r.startLog(ctx, since)
	if err != nil {
		return err
	}
	blobs, err := r.StartWithInput(ctx, r.command("cat-file", "--batch"))
	if err != nil {
		list.Stop()
		return err
	}
	listed, commits := make(chan *logged, listedAhead), make(chan *logged, listedAhead)
	jobs, asked, parsed := make(chan *job, ahead), make(chan *job, ahead), make(chan *job)
	work.Go(func() error {
		defer close(listed)
		return r.readLog(ctx, list, listed)
	})
	work.Go(func() error {
		defer close(commits)
		defer close(jobs)
		return dispatch(ctx, listed, known, commits, jobs)
	})
	var failed error
	requested := make(chan struct{})
	work.Go(func() error {
		defer close(requested)
		failed = request(ctx, blobs, jobs, asked)
		return nil // git itself says more
	})
	work.Go(func() error {
		if err := answer(ctx, blobs, asked, parsed); err != nil {
			return err
		}
		<-requested
		return failed
	})
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() error { parse(parsed); return nil })
	}
	work.Go(func() error { return lines.addAll(ctx, commits) })
	return work.Wait()
}

// knownFunc is Options.Known.
type knownFunc = func(typ, slug, blob string) *record.Entity

// listedAhead is how many commits git log may be ahead of the files that are read:
// the first commit may hold most files of all, and git log need not wait for them.
const listedAhead = 8192

// readLog reads git log to its end.
func (r *repository) readLog(ctx context.Context, p *git.Process, listed chan<- *logged) error {
	in := &logReader{in: bufio.NewReaderSize(p.Out, 64<<10), path: r.Prefix}
	for {
		c, err := in.read()
		if errors.Is(err, io.EOF) {
			return p.Wait()
		}
		if err != nil {
			p.Stop()
			return err
		}
		if len(c.files) > 0 && !send(ctx, listed, c) {
			p.Stop()
			return ctx.Err()
		}
	}
}

// dispatch hands on the commits, and those of their files that must be read.
func dispatch(ctx context.Context, listed <-chan *logged, known knownFunc, commits chan<- *logged, jobs chan<- *job) error {
	for c := range listed {
		var unread []*file
		for _, f := range c.files {
			if f.gone || f.problem != "" {
				continue
			}
			if known != nil && len(f.blob) == 40 {
				f.entity = known(f.typ, f.slug, f.blob)
			}
			if f.entity == nil {
				unread = append(unread, f)
			}
		}
		c.unread.Store(int64(len(unread)))
		if len(unread) == 0 {
			close(c.ready)
		}
		if !send(ctx, commits, c) {
			return ctx.Err()
		}
		for _, f := range unread {
			if !send(ctx, jobs, &job{commit: c, file: f}) {
				return ctx.Err()
			}
		}
	}
	return ctx.Err()
}

// send sends, unless ctx ends before.
func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// addAll takes over the commits as they become ready.
func (l *lines) addAll(ctx context.Context, commits <-chan *logged) error {
	for c := range commits {
		select {
		case <-c.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := l.add(c); err != nil {
			return fmt.Errorf("the history that was found earlier cannot be read: %w", err)
		}
	}
	return ctx.Err()
}
