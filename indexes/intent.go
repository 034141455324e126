package indexes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/exports/resolve"
)

// cutExclusions removes the words after a minus sign from the unquoted parts of a query, and
// returns each as its words. A query that consists of nothing else is returned as it is.
func cutExclusions(text string) (kept string, excluded [][]string) {
	var b strings.Builder
	for i, part := range splitQuotes(text) {
		if i%2 == 1 {
			b.WriteString(`"` + part + `"`)
			continue
		}
		for word := range strings.SplitAfterSeq(part, " ") {
			rest, minus := strings.CutPrefix(word, "-")
			first, _ := utf8.DecodeRuneInString(rest)
			if list := terms(rest); minus && unicode.IsLetter(first) && len(list) > 0 {
				excluded = append(excluded, list)
			} else {
				b.WriteString(word)
			}
		}
	}
	if len(excluded) == 0 || len(terms(b.String())) == 0 {
		return text, nil
	}
	return b.String(), excluded
}

// exclude removes the records that contain all of the words from those that are searched.
func (r *ranking) exclude(words []string) error {
	found := r.set()
	copy(found, r.within)
	for _, w := range words {
		has, anywhere := r.set(), clause{term: w, stem: stem(w)}
		sets, err := r.exactSets(&anywhere)
		if err != nil {
			return err
		}
		for _, s := range sets {
			if s != nil {
				has.or(s)
			}
		}
		found.and(has)
	}
	r.within.andNot(found)
	return nil
}

// installCommand matches commands and statements that name a package or a module.
var installCommand = regexp.MustCompile(`^(?:[$!%] ?)?(?:(?:sudo|python3? -m|uv|poetry) )?(?:(?:pip3?|conda|mamba|brew|npm|pnpm|bun) (?:install|i|add)|yarn add|add|cargo add|go get|docker pull|import|from)` +
	`(?: -\S+)* ["']?([^\s"'\[=<>~]+)\S*(?: as \w+| import .+)?$`)

// packageName returns the package that a command or a statement names, or the text itself.
func packageName(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if m := installCommand.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

// packageNamespaces are the namespaces in which a word alone is looked up. Modules are those that
// programs import, as far as the content declares them.
var packageNamespaces = []string{"pypi", "module", "npm", "conda", "crates", "homebrew", "github"}

// maxIdentifier is the maximum length of a query that can be an identifier.
const maxIdentifier = 200

// findIdentified finds the records that the query identifies: by the name of a package or of a module, by
// the name of a model as programs send it, or by an address.
func (r *ranking) findIdentified(text string) {
	text = packageName(text)
	if text == "" || len(text) > maxIdentifier || strings.ContainsAny(text, " \"") {
		return
	}
	var found []uint32
	for _, name := range slices.Compact([]string{text, strings.ToLower(text), strings.ToUpper(text)}) {
		for _, namespace := range packageNamespaces {
			found = append(found, r.index.build.FindByID(namespace, name)...)
		}
	}
	if strings.ContainsAny(text, "/:@.-_") {
		found = append(found, resolve.Find(r.index.build, text).Matches...)
	}
	for _, o := range found {
		if r.identified == nil {
			r.identified = r.set()
		}
		r.identified.add(o)
	}
}

// otherNumber returns the plural of a singular, or the singular.
func otherNumber(word string) string {
	if s := stem(word); s != word {
		return s
	}
	return word + "s"
}

// findVariants finds the records whose name or slug is the query but for the number of a word.
func (r *ranking) findVariants(words []string) error {
	if len(words) > 4 {
		return nil
	}
	for i, w := range words {
		if utf8.RuneCountInString(w) < 3 {
			continue
		}
		variant := slices.Clone(words)
		variant[i] = otherNumber(w)
		found, err := r.termSet(joinedField, strings.Join(variant, ""))
		if err != nil {
			return err
		}
		r.variant = r.union(r.variant, found)
	}
	return nil
}

// union adds a set, which may be nil, to another, which is created if it is nil.
func (s *session) union(to, from set) set {
	if from == nil {
		return to
	}
	if to == nil {
		to = s.set()
	}
	to.or(from)
	return to
}

// endings are those of forms of a word that often mean the same: detect, detecting, detection. Each
// comes before those that it ends with.
var endings = strings.Fields("ly ization isation izing ising ation ating ized ised ated izer iser ator ize ise ate ing ion ed er or e")

// root returns a singular without its ending.
func root(word string) string {
	for _, ending := range endings {
		if before, ok := strings.CutSuffix(word, ending); ok && len(before) >= 3 {
			word = before
			break
		}
	}
	if n := len(word); n > 3 && word[n-1] == word[n-2] { // labelling
		return word[:n-1]
	}
	return word
}

// inflectedSets returns the records that have another form of a word in their topics or description.
func (s *session) inflectedSets(w *clause) (f fieldSets, err error) {
	base := root(w.stem)
	if len(base) < 4 || w.stem[len(w.stem)-1] > unicode.MaxASCII || strings.ContainsAny(base, "0123456789") {
		return f, nil
	}
	for _, ending := range append([]string{""}, endings...) {
		for list := topicField; list < wordFields && base+ending != w.stem; list++ {
			found, err := s.termSet(list, base+ending)
			if err != nil {
				return f, err
			}
			f[list] = s.union(f[list], found)
		}
	}
	return f, nil
}

// maxSplit is the length in letters of the longest word that is split in two.
const maxSplit = 20

// findSpellings finds the records in which a word of the query is written as two words, or two words of
// the query as one. They are like synonyms.
func (r *ranking) findSpellings() error {
	for i := range r.clauses {
		w := &r.clauses[i]
		if w.phrase != nil {
			continue
		}
		if i+1 < len(r.clauses) && r.clauses[i+1].phrase == nil {
			joined := w.term + r.clauses[i+1].term
			if err := r.addSpelling([]string{joined}, i, i+1); err != nil {
				return err
			}
		}
		if n := utf8.RuneCountInString(w.term); n < 6 || n > maxSplit {
			continue
		}
		if from, to, ok := strings.Cut(w.term, "2"); ok && len(from) > 2 && len(to) > 2 { // text2video
			if err := r.addSpelling([]string{from, "to", to}, i); err != nil {
				return err
			}
		}
		for at := range w.term {
			if at >= 2 && len(w.term)-at >= 2 {
				if err := r.addSpelling([]string{w.term[:at], w.term[at:]}, i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addSpelling adds the records that have a word or a phrase to the synonyms of clauses.
func (r *ranking) addSpelling(words []string, clauses ...int) error {
	for _, w := range words { // most words that are split in two are no words
		if stopWords[w] && len(words) > 2 {
			continue
		}
		if sets, err := r.exactSets(&clause{term: w, stem: stem(w)}); err != nil || sets.empty() {
			return err
		}
	}
	found, err := r.searchSynonym(words)
	if found.loose = (fieldSets{}); err != nil || found.exact.empty() {
		return err
	}
	for _, at := range clauses {
		r.synonymSets[at] = append(r.synonymSets[at], found)
	}
	r.synonyms = append(r.synonyms, spellings(words))
	return nil
}

// fewHits is the number of matches below which records follow that lack the least telling words.
const fewHits = 10

// relax adds to fewer matches than fewHits the records that lack the least telling words: those that are
// mostly in descriptions, not in names and topics. While there are no matches at all, it is the rarest word that
// is in the way. At least half of the words that records have remain, and all phrases.
func (r *ranking) relax() {
	var order []int
	required := 0
	for i, w := range r.clauses {
		if w.filler {
			continue
		}
		if required++; w.phrase == nil {
			order = append(order, i)
		}
	}
	if required < 2 || required == 2 && r.matches.count() > 2 || r.exact != nil || r.joinedExact != nil || r.identified != nil || r.variant != nil {
		return
	}
	if slices.ContainsFunc(r.near[:], func(s set) bool { return s != nil }) {
		return
	}
	telling, counts, unknown := make([]float64, len(r.clauses)), make([]int, len(r.clauses)), 0
	for _, i := range order {
		telling[i] = r.telling(r.matched[i])
		if counts[i] = r.matched[i].union.count(); counts[i] == 0 {
			unknown++
		}
	}
	if unknown == required {
		return
	}
	r.complete = r.set()
	copy(r.complete, r.matches)
	for range min(len(order), unknown+(required-unknown)/2) {
		n := r.matches.count()
		if n >= fewHits {
			break
		}
		next := slices.MinFunc(order, func(a, b int) int {
			if n == 0 {
				return cmp.Compare(counts[a], counts[b])
			}
			return cmp.Compare(telling[a], telling[b])
		})
		order = slices.DeleteFunc(order, func(i int) bool { return i == next })
		r.clauses[next].dropped = true
		r.intersect()
	}
	found := r.matches.count()
	for i := range r.clauses { // those that need not have been dropped
		if r.clauses[i].dropped {
			r.clauses[i].dropped = false
			r.intersect()
			r.clauses[i].dropped = r.matches.count() < found
		}
	}
	r.intersect()
}

// telling returns the share of the records with a word that have it in their names or topics.
func (r *ranking) telling(m *match) float64 {
	unused := r.taken
	defer func() { r.taken = unused }()
	topical := r.set()
	for _, g := range m.groups {
		if g.list != textField {
			topical.or(g.set)
		}
	}
	return float64(topical.count()) / float64(max(1, m.union.count()))
}

// findOpen finds open source and open weights, if the query asks for them.
func (r *ranking) findOpen(words []string) {
	joined := " " + strings.Join(words, " ") + " "
	if !slices.ContainsFunc([]string{" open source ", " open weight", " opensource ", " free "}, func(s string) bool { return strings.Contains(joined, s) }) {
		return
	}
	for field, value := range map[string]string{"pricingModel": "open-source", "openWeights": "true"} {
		if found := r.index.build.Bitmap(field, value); found != nil {
			dense := r.set()
			found.WriteDenseTo(dense)
			r.open = r.union(r.open, dense)
		}
	}
}

// alternativeWords ask for what does the same as something that the query names.
var alternativeWords = wordSet("alternative replacement similar like instead competitor")

// findAlternatives finds what is in the category of the entity that the query names, if it
// asks for alternatives: "open source alternative to X", "X alternatives", "something like X".
func (r *ranking) findAlternatives(words []string) error {
	var name []string
	asked := false
	for _, w := range words {
		if s := stem(w); alternativeWords[s] {
			asked = true
		} else if !fillers[s] && !stopWords[w] {
			name = append(name, w)
		}
	}
	if !asked || len(name) == 0 {
		return nil
	}
	for i := range name { // the name is at the end or at the start
		for _, part := range [][]string{name[i:], name[:len(name)-i]} {
			found, err := r.termSet(joinedField, strings.Join(part, ""))
			if err != nil {
				return err
			}
			if found != nil {
				return r.addAlternatives(found)
			}
		}
	}
	return nil
}

// addAlternatives adds what is in the categories of entities.
func (r *ranking) addAlternatives(original set) error {
	r.original = original
	for o := range original.each {
		e := r.index.build.Entity(o)
		same := r.index.build.Bitmap("category", e.Category)
		dense := r.set()
		same.WriteDenseTo(dense)
		r.alternatives = r.union(r.alternatives, dense)
	}
	return nil
}
