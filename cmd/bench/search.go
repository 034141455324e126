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

// warmUp is how many queries of a class are asked before any is measured.
const warmUp = 100

// class is one kind of query, and what the yardsticks are asked for the same.
type class struct {
	name  string
	make  func(*rand.Rand) []string // the word searched for first; for typing errors, the word meant is the last
	extra string                    // further parameters of the API's address
	rival []competitor
}

// competitor is a yardstick.
type competitor struct {
	name string
	ask  func(dst []byte, words []string) ([]byte, int, error)
	mark float64 // what part of its p99 is allowed, 0 for no mark
	note string
}

// classes are the kinds of query.
func (b *bench) classes() []class {
	f, w := b.fts, b.words
	all := func(dst []byte, words []string) ([]byte, int, error) { return f.All(dst, words...) }
	const plain = "API: GET /api/search?q=…&limit=20 as its handler answers it, with highlights and the number of matches; FTS5: MATCH '\"word\" …' ORDER BY rank LIMIT 20, the records"
	return []class{
		{name: "term", make: w.term, rival: []competitor{{"FTS5", all, 0.25, plain}}},
		{name: "two words", make: w.two, rival: []competitor{{"FTS5", all, 0.25, plain}}},
		{name: "prefix", make: w.prefix, rival: []competitor{{"FTS5", func(dst []byte, words []string) ([]byte, int, error) { return f.Prefix(dst, words[0]) }, 0.25,
			"as for a term; FTS5: MATCH '\"pre\"*' with prefix='2 3 4'"}}},
		{name: "facets", make: w.term, extra: "&facets=category,tag,license", rival: []competitor{{"FTS5",
			func(dst []byte, words []string) ([]byte, int, error) { return f.Faceted(dst, words[0]) }, 0.25,
			"as for a term, with facets=category,tag,license; FTS5: the ranked 20, then three GROUP BY over the matches, found once"}}},
		{name: "typo", make: w.typo, rival: []competitor{
			{"FTS5 trigram", func(dst []byte, words []string) ([]byte, int, error) { return f.AnyTrigram(dst, words[0]) }, 0.1,
				"a name's word with one edit; FTS5 forgives none by itself: the yardstick is its trigram tokenizer, MATCH '\"pyt\" OR \"ytr\" OR …' over a second table of the same documents"},
			{"FTS5 corrected", func(dst []byte, words []string) ([]byte, int, error) { return f.Corrected(dst, words[0]) }, 0,
				"the same, without a mark, for half of it is not FTS5: a Levenshtein automaton over the table's vocabulary (fts5vocab) names the words within the edits, MATCH '\"a\" OR \"b\" …'"},
		}},
	}
}

// measureSearch asks every class of the edge and of the yardsticks in turn.
func (b *bench) measureSearch(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.indexRows(); err != nil {
		return err
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
			if requests[k], err = http.NewRequest(http.MethodGet, "/api/search?limit=20&q="+url.QueryEscape(strings.Join(q, " "))+c.extra, nil); err != nil {
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

// indexRows says what making the index took, beside FTS5.
func (b *bench) indexRows() error {
	size, err := folderSize(b.root + "/indexes/builds/" + b.build.Manifest.ID)
	if err != nil {
		return err
	}
	docs := float64(b.build.Listed())
	if b.indexSeconds > 0 {
		err = b.add(row{Part: "index", Name: "documents", Value: float64(b.build.Len()) / b.indexSeconds, Unit: "/s",
			Note: "the index is made beside other steps of the build and forgives typing errors by itself; FTS5 with prefix='2 3 4', without the trigram table, alone on the machine"}.
			against("FTS5", docs/b.fts.Words.Took.Seconds(), 1))
	}
	if err != nil {
		return err
	}
	return b.add(
		row{Part: "index", Name: "size", Value: float64(size) / 1e6, Unit: "MB"}.against("FTS5", float64(b.fts.Words.Bytes)/1e6, 1),
		row{Part: "index", Name: "size beside trigrams", Value: float64(size) / 1e6, Unit: "MB"}.against("FTS5 trigram", float64(b.fts.Trigrams.Bytes)/1e6, 1))
}

// contest is what one side took for the queries of a class, and for how many
// there was a hit with the word that was meant.
type contest struct {
	took       durations
	spent      time.Duration
	found, hit int
}

// note counts an answer.
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

// searchClass measures one class: each query is asked of everybody before the
// next one, in an order that turns, so that noise hits all alike.
func (b *bench) searchClass(ctx context.Context, c *class, asked [][]string, requests []*http.Request) error {
	sides := make([]contest, 1+len(c.rival))
	w := newAnswer()
	var buf []byte
	runtime.GC() // what making the queries has left
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

// timedOut tells whether a yardstick leaves out the k-th query, because
// its time so far would not do for all.
func (b *bench) timedOut(spent time.Duration, k int) bool {
	return b.patience > 0 && spent.Seconds() > b.patience.Seconds()*float64(k+1)/float64(b.queries)
}

// rows reports a class.
func (c *class) rows(sides []contest, p *profileRun) []row {
	var rows []row
	own := &sides[0]
	for i, r := range c.rival {
		s := &sides[i+1]
		what := c.name
		if i > 0 {
			what += " (" + r.name + ")"
		}
		note := fmt.Sprintf("%s; with hits %d of %d, FTS5 %d of %d", r.note, own.found, len(own.took), s.found, len(s.took))
		if c.name == "typo" {
			note += fmt.Sprintf("; the word meant is in the 20 records for %d of %d, FTS5 %d of %d", own.hit, len(own.took), s.hit, len(s.took))
		}
		if len(s.took) < len(own.took) {
			note += fmt.Sprintf("; %s was asked an evenly spread part of the queries, for as long as -patience lets it", r.name)
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
	return rows
}

// searchProfile asks the edge the queries of a class again, over and over.
func (b *bench) searchProfile(c *class, requests []*http.Request) *profileRun {
	k, w := 0, newAnswer()
	return &profileRun{name: "search-" + strings.ReplaceAll(c.name, " ", "-"), run: func() error {
		b.server.ServeHTTP(w.reset(), requests[k%len(requests)])
		k++
		return nil
	}}
}
