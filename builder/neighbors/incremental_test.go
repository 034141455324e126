package neighbors

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
)

// past is an earlier build in memory.
type past struct {
	entities []*record.Entity
	near     []exports.PackedNeighbours
	features []exports.Feature
	sets     *Sets
	places   map[string]uint32 // by key
	moved    map[string]uint32 // keyed by former key
	broken   bool              // whether reading its records must fail
}

func newPast(entities []*record.Entity, f *Found) *past {
	p := &past{entities, f.Near, f.Features, ReadSets(f.Sets.Bytes(), len(entities), len(f.Features)), map[string]uint32{}, map[string]uint32{}, false}
	for i, e := range entities {
		p.places[e.Key()] = uint32(i)
		for _, slug := range e.Formerly {
			p.moved[e.Type+"/"+slug] = uint32(i)
		}
	}
	return p
}

func (p *past) Len() int      { return len(p.entities) }
func (p *past) Features() int { return len(p.features) }

func (p *past) Find(typ, slug string) (ordinal uint32, moved, ok bool) {
	if i, ok := p.places[typ+"/"+slug]; ok {
		return i, false, true
	}
	i, ok := p.moved[typ+"/"+slug]
	return i, ok, ok
}

func (p *past) Entity(i uint32) (*record.Entity, error) {
	if p.broken {
		return nil, errors.New("broken")
	}
	return p.entities[i], nil
}
func (p *past) Feature(i uint32) exports.Feature { return p.features[i] }

func (p *past) AppendSimilar(dst []exports.Neighbour, i uint32) []exports.Neighbour {
	return p.near[i].AppendTo(dst)
}

// unchanged finds the entities of a catalogue that are the same as before.
func (p *past) unchanged(list []*record.Entity, same func(*record.Entity) bool) Unchanged {
	return func(i int) (uint32, bool) {
		o, moved, ok := p.Find(list[i].Type, list[i].Slug)
		return o, ok && !moved && same(list[i])
	}
}

// editor creates and changes catalogues at random. It uses few different values, so that
// entities share many of them, frequencies are equal or cross powers of two, and lists are
// truncated.
type editor struct {
	*rand.Rand
	made  int
	words uint64
}

func (r *editor) text() string {
	word := rand.NewZipf(r.Rand, 1.2, 3, r.words)
	var words []string
	for range 1 + r.IntN(8) {
		words = append(words, fmt.Sprintf("word%d", word.Uint64()))
	}
	return strings.Join(words, " ")
}

func (r *editor) some(prefix string, of int) []string {
	list := []string{}
	for range r.IntN(4) {
		list = append(list, fmt.Sprint(prefix, r.IntN(of)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// name returns a name that may be a tag.
func (r *editor) name() string { return fmt.Sprint("T", r.IntN(20)) }

func (r *editor) entity() *record.Entity {
	r.made++
	e := &record.Entity{Type: []string{"model", "tool"}[r.IntN(2)], Slug: fmt.Sprintf("e%d-%d", r.IntN(1000), r.made),
		Name: r.name(), Category: fmt.Sprint("c", r.IntN(4)), Tags: r.some("t", 12), Capabilities: r.some("can", 6),
		Description: r.text(), Status: record.Active}
	if r.IntN(2) == 0 {
		e.Provider = fmt.Sprint("p", r.IntN(9))
	}
	if r.IntN(8) == 0 {
		e.Status = record.Withdrawn
	}
	return e
}

// edit returns a changed copy of an entity, because the earlier catalogue must not be
// modified.
func (r *editor) edit(was *record.Entity) *record.Entity {
	e := *was
	switch r.IntN(10) {
	case 0:
		e.Description = r.text()
	case 1:
		e.Description += " " + fmt.Sprintf("word%d", r.IntN(int(r.words)))
	case 2:
		e.Tags = r.some("t", 12)
	case 3:
		e.Capabilities = r.some("can", 6)
	case 4:
		e.Category = fmt.Sprint("c", r.IntN(4))
	case 5:
		e.Provider = fmt.Sprint("p", r.IntN(9))
	case 6:
		e.Status = map[string]string{record.Active: record.Withdrawn, record.Withdrawn: record.Active}[e.Status]
	case 7: // renamed
		r.made++
		e.Formerly = append(slices.Clone(e.Formerly), e.Slug)
		e.Slug = fmt.Sprintf("e%d-%d", r.IntN(1000), r.made)
	case 8:
		e.Name = r.name()
	case 9: // the change is in irrelevant fields only
		e.License = fmt.Sprint("license ", r.IntN(100))
	}
	return &e
}

// successor returns a copy of a renamed entity that uses its former slug.
func (r *editor) successor(list []*record.Entity) *record.Entity {
	for _, e := range list {
		taken := func(o *record.Entity) bool { return o.Type == e.Type && o.Slug == e.Formerly[0] }
		if len(e.Formerly) > 0 && !slices.ContainsFunc(list, taken) {
			next := *e
			next.Slug, next.Formerly = e.Formerly[0], nil
			return &next
		}
	}
	return nil
}

// next returns the catalogue that follows the catalogue was, with its entities in a
// different order.
func (r *editor) next(was []*record.Entity) []*record.Entity {
	list := slices.Clone(was)
	for range r.IntN(5) {
		switch at := r.IntN(len(list)); r.IntN(8) {
		case 0:
			list = append(list, r.entity())
		case 1:
			if len(list) > 2 {
				list = slices.Delete(list, at, at+1)
			}
		case 2:
			if e := r.successor(list); e != nil {
				list = append(list, e)
			}
		default:
			list[at] = r.edit(list[at])
		}
	}
	r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

// TestFindIncremental makes random edits to catalogues and checks that incremental results
// equal those from scratch.
func TestFindIncremental(t *testing.T) {
	suite.InTest(t)
	cases := suite.Pick(150, 1500)
	asked, computed := 0, 0
	for seed := range uint64(cases) {
		r := &editor{Rand: rand.New(rand.NewPCG(seed, 1)), words: 20}
		r.words += r.Uint64N(400)
		l := limits{budget: 1 + r.IntN(1+r.IntN(400)), first: 1 + r.IntN(20), most: 1 + r.IntN(8), changed: 10}
		if r.IntN(4) == 0 {
			l = defaultLimits
		}
		var entities []*record.Entity
		for range 2 + r.IntN(150) {
			entities = append(entities, r.entity())
		}
		v := newVectors(entities, strings.Fields, nil)
		before := newPast(entities, v.found(v.all(l), 0))
		for step := range 3 {
			entities = r.next(entities)
			same := map[*record.Entity]bool{}
			if r.IntN(4) > 0 { // in the other cases, no entity is known to be unchanged
				for _, e := range before.entities {
					same[e] = true
				}
			}
			sets := before.sets
			if r.IntN(4) == 0 { // they are lost
				sets = nil
			}
			found := findIncremental(entities, strings.Fields, before, sets, before.unchanged(entities, func(e *record.Entity) bool { return same[e] }), l)
			near := found.Near
			asked, computed = asked+len(entities), computed+found.Computed
			v := newVectors(entities, strings.Fields, nil)
			want := v.all(l)
			if !slices.Equal(found.Features, v.features) || !bytes.Equal(found.Sets.Bytes(), v.found(nil, 0).Sets.Bytes()) {
				t.Fatalf("seed %d, step %d: other features", seed, step)
			}
			for i := range want {
				if !slices.Equal(near[i], want[i]) {
					t.Fatalf("seed %d, step %d, limits %+v: entity %d of %d has\n%v, want\n%v", seed, step, l, i, len(want), near[i].AppendTo(nil), want[i].AppendTo(nil))
				}
			}
			before = newPast(entities, found)
		}
	}
	t.Logf("%d of %d entities computed", computed, asked)
	if computed > asked*3/4 {
		t.Errorf("%d of %d entities were computed: too few kept their neighbours", computed, asked)
	}
}

// TestFindIncrementalInFull tests the cases in which everything is recalculated.
func TestFindIncrementalInFull(t *testing.T) {
	was := catalogue(200)
	found := Find(was, strings.Fields)
	for _, c := range []struct {
		name   string
		list   []*record.Entity
		broken bool
		most   int // the maximum number of entities that are recalculated
	}{
		{"nothing changed", was, false, 0},
		{"more bits", catalogue(300), false, 300},
		{"much changed", append(catalogue(250)[50:], was[:40]...), false, 240},
		{"a broken build", append(slices.Clone(was[1:]), &record.Entity{Type: "tool", Slug: "new"}), true, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := newPast(was, found)
			before.broken = c.broken
			got := FindIncremental(c.list, strings.Fields, before, before.sets, before.unchanged(c.list, func(e *record.Entity) bool { return slices.Contains(was, e) }))
			want := Find(c.list, strings.Fields)
			if !reflect.DeepEqual(got.Near, want.Near) || !slices.Equal(got.Features, want.Features) || !bytes.Equal(got.Sets.Bytes(), want.Sets.Bytes()) {
				t.Error("the result differs from that from scratch")
			}
			if got.Computed != c.most {
				t.Errorf("%d computed, want %d", got.Computed, c.most)
			}
		})
	}
}

// BenchmarkFindIncremental edits one entity in a very large catalogue.
func BenchmarkFindIncremental(b *testing.B) {
	was := catalogue(100000)
	found := Find(was, strings.Fields)
	before := newPast(was, found)
	now, edited := slices.Clone(was), *was[777]
	edited.Description += " word17 word1700"
	now[777] = &edited
	for b.Loop() {
		FindIncremental(now, strings.Fields, before, before.sets, before.unchanged(now, func(e *record.Entity) bool { return e != &edited }))
	}
}
