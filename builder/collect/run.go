package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/content"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Options configures Run.
type Options struct {
	Content string // the content folder
	// Open, if not nil, returns the Sources for the content and its collect.yaml.
	Open    func(declared *kinds.Set, c Config) ([]*Source, error)
	Sources []*Source // in the order of precedence: of two sources with the same signal for an entity, the first one is used
	Only    []string  // names of sources; empty means all that collect.yaml does not turn off
	Select  []string  // entities, as type/slug, type or path of a file; empty means all
	Accept  []string  // values to write although a guard stops them: type/slug:signal; * means any

	New     bool // also look for what the content lacks
	MaxAge  *int // days; nil means the value in collect.yaml
	DryRun  bool // change no file
	Offline bool // send no requests; use what earlier runs kept

	Cache       string        // folder for what is kept between runs; "" keeps nothing
	MaxRequests int           // of all sources together; 0 means no limit
	MaxWait     time.Duration // how long each source may wait for limits
	Agent       string        // the User-Agent of requests

	HTTP   *http.Client
	Clock  Clock
	Getenv func(string) string
	// Progress, if not nil, is called after requests for entities of any source, one call at a time.
	Progress func(done, total int)
}

type run struct {
	Options
	config   Config
	content  *content.Content
	entities []*record.Entity // those selected
	today    string
	maxAge   int
	minDays  int
	budget   *atomic.Int64 // requests
	asks     []*asking
	kept     kept
	edits    map[*record.Entity][]edit
	report   *Report

	mu          sync.Mutex
	done, total int // entities asked for, and those to ask
}

// progress adds to the entities asked for, or to those to ask.
func (r *run) progress(done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.total = r.done+done, r.total+total
	if r.Progress != nil && done > 0 {
		r.Progress(r.done, r.total)
	}
}

// Run reads figures and writes them to the content folder. If the content or collect.yaml has
// problems, it returns them as yamldoc.Problems and sends nothing. If ctx is cancelled, nothing
// has been written to the content folder, or only whole files, and another run continues.
func Run(ctx context.Context, o Options) (*Report, error) {
	r, err := prepare(o)
	if err != nil {
		return nil, err
	}
	unlock, err := r.kept.lock(o.Cache)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if err := r.askAll(ctx); err != nil {
		return nil, err
	}
	r.judge()
	r.judgeOffers()
	if err := r.write(ctx); err != nil {
		return nil, err
	}
	if o.New {
		if r.report.New, err = r.findNew(ctx); err != nil {
			return nil, err
		}
	}
	err = r.writeStatus()
	r.finish()
	return r.report, err
}

// prepare checks everything that needs no request.
func prepare(o Options) (*run, error) {
	c, problems, err := content.Load(o.Content, nil)
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	r := &run{Options: o, content: c, edits: map[*record.Entity][]edit{}, today: o.Clock.Now().UTC().Format(time.DateOnly)}
	if r.config, err = ParseConfig(c.Collect); err != nil {
		return nil, fmt.Errorf("collect.yaml: %w", err)
	}
	if o.Open != nil {
		if r.Sources, err = o.Open(c.Kinds, r.config); err != nil {
			return nil, err
		}
	}
	if o.Cache != "" {
		r.kept = kept(filepath.Join(o.Cache, "kept"))
	}
	r.maxAge, r.minDays = or(o.MaxAge, r.config.MaxAge), r.config.MinDays
	if r.entities, err = SelectEntities(c.Entities, o.Content, o.Select); err != nil {
		return nil, err
	}
	if err := checkNames(o.Accept); err != nil {
		return nil, fmt.Errorf("--accept: %w", err)
	}
	if err := checkNames(r.config.Guards.Refuse); err != nil {
		return nil, fmt.Errorf("collect.yaml: guards.refuse: %w", err)
	}
	if o.MaxRequests > 0 {
		r.budget = new(atomic.Int64)
		r.budget.Store(int64(o.MaxRequests))
	}
	r.report = &Report{Day: r.today, DryRun: o.DryRun, Sources: []SourceReport{}, Changes: []Change{}, Stopped: []quality.Stopped{}, Accepted: []quality.Stopped{},
		Gone: []Problem{}, Failed: []Problem{}, Refused: []Problem{}}
	return r, r.choose()
}

func (r *run) choose() error {
	names := map[string]bool{}
	for _, f := range r.config.Files {
		names[f.Name] = true // it is opened only if it is used
	}
	for _, s := range r.Sources {
		names[s.Name] = true
		config := r.config.Sources[s.Name]
		for _, name := range config.Signals {
			if !hasColumn(s.Columns, name) {
				return fmt.Errorf("collect.yaml: sources.%s.signals: %s has no %s", s.Name, s.Title, name)
			}
		}
		if slices.Contains(r.Only, s.Name) || len(r.Only) == 0 && or(config.Enabled, true) {
			own := *s
			r.asks = append(r.asks, &asking{Source: &own, columns: r.config.columns(s), today: r.today, used: map[string]Answer{}, failed: map[string]error{}, report: SourceReport{Name: s.Name}})
		}
	}
	for _, name := range r.Only {
		if !names[name] {
			return fmt.Errorf("unknown source %q; expected one of: %s", name, strings.Join(sortedKeys(names), ", "))
		}
	}
	return nil
}

func (r *run) isSignal(name string) bool { return r.content.Kinds.Signal(name) != nil }

func (r *run) isCount(name string) bool {
	s := r.content.Kinds.Signal(name)
	return s != nil && !s.IsDay()
}

// bounds returns the bounds of a signal. What varies without growing may rise and fall freely by default.
func (r *run) bounds(name string) Bounds {
	b := r.config.Guards.Bounds
	if s := r.content.Kinds.Signal(name); s != nil && s.Varies() && !s.Grows {
		b.Fall, b.Rise = 100, 0
	}
	if own := r.config.Guards.Signals[name]; own != nil {
		_ = json.Unmarshal(own, &b) // the schema has been checked
	}
	return b
}

// SelectEntities returns the entities that names select: a type/slug, a type, or the path of a file
// in the content folder dir. No names select all. A name without an entity is an error.
func SelectEntities(all []*record.Entity, dir string, names []string) ([]*record.Entity, error) {
	if len(names) == 0 {
		return all, nil
	}
	chosen := map[string]bool{}
	for _, name := range names {
		var keys []string
		key := filepath.ToSlash(filepath.Clean(name))
		if inner, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(inner, "..") {
			key = filepath.ToSlash(inner)
		}
		key = strings.TrimSuffix(key, ".yaml")
		found := false
		for _, e := range all {
			keys = append(keys, e.Key())
			if e.Key() == key || e.Type == key {
				chosen[e.Key()], found = true, true
			}
		}
		if !found {
			if near := didyoumean.Key(key, keys); near != "" {
				return nil, fmt.Errorf("%s: no such entity in %s (did you mean %q?)", name, dir, near)
			}
			return nil, fmt.Errorf("%s: no such entity in %s; use type/slug, such as tool/pytorch, a type, or the path of a file", name, dir)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(e *record.Entity) bool { return !chosen[e.Key()] }), nil
}

// plan decides which source is asked for which entity, and which source owns which value.
func (r *run) plan() {
	owned := map[string]bool{} // entity and value
	for _, a := range r.asks {
		for _, e := range r.entities {
			if a.Problem != nil {
				break
			}
			a.offersOf(e, owned)
			t := target{entity: e, id: a.Identify(e), owns: map[string]bool{}}
			if t.id == "" {
				continue
			}
			for _, col := range a.columns {
				if key := e.Key() + ":" + col.Name; !owned[key] {
					owned[key], t.owns[col.Name] = true, true
				}
			}
			a.targets = append(a.targets, t)
		}
		a.report.Covers, a.report.Offers = len(a.targets), len(a.offers)
		a.client.seldom = a.chooseSeldom(r)
	}
}

// open removes what killed runs left behind, and lets sources read what they must know first.
func (r *run) open(ctx context.Context) error {
	if !r.DryRun {
		removeParts(r.Content)
	}
	for _, a := range r.asks {
		a.client = r.newClient(a)
		if a.Problem == nil && a.Read != nil {
			a.Problem = a.Read(ctx, a.client)
		}
		if ctx.Err() != nil {
			return errors.New("interrupted; no file was changed")
		}
	}
	r.plan()
	return nil
}

// askAll asks all sources, side by side. The failure of one source is not an error.
func (r *run) askAll(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, a := range r.asks {
		g.Go(func() error { return a.run(ctx, r) })
	}
	err := g.Wait()
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; no file was changed, and the answers so far are kept: run the same command to continue")
	}
	return err
}

func (r *run) finish() {
	for _, a := range r.asks {
		r.report.Sources = append(r.report.Sources, a.report)
		for _, t := range slices.Concat(a.targets, a.offers) {
			problem := Problem{Entity: t.entity.Key(), Source: a.Name, ID: t.id}
			if err := a.failed[t.id]; err != nil {
				problem.Reason = err.Error()
				r.report.Failed = append(r.report.Failed, problem)
			} else if a.used[t.id].Gone && t.offer == nil { // guards report offers
				problem.Reason = a.Title + " has no " + t.id
				r.report.Gone = append(r.report.Gone, problem)
			}
			for _, problem.Reason = range a.used[t.id].Unread {
				r.report.Failed = append(r.report.Failed, problem)
			}
		}
	}
	r.report.sort()
	_, others := r.report.split()
	r.report.Routine = len(r.report.undecided())+len(r.report.Accepted)+len(r.report.Refused)+len(others) == 0
}

// removeParts removes the parts of files that a killed run left behind. They are hidden, so one that stays does no harm.
func removeParts(dir string) {
	for _, pattern := range []string{".tmp-*", "*/.*.yaml.*.part"} {
		parts, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))) // the patterns are valid
		for _, p := range parts {
			_ = os.Remove(p)
		}
	}
}

// Probe asks one source for one identifier and writes the answer, without applying guards or
// changing anything. It is for the first run with a network. If id is "" or an entity, as type/slug, it asks
// for the first entity that the source covers, or for that one.
func Probe(ctx context.Context, o Options, source, id string, w io.Writer) error {
	o.Only, o.Select, o.Cache, o.Accept = []string{source}, nil, "", nil
	r, err := prepare(o)
	if err != nil {
		return err
	}
	if kind, _, _ := strings.Cut(id, "/"); r.content.Kinds.Kind(kind) != nil {
		if r.entities, err = SelectEntities(r.entities, o.Content, []string{id}); err != nil {
			return err
		}
		id = ""
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if len(r.asks) == 0 {
		return fmt.Errorf("%s is turned off in collect.yaml", source)
	}
	a := r.asks[0]
	if err := cmp.Or(a.Problem, a.lacksToken()); err != nil {
		return err
	}
	var answers []Answer
	if id == "" { // the first entity, with its offers
		if len(a.targets) == 0 {
			return fmt.Errorf("%s covers none of the selected entities", a.Title)
		}
		id = a.targets[0].id
		for _, t := range a.offers {
			if answer := a.used[t.id]; t.entity == a.targets[0].entity {
				if err := a.failed[t.id]; err != nil {
					answer.Problem = err.Error()
				}
				answers = append(answers, answer)
			}
		}
	}
	if a.isList() {
		answers = append([]Answer{a.Look(id)}, answers...)
	} else {
		a.client.seldom = map[string]bool{id: true}
		answers, err = a.Ask(ctx, a.client, []string{id})
	}
	lines := []string{a.Title + ", documented at " + strings.Join(a.Pages, ", "), fmt.Sprintf("%s: %d requests, %d bytes", id, a.report.Requests, a.report.Bytes)}
	for _, to := range a.report.Redirects {
		lines = append(lines, fmt.Sprintf("redirect from %s to %s, which was not followed", to.From, to.To))
	}
	for _, answer := range answers {
		lines = append(lines, answer.lines()...)
	}
	for _, line := range lines {
		fmt.Fprintln(w, safetext.Escape(line))
	}
	if err == nil && len(answers) == 0 {
		err = fmt.Errorf("%s gave no answer", a.Title)
	}
	return err
}

// lines describes an answer with all its values, of which the index has no field for some.
func (a *Answer) lines() (list []string) {
	switch {
	case a.Problem != "":
		list = append(list, a.Problem)
	case a.Gone:
		list = append(list, a.ID+": not found")
	case a.Offer != nil:
		list = append(list, fmt.Sprintf("%s: %s (%s)", offerName(a.Offer), shownOffer(a.Offer), a.Offer.Source))
	case a.Moved != "":
		list = append(list, "moved to "+a.Moved)
	}
	for _, v := range a.Values {
		list = append(list, fmt.Sprintf("%s: %s (%s)", v.Name, cmp.Or(v.Text, number(v.Number)), v.Source))
	}
	for _, b := range a.Results {
		list = append(list, fmt.Sprintf("%s: %s (%s)", b.FoldedName(), number(b.Value), b.Source))
	}
	return list
}
