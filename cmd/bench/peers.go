package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kindex/cmd/bench/baseline"
	"kindex/edge/storage/storagetest/server"
	"kindex/indexes"
)

// peer is a search engine that finds the same documents as kindex.
type peer interface {
	All(dst []byte, words ...string) ([]byte, int, error)
	Prefix(dst []byte, begin string) ([]byte, int, error)
	Fuzzy(dst []byte, word string) ([]byte, int, error)
	Close() error
}

// faceted is a peer that can also count values among all matches.
type faceted interface {
	Faceted(dst []byte, word string) ([]byte, int, error)
}

// peers are the search engines that searches are compared with, besides FTS5.
type peers struct {
	list     []namedPeer
	postgres *server.Server
}

type namedPeer struct {
	name, note, typoNote string
	peer
	// took returns the time of the last query, or is nil if the caller measures it.
	took func() time.Duration
}

// The names of the yardsticks that -without can leave out, because they take a long time to build.
const (
	fts5Name       = "FTS5"
	bleveName      = "Bleve"
	xapianName     = "Xapian"
	postgresqlName = "PostgreSQL"
	sqliteName     = "SQLite"
)

var peerNames = []string{fts5Name, bleveName, xapianName, postgresqlName, sqliteName}

// compares reports whether a yardstick is to be measured.
func (b *bench) compares(name string) bool { return !slices.Contains(b.without, name) }

// openPeers gives the documents to all peers that are installed.
func (b *bench) openPeers(docs baseline.Documents) error {
	ctx := context.Background()
	for _, p := range []struct {
		name string
		open func(context.Context, baseline.Documents) error
	}{{fts5Name, b.openFTS5}, {bleveName, b.openBleve}, {xapianName, b.openXapian}, {postgresqlName, b.openPostgreSQL}} {
		if !b.compares(p.name) {
			continue
		}
		fmt.Fprintln(b.progress, "preparing searches with", p.name)
		if err := p.open(ctx, docs); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) openFTS5(_ context.Context, docs baseline.Documents) (err error) {
	b.fts, err = baseline.NewFTS5(filepath.Join(b.tmp, "fts5.db"), docs)
	return err
}

func (b *bench) openBleve(context.Context, baseline.Documents) error {
	// The index of the build may be shared with an earlier build, whose documents have other
	// numbers: Bleve's records then are those of other entities, but of about the same length.
	record := func(document uint32) []byte { return b.build.Record(document % uint32(b.build.Len())) }
	own, err := baseline.OpenBleve(filepath.Join(indexes.Dir(b.root, b.build.Manifest.ID), "bleve"), record, func(word string) string { return strings.Join(indexes.Words(word), " ") })
	if err != nil {
		return err
	}
	b.peers.list = append(b.peers.list, namedPeer{name: bleveName, peer: own,
		note:     "Bleve's own searcher on the index that kindex built: a disjunction of the three lists for each word, boosted as in kindex",
		typoNote: "the same with fuzzy queries"})
	return nil
}

func (b *bench) openXapian(ctx context.Context, docs baseline.Documents) error {
	xapian, err := baseline.NewXapian(ctx, filepath.Join(b.tmp, "xapian"), docs)
	if errors.Is(err, baseline.ErrNoXapian) {
		b.skipped = append(b.skipped, "comparing searches with Xapian requires Debian's python3-xapian: install it")
		return nil
	}
	if err != nil {
		return err
	}
	b.peers.list = append(b.peers.list, namedPeer{name: xapianName, peer: xapian, took: func() time.Duration { return xapian.Took },
		note:     "Xapian: BM25 with weighted fields, without stemming, in a compacted database; facets count categories and licences only",
		typoNote: "Xapian: the word that its spelling dictionary suggests"})
	return nil
}

func (b *bench) openPostgreSQL(ctx context.Context, docs baseline.Documents) (err error) {
	b.peers.postgres, err = server.Start(baseline.PostgreSQLSettings...)
	if errors.Is(err, exec.ErrNotFound) {
		b.skipped = append(b.skipped, "comparing searches with PostgreSQL requires PostgreSQL: install it")
		return nil
	}
	if err != nil {
		return err
	}
	address, err := b.peers.postgres.Database(ctx)
	if err != nil {
		return err
	}
	db, err := baseline.NewPostgreSQL(ctx, address, docs)
	if err != nil {
		return err
	}
	b.peers.list = append(b.peers.list, namedPeer{name: postgresqlName, peer: db,
		note:     "PostgreSQL: a weighted tsvector (simple) with a GIN index, ORDER BY ts_rank, through a Unix socket",
		typoNote: "PostgreSQL: the five words most similar by pg_trgm, then as for a term"})
	return nil
}

// close closes the peers and stops the server.
func (p *peers) close() error {
	var errs []error
	for i := range p.list {
		errs = append(errs, p.list[i].Close())
	}
	if p.postgres != nil {
		errs = append(errs, p.postgres.Stop())
	}
	return errors.Join(errs...)
}

// rivals returns the peers as competitors in a class of queries.
func (p *peers) rivals(class string) (list []competitor) {
	for _, x := range p.list {
		c := competitor{name: x.name, note: x.note, took: x.took}
		switch class {
		case "term", "two words":
			c.ask = func(dst []byte, words []string) ([]byte, int, error) { return x.All(dst, words...) }
		case "prefix":
			c.ask = func(dst []byte, words []string) ([]byte, int, error) { return x.Prefix(dst, words[0]) }
		case "typo":
			c.note = x.typoNote
			c.ask = func(dst []byte, words []string) ([]byte, int, error) { return x.Fuzzy(dst, words[0]) }
		case "facets":
			f, ok := x.peer.(faceted)
			if !ok {
				continue // the index has no values to count
			}
			c.ask = func(dst []byte, words []string) ([]byte, int, error) { return f.Faceted(dst, words[0]) }
		default:
			continue // phrases: only FTS5 is compared
		}
		list = append(list, c)
	}
	return list
}
