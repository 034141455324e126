package pages

import (
	"slices"
	"strings"
	"unicode"

	"kindex/exports/record"
)

// pricedNames are the names by which people ask for prices: of models with offers, their families
// and makers, and of providers.
type pricedNames struct {
	list      []pricedName
	providers []pricedName // their slugs and names
}

// pricedName is a name that is asked for.
type pricedName struct {
	words  []string // of the name
	family string
	maker  []string // words of the maker's name
	model  uint32
	slug   string // of a provider
}

// findPricedNames reads the names. It is called once for each build.
func (s *Site) findPricedNames() *pricedNames {
	n := &pricedNames{}
	for o, e := range s.Build.All {
		if e.Type != "model" || len(e.Offers) == 0 {
			continue
		}
		p := pricedName{words: nameWords(e.Name), maker: nameWords(e.Provider), model: o}
		p.family = e.Values.Text("family")
		n.list = append(n.list, p)
	}
	for _, p := range s.Build.Providers() {
		n.providers = append(n.providers, pricedName{words: nameWords(p.Name), slug: p.Slug}, pricedName{words: nameWords(p.Slug), slug: p.Slug})
	}
	for _, slug := range s.Build.Offers().Values("provider") {
		n.providers = append(n.providers, pricedName{words: nameWords(slug), slug: slug})
	}
	return n
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

// models returns the models with a name.
func (n *pricedNames) models(text string) (ordinals []uint32) {
	words := nameWords(text)
	for _, p := range n.list {
		if sameWords(p.words, words) {
			ordinals = append(ordinals, p.model)
		}
	}
	return ordinals
}

// family returns the families with a name or, if there are none, the models of the maker with that
// name or, if there is none, the models whose names start with it. Both are nil if nothing matches.
func (n *pricedNames) family(text string) (families []string, models []uint32) {
	words := nameWords(text)
	matches := func(match func(family []string) bool) []string {
		var found []string
		for _, f := range n.families() {
			if match(nameWords(f)) {
				found = append(found, f)
			}
		}
		return found
	}
	if families = matches(func(f []string) bool { return sameWords(f, words) }); families != nil {
		return families, nil
	}
	if families = matches(func(f []string) bool { return startsWith(f, words) }); families != nil {
		return families, nil
	}
	for _, match := range []func(p pricedName) bool{
		func(p pricedName) bool { return sameWords(words, p.maker) },
		func(p pricedName) bool { return namesCompany(words, p.maker) },
		func(p pricedName) bool { return startsWith(p.words, words) },
	} {
		for _, p := range n.list {
			if match(p) {
				models = append(models, p.model)
			}
		}
		if models != nil {
			break
		}
	}
	return nil, models
}

// families returns the families of models with offers, sorted.
func (n *pricedNames) families() (list []string) {
	for _, p := range n.list {
		if p.family != "" {
			list = append(list, p.family)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// provider returns the slugs of the providers with a name, or nil if there are none.
func (n *pricedNames) provider(text string) (slugs []string) {
	words := nameWords(text)
	for _, match := range []func(a, b []string) bool{sameWords, namesCompany} {
		for _, p := range n.providers {
			if match(words, p.words) && !slices.Contains(slugs, p.slug) {
				slugs = append(slugs, p.slug)
			}
		}
		if slugs != nil {
			break
		}
	}
	return slugs
}
