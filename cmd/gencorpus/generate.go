package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kindex/builder/content"
	"kindex/exports/record"
)

// The proportions of a corpus.
const (
	coined     = 0.30 // share of names with a unique word, as in real catalogues
	longer     = 0.30 // share of names with a third word that is not unique
	brief      = 0.25 // share of descriptions with two clauses; the others have three
	deprecated = 0.03
	withdrawn  = 0.01

	furthestBack   = 400  // days
	jitter         = 10.0 // maximum change to a benchmark score, in points
	maxDescription = 2000 // characters; the limit of the schema

	minSyllables = 20
	maxWordLen   = 20  // characters; a slug of three words is well within the limit
	minPeers     = 3   // smaller categories use all records of their type
	popularity   = 1.2 // spread of the factor that scales all figures of a record
	unevenness   = 0.3 // spread of the additional factor for each figure
	patience     = 8   // attempts before a name gets a unique word
	maxCount     = 1<<53 - 1
)

// generator generates the entities of a corpus. Names are generated sequentially, because
// each name depends on the names before it. The rest of an entity uses its own sequence of
// random numbers, so it can be generated in any order.
type generator struct {
	seed     uint64
	all      []*original
	pools    map[string]*recordPool // by type
	names    *rand.Rand
	mint     *nameGenerator
	taken    map[string]bool // the addresses already in use
	subjects []subject
}

// subject is the part of an entity that is decided in advance.
type subject struct {
	base       *original
	name, slug string
}

// original is a real entity, with its description split into clauses.
type original struct {
	*record.Entity
	clauses []string
}

// recordPool contains the real records of one type, and the words for names.
type recordPool struct {
	records    []*original
	byCategory map[string][]*original
	words      []string // with repetition, so that common words stay common
}

// newGenerator analyses real entities and chooses the names of n new ones.
func newGenerator(entities []*record.Entity, n int, seed uint64) (*generator, error) {
	g := &generator{seed: seed, pools: map[string]*recordPool{}}
	for _, e := range entities {
		r := &original{Entity: e, clauses: clausesOf(e.Description)}
		s := g.pools[e.Type]
		if s == nil {
			s = &recordPool{byCategory: map[string][]*original{}}
			g.pools[e.Type] = s
		}
		s.records = append(s.records, r)
		s.byCategory[e.Category] = append(s.byCategory[e.Category], r)
		g.all = append(g.all, r)
	}
	for _, typ := range record.Types {
		if s := g.pools[typ]; s != nil {
			if s.words = wordsOf(s.records); !varied(s.words) {
				return nil, fmt.Errorf("the names of type %s have too few words to generate new names", typ)
			}
		}
	}
	var err error
	if g.mint, err = newNameGenerator(g.all); err != nil {
		return nil, err
	}
	g.names = rand.New(rand.NewPCG(seed, 0))
	g.taken = make(map[string]bool, n+len(g.all))
	for _, r := range g.all { // generated entities never have real names
		g.taken[r.Key()] = true
		g.taken[r.Type+"/"+content.Slugify(r.Name)] = true
	}
	for range n {
		g.addSubject()
	}
	return g, nil
}

// addSubject picks the base record and the name of one more entity.
func (g *generator) addSubject() {
	base := pick(g.names, g.all)
	name, slug := g.newName(base.Type)
	g.subjects = append(g.subjects, subject{base, name, slug})
}

// newName generates an unused name and its slug.
func (g *generator) newName(typ string) (name, slug string) {
	name, slug = g.pools[typ].newName(g.names, g.mint, func(slug string) bool { return g.taken[typ+"/"+slug] })
	g.taken[typ+"/"+slug] = true
	return name, slug
}

func (g *generator) len() int { return len(g.subjects) }

// counts returns the number of entities by type.
func (g *generator) counts() map[string]int {
	counts := map[string]int{}
	for _, s := range g.subjects {
		counts[s.base.Type]++
	}
	return counts
}

// entity generates one entity. It may be called concurrently.
func (g *generator) entity(i int) *record.Entity {
	rng := rand.New(rand.NewPCG(g.seed, uint64(i)+1))
	s := g.subjects[i]
	of := g.pools[s.base.Type]
	peers := of.peers(s.base.Category)
	terms, figures := pick(rng, peers), pick(rng, of.records)
	e := &record.Entity{
		Type: s.base.Type, Slug: s.slug, Name: s.name,
		Provider: pick(rng, of.records).Provider,
		Category: s.base.Category, Capabilities: s.base.Capabilities,
		PricingModel: terms.PricingModel, License: terms.License,
		Version: figures.Version, URL: figures.URL, Links: figures.Links,
		Status: status(rng.Float64()),
	}
	e.Description = describe(rng, s.base, peers, of.records)
	e.Tags = swapTags(rng, s.base.Tags, peers)
	// Shift all of a record's dates by the same amount, to keep them in order.
	back := rng.IntN(furthestBack + 1)
	e.AddedDate, e.LastUpdated = shift(figures.AddedDate, back), shift(figures.LastUpdated, back)
	e.Signals = scale(rng, figures.Signals, back)
	if e.Type == "model" {
		e.IDs = []record.ID{{Namespace: "openrouter", Value: "generated/" + e.Slug}}
		e.Model = modelFacts(rng, e.Slug, e.PricingModel)
	}
	return e
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// peers returns the records with which a record in a category can be combined.
func (s *recordPool) peers(category string) []*original {
	if list := s.byCategory[category]; len(list) >= minPeers {
		return list
	}
	return s.records
}

func status(roll float64) string {
	switch {
	case roll < withdrawn:
		return record.Withdrawn
	case roll < withdrawn+deprecated:
		return record.Deprecated
	}
	return record.Active
}

// swapTags replaces one or two tags with tags from other records.
func swapTags(rng *rand.Rand, own []string, peers []*original) []string {
	tags := slices.Clone(own)
	for range 1 + rng.IntN(2) {
		other := pick(rng, peers).Tags
		if len(tags) == 0 || len(other) == 0 {
			continue
		}
		if tag := pick(rng, other); !slices.Contains(tags, tag) {
			tags[rng.IntN(len(tags))] = tag
		}
	}
	return tags
}

// describe joins a clause from the base record with one or two from other records, so that
// word frequencies resemble those of real prose. One category does not have enough clauses
// to make all descriptions in a large corpus different, so any record of the same type may
// contribute clauses.
func describe(rng *rand.Rand, base *original, peers, all []*original) string {
	from := [][]*original{{base}, peers, all}
	if rng.Float64() < brief {
		from = slices.Delete(from, 1, 2)
	}
	rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	var parts []string
	length := 0
	for _, records := range from {
		part := pick(rng, pick(rng, records).clauses)
		if length+len(part) < maxDescription && !slices.Contains(parts, part) {
			parts = append(parts, part)
			length += len(part) + 1
		}
	}
	if parts == nil { // every combination exceeds the limit in bytes
		return base.Description
	}
	return strings.Join(parts, " ")
}

// clausesOf splits a description into clauses that can be sentences.
func clausesOf(text string) []string {
	var clauses []string
	for _, part := range splitClauses(text) {
		// Shorter clauses, such as "Retired", mean nothing on their own.
		if len(strings.Fields(part)) >= 4 {
			clauses = append(clauses, sentence(part))
		}
	}
	if clauses == nil {
		return []string{text}
	}
	return clauses
}

// splitClauses splits a text at the ends of sentences, at colons, semicolons and
// conjunctions, but not inside brackets or quotes.
func splitClauses(text string) []string {
	var parts []string
	start, depth, quoted := 0, 0, false
	for i, r := range text {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"':
			quoted = !quoted
		}
		if n := boundary(text[i:]); n > 0 && depth == 0 && !quoted {
			parts = append(parts, text[start:i])
			start = i + n
		}
	}
	return append(parts, text[start:])
}

// boundary returns the length of the separator that ends a clause if s starts with one, or
// else 0.
func boundary(s string) int {
	for _, end := range []string{": ", "; ", ", and ", ", but ", ", so "} {
		if strings.HasPrefix(s, end) {
			return len(end)
		}
	}
	if len(s) > 2 && strings.IndexByte(".!?", s[0]) >= 0 && s[1] == ' ' {
		if next, _ := utf8.DecodeRuneInString(s[2:]); unicode.IsUpper(next) { // otherwise it is an abbreviation
			return 2
		}
	}
	return 0
}

// sentence capitalizes a clause and adds a full stop.
func sentence(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".;:!?")
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:] + "."
}

// scale changes signals so that they look like those of a more popular or less popular
// record.
func scale(rng *rand.Rand, source record.Signals, back int) record.Signals {
	var s record.Signals
	factor := math.Exp(popularity * rng.NormFloat64())
	for _, f := range source.Facts {
		f.Date, f.Day = shift(f.Date, back), shift(f.Day, back)
		f.Number = scaleCount(rng, f.Name, f.Number, factor)
		s.Facts = append(s.Facts, f)
	}
	for _, b := range source.Benchmarks {
		b.Date = shift(b.Date, back)
		value := b.Value + jitter*(2*rng.Float64()-1)
		b.Value = math.Round(100*min(max(value, 0), 100)) / 100
		s.Benchmarks = append(s.Benchmarks, b)
	}
	return s
}

func scaleCount(rng *rand.Rand, name string, value, factor float64) float64 {
	own := rng.NormFloat64()
	if value == 0 {
		return 0
	}
	switch name {
	case "contextTokens", "outputTokens", "parameters":
		// Sizes do not depend on popularity. They change by a power of two.
		factor = math.Exp2(math.Round(own))
	default:
		factor *= math.Exp(unevenness * own)
	}
	return min(max(math.Round(value*factor), 1), maxCount)
}

// shift moves a date (a day or a month) back. It returns "" if there is no date; dates are
// never invalid, because the content has already been validated.
func shift(day string, back int) string {
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if t, err := time.Parse(layout, day); err == nil {
			return t.AddDate(0, 0, -back).Format(layout)
		}
	}
	return ""
}
