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
	Time        time.Time // committer time, UTC, never earlier than the previous commit's; see Options.AsOf
	Author      string    // the author's name, as mapped by the repository's mailmap; never the email address
	PullRequest int       // 0 if there is none
}

// Version is the authored content of an entity as of a commit, until the next version.
type Version struct {
	Type, Slug string
	// Entity is nil if the entity was deleted; Type and Slug are then its last ones. The
	// Entity may come from Options.Known.
	Entity *record.Entity
	Commit int // index among all commits, starting with those of the previous walk
	// Before is the index of the preceding version of the same entity, across renames and
	// re-creations, or -1 if there is none. The versions of the previous walk come first.
	// No two versions have the same predecessor.
	Before int
}

// Previous is the result of a previous walk, for the next walk to continue.
type Previous interface {
	Commit() string  // Log.Head of that walk, or ""
	Path() string    // Log.Path
	Mailmap() string // Log.Mailmap
	Commits() int
	Versions() int
	Time() time.Time // time of the last version

	// Last returns the newest version at an address. alive reports whether the entity still
	// has this address, that is, whether the version is not a deletion and has no successor.
	Last(typ, slug string) (place int, alive, ok bool)
	// Entity returns the authored content, including formerly, of a version that is not
	// a deletion.
	Entity(place int) (*record.Entity, error)
	AsOf() time.Time // Options.AsOf of that walk
	// Before returns Version.Before.
	Before(place int) int
}

// Options configures Walk.
type Options struct {
	Dir string // the content folder
	// Commit is the commit to walk to, as returned by ReadHead; "" means HEAD.
	Commit string
	// AsOf is the time at which the content is read, or zero if it does not matter. The times of
	// commits that are ahead of it are replaced, see Ahead: each change is dated no earlier than the
	// one before it, so one wrong clock would otherwise date all later changes.
	AsOf     time.Time
	Previous Previous // if nil, walk the whole history
	// Known, if not nil, returns the entity in the file with the given SHA-1 object name, or
	// nil if it is unknown. For known entities, the file need not be read and parsed. Known
	// is called from one goroutine. The returned entity must not change while the Log is in
	// use, except for Scores.
	Known func(typ, slug, blob string) *record.Entity
}

// Log is the result of a walk: the whole history, or the part that is new since
// Options.Previous.
type Log struct {
	Head      string // the last commit; without a repository or a commit, Head is "" and all other fields are empty
	Path      string // path of the content folder in the repository; "" or ending in a slash
	Mailmap   string // object name of .mailmap at Head, or ""
	Shallow   bool   // whether the repository is a shallow clone; if it is, the missing part was walked earlier
	Continued bool   // Commits and Versions continue Options.Previous
	Commits   []Commit
	Versions  []Version // sorted by commit, then by type and slug
	Ahead     []Ahead   // the commits that are ahead of Options.AsOf, newest first
	// Notes lists unreadable files in old commits. The entity in such a file keeps its
	// previous version until the file is readable again.
	Notes []string
}

// Walk finds every version of every entity in the first-parent history of HEAD. It reads
// only commits; neither the working tree nor the user's settings matter. A commit adds at
// most one version of an entity, and none if the entity's content has not changed. An
// incremental walk reads only newer commits, but has the same result. It requires that HEAD
// descend from the commit of the previous walk, and that the path of the folder and the
// mailmap have not changed. If the history is incomplete, Walk returns a *ShallowError.
func Walk(ctx context.Context, o Options) (*Log, error) {
	r, err := open(ctx, o.Dir, o.Commit)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return &Log{}, nil
	}
	defer r.Close() // errors are ignored: leftover temporary files are removed by the system
	log := &Log{Head: r.head, Path: r.Prefix, Mailmap: r.mailmap, Shallow: r.Shallow}
	if log.Ahead, err = r.ahead(ctx, o.AsOf); err != nil {
		return nil, err
	}
	if log.Continued, err = r.continues(ctx, o.Previous, log.Ahead); err != nil {
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

// ahead returns the commits that are ahead of a time. Those of an earlier walk matter too: it
// may have replaced times that a walk today would not.
func (r *repository) ahead(ctx context.Context, asOf time.Time) ([]Ahead, error) {
	if asOf.IsZero() {
		return nil, nil
	}
	list, err := commitsAhead(ctx, r.Repository, r.head, asOf)
	r.times = make(map[string]time.Time, len(list))
	for _, a := range list {
		r.times[a.Hash] = a.Used
	}
	return list, err
}

// continues reports whether a walk can continue the previous walk. It cannot if either replaces
// the times of commits, because what replaces them depends on later commits and on the time.
func (r *repository) continues(ctx context.Context, e Previous, ahead []Ahead) (bool, error) {
	if e == nil || len(ahead) > 0 || !git.IsObjectName(e.Commit()) || e.Path() != r.Prefix || e.Mailmap() != r.mailmap {
		return false, nil
	}
	if ok, err := r.onFirstParentLine(ctx, e.Commit()); !ok || err != nil || e.AsOf().IsZero() {
		return ok, err
	}
	earlier, err := commitsAhead(ctx, r.Repository, e.Commit(), e.AsOf())
	return len(earlier) == 0, err
}

// walk runs git log and git cat-file concurrently, parses their output on all processors,
// and adds the commits in order.
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
		return nil // git's own error is more informative
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

// knownFunc is the type of Options.Known.
type knownFunc = func(typ, slug, blob string) *record.Entity

// listedAhead is the number of commits that git log may list ahead of the commit whose files
// are being read. The first commit may contain most of the files, and git log need not wait
// until these have been read.
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
		if used, ok := r.times[c.Hash]; ok {
			c.Time = used
		}
		if len(c.files) > 0 && !send(ctx, listed, c) {
			p.Stop()
			return ctx.Err()
		}
	}
}

// dispatch forwards all commits, and the files in them that must be read.
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

// send sends v unless ctx ends first.
func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// addAll adds the commits in order as they become ready.
func (l *lines) addAll(ctx context.Context, commits <-chan *logged) error {
	for c := range commits {
		select {
		case <-c.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := l.add(c); err != nil {
			return fmt.Errorf("the history in the previous build cannot be read: %w", err)
		}
	}
	return ctx.Err()
}
