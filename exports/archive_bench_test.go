package exports

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// BenchmarkArchive measures an archive of 100,000 entities with the same number of additional
// versions and a snapshot of all entities: writing it from scratch, writing it while reusing
// an earlier archive, opening it, and reading what the slowest pages need.
func BenchmarkArchive(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(5, 5))
	list := make([]*record.Entity, n)
	for i := range list {
		list[i] = randomEntity(rng, record.Types[i%2], fmt.Sprintf("entity-%d", i))
		list[i].Name += fmt.Sprint(" ", i)
	}
	p := newMadeHistory(5, list)
	p.commit(func(did map[string]bool) {
		for i, e := range list {
			p.create(did, randomEntity(rng, e.Type, e.Slug), i)
		}
	})
	versions, entities := p.listed(len(p.versions), rng)
	a := p.benchArchive()
	a.Snapshots = []*SnapshotData{snapshotOf("2026-01-01", versions, entities)}
	root := b.TempDir()
	id := writeBuild(b, root, entities[:10], a)
	build, err := OpenCurrent(root)
	if err != nil {
		b.Fatal(err)
	}
	defer build.Close()
	for _, f := range build.Manifest.Files {
		b.Logf("%s %s: %d bytes", id, f.Path, f.Size)
	}
	s, _ := build.Archive().Snapshot("2026-01-01")
	all, err := s.Select(&Filter{})
	if err != nil {
		b.Fatal(err)
	}
	write := func(b *testing.B, kept int) {
		for range b.N {
			w, err := NewWriter(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			with := *a
			if kept > 0 {
				with.Previous, with.Kept, with.KeptChanges = build, kept, 0
				with.Changes = nil
			}
			p := &archivePacker{Archive: &with, w: w, previous: emptyArchive()}
			if kept > 0 {
				p.previous = build.archive
			}
			if _, err := p.writeVersions(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("write versions", func(b *testing.B) { write(b, 0) })
	b.Run("write 100 versions more", func(b *testing.B) { write(b, 2*n-100) })
	b.Run("open", func(b *testing.B) {
		for range b.N {
			x := packed.NewSectionReader(func(name string) []byte { return build.files[name] })
			build.openArchive(x)
			if x.Err() != nil {
				b.Fatal(x.Err())
			}
		}
	})
	b.Run("select", func(b *testing.B) {
		for range b.N {
			if _, err := s.Select(&Filter{Fields: map[string][][]string{"tag": {{"t1", "t2"}}, "provider": {{"acme"}, {"meta"}}}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("select by ranges", func(b *testing.B) {
		for range b.N {
			if _, err := s.Select(&Filter{Fields: map[string][][]string{"maintenance": {{record.Dormant}, {record.Maintained}}},
				MaxPrice: record.PriceOf(1_000_000), Signals: []SignalBound{{Signal: "stars", Number: 1}, {Signal: "forks", AtMost: true, Number: 1 << 39}}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, key := range SortKeys[:len(columnKeys)+4] {
		for _, skip := range []int{0, n / 2} {
			b.Run(fmt.Sprintf("page by %s behind %d", key, skip), func(b *testing.B) {
				for range b.N {
					s.Page(all, Sort{Key: key}, nil, skip, 100)
				}
			})
		}
	}
	b.Run("record", func(b *testing.B) {
		for i := range b.N {
			s.Record(uint32(i % n))
		}
	})
	b.Run("at", func(b *testing.B) {
		for i := range b.N {
			typ, slug := s.Key(uint32(i % s.Len()))
			build.Archive().At(typ, slug, "2026-01-01")
		}
	})
}

// benchArchive returns an archive of the complete history. It runs in linear time.
func (p *madeHistory) benchArchive() *Archive {
	a := &Archive{Commits: p.commits, Versions: p.versions}
	for i, v := range p.versions {
		if v.Change < 0 {
			continue
		}
		c := p.changes[v.Change]
		entry := ChangeEntry{ID: c.ID, Version: int32(i), Time: v.Time, Type: c.Type, Event: c.Event, Category: p.entities[i].Category}
		for _, f := range c.Fields {
			entry.Fields = append(entry.Fields, f.Field)
		}
		a.Changes = append(a.Changes, entry)
	}
	a.Line = func(dst []byte, i int) ([]byte, error) { return p.changes[i].AppendJSON(dst), nil }
	return a
}
