package collect

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"kindex/exports/record"
	"kindex/exports/store"
)

// target is an entity that a source knows, or an offer of one that a source keeps current.
type target struct {
	entity *record.Entity
	offer  *record.Offer // nil for the entity itself
	id     string
	owns   map[string]bool // the values that no earlier source has
}

type asking struct {
	*Source
	columns []Column // that collect.yaml does not leave out
	targets []target // entities
	offers  []target
	client  *Client

	today  string
	used   map[string]Answer // by identifier of a target
	failed map[string]error  // likewise
	inARow int               // failures since the last success
	report SourceReport
}

// maxInARow is the number of failures in a row after which a source is left alone.
const maxInARow = 5

// run asks the source for everything that is due. An error ends the whole run.
func (a *asking) run(ctx context.Context, r *run) error {
	if a.isList() {
		a.lookUp()
		return nil
	}
	due := a.due(r)
	a.report.Kept = len(a.used)
	var err error
	if len(due) > 0 {
		err = a.lacksToken()
	}
	r.progress(0, len(due))
	for len(due) > 0 && err == nil {
		next := due[:min(a.Batch, len(due))]
		if err = a.batch(ctx, r, next); err == nil {
			r.progress(len(next), 0)
		}
		due = due[len(next):]
	}
	if err != nil {
		a.report.Error = err.Error()
	}
	a.report.Failed = len(a.failed)
	return ctx.Err()
}

func (a *asking) lookUp() {
	if a.Problem != nil && !errors.Is(a.Problem, errNotKept) {
		a.report.Error = a.Problem.Error()
	}
	for _, t := range a.targets {
		a.take(t.id, a.Look(t.id))
	}
	a.report.Answered, a.report.Failed = len(a.used), len(a.failed)
	a.report.Asked = a.report.Answered + a.report.Failed
}

// take keeps an answer, with its day, and reports whether it has figures.
func (a *asking) take(id string, answer Answer) bool {
	if answer.Problem != "" {
		a.failed[id] = errors.New(answer.Problem)
		return false
	}
	answer.Day = cmp.Or(answer.Day, a.today)
	a.used[id] = answer
	return true
}

func (a *asking) lacksToken() error {
	if a.NeedsToken && a.client.token == "" {
		return fmt.Errorf("%s needs a token; set %s", a.Title, a.Token)
	}
	return nil
}

// key is that of a kept answer. Answers of another host are others.
func (a *asking) key(id string) string {
	return strings.Join(append([]string{a.Name, id}, a.Hosts...), "\n")
}

// due returns the identifiers to ask, sorted. It takes the answers of earlier runs that are recent enough.
func (a *asking) due(r *run) []string {
	wanted := map[string]bool{}
	for _, t := range a.targets {
		var held Answer
		switch ok := r.kept.get(a.key(t.id), &held); {
		case ok && (r.Offline || age(held.Day, r.today) < r.maxAge):
			a.used[t.id] = held
		case r.Offline:
		case a.fresh(t, r):
			a.report.Fresh++
		default:
			wanted[t.id] = true
		}
	}
	return sortedKeys(wanted)
}

// fresh reports whether all figures that the source always has are recent in the file.
func (a *asking) fresh(t target, r *run) bool {
	known := 0
	for _, col := range a.columns {
		if !r.isSignal(col.Name) || !col.Always || !t.owns[col.Name] {
			continue
		}
		f, ok := t.entity.Signals.Fact(col.Name)
		if !ok || f.Date == "" || age(f.Date, r.today) >= r.maxAge {
			return false
		}
		known++
	}
	return known > 0 && !a.isList()
}

// maxSeldom is how many values that cost a request of their own a source is asked for in one run. With
// four runs in the days after which such a value is read again, it covers 2,400 entities. GitHub
// allows the token of a workflow a thousand requests an hour.
const maxSeldom = 600

// seldomDays is the number of days after which a value that costs a request of its own is read again.
const seldomDays = 28

// chooseSeldom returns the identifiers to ask for the seldom columns of a source.
func (a *asking) chooseSeldom(r *run) map[string]bool {
	dates := map[string]string{} // of the figure in the file, by identifier; "" if there is none
	for _, col := range a.columns {
		for _, t := range a.targets {
			f, _ := t.entity.Signals.Fact(col.Name)
			if col.Seldom && t.owns[col.Name] && (f.Date == "" || age(f.Date, r.today) >= seldomDays) {
				dates[t.id] = f.Date
			}
		}
	}
	list := slices.SortedFunc(maps.Keys(dates), func(x, y string) int { return cmp.Or(cmp.Compare(dates[x], dates[y]), cmp.Compare(x, y)) })
	chosen := map[string]bool{}
	for _, id := range list[:min(len(list), maxSeldom)] {
		chosen[id] = true
	}
	return chosen
}

func age(day, today string) int {
	if days, ok := record.DaysApart(day, today); ok {
		return days
	}
	return 1 << 30
}

// batch asks for some identifiers and, if that fails because of them, for each half: one must not fail the others.
func (a *asking) batch(ctx context.Context, r *run, ids []string) error {
	answers, err := a.Ask(ctx, a.client, ids)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		a.inARow = 0
		return a.keep(r, ids, answers)
	case errors.As(err, new(*StoppedError)):
		return err
	case len(ids) > 1 && mayBeTooMuch(err):
		if err := a.batch(ctx, r, ids[:len(ids)/2]); err != nil {
			return err
		}
		return a.batch(ctx, r, ids[len(ids)/2:])
	}
	a.report.Asked += len(ids)
	for _, id := range ids {
		a.failed[id] = err
	}
	if a.inARow++; a.inARow == maxInARow {
		return &StoppedError{fmt.Sprintf("%d failures in a row, the last one: %v", maxInARow, err)}
	}
	return nil
}

// mayBeTooMuch is also true for 502 and 504, with which GitHub answers queries that take too long.
func mayBeTooMuch(err error) bool {
	down := new(unavailableError)
	return !errors.As(err, &down) || down.status == http.StatusBadGateway || down.status == http.StatusGatewayTimeout
}

func (a *asking) keep(r *run, ids []string, answers []Answer) error {
	a.report.Asked += len(ids)
	for _, answer := range answers {
		if _, twice := a.used[answer.ID]; twice || !slices.Contains(ids, answer.ID) || !a.take(answer.ID, answer) {
			continue
		}
		a.report.Answered++
		if err := r.kept.put(a.key(answer.ID), a.used[answer.ID]); err != nil {
			return &StoppedError{"answers cannot be kept: " + err.Error()}
		}
	}
	for _, id := range ids {
		if _, ok := a.used[id]; !ok && a.failed[id] == nil {
			a.failed[id] = fmt.Errorf("%s gave no answer", a.Title)
		}
	}
	return nil
}

// kept is a folder with what later runs can use, as a file of compressed JSON for each key: answers, so that a
// run after one that was killed or stopped by a limit need not ask again, and --offline reads nothing else; and
// responses with a validator (ETag or Last-Modified), so that they need not be sent again if they are unchanged. A
// damaged file counts as missing, and "" keeps nothing.
type kept string

// lock makes the folder, and makes sure that only one run uses the cache that it is in.
func (dir kept) lock(cache string) (unlock func(), err error) {
	if dir == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(cache, "lock"))
	ok, err := l.TryLock()
	if err == nil && !ok {
		err = fmt.Errorf("another kindex collect is using %s; wait for it, or use another --cache", cache)
	}
	return func() { _ = l.Unlock() }, err
}

func (dir kept) path(key string) string {
	return filepath.Join(string(dir), fmt.Sprintf("%x.json.gz", sha256.Sum256([]byte(key))))
}

// get reports whether something is kept under a key, and decodes it.
func (dir kept) get(key string, into any) bool {
	if dir == "" {
		return false
	}
	f, err := os.Open(dir.path(key))
	if err != nil {
		return false
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	return err == nil && json.NewDecoder(io.LimitReader(z, 2*maxBody)).Decode(into) == nil
}

func (dir kept) put(key string, v any) error {
	if dir == "" {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(v), z.Close()); err != nil {
		return err
	}
	return store.WriteFile(dir.path(key), b.Bytes())
}

func (dir kept) response(r Request) *Response {
	held := new(Response)
	if r.Body != nil || !dir.get(r.Accept+"\n"+r.URL, held) || held.URL != r.URL {
		return nil
	}
	return held
}

// putResponse keeps a response that has a validator.
func (dir kept) putResponse(r Request, resp *Response) error {
	if r.Body != nil || resp.Status != http.StatusOK || resp.Header.Get("ETag")+resp.Header.Get("Last-Modified") == "" {
		return nil
	}
	return dir.put(r.Accept+"\n"+r.URL, Response{resp.Status, resp.Header, resp.Body, r.URL})
}
