package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"kindex/cmd/bench/baseline"
	"kindex/edge"
	"kindex/exports"
	"kindex/exports/record"
)

// bench holds the state shared by the parts of a run.
type bench struct {
	options
	tmp      string
	started  cpuClock
	progress io.Writer
	rows     []row
	skipped  []string // parts and yardsticks that are not measured, with reasons

	plain, repository *workCopy // copies for edits, created on first use

	paged        int     // number of entities in the build whose pages are measured
	root         string  // the output folder whose build is measured
	indexSeconds float64 // time to build the index; 0 if bench did not build it

	full, fullRepository *buildResult // results of fullBuild and repositoryBuild
	buildProfiled        bool         // whether buildProfile has written its profiles
	build                *exports.Build

	words       *words
	fts         *baseline.FTS5
	bleve       *baseline.Bleve
	lists       *baseline.SQLiteLists
	peers       peers
	server      *edge.Server
	closeServer func()
}

// add stores the rows of a part. It profiles those that missed their target,
// because the measured process or build is still open at this point.
func (b *bench) add(rows ...row) error {
	for _, r := range rows {
		if r.missed() && r.explain != nil && b.profiles != "" {
			var err error
			if r.Profile, r.Top, err = r.explain.take(b.profiles); err != nil {
				return fmt.Errorf("profile %s: %w", r.Name, err)
			}
		}
		b.rows = append(b.rows, r)
	}
	return nil
}

// close closes everything that the parts have opened.
func (b *bench) close() error {
	var errs []error
	if b.fts != nil {
		errs = append(errs, b.fts.Close())
	}
	if b.bleve != nil {
		errs = append(errs, b.bleve.Close())
	}
	if b.lists != nil {
		errs = append(errs, b.lists.Close())
	}
	errs = append(errs, b.peers.close())
	if b.server != nil {
		b.closeServer()
	}
	if b.build != nil {
		errs = append(errs, b.build.Close())
	}
	return errors.Join(errs...)
}

// opened returns the measured build.
func (b *bench) opened() (*exports.Build, error) {
	if b.build != nil {
		return b.build, nil
	}
	if b.root == "" {
		b.root = b.built
	}
	var err error
	b.build, err = exports.OpenCurrent(b.root)
	return b.build, err
}

// prepare builds the yardsticks and opens the edge that serves the build.
func (b *bench) prepare() error {
	if b.server != nil {
		return nil
	}
	if _, err := b.opened(); err != nil {
		return err
	}
	if err := b.makeYardsticks(); err != nil {
		return err
	}
	b.words = &words{build: b.build}
	runtime.GC()
	var err error
	b.server, b.closeServer, err = openEdge(context.Background(), b.root, 0)
	return err
}

// makeYardsticks builds the yardsticks from the listed entities.
func (b *bench) makeYardsticks() error {
	titles, err := categoryTitles(b.build)
	if err != nil {
		return err
	}
	docs := baseline.Documents{Len: b.build.Listed(), Read: func(i int) (baseline.Document, error) {
		e, err := b.build.Entity(uint32(i))
		if err != nil {
			return baseline.Document{}, err
		}
		return baseline.Document{Entity: e, Title: titles[e.Category], Record: b.build.Record(uint32(i))}, nil
	}}
	if b.selected("search") {
		if err := b.openPeers(docs); err != nil {
			return err
		}
	}
	if !b.selected("filters") {
		return nil
	}
	if b.compares(bleveName) {
		fmt.Fprintln(b.progress, "building the Bleve index")
		if b.bleve, err = baseline.NewBleve(filepath.Join(b.tmp, "bleve"), docs); err != nil {
			return err
		}
	}
	if b.compares(sqliteName) {
		fmt.Fprintln(b.progress, "building the SQLite database of lists")
		b.lists, err = baseline.NewSQLiteLists(filepath.Join(b.tmp, "lists.db"), docs)
	}
	return err
}

func (b *bench) selected(part string) bool { return len(b.only) == 0 || slices.Contains(b.only, part) }

// categoryTitles reads the titles by slug.
func categoryTitles(b *exports.Build) (map[string]string, error) {
	data, _, _ := b.File(exports.CategoriesFile)
	var list []record.Category
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	titles := make(map[string]string, len(list))
	for _, c := range list {
		titles[c.Slug] = c.Title
	}
	return titles, nil
}

// durations are the results of repeated measurements.
type durations []time.Duration

// quantile returns the quantile q (nearest rank) in milliseconds.
func (d durations) quantile(q float64) float64 {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	i := min(len(d)-1, max(0, int(q*float64(len(d))+0.9999999)-1))
	return milliseconds(sorted[i])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
