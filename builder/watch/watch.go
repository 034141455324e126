// Package watch follows a content folder while it is being edited. It publishes an edited
// entity at once, without a build. A full build follows when the folder has not changed for a
// while. Problems in an edit are reported, and the last good version remains published.
package watch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/builder"
	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/score"
)

// Options configures a Watcher. The functions are called one at a time, from one goroutine, except for
// Published and those in Build; all may be nil.
type Options struct {
	// Build configures the builds. Its as-of time is replaced before each build.
	Build builder.Options
	AsOf  func() (time.Time, error)

	// Edited is called with all entities that differ from the last build, and with the names of
	// the entities that have changed since the last call. The entities are scored with the
	// formula and the as-of time of that build or, before the watcher's first build, with the
	// current ones.
	Edited func(edits []exports.Edit, now []string)
	// Deferred is called with the number of changed files if there are too many to publish as
	// edits. They go live with the next build.
	Deferred func(files int)
	// Problems is called with all current problems whenever they change.
	Problems func(yamldoc.Problems)
	// Published is called after a build has been published, from that build's goroutine, while edits
	// continue. It must not return before readers use the build. If it returns an error, the edits in
	// the build stay edits, and the build is retried. Watcher.Build calls it, too, and returns its error.
	Published func() error
	// Built is called after Published, with the edits that were made too late to be in that build.
	Built func(r *builder.Report, edits []exports.Edit)
	// Failed is called with the error if a build, Published or a scan fails. The build or scan will be
	// retried.
	Failed func(error)
	// Found is called when the folder can be read again after a failure.
	Found func()
}

// Delays.
const (
	settle             = 60 * time.Millisecond  // editors write a file in several steps
	maxWait            = 300 * time.Millisecond // maximum delay after the first event
	quietMin           = 500 * time.Millisecond // minimum time without edits before a build starts
	quietMax           = 10 * time.Second
	retry              = 5 * time.Second // delay after a failed build
	minScanInterval    = 2 * time.Second // minimum time between scans for changes without events
	scanIntervalFactor = 30              // time between scans as a multiple of the time that a scan takes
	maxEdited          = 10_000          // default of Watcher.maxEdited
)

// Watcher follows one content folder.
type Watcher struct {
	o      Options
	folder *content.Folder

	formula *score.Formula // scores edits; nil if there is no build to edit
	kinds   *kinds.Set     // of that build
	asOf    time.Time

	pending  map[string]pending // edits that are not in a build, keyed by path
	bad      map[string]bool    // changed files that are bad, so that the last good version is kept
	problems yamldoc.Problems
	count    int           // number of edits so far
	stale    bool          // whether the folder has changes that are not in a build
	took     time.Duration // duration of the last build
	failure  string        // the error that was reported last

	maxEdited int // maximum number of edits that are not in a build
}

// pending is an edit and its sequence number.
type pending struct {
	exports.Edit
	number int
}

// New returns a watcher that has not read anything yet.
func New(o Options) *Watcher {
	return &Watcher{o: o, folder: content.Open(o.Build.Content), pending: map[string]pending{}, bad: map[string]bool{}, stale: true, maxEdited: maxEdited}
}

// Build reads the folder and builds it, for callers that need a build before Run. If the
// content has errors, Build returns yamldoc.Problems.
func (w *Watcher) Build(ctx context.Context) (*builder.Report, error) {
	total := func(done, total int) {
		if w.o.Build.Progress != nil {
			w.o.Build.Progress("load", done, total)
		}
	}
	if _, err := w.folder.Refresh(total); err != nil {
		return nil, err
	}
	job, problems, err := w.prepare()
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	if job.run(ctx); job.err != nil {
		return nil, job.err
	}
	w.reportProblems(problems)
	w.built(job)
	return job.report, nil
}

// job is a build that has been prepared or is running.
type job struct {
	options   builder.Options
	published func() error // Options.Published
	formula   *score.Formula
	upTo      int // the number of edits so far that the build includes
	report    *builder.Report
	err       error
}

// run builds, and lets readers use the build.
func (j *job) run(ctx context.Context) {
	if j.report, j.err = builder.Build(ctx, j.options); j.err == nil && j.published != nil {
		j.err = j.published()
	}
}

// prepare prepares a build of the folder as it was last read.
func (w *Watcher) prepare() (*job, yamldoc.Problems, error) {
	loaded, problems, err := builder.SnapshotFolder(w.folder)
	if err != nil {
		return nil, nil, err
	}
	j := &job{options: w.o.Build, published: w.o.Published, formula: loaded.Formula, upTo: w.count}
	j.options.Loaded = loaded
	j.options.AsOf, err = w.o.AsOf()
	return j, problems, err
}

// built makes a build, which readers use by now, the base for later edits.
func (w *Watcher) built(j *job) {
	w.failure = ""
	w.kinds = j.options.Loaded.Kinds
	w.formula, w.asOf, w.stale = j.formula, j.options.AsOf, w.count > j.upTo
	w.took = time.Duration(j.report.Seconds * float64(time.Second))
	for name, p := range w.pending {
		if p.number <= j.upTo {
			delete(w.pending, name)
		}
	}
	if w.o.Built != nil {
		w.o.Built(j.report, w.edits())
	}
}

// edits lists the pending edits by type and slug.
func (w *Watcher) edits() []exports.Edit {
	var list []exports.Edit
	for _, p := range w.pending {
		list = append(list, p.Edit)
	}
	slices.SortFunc(list, func(a, b exports.Edit) int {
		return strings.Compare(a.Type+"\x00"+a.Slug, b.Type+"\x00"+b.Slug)
	})
	return list
}

// read reads files that may have changed and reports the results.
func (w *Watcher) read(names []string) error {
	changed, err := w.folder.Read(names, nil)
	if len(changed) == 0 {
		return err
	}
	w.count++
	w.stale = true
	_, problems, checkErr := builder.SnapshotFolder(w.folder)
	if err == nil {
		err = checkErr
	}
	if w.formula != nil && len(w.pending)+len(changed) > w.maxEdited {
		if w.o.Deferred != nil {
			w.o.Deferred(len(changed))
		}
		changed = nil
	}
	if w.formula != nil && w.folder.Kinds() != w.kinds { // the next build shows it
		changed = nil
		clear(w.pending)
	}
	for _, name := range changed {
		w.bad[name] = true
	}
	if err != nil {
		return err
	}
	w.take(problems)
	w.reportProblems(problems)
	return nil
}

// take treats the changed files that are valid as edits, including files that have become valid because
// another file has changed.
func (w *Watcher) take(problems yamldoc.Problems) {
	wrong := map[string]bool{}
	for _, p := range problems {
		wrong[p.File] = wrong[p.File] || p.Severity == yamldoc.Error
	}
	var now []string
	for name := range w.bad {
		typ, slug, ok := entityName(w.folder.Kinds(), name)
		if !ok {
			delete(w.bad, name)
			continue
		}
		e, shown, gone := w.folder.Entity(name)
		if e == nil && !gone || wrong[shown] {
			continue
		}
		delete(w.bad, name)
		if w.formula == nil {
			continue // there is no usable build to edit; the next build includes the file
		}
		if e != nil {
			e.Scores = w.formula.Scores(e, w.asOf)
		}
		w.pending[name] = pending{exports.Edit{Type: typ, Slug: slug, Entity: e}, w.count}
		now = append(now, typ+"/"+slug)
	}
	if len(now) > 0 && w.o.Edited != nil {
		slices.Sort(now)
		w.o.Edited(w.edits(), now)
	}
}

// entityName splits the path of an entity file.
func entityName(declared *kinds.Set, name string) (typ, slug string, ok bool) {
	typ, base := filepath.Split(filepath.FromSlash(name))
	typ = strings.TrimSuffix(typ, string(filepath.Separator))
	slug, ok = strings.CutSuffix(base, ".yaml")
	return typ, slug, ok && declared.Kind(typ) != nil && content.ValidSlug(slug)
}

// reportProblems reports the problems if they have changed.
func (w *Watcher) reportProblems(problems yamldoc.Problems) {
	if slices.Equal(problems, w.problems) {
		return
	}
	w.problems = problems
	if w.o.Problems != nil {
		w.o.Problems(problems)
	}
}

// fail reports an error, but does not repeat it while it persists.
func (w *Watcher) fail(err error) {
	if err == nil || err.Error() == w.failure {
		return
	}
	w.failure = err.Error()
	if w.o.Failed != nil {
		w.o.Failed(err)
	}
}

// quietPeriod returns how long the folder must stay unchanged before a build starts. The period
// is longer if builds are slow.
func (w *Watcher) quietPeriod() time.Duration { return min(max(w.took/4, quietMin), quietMax) }
