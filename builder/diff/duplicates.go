package diff

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"kindex/builder/neighbors"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// The kinds of reasons why two entities may be the same thing.
const (
	SameURL        = "url"        // the same web page
	SameRepository = "repository" // the same source code
	SameName       = "name"       // the same letters and digits
	SimilarContent = "similar"    // most of their content is the same
)

// kinds lists the kinds of reasons in the order in which they are shown, most certain first.
var reasonKinds = []string{SameRepository, SameURL, SameName, SimilarContent}

// Two entities are possible duplicates if their similarity, as calculated by
// builder/neighbors, is at least MinSimilarity, and the overlap of their content is at least
// MinOverlap. The second condition is needed because similarity is relative: in a small
// catalogue, two entities can have the maximum similarity just because they are in the same
// category.
//
// No two of the entities that kindex ships with, which are all distinct, reach both. A copy of any
// of them is found even if it has a different name and address. If half of the description is
// removed as well, 9 out of 10 copies are still found. A copy that is described in different words
// is not found.
const (
	MinSimilarity = 0.85
	MinOverlap    = 0.6
)

// Duplicate is a pair of entities that may be the same thing.
type Duplicate struct {
	Entity  string   `json:"entity"` // the entity whose address is new, as type/slug
	Other   string   `json:"other"`  // any other entity, as type/slug
	Reasons []Reason `json:"reasons"`
}

// Reason is one thing that a pair of entities has in common.
type Reason struct {
	Kind string `json:"kind"`
	// Value depends on Kind: it is the shared address as written in the new entity, the other
	// entity's name, or the similarity.
	Value string `json:"value"`
}

// text returns the reasons in words; mark formats strings from files.
func (d Duplicate) text(mark func(string) string) string {
	var list []string
	for _, r := range d.Reasons {
		if r.Kind != SimilarContent {
			r.Value = mark(r.Value)
		}
		list = append(list, reasonTexts[r.Kind]+r.Value)
	}
	return strings.Join(list, "; ")
}

// reasonTexts precede the values of reasons.
var reasonTexts = map[string]string{SameURL: "same URL ", SameRepository: "same repository ", SameName: "same name, spelled ",
	SimilarContent: "nearly the same content, similarity "}

// duplicates finds possible duplicates of the entities in fresh, which is a subset of all. A
// pair in which both entities are fresh is listed only once.
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
			return cmp.Compare(slices.Index(reasonKinds, x.Kind), slices.Index(reasonKinds, y.Kind))
		})
		// If the page of both entities is also their repository, list only one reason.
		d.Reasons = slices.CompactFunc(d.Reasons, func(x, y Reason) bool { return x.Value == y.Value })
		list = append(list, *d)
	}
	slices.SortFunc(list, func(x, y Duplicate) int {
		return cmp.Or(strings.Compare(x.Entity, y.Entity),
			cmp.Compare(slices.Index(reasonKinds, x.Reasons[0].Kind), slices.Index(reasonKinds, y.Reasons[0].Kind)), strings.Compare(x.Other, y.Other))
	})
	return list
}

type finder struct {
	all   []*record.Entity
	new   map[*record.Entity]bool
	found map[[2]string]*Duplicate // keyed by the keys of both entities
}

// add adds a reason to a pair, unless the pair already has a reason of that kind.
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

// byAddress finds entities of the same type with the same page, repository or weights. The page
// of one tool may be the homepage or repository of the other. Equal homepages alone are not
// enough, nor are equal pages of models: a whole family often shares an announcement, a
// documentation page or a repository.
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
				case e.Type != o.entity.Type || hasOffers(e) && field == "url" && o.field == "url":
				case field == "repository" || o.field == "repository":
					f.add(e, o.entity, SameRepository, address)
				case hasOffers(e) || field == "url" || o.field == "url":
					f.add(e, o.entity, SameURL, address)
				}
			}
		}
	}
}

// hasOffers reports whether an entity is of a kind with offers, such as a model.
func hasOffers(e *record.Entity) bool {
	k := e.Declared().Kind(e.Type)
	return k != nil && k.HasBlock(kinds.Offers)
}

// many is the maximum number of entities that are compared because they share an address or
// name. If there are more, such as the parts of one large repository, only the first ones are
// compared.
const many = 20

// addresses yields those addresses of an entity that another entity could share, each with the
// name of its field.
func addresses(e *record.Entity) iter.Seq2[string, string] {
	return func(yield func(field, address string) bool) {
		if e.URL != "" && !yield("url", e.URL) {
			return
		}
		names := []string{"homepage", "repository"}
		if hasOffers(e) {
			names = []string{"modelCard", "weights"}
		}
		for _, l := range e.Links {
			if slices.Contains(names, l.Name) && !yield(l.Name, l.URL) {
				return
			}
		}
	}
}

// byName finds entities with the same name.
func (f *finder) byName(fresh []*record.Entity) {
	same := map[string][]*record.Entity{}
	for _, e := range f.all {
		name := record.FoldName(e.Name)
		same[name] = append(same[name], e)
	}
	for _, e := range fresh {
		name := record.FoldName(e.Name)
		if name == "" {
			continue
		}
		for _, other := range same[name][:min(len(same[name]), many)] {
			f.add(e, other, SameName, other.Name)
		}
	}
}

// bySimilarity finds entities with nearly the same content.
func (f *finder) bySimilarity(words func(string) []string) {
	var places []uint32
	for i, e := range f.all {
		if f.new[e] {
			places = append(places, uint32(i))
		}
	}
	near, _ := neighbors.Find(f.all, words, places)
	for k, list := range near {
		for _, n := range list {
			e, other := f.all[places[k]], f.all[n.Ordinal]
			if n.Similarity >= MinSimilarity && overlap(e, other, words) >= MinOverlap {
				f.add(e, other, SimilarContent, fmt.Sprintf("%.2f", n.Similarity))
			}
		}
	}
}

// overlap returns the Jaccard index of two entities, based on category, provider, tags,
// capabilities and words (P. Jaccard, 1901).
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
