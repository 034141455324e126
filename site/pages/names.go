package pages

import (
	"slices"
	"strings"
	"unicode"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// knownName is a name of an entity, with what it belongs to and its maker.
type knownName struct {
	words, maker []string
	families     [][]string // words of its declared slugs, such as a family
	ordinal      uint32
}

// findNames reads the names of all listed entities, by kind. It is called once for each build.
func (s *Site) findNames() map[string][]knownName {
	names := map[string][]knownName{}
	for _, o := range s.Build.InRankOrder(s.Build.Select(&view.Filter{})) {
		e := s.Build.Entity(o)
		n := knownName{words: nameWords(e.Name), maker: nameWords(e.Provider), ordinal: o}
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

// named returns the entities of some kinds that a text names: those of a family, or of families that
// begin with the text or, if there is none, of a maker or, if there is none, with such a name. If there are
// none, near holds similar names of families and makers.
func (r *request) named(of []*kinds.Kind, text string) (found *roaring.Bitmap, near []string) {
	words, found := nameWords(text), roaring.New()
	list := r.namesOf(of)
	for _, match := range []func(n knownName) bool{
		func(n knownName) bool {
			return slices.ContainsFunc(n.families, func(f []string) bool { return startsWith(f, words) })
		},
		func(n knownName) bool { return sameWords(words, n.maker) },
		func(n knownName) bool { return namesCompany(words, n.maker) },
		func(n knownName) bool { return sameWords(n.words, words) },
		func(n knownName) bool { return startsWith(n.words, words) },
		func(n knownName) bool { return strings.Contains(strings.Join(n.words, " "), strings.Join(words, " ")) },
	} {
		for _, n := range list {
			if len(words) > 0 && match(n) {
				found.Add(n.ordinal)
			}
		}
		if !found.IsEmpty() {
			return found, nil
		}
	}
	var known []string
	for _, n := range list {
		known = append(known, strings.Join(n.maker, " "))
		for _, f := range n.families {
			known = append(known, strings.Join(f, "-"))
		}
	}
	slices.Sort(known)
	return found, didyoumean.Names(strings.Join(words, " "), slices.DeleteFunc(slices.Compact(known), func(s string) bool { return s == "" }), maxNear)
}

// sellers returns the slugs of the providers of offers with a name, or nil if there are none.
func (r *request) sellers(text string) (slugs []string) {
	words := nameWords(text)
	for _, match := range []func(a, b []string) bool{sameWords, namesCompany} {
		for _, slug := range r.Build.Offers().Providers() {
			if match(words, nameWords(slug)) || match(words, nameWords(r.providerName(slug))) {
				slugs = append(slugs, slug)
			}
		}
		if slugs != nil {
			break
		}
	}
	return slugs
}

// modelsNamed returns the models that a text names: by slug, by identifier or by name. If there are
// none, near holds links to the page with a similar one in the named field.
func (r *request) modelsNamed(text, field string) (ordinals []uint32, near []link) {
	if ordinals = resolve.Models(r.Build, text); len(ordinals) > 0 {
		return ordinals, nil
	}
	for _, n := range r.namesOf(r.kinds().With(kinds.Offers)) {
		if sameWords(n.words, nameWords(text)) {
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

// nameWords returns the words of a name, folded: runs of letters and numbers such as 5.5, so that gpt5
// and GPT-5 are the same words.
func nameWords(name string) (words []string) {
	kind := ' '
	runes := []rune(record.Fold(name))
	for i, c := range runes {
		was := kind
		switch {
		case unicode.IsLetter(c) || unicode.IsMark(c):
			kind = 'a'
		case unicode.IsDigit(c), c == '.' && was == '0' && i+1 < len(runes) && unicode.IsDigit(runes[i+1]):
			kind = '0'
		default:
			kind = ' '
			continue
		}
		if kind == was {
			words[len(words)-1] += string(c)
		} else {
			words = append(words, string(c))
		}
	}
	return words
}

// sameWords reports whether two names are the same but for how they are divided into words.
func sameWords(a, b []string) bool { return len(a) > 0 && strings.Join(a, "") == strings.Join(b, "") }

// startsWith reports whether a name starts with some words.
func startsWith(name, words []string) bool {
	return len(words) > 0 && len(name) >= len(words) && slices.Equal(name[:len(words)], words)
}

// companyWords may follow the name of a company without changing whom it means.
var companyWords = []string{"ai", "inc", "ltd", "llc", "gmbh", "corp", "corporation", "company", "lab", "labs", "research", "cloud", "group", "technologies", "team", "platform", "api"}

// namesCompany reports whether words as people write them name a company.
func namesCompany(words, company []string) bool {
	extra := func(words []string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(companyWords, w) })
	}
	return sameWords(words, company) || startsWith(company, words) || startsWith(words, company) && extra(words[len(company):])
}
