// Package watch follows a content folder while it is being edited. It publishes an edited
// entity at once, without a build. A full build follows when the folder has not changed for a
// while. Problems in an edit are reported, and the last good version remains published.
package watch

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/builder"
	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/exports"
	"kindex/exports/record"
)

// Options configures a Watcher. The functions are called one at a time, from one goroutine, except for
// Published.
type Options struct {
	// Build configures the builds. Its as-of time is replaced before each build.
	Build builder.Options
	AsOf  func() time.Time

	// Edited is called with all entities that differ from the last build, and with the names of
	// the entities that have changed since the last call. The entities are scored with the
	// formula and the as-of time of that build or, before the watcher's first build, with the
	// current ones.
	Edited func(edits []exports.Edit, now []string)
	// Problems is called with all current problems whenever they change.
	Problems func(yamldoc.Problems)
	// Published is called after a build has been published, from that build's goroutine, while edits
	// continue. It must not return before readers use the build. If it returns an error, the edits in
	// the build stay edits, and the build is retried. Watcher.Build calls it, too, and returns its error.
	Published func() error
	// Built is called after Published, with the edits that were made too late to be in that build.
	Built func(r *builder.Report, edits []exports.Edit)
	// Failed is called with the error if a build, Published or reading the folder fails, which will be
	// retried. It is not called again while the same error persists.
	Failed func(error)
	// Found is called when the folder can be read again after a failure.
	Found func()
}

// Watcher follows one content folder.
type Watcher struct {
	o      Options
	folder *content.Folder

	now   *state // the folder as last read; nil before
	base  *state // what edits differ from: the last build or, before the first one, the first usable state of the folder
	built bool   // whether there has been a build

	edits    map[string]edit // by path
	problems yamldoc.Problems
	took     time.Duration // duration of the last build
	lost     bool          // whether the folder could not be read the last time
	failure  string        // the error that was reported last
}

// state is the content of the folder at some time.
type state struct {
	*builder.Loaded
	commit string    // the commit that is checked out
	asOf   time.Time // for scores
}

// equal reports whether a build of both states would be the same.
func (s *state) equal(o *state) bool {
	return s.commit == o.commit && s.Kinds == o.Kinds && maps.Equal(s.Blobs, o.Blobs)
}

// edit is the last good version of an entity, and the git blob name of its file; zero if it is deleted.
type edit struct {
	exports.Edit
	blob [20]byte
}

// New returns a watcher that has not read anything yet.
func New(o Options) *Watcher {
	return &Watcher{o: o, folder: content.Open(o.Build.Content), edits: map[string]edit{}}
}

func (w *Watcher) read(ctx context.Context) (*state, yamldoc.Problems, error) {
	s := &state{commit: gitlog.CurrentCommit(ctx, w.o.Build.Content), asOf: w.o.AsOf()}
	var problems yamldoc.Problems
	var err error
	s.Loaded, problems, err = builder.LoadFolder(w.folder, nil)
	return s, problems, err
}

// Build reads the folder and builds it, for callers that need a build before Run. If the
// content has errors, Build returns yamldoc.Problems.
func (w *Watcher) Build(ctx context.Context, progress func(step string, done, total int)) (*builder.Report, error) {
	now, problems, err := w.read(ctx)
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return nil, problems
	}
	w.now = now
	j := w.prepare()
	j.options.Progress = progress
	if j.run(ctx); j.err != nil {
		return nil, j.err
	}
	w.reportProblems(problems)
	w.finish(j)
	return j.report, nil
}

// job is a build that has been prepared or is running.
type job struct {
	options   builder.Options
	published func() error // Options.Published
	state     *state
	report    *builder.Report
	err       error
}

// prepare prepares a build of the folder as it was last read. The build changes its copies of the entities.
func (w *Watcher) prepare() *job {
	own := *w.now.Content
	own.Entities = make([]*record.Entity, len(own.Entities))
	for i, e := range w.now.Entities {
		entity := *e
		own.Entities[i] = &entity
	}
	j := &job{options: w.o.Build, published: w.o.Published, state: w.now}
	j.options.Loaded, j.options.AsOf = &builder.Loaded{Content: &own, Formula: w.now.Formula}, w.now.asOf
	return j
}

func (j *job) run(ctx context.Context) {
	if j.report, j.err = builder.Build(ctx, j.options); j.err == nil {
		j.err = j.published()
	}
}

// finish makes a build, which readers use by now, the base for later edits.
func (w *Watcher) finish(j *job) {
	w.failure, w.base, w.built = "", j.state, true
	w.took = time.Duration(j.report.Seconds * float64(time.Second))
	maps.DeleteFunc(w.edits, func(name string, e edit) bool { return e.blob == w.base.Blobs[name] })
	w.o.Built(j.report, w.list())
}

// stale reports whether a build would differ from the last one.
func (w *Watcher) stale() bool { return !w.built || len(w.edits) > 0 || !w.now.equal(w.base) }

func (w *Watcher) list() (list []exports.Edit) {
	for _, e := range w.edits {
		list = append(list, e.Edit)
	}
	slices.SortFunc(list, func(a, b exports.Edit) int {
		return strings.Compare(a.Type+"\x00"+a.Slug, b.Type+"\x00"+b.Slug)
	})
	return list
}

// update reads the folder, and reports whether it has changed.
func (w *Watcher) update(ctx context.Context) (changed bool) {
	now, problems, err := w.read(ctx)
	if err != nil {
		w.lost = true
		w.fail(err)
		return false
	}
	if w.lost {
		w.lost, w.failure = false, "" // report the next failure, even if it is the same
		w.o.Found()
	}
	previous := w.now
	w.now = now
	if previous != nil && previous.equal(now) && slices.Equal(problems, w.problems) {
		return false
	}
	switch {
	case now.Blobs == nil || now.Formula == nil: // kinds.yaml or scoring.yaml has errors
	case w.base == nil:
		w.base = now
	case now.Kinds != w.base.Kinds: // the next build shows it
		clear(w.edits)
	default:
		w.take(problems)
	}
	w.reportProblems(problems)
	return true
}

// take treats the changed files that are valid as edits, including files that have become valid because
// another file has changed. Of a file with errors, the last good version is kept.
func (w *Watcher) take(problems yamldoc.Problems) {
	wrong := map[string]bool{}
	for _, p := range problems {
		wrong[p.File] = wrong[p.File] || p.Severity == yamldoc.Error
	}
	known := map[string][20]byte{} // zero for a new file
	for name := range w.now.Blobs {
		known[name] = w.base.Blobs[name]
	}
	maps.Copy(known, w.base.Blobs)
	for name, e := range w.edits {
		known[name] = e.blob
	}
	var names []string
	for name, blob := range known {
		typ, base, ok := strings.Cut(name, "/")
		now := w.now.Blobs[name]
		if !ok || w.now.Kinds.Kind(typ) == nil || now == blob || wrong[filepath.ToSlash(filepath.Join(w.o.Build.Content, name))] {
			continue
		}
		c := edit{exports.Edit{Type: typ, Slug: strings.TrimSuffix(base, ".yaml")}, now}
		at, exists := slices.BinarySearchFunc(w.now.Entities, &record.Entity{Type: c.Type, Slug: c.Slug}, record.CompareKey)
		if exists {
			e := *w.now.Entities[at]
			e.Scores = w.base.Formula.Scores(&e, w.base.asOf)
			c.Entity = &e
		}
		w.edits[name], names = c, append(names, c.Type+"/"+c.Slug)
	}
	if len(names) > 0 {
		slices.Sort(names)
		w.o.Edited(w.list(), names)
	}
}

func (w *Watcher) reportProblems(problems yamldoc.Problems) {
	if !slices.Equal(problems, w.problems) {
		w.problems = problems
		w.o.Problems(problems)
	}
}

// fail reports an error, but does not repeat it while it persists.
func (w *Watcher) fail(err error) {
	if err.Error() != w.failure {
		w.failure = err.Error()
		w.o.Failed(err)
	}
}
