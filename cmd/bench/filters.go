package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/cmd/bench/baseline"
	"kindex/exports"
	"kindex/exports/record"
)

// pageSize is the default page size of the API.
const pageSize = 20

// listing is a request for a sorted page with filters.
type listing struct {
	filters baseline.Filters
	offset  int
	request *http.Request
}

// filterClass is a kind of listing that is measured.
type filterClass struct {
	name, note string
	// make returns the filters that a random record passes, and the rest of the query;
	// ok is false if the record is not suitable.
	make func(rng *rand.Rand, e *record.Entity) (f baseline.Filters, q url.Values, ok bool)
}

var filterClasses = []filterClass{
	{"three filters", "type=…&category=…&tag=…&sort=composite; Bleve: conjunction of three terms, sorted by score and key", termListing},
	{"signal ranges", "type=…&signal=…>=…&signal=…<=…&sort=composite; Bleve: conjunction of a term and two numeric ranges, sorted by score and key", signalListing},
	{"price and context", "modality=…&minContext=…&maxPrice=…&sort=context, with openWeights=… if the price is unknown; Bleve: conjunction of terms and numeric ranges, sorted by number and key", factListing},
}

// measureFilters requests the same pages from the edge and from the yardsticks, in turn.
func (b *bench) measureFilters(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	for i := range filterClasses {
		if err := b.measureFilterClass(ctx, &filterClasses[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) measureFilterClass(ctx context.Context, class *filterClass) error {
	list, err := b.listings(rand.New(rand.NewPCG(b.seed, 11)), b.queries+warmUp, class)
	if err != nil {
		return err
	}
	var rivals []lister
	if b.bleve != nil {
		rivals = append(rivals, lister{name: bleveName, page: b.bleve.Page, mark: 0.05})
	}
	if b.lists != nil {
		rivals = append(rivals, lister{name: sqliteName, page: b.lists.Page})
	}
	var own durations
	w := newAnswer()
	for k, l := range list {
		warm := k < warmUp
		for turn := range len(rivals) + 1 {
			if side := (turn + k) % (len(rivals) + 1); side < len(rivals) {
				err = rivals[side].ask(&l, warm || !b.timedOut(rivals[side].spent, k-warmUp), warm)
			} else {
				start := time.Now()
				b.server.ServeHTTP(w.reset(), l.request)
				if took := time.Since(start); !warm {
					own = append(own, took)
				}
			}
			if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
		}
		for i := range rivals {
			if err := b.samePage(w, &rivals[i]); err != nil {
				return fmt.Errorf("%s: %w", l.request.URL, err)
			}
		}
	}
	return b.filterRows(class, list, own, rivals)
}

// lister is a yardstick for listings, with its results.
type lister struct {
	name  string
	page  func(dst []byte, f baseline.Filters, offset, limit int) ([]byte, []uint32, uint64, error)
	mark  float64 // target relative to its times, or 0 if there is none
	took  durations
	spent time.Duration

	asked bool // whether the last listing was requested
	last  []uint32
	total uint64
	buf   []byte
}

// ask requests a listing, unless it is skipped, and records the time unless this is a warm-up.
func (r *lister) ask(l *listing, asked, warm bool) (err error) {
	if r.asked = asked; !asked {
		return nil
	}
	start := time.Now()
	r.buf, r.last, r.total, err = r.page(r.buf[:0], l.filters, l.offset, pageSize)
	if took := time.Since(start); !warm {
		r.took, r.spent = append(r.took, took), r.spent+took
	}
	return err
}

func (b *bench) filterRows(class *filterClass, list []listing, own durations, rivals []lister) error {
	k, w := 0, newAnswer()
	p := &profileRun{name: "filters " + class.name, run: func() error {
		b.server.ServeHTTP(w.reset(), list[k%len(list)].request)
		k++
		return nil
	}}
	var rows []row
	for _, r := range rivals {
		note := fmt.Sprintf("API: GET /api/entities?%s, 20 hits; called in process; the results of all %d requests sent to both were the same", class.note, len(r.took)+warmUp)
		for _, q := range []struct {
			name string
			q    float64
		}{{class.name + " p50", 0.5}, {class.name + " p99", 0.99}} {
			if r.mark == 0 {
				q.name = class.name + " (" + r.name + ")" + strings.TrimPrefix(q.name, class.name)
			}
			row := row{Part: "filters", Name: q.name, Value: own.quantile(q.q), Unit: "ms", Count: len(own), Note: note}.
				against(r.name, r.took.quantile(q.q), len(r.took)).explained(p)
			if r.mark > 0 {
				row = row.timesAtMost(r.mark)
			}
			rows = append(rows, row)
		}
	}
	return b.add(append(rows, row{Part: "filters", Name: class.name + " slowest 1%", Value: own.quantile(0.99), Unit: "ms", Count: len(own)}.atMost(2).explained(p))...)
}

// maxTries bounds the search for suitable records.
const maxTries = 1000

// listings returns requests that match at least one record: the filters are those that a
// random record passes, and the page is a random page of the results.
func (b *bench) listings(rng *rand.Rand, n int, class *filterClass) ([]listing, error) {
	list := make([]listing, 0, n)
	for tries := 0; len(list) < n; tries++ {
		if tries > maxTries*n {
			return nil, fmt.Errorf("%s: too few suitable records", class.name)
		}
		e, err := b.build.Entity(uint32(rng.IntN(b.build.Listed())))
		if err != nil {
			return nil, err
		}
		f, q, ok := class.make(rng, e)
		if !ok {
			continue
		}
		set, err := b.build.Select(exportFilter(f))
		if err != nil {
			return nil, err
		}
		l := listing{filters: f, offset: pageSize * rng.IntN((int(set.GetCardinality())+pageSize-1)/pageSize)}
		l.request, err = http.NewRequest(http.MethodGet, fmt.Sprintf("/api/entities?%s&limit=%d&offset=%d", q.Encode(), pageSize, l.offset), nil)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// exportFilter returns the filters as a build takes them.
func exportFilter(f baseline.Filters) *exports.Filter {
	x := &exports.Filter{Fields: map[string][][]string{}}
	for _, t := range f.Terms {
		x.Fields[t.Field] = [][]string{{t.Value}}
	}
	for _, r := range f.Ranges {
		if r.Field == "price" {
			x.MaxPrice, _, _ = record.RoundPrice(r.Bound)
		} else {
			x.Signals = append(x.Signals, exports.SignalBound{Signal: r.Field, AtMost: r.AtMost, Number: r.Bound})
		}
	}
	return x
}

func termListing(rng *rand.Rand, e *record.Entity) (f baseline.Filters, q url.Values, ok bool) {
	if len(e.Tags) == 0 {
		return f, nil, false
	}
	tag := e.Tags[rng.IntN(len(e.Tags))]
	return baseline.Filters{Terms: []baseline.Term{{Field: "type", Value: e.Type}, {Field: "category", Value: e.Category}, {Field: "tag", Value: tag}}, Sort: "composite"},
		url.Values{"type": {e.Type}, "category": {e.Category}, "tag": {tag}, "sort": {"composite"}}, true
}

// signalListing compares two different signals with the record's own values, each in a random
// direction.
func signalListing(rng *rand.Rand, e *record.Entity) (f baseline.Filters, q url.Values, ok bool) {
	numbers := slices.DeleteFunc(slices.Clone(e.Signals.Facts), func(s record.Fact) bool { return s.Day != "" })
	if len(numbers) < 2 {
		return f, nil, false
	}
	rng.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	f = baseline.Filters{Terms: []baseline.Term{{Field: "type", Value: e.Type}}, Sort: "composite"}
	q = url.Values{"type": {e.Type}, "sort": {"composite"}}
	for _, s := range numbers[:2] {
		atMost := rng.IntN(2) == 0
		f.Ranges = append(f.Ranges, baseline.Range{Field: s.Name, AtMost: atMost, Bound: s.Number})
		operator := ">="
		if atMost {
			operator = "<="
		}
		q.Add("signal", s.Name+operator+strconv.FormatFloat(s.Number, 'f', -1, 64))
	}
	return f, q, true
}

// factListing asks for models like the record that cost no more and have at least as much context.
func factListing(_ *rand.Rand, e *record.Entity) (f baseline.Filters, q url.Values, ok bool) {
	context, known := e.Signals.Fact("contextTokens")
	if e.Model == nil || len(e.Model.Input) == 0 || !known || context.Number > math.MaxInt32 {
		return f, nil, false
	}
	f = baseline.Filters{Terms: []baseline.Term{{Field: "modality", Value: e.Model.Input[0]}}, Sort: "contextTokens",
		Ranges: []baseline.Range{{Field: "contextTokens", Bound: context.Number}}}
	q = url.Values{"modality": {e.Model.Input[0]}, "minContext": {strconv.FormatFloat(context.Number, 'f', -1, 64)}, "sort": {"context"}}
	switch p := e.Price.Blended; {
	case p.Known():
		f.Ranges = append(f.Ranges, baseline.Range{Field: "price", AtMost: true, Bound: p.Float()})
		q.Set("maxPrice", p.String())
	case e.Model.OpenWeights != record.Unknown:
		f.Terms = append(f.Terms, baseline.Term{Field: "openWeights", Value: e.Model.OpenWeights.String()})
		q.Set("openWeights", e.Model.OpenWeights.String())
	default:
		return f, nil, false
	}
	return f, q, true
}

// samePage checks that kindex and a yardstick have returned the same page and the same number of
// matches.
func (b *bench) samePage(w *answer, r *lister) error {
	if !r.asked {
		return nil
	}
	n, err := w.count()
	if err != nil {
		return err
	}
	var body struct {
		Data []struct{ Type, Slug string }
	}
	if err := json.Unmarshal(w.body, &body); err != nil {
		return err
	}
	same := slices.EqualFunc(body.Data, r.last, func(x struct{ Type, Slug string }, o uint32) bool {
		typ, slug := b.build.Key(o)
		return x.Type == typ && x.Slug == slug
	})
	if uint64(n) != r.total || !same {
		return fmt.Errorf("the page of results or the number of matches differs: kindex finds %d records and %s finds %d", n, r.name, r.total)
	}
	return nil
}
