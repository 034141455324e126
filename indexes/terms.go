package indexes

import (
	"hash/crc32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

type span struct {
	term       string // folded
	start, end int    // bytes
}

// spans splits a text into words: runs of letters, digits and marks. A point between digits
// is part of the word (3.5), and so are + and # at the end of a word (C++, C#). In scripts
// without spaces, every character is a word.
func spans(text string) []span {
	out := make([]span, 0, len(text)/6+1)
	for i := 0; i < len(text); {
		start := i
		r, n := utf8.DecodeRuneInString(text[i:])
		if i += n; !wordRune(r) {
			continue
		}
		if !ideographic(r) {
			i = endOfWord(text, i)
		}
		if term := record.Fold(text[start:i]); term != "" {
			out = append(out, span{term, start, i})
		}
	}
	return out
}

func endOfWord(text string, i int) int {
	for i < len(text) {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case wordRune(r) && !ideographic(r):
		case r == '.' && digitAt(text, i-1) && digitAt(text, i+1):
		default:
			return i + suffixLength(text[i:])
		}
		i += n
	}
	return i
}

func suffixLength(rest string) int {
	n := 0
	for n < 2 && n < len(rest) && (rest[n] == '+' || rest[n] == '#') {
		n++
	}
	if r, _ := utf8.DecodeRuneInString(rest[n:]); n < len(rest) && wordRune(r) {
		return 0
	}
	return n
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r))
}

func ideographic(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

func terms(text string) []string {
	list := spans(text)
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.term
	}
	return out
}

// stopWords are words that carry no meaning of their own.
var stopWords = func() analysis.TokenMap {
	m := analysis.NewTokenMap()
	if err := m.LoadBytes(en.EnglishStopWords); err != nil {
		panic(err) // cannot happen: the list is a constant in the library
	}
	return m
}()

// stem returns the singular of a word according to the rules of the S-stemmer (D.
// Harman, "How effective is suffixing?", JASIS 42, 1991).
func stem(w string) string {
	n := len(w)
	switch {
	case n < 4 || w[n-1] != 's':
		return w
	case strings.HasSuffix(w, "ies") && w[n-4] != 'e' && w[n-4] != 'a':
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "es") && w[n-3] != 'a' && w[n-3] != 'e' && w[n-3] != 'o':
		return w[:n-1]
	case w[n-2] == 'u' || w[n-2] == 's':
		return w
	case w[n-2] == 'e':
		return w
	}
	return w[:n-1]
}

// Words splits a text into its meaningful words: folded, in the singular, without
// stop words.
func Words(text string) (out []string) {
	for _, t := range terms(text) {
		if !stopWords[t] {
			out = append(out, stem(t))
		}
	}
	return out
}

// textWords holds the words of a record by list, in their order and as they are written, each as its
// wordNumber. betweenTexts separates those of different texts.
type textWords [wordFields][]uint32

const betweenTexts = 0

func newTextWords(d *document) (w textWords) {
	for list := range w {
		for _, text := range d.list(list) {
			w[list] = append(append(w[list], wordNumbers(terms(text))...), betweenTexts)
		}
		w[list] = slices.Clip(w[list])
	}
	return w
}

// wordNumbers returns the CRC-32 of each word. Two words of one text hardly ever share it.
func wordNumbers(words []string) []uint32 {
	numbers := make([]uint32, len(words))
	for i, w := range words {
		numbers[i] = max(betweenTexts+1, crc32.ChecksumIEEE([]byte(w)))
	}
	return numbers
}

// containsRun reports whether a list contains the numbers of want one after the other.
func containsRun(list, want []uint32) bool {
	for {
		at := slices.Index(list, want[0])
		if at < 0 || len(list)-at < len(want) {
			return false
		}
		if list = list[at:]; slices.Equal(list[:len(want)], want) {
			return true
		}
		list = list[1:]
	}
}

// document is what is indexed of an entity: texts in three lists.
type document struct {
	Names  []string // the name, the slug and the earlier slugs
	Topics []string // what the entity is about, starting with the provider
	Text   string
	Facts  []string // words of other declared fields, such as a colour
}

// newDocument is the only function that reads what an entity declares.
func newDocument(e *record.Entity, titles map[string]string) *document {
	d := &document{Names: append([]string{e.Name, e.Slug}, slices.Sorted(slices.Values(e.Formerly))...), Text: e.Description}
	d.Topics = slices.Concat([]string{e.Provider, e.Category, titles[e.Category], e.Type}, e.Tags, e.Capabilities, []string{e.License})
	for _, v := range e.Values {
		if v.Field.Filter && v.Value == true { // it is known for what it has
			d.Topics = append(d.Topics, v.Field.Title)
		}
		d.Facts = append(d.Facts, factWords(v)...)
	}
	return d
}

// factWords returns the words in a declared field: texts, slugs, the titles of values, and the slugs of other
// entities.
func factWords(v record.Value) (words []string) {
	switch v.Field.Words() {
	case kinds.Text, kinds.Slug, kinds.Enum, kinds.Reference:
		for _, word := range v.Field.Texts(v.Value) {
			if title := v.Field.Titles[word]; title != "" {
				words = append(words, title)
			}
			if v.Field.Words() == kinds.Reference {
				_, word, _ = strings.Cut(word, "/")
			}
			words = append(words, word)
		}
	}
	return words
}

func (d *document) list(list int) []string {
	switch list {
	case nameField:
		return d.Names
	case topicField:
		return d.Topics
	}
	return append([]string{d.Text}, d.Facts...)
}

// nameLength returns the number of words in the name of an entity, plus the words of the slug that
// are not in the name.
func nameLength(e *record.Entity) uint8 {
	name := terms(e.Name)
	n, joined := len(name), strings.Join(name, "")
	for _, w := range terms(e.Slug) {
		if !strings.Contains(joined, w) {
			n++
		}
	}
	return uint8(min(max(1, n), 255))
}

// fieldTerms holds the terms of a document by field. A term may occur several times.
type fieldTerms [fieldCount][]string

func (d *document) terms() *fieldTerms {
	t := new(fieldTerms)
	for list := range wordFields {
		for i, text := range d.list(list) {
			words := terms(text)
			if list == nameField {
				t.addName(words, i == 0)
				continue
			}
			for _, w := range words { // stop words matter only in names, such as those of providers
				if !stopWords[w] || list == topicField && i == 0 {
					t.add(list, stem(w))
				}
			}
		}
	}
	return t
}

func (t *fieldTerms) addName(words []string, isName bool) {
	joined := strings.Join(words, "")
	for i, w := range words {
		t.add(nameField, w)
		if isName {
			t.add(nameField, strings.Join(words[i:], ""))
			t.add(suffixField, strings.Join(words[i:], " "))
		}
	}
	t.add(nameField, joined)
	t.add(exactField, strings.Join(words, " "))
	t.add(joinedField, joined)
}

func (t *fieldTerms) add(field int, term string) {
	if term != "" {
		t[field] = append(t[field], term)
	}
}
