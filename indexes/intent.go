package indexes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/resolve"
)

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

const maxIdentifier = 200

// findIdentified finds the records that the query identifies: by the name of a package or of a module, by
// the name of a model as programs send it, or by an address.
func (r *ranking) findIdentified(text string) {
	text = packageName(text)
	if words := terms(text); len(words) > 1 && len(words) <= maxPart && !strings.Contains(text, `"`) { // chroma db, torch geometric
		r.named(r.packages(strings.Join(words, ""), strings.Join(words, "-"), strings.Join(words, "_")), scoreVariant)
	}
	if text == "" || len(text) > maxIdentifier || strings.ContainsAny(text, " \"") {
		return
	}
	found := r.packages(text, strings.ToLower(text), strings.ToUpper(text))
	if strings.ContainsAny(text, "/:@.-_") {
		found.AddMany(resolve.Find(r.build, text).Matches)
	}
	if r.topicSets[0].set != nil || r.topicSets[1].set != nil {
		r.named(found, scoreJoinedPrefix) // the word mostly means something else
		return
	}
	r.named(found, scoreIdentified)
	r.isExact.Or(found)
}

// packages returns the records of packages with any of the names.
func (r *ranking) packages(names ...string) *roaring.Bitmap {
	found := roaring.New()
	for _, name := range names {
		for _, namespace := range packageNamespaces {
			found.AddMany(r.build.FindByID(namespace, name))
		}
	}
	return found
}

const maxSplit = 20

// findSpellings finds the records in which a word of the query is written as two words, or two words of
// the query as one. They are like synonyms.
func (r *ranking) findSpellings() {
	for i := range r.clauses {
		w := &r.clauses[i]
		if w.phrase != nil {
			continue
		}
		if i+1 < len(r.clauses) && r.clauses[i+1].phrase == nil {
			r.addSpelling([]string{w.term + r.clauses[i+1].term}, i, i+1)
		}
		if n := utf8.RuneCountInString(w.term); n < 6 || n > maxSplit {
			continue
		}
		if from, to, ok := strings.Cut(w.term, "2"); ok && len(from) > 2 && len(to) > 2 { // text2video
			r.addSpelling([]string{from, "to", to}, i)
		}
		for at := range w.term {
			if head, tail := w.term[:at], w.term[at:]; len(head) >= 2 && len(tail) >= 2 && !stopWords[head] && !stopWords[tail] { // not an other
				r.addSpelling([]string{head, tail}, i)
			}
		}
	}
}

func (r *ranking) addSpelling(words []string, clauses ...int) {
	if first := r.exact(words[0]); first.empty() { // most words that are split in two are no words
		return
	}
	found := r.spelled(words)
	if found.empty() {
		return
	}
	for _, at := range clauses {
		r.synonymSets[at] = append(r.synonymSets[at], synonymSets{exact: found})
	}
	r.synonyms = append(r.synonyms, spellings(words))
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
		if required++; r.mayLack(i) {
			order = append(order, i)
		}
	}
	if required < 2 || required == 2 && r.matches.GetCardinality() > 2 || r.isNamed && r.isExact.IsEmpty() {
		return
	}
	telling, counts, unknown := make([]float64, len(r.clauses)), make([]uint64, len(r.clauses)), 0
	for _, i := range order {
		telling[i] = r.matched[i].telling()
		if counts[i] = r.matched[i].union.GetCardinality(); counts[i] == 0 {
			unknown++
		}
	}
	if unknown == required {
		return
	}
	r.award(r.matches, scoreComplete)
	for range min(len(order), unknown+(required-unknown)/2) {
		n := r.matches.GetCardinality()
		if n >= fewHits {
			break
		}
		next := slices.MinFunc(order, func(a, b int) int {
			if n == 0 { // first the number of a version that there is not
				return cmp.Or(cmp.Compare(letters(r.clauses[a].term), letters(r.clauses[b].term)), cmp.Compare(counts[a], counts[b]))
			}
			return cmp.Compare(telling[a], telling[b])
		})
		order = slices.DeleteFunc(order, func(i int) bool { return i == next })
		r.clauses[next].dropped = true
		r.intersect()
	}
	found := r.matches.GetCardinality()
	defer func() {
		if found < fewHits {
			r.addPartial()
		}
	}()
	for i := range r.clauses { // those that need not have been dropped
		if r.clauses[i].dropped {
			r.clauses[i].dropped = false
			r.intersect()
			r.clauses[i].dropped = r.matches.GetCardinality() < found
		}
	}
	r.intersect()
}

func letters(word string) int {
	if strings.IndexFunc(word, unicode.IsLetter) < 0 {
		return 0
	}
	return 1
}

// mayLack reports whether records may lack a word or a phrase. Behind the record that the query names, others of its
// line follow: GPT-4 is not GPT-5.
func (r *ranking) mayLack(i int) bool {
	w := &r.clauses[i]
	return w.phrase == nil && (!r.isNamed || i > 0 && digits(w.term) == "")
}

// addPartial adds the records that lack any one word but have the others, in names and topics.
func (r *ranking) addPartial() {
	var required []int
	for i, w := range r.clauses {
		if !w.filler && (!w.dropped || !r.matched[i].union.IsEmpty()) {
			required = append(required, i)
		}
	}
	if len(required) < 2 {
		return
	}
	before := r.matches
	for _, i := range required {
		found := r.within
		for _, j := range required {
			if j != i {
				found = roaring.And(found, r.matched[j].topical())
			}
		}
		if r.mayLack(i) && !roaring.AndNot(found, before).IsEmpty() {
			r.matches = roaring.Or(r.matches, found)
			r.clauses[i].dropped = true
		}
	}
}

func (m *match) topical() *roaring.Bitmap {
	found := roaring.New()
	for _, g := range m.groups {
		if g.list != textField {
			found.Or(g.set)
		}
	}
	return found
}

// telling returns the share of the records with a word that have it in their names or topics.
func (m *match) telling() float64 {
	return float64(m.topical().GetCardinality()) / float64(max(1, m.union.GetCardinality()))
}

func (r *ranking) findOpen(words []string) {
	joined := " " + strings.Join(words, " ") + " "
	if !slices.ContainsFunc([]string{" open source ", " open weight", " opensource ", " free "}, func(s string) bool { return strings.Contains(joined, s) }) {
		return
	}
	open := r.having("pricingModel", "open-source")
	open.Or(r.having("pricingModel", "open-weights"))
	r.award(open, scoreOpen)
}

// alternativeWords ask for what does the same as something that the query names.
var alternativeWords = wordSet("alternative replacement similar like instead competitor")

// findAlternatives finds what is in the category of the entity that the query names, if it
// asks for alternatives: "open source alternative to X", "X alternatives", "something like X".
func (r *ranking) findAlternatives(words []string) {
	var name []string
	asked := false
	for _, w := range words {
		if s := stem(w); alternativeWords[s] {
			asked = true
		} else if !fillers[s] && !stopWords[w] {
			name = append(name, w)
		}
	}
	if !asked {
		return
	}
	for i := range name { // the name is at the end or at the start
		for _, part := range [][]string{name[i:], name[:len(name)-i]} {
			if original := r.term(joinedField, strings.Join(part, "")); !original.IsEmpty() {
				r.addAlternatives(original)
				return
			}
		}
	}
}

func (r *ranking) addAlternatives(original *roaring.Bitmap) {
	r.award(original, scoreOriginal)
	same := roaring.New()
	for o := range roaring.Values(original) {
		same.Or(r.having("category", r.build.Entity(o).Category))
	}
	r.award(same, scoreAlternative)
	r.alone.Or(same)
}
