package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"kindex/builder/neighbors"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/indexes"
)

// exactSample is the number of entities for which the exact neighbours are
// computed; the time for all entities is extrapolated.
const exactSample = 2000

// pairsSample is the number of entities that are compared with all others one by
// one.
const pairsSample = 200

// maxRecomputed is the maximum number of entities for which all neighbours are computed again, which takes minutes
// for a million.
const maxRecomputed = 200_000

// measureSimilar measures the recall of the neighbours in a build, and compares the time with that of
// computing the exact neighbours.
func (b *bench) measureSimilar(ctx context.Context) error {
	entities, err := b.decode()
	if err != nil {
		return err
	}
	start := time.Now()
	exact := neighbors.NewExact(entities, indexes.Words)
	prepared := time.Since(start).Seconds()
	of := sample(rand.New(rand.NewPCG(b.seed, 7)), len(entities), exactSample)
	start = time.Now()
	nearest := exact.Neighbours(of)
	searched := time.Since(start).Seconds() * float64(len(entities)) / float64(len(of))
	found, wanted := 0, 0
	for k, o := range of {
		f, w := neighbors.Recall(10, b.build.Similar(o), nearest[k])
		found, wanted = found+f, wanted+w
	}
	some := of[:min(len(of), pairsSample)]
	start = time.Now()
	pairs := exact.AllPairs(some)
	compared := time.Since(start).Seconds() * float64(len(entities)) / float64(len(some))
	for k := range pairs {
		if f, w := neighbors.Recall(10, nearest[k], pairs[k]); f != w {
			return fmt.Errorf("the exact neighbours of entity %d differ from those found by comparing all pairs", some[k])
		}
	}
	finding := &profileRun{name: "similar", run: func() error { neighbors.Find(entities, indexes.Words); return ctx.Err() }}
	recall := row{Part: "similar", Name: "recall@10", Value: float64(found) / float64(max(1, wanted)), Count: len(of)}.atLeast(0.97)
	if len(entities) > maxRecomputed {
		b.skipped = append(b.skipped, fmt.Sprintf("similar time: there are more than %d entities; see the row \"build step similar\" of a run with -corpus", maxRecomputed))
		return b.add(recall)
	}
	start = time.Now()
	lists := neighbors.Find(entities, indexes.Words).Near
	took := time.Since(start).Seconds()
	if err := b.sameAsServed(lists); err != nil {
		return err
	}
	return b.add(
		recall.explained(finding),
		row{Part: "similar", Name: "time", Value: took, Unit: "s", Count: len(entities),
			Note: fmt.Sprintf("all neighbours of all entities on all cores; the exact computation reads every inverted list: measured for %d entities and multiplied by %.1f; both include %.2f s to build the lists",
				len(of), float64(len(entities))/float64(len(of)), prepared)}.
			against("exact", prepared+searched, len(of)).timesAtMost(0.2).explained(finding),
		row{Part: "similar", Name: "time vs. all pairs", Value: took, Unit: "s", Count: len(entities),
			Note: fmt.Sprintf("the same; the yardstick compares all pairs of entities using the same lists: measured for %d entities", len(some))}.
			against("all pairs", prepared+compared, len(some)))
}

// decode returns the build's entities by ordinal, with only what determines their neighbours.
func (b *bench) decode() ([]*record.Entity, error) {
	build, err := b.opened()
	if err != nil {
		return nil, err
	}
	list := make([]*record.Entity, build.Len())
	for o := range list {
		e, err := build.Entity(uint32(o))
		if err != nil {
			return nil, err
		}
		list[o] = &record.Entity{Type: e.Type, Slug: e.Slug, Name: e.Name, Description: e.Description, Category: e.Category,
			Provider: e.Provider, Tags: e.Tags, Capabilities: e.Capabilities, Status: e.Status}
	}
	return list, nil
}

// sameAsServed checks that the measured neighbours match those in the build.
func (b *bench) sameAsServed(lists []exports.PackedNeighbours) error {
	for o, list := range lists {
		same := slices.EqualFunc(list.AppendTo(nil), b.build.Similar(uint32(o)), func(a, c exports.Neighbour) bool { return a.Ordinal == c.Ordinal })
		if !same {
			typ, slug := b.build.Key(uint32(o))
			return fmt.Errorf("the neighbours of %s/%s do not match those in the build", typ, slug)
		}
	}
	return nil
}

// sample picks up to k of n numbers without repetition, in ascending order.
func sample(rng *rand.Rand, n, k int) []uint32 {
	list := make([]uint32, 0, min(n, k))
	for _, i := range rng.Perm(n)[:min(n, k)] {
		list = append(list, uint32(i))
	}
	slices.Sort(list)
	return list
}
