package gitlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/git"
	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Previous is the history that a previous walk found, for the next walk to continue; a history.Archive.
type Previous interface {
	Head() history.Head
	AsOf() time.Time // Options.AsOf of that walk
	Commits() int
	Commit(i int) record.ArchivedCommit
	Versions() int
	// Version returns a version without its Entity.
	Version(i int) record.Version
	// Entity returns the authored content, including formerly, of a version that is not
	// a deletion.
	Entity(i int) (*record.Entity, error)
}

// Options configures Walk.
type Options struct {
	Dir string // the content folder
	// Kinds are the kinds whose entities are read; nil means kinds.Default.
	Kinds *kinds.Set
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

// Log is the result of a walk.
type Log struct {
	Head      string // the last commit; without a repository or a commit, Head is "" and all other fields are empty
	Path      string // path of the content folder in the repository; "" or ending in a slash
	Mailmap   string // object name of .mailmap at Head, or ""
	Shallow   bool   // whether the repository is a shallow clone; if it is, the missing part was walked earlier
	Continued bool   // whether the first Commits and Versions are those of Options.Previous
	// Commits lists the commits that created versions. The author is the name as mapped by the
	// repository's mailmap; never the email address.
	Commits []record.ArchivedCommit
	// Versions lists the versions by commit, then by type and slug, without changes and dates. Their
	// times are never earlier than those of the previous commit; see Options.AsOf. An Entity may come
	// from Options.Known. No two versions have the same predecessor.
	Versions   []record.Version
	Undeclared int     // versions with values that the index does not declare now; they are left out
	Ahead      []Ahead // the commits that are ahead of Options.AsOf, newest first
	// Notes lists unreadable files in old commits. The entity in such a file keeps its
	// previous version until the file is readable again.
	Notes []string
}

// Walk finds every version of every entity in the first-parent history of HEAD. It reads
// only commits; neither the working tree nor the user's settings matter. A commit that moves the folder moves its
// history. A commit adds at
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
	if r.mailmap, err = r.findMailmap(ctx); err != nil {
		return nil, err
	}
	r.kinds = cmp.Or(o.Kinds, kinds.Default())
	log := &Log{Head: r.head, Path: r.Prefix, Mailmap: r.mailmap, Shallow: r.Shallow}
	if log.Ahead, err = r.ahead(ctx, o.AsOf); err != nil {
		return nil, err
	}
	if log.Continued, err = r.continues(ctx, o.Previous, log.Ahead); err != nil {
		return nil, err
	}
	since := ""
	if log.Continued {
		since = o.Previous.Head().Commit
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
	if e == nil || len(ahead) > 0 {
		return false, nil
	}
	h := e.Head()
	if !git.IsObjectName(h.Commit) || h.Path != r.Prefix || h.Mailmap != r.mailmap {
		return false, nil
	}
	if ok, err := r.onFirstParentLine(ctx, h.Commit); !ok || err != nil || e.AsOf().IsZero() {
		return ok, err
	}
	earlier, err := commitsAhead(ctx, r.Repository, h.Commit, e.AsOf())
	return len(earlier) == 0, err
}

// walk reads git log, and then the files in it, which are parsed on all processors.
func (r *repository) walk(ctx context.Context, since string, known knownFunc, lines *lines) error {
	commits, err := r.readLog(ctx, r.head, since, r.Prefix)
	if err == nil && since == "" {
		commits, err = r.followFolder(ctx, commits, r.Prefix)
	}
	if err != nil {
		return err
	}
	var unread []*file
	var blobs []blob
	for _, c := range commits {
		for _, f := range c.files {
			if f.gone || f.problem != "" {
				continue
			}
			if known != nil && len(f.blob) == 40 {
				f.entity = known(f.typ, f.slug, f.blob)
			}
			if f.entity == nil {
				unread, blobs = append(unread, f), append(blobs, blob{f.blob, fmt.Sprintf("%s.yaml at %.12s", f.key(), c.Hash)})
			}
		}
	}
	var parsing errgroup.Group
	parsing.SetLimit(2 * runtime.GOMAXPROCS(0)) // so few that their bytes fit into memory
	err = readBlobs(ctx, r.Repository, blobs, func(i int, data []byte) error {
		parsing.Go(func() error { unread[i].parse(r.kinds, data); return nil })
		return nil
	})
	if err = errors.Join(err, parsing.Wait()); err != nil {
		return err
	}
	for _, c := range commits {
		if err := lines.add(c); err != nil {
			return fmt.Errorf("the history in the previous build cannot be read: %w", err)
		}
	}
	return nil
}

// knownFunc is the type of Options.Known.
type knownFunc = func(typ, slug, blob string) *record.Entity

func (f *file) parse(declared *kinds.Set, data []byte) {
	e, incomplete, problems := content.ParsePast(declared, f.key()+".yaml", f.typ, f.slug, data)
	if f.entity, f.incomplete = e, incomplete; e == nil {
		f.problem = firstError(problems)
	}
}

func firstError(problems yamldoc.Problems) string {
	for _, p := range problems {
		if p.Severity == yamldoc.Error {
			if p.Field != "" {
				return p.Field + ": " + p.Text()
			}
			return p.Text()
		}
	}
	return "cannot be read"
}

// followFolder prepends the commits from before the content folder was moved to the folder with a path. commits
// are all of that folder, oldest first.
func (r *repository) followFolder(ctx context.Context, commits []*logged, folder string) ([]*logged, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	first := commits[0]
	from, gone, err := r.movedFrom(ctx, first, folder)
	if err != nil || gone == nil {
		return commits, err
	}
	earlier, err := r.readLog(ctx, first.Hash+"^1", "", from)
	if err == nil {
		earlier, err = r.followFolder(ctx, earlier, from)
	}
	for _, f := range gone { // those that the new folder does not have are deleted
		if !slices.ContainsFunc(first.files, func(g *file) bool { return g.key() == f.key() }) {
			first.files = append(first.files, f)
		}
	}
	return append(earlier, commits...), err
}

// movedFrom returns the folder from which a commit moved at least half of the entity files that it added to a
// folder, and all entity files that it deleted there; gone is nil if there is none. The content of a file
// may change when it is moved.
func (r *repository) movedFrom(ctx context.Context, c *logged, folder string) (from string, gone []*file, err error) {
	out, err := r.git(ctx, "log", "-1", "--root", "--diff-merges=first-parent", "--name-status", "-z", "--no-renames", "--no-relative",
		"--diff-filter=D", "--no-show-signature", "--no-notes", "--format=", c.Hash, "--")
	if err != nil {
		return "", nil, err
	}
	deleted, moved := map[string][]*file{}, map[string]int{}
	fields := strings.Split(strings.Trim(out, "\x00\n"), "\x00")
	for i := 1; i < len(fields); i += 2 { // a status and a path
		parts := strings.Split(fields[i], "/")
		at := max(0, len(parts)-2)
		typ, slug, ok := entityPath(r.kinds, strings.Join(parts[at:], "/"))
		if !ok {
			continue
		}
		old := strings.Join(append(parts[:at:at], ""), "/")
		deleted[old] = append(deleted[old], &file{typ: typ, slug: slug, gone: true})
		if slices.ContainsFunc(c.files, func(f *file) bool { return f.key() == typ+"/"+slug }) {
			if moved[old]++; moved[old] > moved[from] || from == folder {
				from = old
			}
		}
	}
	if n := moved[from]; n == 0 || from == folder || 2*n < len(c.files) {
		return "", nil, nil
	}
	return from, deleted[from], nil
}
