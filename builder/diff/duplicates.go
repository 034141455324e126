package diff

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// The kinds of reasons why two entities may be the same thing.
const (
	SameRepository = "repository" // the same source code
	SameURL        = "url"        // the same web page
	SameName       = "name"       // the same letters and digits
)

// reasonKinds lists the kinds of reasons in the order in which they are shown, most certain first.
var reasonKinds = []string{SameRepository, SameURL, SameName}

// reasonTexts precede the values of reasons.
var reasonTexts = map[string]string{SameURL: "same URL ", SameRepository: "same repository ", SameName: "same name, spelled "}

// Duplicate is a pair of entities that may be the same thing.
type Duplicate struct {
	Entity  string   `json:"entity"` // the entity whose address is new, as type/slug
	Other   string   `json:"other"`  // any other entity, as type/slug
	Reasons []Reason `json:"reasons"`
}

// Reason is one thing that a pair of entities has in common.
type Reason struct {
	Kind  string `json:"kind"`
	Value string `json:"value"` // the shared address as written in the new entity, or the other entity's name
}

// text returns the reasons in words; mark formats strings from files.
func (d Duplicate) text(mark func(string) string) string {
	var list []string
	for _, r := range d.Reasons {
		list = append(list, reasonTexts[r.Kind]+mark(r.Value))
	}
	return strings.Join(list, "; ")
}

// many is the maximum number of entities that are compared because they share an address or
// name. If there are more, such as the parts of one large repository, only the first ones are
// compared.
const many = 20

// duplicates finds possible duplicates of the entities in fresh, which is a subset of all. A
// pair in which both entities are fresh is listed only once.
func duplicates(all, fresh []*record.Entity) []Duplicate {
	isNew := map[*record.Entity]bool{}
	for _, e := range fresh {
		isNew[e] = true
	}
	owners := map[string][]owner{} // by normalized address, or by folded name with an empty field
	for _, e := range all {
		for _, a := range append(addresses(e), owner{e, "", record.FoldName(e.Name)}) {
			owners[a.key()] = append(owners[a.key()], a)
		}
	}
	found := map[[2]string]*Duplicate{}
	for _, e := range fresh {
		for _, a := range append(addresses(e), owner{e, "", record.FoldName(e.Name)}) {
			list := owners[a.key()]
			for _, o := range list[:min(len(list), many)] {
				r := a.shares(o)
				if r.Kind == "" || e == o.entity || isNew[o.entity] && o.entity.Key() < e.Key() {
					continue
				}
				key := [2]string{e.Key(), o.entity.Key()}
				if found[key] == nil {
					found[key] = &Duplicate{Entity: key[0], Other: key[1]}
				}
				if d := found[key]; !slices.ContainsFunc(d.Reasons, func(s Reason) bool { return s.Kind == r.Kind }) {
					d.Reasons = append(d.Reasons, r)
				}
			}
		}
	}
	list := make([]Duplicate, 0, len(found))
	rank := func(r Reason) int { return slices.Index(reasonKinds, r.Kind) }
	for _, d := range found {
		slices.SortStableFunc(d.Reasons, func(x, y Reason) int { return cmp.Compare(rank(x), rank(y)) })
		// If the page of both entities is also their repository, list only one reason.
		d.Reasons = slices.CompactFunc(d.Reasons, func(x, y Reason) bool { return x.Value == y.Value })
		list = append(list, *d)
	}
	slices.SortFunc(list, func(x, y Duplicate) int {
		return cmp.Or(strings.Compare(x.Entity, y.Entity), cmp.Compare(rank(x.Reasons[0]), rank(y.Reasons[0])), strings.Compare(x.Other, y.Other))
	})
	return list
}

// owner is an entity with something that another entity could share: the value of a field with an address,
// or its folded name, whose field is empty.
type owner struct {
	entity       *record.Entity
	field, value string
}

func (o owner) key() string {
	if o.field == "" {
		return " " + o.value
	}
	return record.NormalizeURL(o.value)
}

// shares returns why two owners of one key may be the same thing: entities of the same type have the same
// name, page, repository or weights. The page of one tool may be the homepage or repository of the other. Equal
// homepages alone are not enough, nor are equal pages of models: a whole family often shares an announcement, a
// documentation page or a repository.
func (o owner) shares(other owner) (r Reason) {
	switch offers := hasOffers(o.entity); {
	case o.field == "":
		if o.value != "" {
			return Reason{SameName, other.entity.Name}
		}
	case o.entity.Type != other.entity.Type || offers && o.field == "url" && other.field == "url":
	case o.field == "repository" || other.field == "repository":
		return Reason{SameRepository, o.value}
	case offers || o.field == "url" || other.field == "url":
		return Reason{SameURL, o.value}
	}
	return r
}

// hasOffers reports whether an entity is of a kind with offers, such as a model.
func hasOffers(e *record.Entity) bool {
	k := e.Declared().Kind(e.Type)
	return k != nil && k.HasBlock(kinds.Offers)
}

// addresses lists those addresses of an entity that another entity could share.
func addresses(e *record.Entity) (list []owner) {
	if e.URL != "" {
		list = append(list, owner{e, "url", e.URL})
	}
	names := []string{"homepage", "repository"}
	if hasOffers(e) {
		names = []string{"modelCard", "weights"}
	}
	for _, l := range e.Links {
		if slices.Contains(names, l.Name) {
			list = append(list, owner{e, l.Name, l.URL})
		}
	}
	return list
}
