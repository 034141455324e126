package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"time"

	"kindex/cmd/bench/baseline"
)

// pageSize is the default page size of the API.
const pageSize = 20

// listing is a request for a sorted page with three filters.
type listing struct {
	filters baseline.Filters
	offset  int
	request *http.Request
}

// measureFilters requests the same pages from the edge and from Bleve, in turn.
func (b *bench) measureFilters(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	list, err := b.listings(rand.New(rand.NewPCG(b.seed, 11)), b.queries+warmUp)
	if err != nil {
		return err
	}
	var own, other durations
	var spent time.Duration
	w := newAnswer()
	var buf []byte
	for k, l := range list {
		var page []uint32
		var total uint64
		asked := k < warmUp || !b.timedOut(spent, k-warmUp)
		theirs := func() (took time.Duration) {
			start := time.Now()
			buf, page, total, err = b.bleve.Page(buf[:0], l.filters, l.offset, pageSize)
			return time.Since(start)
		}
		ours := func() time.Duration {
			start := time.Now()
			b.server.ServeHTTP(w.reset(), l.request)
			return time.Since(start)
		}
		var tookTheirs, tookOurs time.Duration
		if asked && k%2 == 1 {
			tookTheirs = theirs()
		}
		tookOurs = ours()
		if asked && k%2 == 0 {
			tookTheirs = theirs()
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if asked {
			if err := b.samePage(w, page, total); err != nil {
				return fmt.Errorf("%s: %w", l.request.URL, err)
			}
		}
		if k < warmUp {
			continue
		}
		own = append(own, tookOurs)
		if asked {
			other, spent = append(other, tookTheirs), spent+tookTheirs
		}
	}
	return b.filterRows(list, own, other)
}

func (b *bench) filterRows(list []listing, own, other durations) error {
	k, w := 0, newAnswer()
	p := &profileRun{name: "filters", run: func() error {
		b.server.ServeHTTP(w.reset(), list[k%len(list)].request)
		k++
		return nil
	}}
	note := fmt.Sprintf("API: GET /api/entities?type=…&category=…&tag=…&sort=composite&limit=20&offset=… called in process; Bleve: conjunction of three terms, sorted by score and key, 20 hits; the results of all %d requests sent to both were the same",
		len(other)+warmUp)
	var rows []row
	for _, q := range []struct {
		name string
		q    float64
	}{{"three filters p50", 0.5}, {"three filters p99", 0.99}} {
		rows = append(rows, row{Part: "filters", Name: q.name, Value: own.quantile(q.q), Unit: "ms", Count: len(own), Note: note}.
			against("Bleve", other.quantile(q.q), len(other)).timesAtMost(0.05).explained(p))
	}
	return b.add(rows...)
}

// listings returns requests that match at least one record: each filters by the type,
// category and one tag of a record, and asks for one page of the results.
func (b *bench) listings(rng *rand.Rand, n int) ([]listing, error) {
	list := make([]listing, 0, n)
	for len(list) < n {
		e, err := b.build.Entity(uint32(rng.IntN(b.build.Listed())))
		if err != nil {
			return nil, err
		}
		if len(e.Tags) == 0 {
			continue
		}
		l := listing{filters: baseline.Filters{Type: e.Type, Category: e.Category, Tag: e.Tags[rng.IntN(len(e.Tags))]}}
		set := b.build.Bitmap("type", l.filters.Type)
		set.And(b.build.Bitmap("category", l.filters.Category))
		set.And(b.build.Bitmap("tag", l.filters.Tag))
		pages := (int(set.GetCardinality()) + pageSize - 1) / pageSize
		l.offset = pageSize * rng.IntN(pages)
		q := url.Values{"type": {l.filters.Type}, "category": {l.filters.Category}, "tag": {l.filters.Tag}}
		l.request, err = http.NewRequest(http.MethodGet, fmt.Sprintf("/api/entities?%s&sort=composite&limit=%d&offset=%d", q.Encode(), pageSize, l.offset), nil)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// samePage checks that kindex and Bleve have returned the same page and the same
// number of matches.
func (b *bench) samePage(w *answer, page []uint32, total uint64) error {
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
	same := slices.EqualFunc(body.Data, page, func(r struct{ Type, Slug string }, o uint32) bool {
		typ, slug := b.build.Key(o)
		return r.Type == typ && r.Slug == slug
	})
	if uint64(n) != total || !same {
		return fmt.Errorf("the page of results or the number of matches differs: kindex finds %d records and Bleve finds %d", n, total)
	}
	return nil
}
