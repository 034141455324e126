package diff

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"kindex/builder/neighbors"
	"kindex/exports"
	"kindex/exports/record"
)

// Why two entities may be one and the same thing.
const (
	SameURL        = "url"        // the same page
	SameRepository = "repository" // the same source code
	SameName       = "name"       // the same letters and digits
	NearName       = "nearName"   // one edit apart
	SimilarContent = "similar"    // most of what they say is the same
)

// kinds in the order in which reasons are given: the surest first.
var kinds = []string{SameRepository, SameURL, SameName, NearName, SimilarContent}

// Two entities are taken for a possible duplicate where their similarity, as
// builder/neighbors has it, is at least Alike, and what they share is at least
// Overlap of all that the two say. The second is needed because similarity is
// relative: in a small catalogue two entities can be as alike as can be for their
// category alone.
//
// Of the 480 entities that kindex ships with, all distinct, no two of one type
// overlap by more than 0.58 (Qwen3.5 and Qwen3.6 35B-A3B; of tools by 0.31), and
// the most alike have a similarity of 0.88 (GPT Image 1.5 and 2). A copy of any of
// them under another name and address is found, and 9 of 10 where half of its
// description is gone; one that is described in other words is not.
const (
	MinSimilarity = 0.85
	MinOverlap    = 0.6
)

// Duplicate is a pair of entities that may be one and the same thing.
type Duplicate struct {
	Entity  string   `json:"entity"` // the one whose address is new, as type/slug
	Other   string   `json:"other"`  // any other, as type/slug
	Reasons []Reason `json:"reasons"`
}

// Reason is one thing that a pair has in common.
type Reason struct {
	Kind string `json:"kind"`
	// Value is what they share: an address as the new entity has it, the other's
	// name, or the similarity.
	Value string `json:"value"`
}

// Text is the reason in words, in which mark writes what the files say.
func (r Reason) Text(mark func(string) string) string {
	switch r.Kind {
	case SameURL:
		return "same URL " + mark(r.Value)
	case SameRepository:
		return "same repository " + mark(r.Value)
	case SameName:
		return "same name, there written " + mark(r.Value)
	case NearName:
		return "its name is one edit from " + mark(r.Value)
	}
	return "nearly the same content, similarity " + r.Value
}

// duplicates looks for the likeness of each of some entities among all, of which
// they are. A pair of two of them is listed once.
func duplicates(all, fresh []*record.Entity, words func(string) []string) []Duplicate {
	if len(fresh) == 0 {
		return []Duplicate{}
	}
	f := finder{all: all, new: map[*record.Entity]bool{}, found: map[[2]string]*Duplicate{}}
	for _, e := range fresh {
		f.new[e] = true
	}
	f.byAddress(fresh)
	f.byName(fresh)
	f.bySimilarity(words)
	list := make([]Duplicate, 0, len(f.found))
	for _, d := range f.found {
		slices.SortStableFunc(d.Reasons, func(x, y Reason) int {
			return cmp.Compare(slices.Index(kinds, x.Kind), slices.Index(kinds, y.Kind))
		})
		// A page that is the source code as well is one reason.
		d.Reasons = slices.CompactFunc(d.Reasons, func(x, y Reason) bool { return x.Value == y.Value })
		list = append(list, *d)
	}
	slices.SortFunc(list, func(x, y Duplicate) int {
		return cmp.Or(strings.Compare(x.Entity, y.Entity),
			cmp.Compare(slices.Index(kinds, x.Reasons[0].Kind), slices.Index(kinds, y.Reasons[0].Kind)), strings.Compare(x.Other, y.Other))
	})
	return list
}

type finder struct {
	all   []*record.Entity
	new   map[*record.Entity]bool
	found map[[2]string]*Duplicate // by the two keys
}

// add notes a reason for a pair, each kind once.
func (f *finder) add(e, other *record.Entity, kind, value string) {
	if e == other || f.new[other] && other.Key() < e.Key() {
		return
	}
	key := [2]string{e.Key(), other.Key()}
	d := f.found[key]
	if d == nil {
		d = &Duplicate{Entity: key[0], Other: key[1]}
		f.found[key] = d
	}
	if !slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Kind == kind }) {
		d.Reasons = append(d.Reasons, Reason{kind, value})
	}
}

// byAddress finds those with the same page or source code. What one names as its
// page may be the homepage or the source code of the other; a homepage alone is
// often that of a whole family.
func (f *finder) byAddress(fresh []*record.Entity) {
	type owner struct {
		entity *record.Entity
		field  string
	}
	owners := map[string][]owner{}
	for _, e := range f.all {
		for field, address := range addresses(e) {
			plain := record.NormalizeURL(address)
			owners[plain] = append(owners[plain], owner{e, field})
		}
	}
	for _, e := range fresh {
		for field, address := range addresses(e) {
			list := owners[record.NormalizeURL(address)]
			for _, o := range list[:min(len(list), many)] {
				switch {
				case field == "repository" || o.field == "repository":
					f.add(e, o.entity, SameRepository, address)
				case field == "url" || o.field == "url":
					f.add(e, o.entity, SameURL, address)
				}
			}
		}
	}
}

// many is how many entities an address or a name may have for it to tell
// anything. Of more, such as the parts of one large repository, the first are
// taken.
const many = 20

// addresses are the pages of an entity that could be those of another one, by
// field.
func addresses(e *record.Entity) iter.Seq2[string, string] {
	return func(yield func(field, address string) bool) {
		if e.URL != "" && !yield("url", e.URL) {
			return
		}
		for _, l := range e.Links {
			if (l.Name == "homepage" || l.Name == "repository") && !yield(l.Name, l.URL) {
				return
			}
		}
	}
}

// byName finds those of the same name, and those whose names one edit parts.
func (f *finder) byName(fresh []*record.Entity) {
	names := make(map[*record.Entity]string, len(f.all))
	same, near := map[string][]*record.Entity{}, map[string][]*record.Entity{}
	for _, e := range f.all {
		name := normalizeName(e.Name)
		names[e] = name
		same[name] = append(same[name], e)
		for _, key := range nearKeys(name) {
			near[key] = append(near[key], e)
		}
	}
	for _, e := range fresh {
		name := names[e]
		if name == "" {
			continue
		}
		for _, other := range same[name][:min(len(same[name]), many)] {
			f.add(e, other, SameName, other.Name)
		}
		for _, key := range nearKeys(name) {
			for _, other := range near[key][:min(len(near[key]), many)] {
				if names[other] != name && oneEdit(name, names[other]) {
					f.add(e, other, NearName, other.Name)
				}
			}
		}
	}
}

// few is how many entities are compared with all others exactly. For more, what
// a build computes for its neighbours is quicker, and misses next to nothing
// that is so much alike.
const few = 500

// bySimilarity finds those that say nearly the same.
func (f *finder) bySimilarity(words func(string) []string) {
	var places []uint32
	for i, e := range f.all {
		if f.new[e] {
			places = append(places, uint32(i))
		}
	}
	var near [][]exports.Neighbour
	if len(places) <= few {
		near = neighbors.NewExact(f.all, words).Neighbours(places)
	} else {
		everything, _ := neighbors.Find(f.all, words)
		for _, i := range places {
			near = append(near, everything[i])
		}
	}
	for k, list := range near {
		for _, n := range list {
			e, other := f.all[places[k]], f.all[n.Ordinal]
			if n.Similarity >= MinSimilarity && overlap(e, other, words) >= MinOverlap {
				f.add(e, other, SimilarContent, fmt.Sprintf("%.2f", n.Similarity))
			}
		}
	}
}

// overlap is the share that two entities have in common of all that they say:
// category, provider, tags, capabilities and words (P. Jaccard, 1901).
func overlap(a, b *record.Entity, words func(string) []string) float64 {
	x, y := statements(a, words), statements(b, words)
	shared := 0
	for s := range x {
		if y[s] {
			shared++
		}
	}
	return float64(shared) / float64(len(x)+len(y)-shared)
}

func statements(e *record.Entity, words func(string) []string) map[string]bool {
	said := map[string]bool{"category " + e.Category: true}
	if e.Provider != "" {
		said["provider "+e.Provider] = true
	}
	for kind, list := range map[string][]string{"tag": e.Tags, "capability": e.Capabilities, "word": words(e.Name + " " + e.Description)} {
		for _, s := range list {
			said[kind+" "+s] = true
		}
	}
	return said
}
