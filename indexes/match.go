package indexes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

// The weights of matches, by list and kind of match.
var fieldWeights = [wordFields]float64{nameField: 8, topicField: 3, textField: 1.5}

const (
	exactWeight     = 1.0
	prefixWeight    = 0.35
	fuzzyWeight     = 0.3
	inflectedWeight = 0.5
	initialWeight   = 10.0 // a name starts with the single letter
)

// group is the set of records that match a word in a particular way.
type group struct {
	set    *roaring.Bitmap
	weight float64
	exact  bool // the exact word matches
	list   int  // where the match is
}

// match holds all matches that were found for one word.
type match struct {
	groups   []group
	union    *roaring.Bitmap
	hasExact bool // some record has the exact word
}

// add adds records, and reports whether there are any.
func (m *match) add(f *fieldSets, share float64, exact bool) (any bool) {
	for i, set := range f {
		if set != nil && !set.IsEmpty() {
			m.addGroup(group{set, fieldWeights[i] * share, exact, i})
			any = true
		}
	}
	return any
}

func (m *match) addSynonym(f *fieldSets) bool {
	topics := fieldSets{topicField: roaring.FastOr(f[nameField], f[topicField]), textField: f[textField]}
	return m.add(&topics, synonymWeight, false)
}

func (m *match) addGroup(g group) {
	m.groups = append(m.groups, g)
	m.union.Or(g.set)
}

// matchClause collects the matches for a word: the exact word, longer words that
// start with it, its synonyms and, if there is no exact match, words within the number of edits
// that it allows.
func (r *ranking) matchClause(i int) *match {
	w, m := &r.clauses[i], &match{union: roaring.New()}
	if w.phrase != nil {
		var found fieldSets
		for list := range found {
			found[list] = r.phrase(list, w.phrase, r.within)
		}
		m.hasExact = m.add(&found, exactWeight, true)
		return m
	}
	exact := r.exact(w.term)
	m.hasExact = m.add(&exact, exactWeight, true)
	if w.filler {
		return m
	}
	if w.singleLetter {
		m.addGroup(group{r.prefix(exactField, w.term), initialWeight, false, nameField})
		return m
	}
	// Robots also finds robotics, but in names only what starts with the word itself.
	longer := fieldSets{nameField: r.prefix(nameField, w.term)}
	if len(w.term) > 1 || digits(w.term) != "" {
		longer[topicField], longer[textField] = r.prefix(topicField, w.stem), r.prefix(textField, w.stem)
	}
	w.isPrefix = !longer[nameField].IsEmpty()
	m.add(&longer, prefixWeight, false)
	inflected := r.inflected(w)
	isForm, found := m.add(&inflected, inflectedWeight, false), false
	for j := range r.synonymSets[i] {
		s := &r.synonymSets[i][j]
		exact := m.addSynonym(&s.exact)
		loose := m.add(&s.loose, looseWeight, false)
		found = found || exact || loose
	}
	if !found && !m.hasExact && !w.isPrefix {
		r.addFuzzy(m, w, isForm)
	}
	return m
}

// addFuzzy adds the records that have a word within the allowed number of edits, unless they
// have already been added. onlyNames is set for a word that is a form of others, which is at most a name with one typo:
// paddlepaddlee.
func (r *ranking) addFuzzy(m *match, w *clause, onlyNames bool) {
	if w.fuzziness == 0 || w.filler || w.fuzzy != nil && !w.onlyNames {
		return
	}
	edits, lists := w.fuzziness, wordFields
	if onlyNames {
		edits, lists = 1, nameField+1
	}
	w.fuzzy, w.onlyNames = newPattern(w.term, edits), onlyNames
	var near [wordFields]byEdits
	for list := range lists {
		near[list] = r.near(list, w.fuzzy)
	}
	for d := 1; d <= edits; d++ {
		m.add(&fieldSets{near[nameField][d], near[topicField][d], near[textField][d]}, fuzzyWeight/float64(d), false)
	}
}

// endings are those of forms of a word that often mean the same: detect, detecting, detection. Each
// comes before those that it ends with.
var endings = strings.Fields("ly ization isation izing ising ation ating ized ised ated izer iser ator ment ize ise ate ing ion ed er or al e")

// root returns a singular without its ending.
func root(word string) string {
	for _, ending := range endings {
		if before, ok := strings.CutSuffix(word, ending); ok && len(before) >= 3 {
			if n := len(before); n > 3 && before[n-1] == before[n-2] { // labelling
				return before[:n-1]
			}
			return before
		}
	}
	return word
}

// base returns what the other forms of a word begin with, or "" if it has none.
func (w *clause) base() string {
	base := root(w.stem)
	if len(base) < 4 || w.stem[len(w.stem)-1] > unicode.MaxASCII || strings.ContainsAny(base, "0123456789") {
		return ""
	}
	return base
}

// isForm reports whether a singular is another form of the word with a base.
func (w *clause) isForm(singular, base string) bool {
	ending, ok := strings.CutPrefix(singular, base)
	if !ok || base == "" || singular == w.stem {
		return false
	}
	after, longer := strings.CutPrefix(singular, w.stem)
	return isEnding[ending] || longer && isEnding[after]
}

// inflected returns the records that have another form of a word in their topics or description.
func (r *ranking) inflected(w *clause) (f fieldSets) {
	base := w.base()
	for list := topicField; list < wordFields; list++ {
		var forms vocabulary
		for _, form := range r.fields[list].starting(base) {
			if w.isForm(form.text, base) {
				forms = append(forms, form)
			}
		}
		f[list] = forms.records()
	}
	return f
}

var isEnding = func() map[string]bool {
	m := wordSet(strings.Join(endings, " "))
	m[""] = true
	return m
}()

// findNear finds the records whose complete name or slug is the query apart from typos, within the
// number of edits that the misspelled words allow. Matching single words is not enough: "olama"
// is near Ollama, but also near one of the words of LlamaIndex. If words of names start with a word
// of the query, that word counts as unfinished, not as misspelled.
func (r *ranking) findNear(words []string) {
	edits := 0
	for i, w := range r.clauses {
		switch {
		case w.fuzzy != nil && !w.isPrefix:
			edits = min(edits+w.fuzzy.edits, 2)
		case utf8.RuneCountInString(w.term) == 3 && len(r.clauses) > 1 && digits(w.term) == "" && !r.matched[i].hasExact:
			edits = max(edits, 1) // too short to be searched alone
		}
	}
	joined := strings.Join(words, "")
	if edits == 0 || utf8.RuneCountInString(joined) > maxFuzzyLen {
		return
	}
	var found byEdits
	for d := range found {
		found[d] = roaring.New()
	}
	for name, d := range r.fields[joinedField].near(newPattern(joined, edits)) {
		if name.text != joined && digits(name.text) == digits(joined) { // GPT-4 is not GPT-5
			name.addTo(found[d])
		}
	}
	nearer := roaring.New() // if the name and the slug of a record differ, the nearer one counts
	for d := 1; d <= edits; d++ {
		found[d].AndNot(nearer)
		nearer.Or(found[d])
		r.named(found[d], scoreNear/int32(d))
	}
}

// digits returns the digits in a text.
func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
