package pages

import (
	"regexp"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// knownName is a name of an entity, with what it belongs to and its maker, as nameWords returns them.
type knownName struct {
	name, maker string
	families    []string // its declared slugs, such as a family
	ordinal     uint32
}

// findNames reads the names of all listed entities, by kind. It is called once for each build.
func (s *Site) findNames() map[string][]knownName {
	names := map[string][]knownName{}
	for _, o := range s.Build.InRankOrder(s.Build.Select(&view.Filter{})) {
		e := s.Build.Entity(o)
		n := knownName{name: nameWords(e.Name), maker: nameWords(e.Provider), ordinal: o}
		for _, v := range e.Values {
			if text, ok := v.Value.(string); ok && v.Field.Type == kinds.Slug && v.Field.Filter {
				n.families = append(n.families, nameWords(text))
			}
		}
		names[e.Type] = append(names[e.Type], n)
	}
	return names
}

// namesOf returns the names of the entities of some kinds.
func (r *request) namesOf(of []*kinds.Kind) (list []knownName) {
	for _, k := range of {
		list = append(list, r.names()[k.Name]...)
	}
	return list
}

// firstMatches returns what the first of some tests that accepts anything accepts.
func firstMatches[T any](list []T, tests ...func(T) bool) (found []T) {
	for _, test := range tests {
		for _, x := range list {
			if test(x) {
				found = append(found, x)
			}
		}
		if found != nil {
			break
		}
	}
	return found
}

// named returns the entities of some kinds that a text names: those of a family, or of families that
// begin with the text or, if there is none, of a maker or, if there is none, with such a name. If there are
// none, near holds similar names of families and makers.
func (r *request) named(of []*kinds.Kind, text string) (found *roaring.Bitmap, near []string) {
	words, list := nameWords(text), r.namesOf(of)
	found = roaring.New()
	for _, n := range firstMatches(list,
		func(n knownName) bool {
			return slices.ContainsFunc(n.families, func(f string) bool { return startsWith(f, words) })
		},
		func(n knownName) bool { return sameWords(words, n.maker) },
		func(n knownName) bool { return namesCompany(words, n.maker) },
		func(n knownName) bool { return sameWords(n.name, words) },
		func(n knownName) bool { return startsWith(n.name, words) },
		func(n knownName) bool { return words != "" && strings.Contains(n.name, words) }) {
		found.Add(n.ordinal)
	}
	if !found.IsEmpty() {
		return found, nil
	}
	var known []string
	for _, n := range list {
		known = append(known, n.maker)
		known = append(known, each(n.families, func(f string) string { return strings.ReplaceAll(f, " ", "-") })...)
	}
	slices.Sort(known)
	known = slices.DeleteFunc(slices.Compact(known), func(s string) bool { return s == "" })
	return found, didyoumean.Names(words, known, maxNear)
}

// sellers returns the slugs of the providers of offers with a name, or nil if there are none.
func (r *request) sellers(text string) []string {
	words := nameWords(text)
	with := func(same func(a, b string) bool) func(string) bool {
		return func(slug string) bool {
			return same(words, nameWords(slug)) || same(words, nameWords(r.providerName(slug)))
		}
	}
	return firstMatches(r.Build.Offers().Providers(), with(sameWords), with(namesCompany))
}

// modelsNamed returns the models that a text names: by slug, by identifier or by name. If there are
// none, near holds links to the page with a similar one in the named field.
func (r *request) modelsNamed(text, field string) (ordinals []uint32, near []link) {
	if ordinals = resolve.Models(r.Build, text); len(ordinals) > 0 {
		return ordinals, nil
	}
	for _, n := range r.namesOf(r.kinds().With(kinds.Offers)) {
		if sameWords(n.name, nameWords(text)) {
			ordinals = append(ordinals, n.ordinal)
		}
	}
	if len(ordinals) > 0 {
		return ordinals, nil
	}
	for _, o := range r.suggested(strings.ReplaceAll(text[strings.Index(text, "/")+1:], "-", " ")) {
		if e := r.Build.Entity(o); r.kinds().Kind(e.Type).HasBlock(kinds.Offers) && len(near) < maxNear {
			near = append(near, link{e.Name, pricesPath + "?" + singleQuery(field, e.Slug), textfmt.Plural(len(e.Offers), "offer", "offers")})
		}
	}
	return nil, near
}

var nameWord = regexp.MustCompile(`\p{Nd}+(?:\.\p{Nd}+)*|[\pL\pM]+`)

// nameWords returns the words of a name, folded and separated by spaces: runs of letters and numbers such as
// 5.5, so that gpt5 and GPT-5 are the same words.
func nameWords(name string) string {
	return strings.Join(nameWord.FindAllString(record.Fold(name), -1), " ")
}

// sameWords reports whether two names are the same but for how they are divided into words.
func sameWords(a, b string) bool {
	return a != "" && strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}

func startsWith(name, words string) bool {
	return words != "" && strings.HasPrefix(name+" ", words+" ")
}

// companyWords may follow the name of a company without changing whom it means.
var companyWords = []string{"ai", "inc", "ltd", "llc", "gmbh", "corp", "corporation", "company", "lab", "labs", "research", "cloud", "group", "technologies", "team", "platform", "api"}

// namesCompany reports whether words as people write them name a company.
func namesCompany(words, company string) bool {
	return sameWords(words, company) || startsWith(company, words) || startsWith(words, company) &&
		!slices.ContainsFunc(strings.Fields(words[len(company):]), func(w string) bool { return !slices.Contains(companyWords, w) })
}
