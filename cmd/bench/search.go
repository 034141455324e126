package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"
)

// warmUp is the number of queries per class before measuring.
const warmUp = 100

// class is a kind of query, with the functions by which the yardsticks run it.
type class struct {
	name  string
	make  func(*rand.Rand) []string // the word searched for is first; for typing errors, the intended word is last
	quote string                    // before and after the words
	extra string                    // additional query parameters
	rival []competitor
}

// competitor is a yardstick.
type competitor struct {
	name string
	ask  func(dst []byte, words []string) ([]byte, int, error)
	mark float64 // target relative to its p99, or 0 if there is none
	note string
	took func() time.Duration // the time of the last query, or nil if the caller measures it
}

// classes returns the kinds of query.
func (b *bench) classes() []class {
	f, w := b.fts, b.words
	all := func(dst []byte, words []string) ([]byte, int, error) { return f.All(dst, words...) }
	const plain = "API: GET /api/search?q=…&limit=20 called in process, with highlights and the number of matches; FTS5: MATCH '\"word\" …' ORDER BY rank LIMIT 20, with the records"
	list := []class{
		{name: "term", make: w.term, rival: []competitor{{name: "FTS5", ask: all, mark: 0.25, note: plain}}},
		{name: "two words", make: w.two, rival: []competitor{{name: "FTS5", ask: all, mark: 0.25, note: plain}}},
		{name: "phrase", make: w.phrase, quote: `"`, rival: []competitor{{name: "FTS5", ask: all, mark: 0.25,
			note: "two or three consecutive words of a description in quotes, otherwise as for a term; FTS5: MATCH '\"word word\"'"}}},
		{name: "prefix", make: w.prefix, rival: []competitor{{name: "FTS5", ask: func(dst []byte, words []string) ([]byte, int, error) { return f.Prefix(dst, words[0]) }, mark: 0.25,
			note: "as for a term; FTS5: MATCH '\"pre\"*' with prefix='2 3 4'"}}},
		{name: "facets", make: w.term, extra: "&facets=category,tag,license", rival: []competitor{{name: "FTS5",
			ask: func(dst []byte, words []string) ([]byte, int, error) { return f.Faceted(dst, words[0]) }, mark: 0.25,
			note: "as for a term, with facets=category,tag,license; FTS5: the top 20, then three GROUP BY clauses over the matches, which are found only once"}}},
		{name: "typo", make: w.typo, rival: []competitor{
			{name: "FTS5 trigram", ask: func(dst []byte, words []string) ([]byte, int, error) { return f.AnyTrigram(dst, words[0]) }, mark: 0.1,
				note: "a word from a name, with one edit; FTS5 has no fuzzy search: the yardstick is its trigram tokenizer, MATCH '\"pyt\" OR \"ytr\" OR …' on a second table of the same documents"},
			{name: "FTS5 corrected", ask: func(dst []byte, words []string) ([]byte, int, error) { return f.Corrected(dst, words[0]) },
				note: "the same, without a target because half of it is not FTS5: a Levenshtein automaton on the table's vocabulary (fts5vocab) finds the words within the edit distance, MATCH '\"a\" OR \"b\" …'"},
		}},
	}
	for i := range list {
		if f == nil {
			list[i].rival = nil
		}
		list[i].rival = append(list[i].rival, b.peers.rivals(list[i].name)...)
	}
	return list
}

// measureSearch runs every class of queries on the edge and on the yardsticks, in
// turn.
func (b *bench) measureSearch(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	if b.fts != nil {
		if err := b.indexRows(); err != nil {
			return err
		}
	}
	for i, c := range b.classes() {
		fmt.Fprintln(b.progress, "measuring: search", c.name)
		rng := rand.New(rand.NewPCG(b.seed, uint64(i)))
		asked := make([][]string, b.queries+warmUp)
		requests := make([]*http.Request, len(asked))
		for k := range asked {
			asked[k] = c.make(rng)
			q := asked[k]
			if c.name == "typo" {
				q = q[:1]
			}
			var err error
			if requests[k], err = http.NewRequest(http.MethodGet, "/api/search?limit=20&q="+url.QueryEscape(c.quote+strings.Join(q, " ")+c.quote)+c.extra, nil); err != nil {
				return err
			}
		}
		if b.words.err != nil {
			return b.words.err
		}
		if err := b.searchClass(ctx, &c, asked, requests); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// indexRows compares the cost of building the index with that of building the FTS5
// tables.
func (b *bench) indexRows() error {
	size, err := folderSize(b.root + "/indexes/builds/" + b.build.Manifest.ID)
	if err != nil {
		return err
	}
	docs := float64(b.build.Listed())
	if b.indexSeconds > 0 {
		err = b.add(row{Part: "index", Name: "documents", Value: float64(b.build.Len()) / b.indexSeconds, Unit: "/s",
			Note: "the index is built in parallel with other build steps and supports fuzzy search; FTS5 has prefix='2 3 4' but no trigram table, and is built while nothing else is running"}.
			against("FTS5", docs/b.fts.Words.Took.Seconds(), 1))
	}
	if err != nil {
		return err
	}
	return b.add(
		row{Part: "index", Name: "size", Value: float64(size) / 1e6, Unit: "MB"}.against("FTS5", float64(b.fts.Words.Bytes)/1e6, 1),
		row{Part: "index", Name: "size vs. trigrams", Value: float64(size) / 1e6, Unit: "MB"}.against("FTS5 trigram", float64(b.fts.Trigrams.Bytes)/1e6, 1))
}

// contest holds one engine's results for the queries in a class, including how
// many queries found the intended word.
type contest struct {
	took       durations
	spent      time.Duration
	found, hit int
}

// note records a response.
func (c *contest) note(took time.Duration, records []byte, n int, words []string) {
	c.took = append(c.took, took)
	c.spent += took
	if n > 0 {
		c.found++
	}
	if bytes.Contains(bytes.ToLower(records), []byte(words[len(words)-1])) {
		c.hit++
	}
}

// searchClass measures one class. Each query runs on all engines, in a rotating
// order, before the next query runs, so that noise affects all engines equally.
func (b *bench) searchClass(ctx context.Context, c *class, asked [][]string, requests []*http.Request) error {
	sides := make([]contest, 1+len(c.rival))
	w := newAnswer()
	var buf []byte
	runtime.GC() // collect the garbage from generating the queries
	for k := range asked {
		if err := ctx.Err(); err != nil {
			return err
		}
		for turn := range sides {
			side := (turn + k) % len(sides)
			s := &sides[side]
			if k >= warmUp && side > 0 && b.timedOut(s.spent, k-warmUp) {
				continue
			}
			var n int
			var err error
			start := time.Now()
			if side == 0 {
				b.server.ServeHTTP(w.reset(), requests[k])
			} else {
				buf, n, err = c.rival[side-1].ask(buf[:0], asked[k])
			}
			took := time.Since(start)
			records := buf
			if side == 0 {
				records = w.body
				n, err = w.count()
			} else if own := c.rival[side-1].took; own != nil {
				took = own()
			}
			if err != nil {
				return err
			}
			if k >= warmUp {
				s.note(took, records, n, asked[k])
			}
		}
	}
	return b.add(c.rows(sides, b.searchProfile(c, requests))...)
}

// timedOut reports whether a yardstick skips the k-th query because it would
// exceed its time limit for all queries.
func (b *bench) timedOut(spent time.Duration, k int) bool {
	return b.patience > 0 && spent.Seconds() > b.patience.Seconds()*float64(k+1)/float64(b.queries)
}

// rows returns the rows of a class.
func (c *class) rows(sides []contest, p *profileRun) []row {
	var rows []row
	own := &sides[0]
	for i, r := range c.rival {
		s := &sides[i+1]
		what := c.name
		if r.mark == 0 {
			what += " (" + r.name + ")"
		}
		note := fmt.Sprintf("%s; queries with hits: %d of %d, %s %d of %d", r.note, own.found, len(own.took), r.name, s.found, len(s.took))
		if c.name == "typo" {
			note += fmt.Sprintf("; intended word in the top 20: %d of %d, %s %d of %d", own.hit, len(own.took), r.name, s.hit, len(s.took))
		}
		if len(s.took) < len(own.took) {
			note += fmt.Sprintf("; %s ran only an evenly spread sample of the queries because of -patience", r.name)
		}
		for _, q := range []struct {
			name string
			q    float64
		}{{"p50", 0.5}, {"p99", 0.99}} {
			row := row{Part: "search", Name: what + " " + q.name, Value: own.took.quantile(q.q), Unit: "ms", Count: len(own.took), Note: note}.
				against(r.name, s.took.quantile(q.q), len(s.took))
			if q.name == "p99" && r.mark > 0 {
				row = row.timesAtMost(r.mark).explained(p)
			}
			rows = append(rows, row)
		}
	}
	return append(rows, row{Part: "search", Name: c.name + " slowest 1%", Value: own.took.quantile(0.99), Unit: "ms", Count: len(own.took)}.atMost(10).explained(p))
}

// searchProfile repeats the queries of a class on the edge.
func (b *bench) searchProfile(c *class, requests []*http.Request) *profileRun {
	k, w := 0, newAnswer()
	return &profileRun{name: "search-" + strings.ReplaceAll(c.name, " ", "-"), run: func() error {
		b.server.ServeHTTP(w.reset(), requests[k%len(requests)])
		k++
		return nil
	}}
}
