// Package watch follows a content folder at which somebody works. An edited
// entity is handed on at once, at the cost of the edit; a build of everything
// follows when the folder has been quiet for a while. A bad edit is reported with
// its place, and what was good before it stays.
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
	"kindex/exports/record"
	"kindex/exports/score"
)

// Options say what to watch and whom to tell. The functions are called from one
// goroutine, one at a time; all may be nil.
type Options struct {
	// Build says what to build and where. Its as-of time is asked for before each
	// build instead.
	Build builder.Options
	AsOf  func() (time.Time, error)

	// Edited is told the entities that are not as in the last build, all of them,
	// each with its scores by that build's formula and as-of time, and which of
	// them have changed since it was last told.
	Edited func(edits []exports.Edit, now []string)
	// Problems is told everything that is wrong, whenever that has changed.
	Problems func(yamldoc.Problems)
	// Built is told of a published build, and the edits that came too late for it.
	Built func(r *builder.Report, edits []exports.Edit)
	// Failed is told why a build, or a look at the folder, was not possible. It is
	// tried again.
	Failed func(error)
	// Found is told that the folder can be looked at again after it could not.
	Found func()
}

// Times of waiting.
const (
	settle             = 60 * time.Millisecond  // editors write a file in several steps
	maxWait            = 300 * time.Millisecond // but not for longer than this
	quietMin           = 500 * time.Millisecond // without an edit before a build begins
	quietMax           = 10 * time.Second
	retry              = 5 * time.Second // after a build that failed
	minScanInterval    = 2 * time.Second // between looks for what no event told
	scanIntervalFactor = 30              // a look may take this part of the time
)

// Watcher follows one content folder.
type Watcher struct {
	o      Options
	folder *content.Folder

	formula *score.Formula // of the last build
	asOf    time.Time

	pending  map[string]pending // edits that no build holds, by path
	bad      map[string]bool    // changed files of which the last good state is kept
	problems yamldoc.Problems
	count    int           // edits so far
	stale    bool          // the folder holds what no build does
	took     time.Duration // of the last build
	failure  string        // the error that was reported last
}

// pending is an edit, and when it came.
type pending struct {
	exports.Edit
	number int
}

// New returns a watcher that has not looked at anything yet.
func New(o Options) *Watcher {
	return &Watcher{o: o, folder: content.Open(o.Build.Content), pending: map[string]pending{}, bad: map[string]bool{}, stale: true}
}

// Build reads the folder and builds it, for those who need a first build. Content
// with errors is returned as yamldoc.Problems.
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
	r, err := builder.Build(ctx, job.options)
	if err != nil {
		return nil, err
	}
	w.reportProblems(problems)
	w.built(job, r)
	return r, nil
}

// job is one build under way.
type job struct {
	options builder.Options
	formula *score.Formula
	upTo    int // the edits that it holds
	report  *builder.Report
	err     error
}

// prepare takes the folder as it was last read.
func (w *Watcher) prepare() (*job, yamldoc.Problems, error) {
	loaded, problems, err := builder.LoadFolder(w.folder)
	if err != nil {
		return nil, nil, err
	}
	j := &job{options: w.o.Build, formula: loaded.Formula, upTo: w.count}
	j.options.Loaded = loaded
	j.options.AsOf, err = w.o.AsOf()
	return j, problems, err
}

// built takes over a published build as the one that edits are seen beside.
func (w *Watcher) built(j *job, r *builder.Report) {
	w.failure = ""
	w.o.Build.TrustPrevious = false // the build that was to be taken over is not the last one any more
	w.formula, w.asOf, w.stale = j.formula, j.options.AsOf, w.count > j.upTo
	w.took = time.Duration(r.Seconds * float64(time.Second))
	for name, p := range w.pending {
		if p.number <= j.upTo {
			delete(w.pending, name)
		}
	}
	if w.o.Built != nil {
		w.o.Built(r, w.edits())
	}
}

// edits lists what is pending, by type and slug.
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

// read reads files that may have changed and tells what came of it.
func (w *Watcher) read(names []string) error {
	changed, err := w.folder.Read(names, nil)
	if len(changed) == 0 {
		return err
	}
	w.count++
	w.stale = true
	problems, checkErr := builder.CheckFolder(w.folder)
	if err != nil || checkErr != nil {
		if checkErr != nil {
			err = checkErr
		}
		for _, name := range changed {
			w.bad[name] = true
		}
		return err
	}
	w.take(changed, problems)
	w.reportProblems(problems)
	return nil
}

// take makes edits of the files that are good, also of those that another file
// has made good.
func (w *Watcher) take(changed []string, problems yamldoc.Problems) {
	wrong := map[string]bool{}
	for _, p := range problems {
		wrong[p.File] = wrong[p.File] || p.Severity == yamldoc.Error
	}
	for _, name := range changed {
		w.bad[name] = true
	}
	var now []string
	for name := range w.bad {
		typ, slug, ok := entityName(name)
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
			continue // this is the first look: there is no build beside which it would be an edit
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

// entityName takes the path of an entity file apart.
func entityName(name string) (typ, slug string, ok bool) {
	typ, base := filepath.Split(filepath.FromSlash(name))
	typ = strings.TrimSuffix(typ, string(filepath.Separator))
	slug, ok = strings.CutSuffix(base, ".yaml")
	return typ, slug, ok && slices.Contains(record.Types, typ) && content.ValidSlug(slug)
}

// reportProblems reports the problems if they are others than before.
func (w *Watcher) reportProblems(problems yamldoc.Problems) {
	if slices.Equal(problems, w.problems) {
		return
	}
	w.problems = problems
	if w.o.Problems != nil {
		w.o.Problems(problems)
	}
}

// fail reports an error, once as long as it goes on.
func (w *Watcher) fail(err error) {
	if err == nil || err.Error() == w.failure {
		return
	}
	w.failure = err.Error()
	if w.o.Failed != nil {
		w.o.Failed(err)
	}
}

// quietPeriod is how long the folder must be quiet before it is built: longer where a
// build is a burden.
func (w *Watcher) quietPeriod() time.Duration { return min(max(w.took/4, quietMin), quietMax) }
