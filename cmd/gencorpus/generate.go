package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"kindex/builder/content"
)

// The proportions of a corpus.
const (
	coined       = 0.30 // share of names with a unique word, as in real catalogues
	longer       = 0.30 // share of names with a third word that is not unique
	brief        = 0.25 // share of descriptions with two clauses; the others have three
	deprecated   = 0.03
	withdrawn    = 0.01
	furthestBack = 400 // days by which the dates of a record are shifted at most
	popularity   = 1.2 // spread of the factor that scales all figures of a record
	unevenness   = 0.3 // spread of the additional factor for each figure
)

// entity is a file: the text of each field, with the lines that follow its first one.
type entity struct {
	typ, slug string
	text      map[string]string
}

func (e *entity) path() string { return e.typ + "/" + e.slug + ".yaml" }

// original is a real entity.
type original struct {
	entity
	category string
	clauses  []string // of the description
}

// pool contains the real entities of a type, and the words of their names, with repetition.
type pool struct {
	all        []*original
	byCategory map[string][]*original
	words      []string
}

// generator generates entities. Names are drawn one after the other, because none may be taken;
// the rest of an entity has its own sequence of random numbers, so it can be generated at any time.
type generator struct {
	seed     uint64
	all      []*original
	pools    map[string]*pool
	order    []string          // of the fields in a file
	shared   map[string][]byte // the files that describe the whole folder
	names    *rand.Rand
	taken    map[string]bool // paths
	subjects []subject
	back     int // days by which all dates are shifted, in a history
}

// subject is what is decided of an entity in advance.
type subject struct {
	base       *original
	name, slug string
}

var (
	wordPattern = regexp.MustCompile(`[A-Za-z][A-Za-z\d-]{1,19}`)
	clauseEnd   = regexp.MustCompile(`[.;:] +|, (?:and|but|so) `)
	figure      = regexp.MustCompile(`\b(date|value): ([\d.-]+)([,}])`)
	fieldStart  = regexp.MustCompile(`(?m)^([A-Za-z]\w*):`)
	ownLinks    = regexp.MustCompile(`(?m)^(links:\n)?  (?:deprecation|package): .*\n`)
	sharedFiles = []string{"categories.yaml", "index.yaml", "scoring.yaml", "synonyms.yaml", "vocabulary.yaml"}
)

// newGenerator reads a content folder.
func newGenerator(dir string, seed uint64) (*generator, error) {
	g := &generator{seed: seed, pools: map[string]*pool{}, taken: map[string]bool{}, names: rand.New(rand.NewPCG(seed, 0)),
		order: []string{"name", "status", "formerly"}, shared: map[string][]byte{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s contains no entity files: %w", dir, err)
	}
	for _, path := range paths {
		if err := g.read(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for typ, p := range g.pools {
		if words := slices.Sorted(slices.Values(p.words)); len(slices.Compact(words)) < 2 {
			return nil, fmt.Errorf("%s: the names of type %s have too few words to generate new names", dir, typ)
		}
	}
	for _, name := range sharedFiles {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			g.shared[name] = data
		} else if !os.IsNotExist(err) {
			return nil, err
		}
	}
	return g, nil
}

// read reads an entity and splits it into its fields.
func (g *generator) read(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var known struct{ Name, Category, Description string }
	if err := yaml.Unmarshal(data, &known); err != nil {
		return err
	}
	o := &original{entity{filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".yaml"), map[string]string{}},
		known.Category, clauses(known.Description)}
	starts := append(fieldStart.FindAllSubmatchIndex(data, -1), []int{len(data)})
	for i, at := range starts[:len(starts)-1] {
		name := string(data[at[2]:at[3]])
		o.text[name] = string(data[at[0]:starts[i+1][0]])
		if !slices.Contains(g.order, name) {
			g.order = append(g.order, name)
		}
	}
	p := g.pools[o.typ]
	if p == nil {
		p = &pool{byCategory: map[string][]*original{}}
		g.pools[o.typ] = p
	}
	p.all, g.all = append(p.all, o), append(g.all, o)
	p.byCategory[o.category] = append(p.byCategory[o.category], o)
	p.words = append(p.words, wordPattern.FindAllString(known.Name, -1)...)
	g.taken[o.path()] = true // generated entities never have real names
	g.taken[o.typ+"/"+content.Slugify(known.Name)+".yaml"] = true
	return nil
}

// clauses splits a description into parts that can be sentences.
func clauses(text string) (list []string) {
	for _, part := range clauseEnd.Split(strings.TrimRight(text, ".!?"), -1) {
		if r, size := utf8.DecodeRuneInString(part); len(strings.Fields(part)) >= 4 { // shorter ones mean nothing alone
			list = append(list, string(unicode.ToUpper(r))+part[size:]+".")
		}
	}
	if list == nil {
		list = []string{text}
	}
	return list
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// addSubject draws the base and the name of one more entity.
func (g *generator) addSubject() {
	base := pick(g.names, g.all)
	name, slug := g.newName(base.typ)
	g.subjects = append(g.subjects, subject{base, name, slug})
}

// newName draws words until their slug is free. A coined word joins halves of two others.
func (g *generator) newName(typ string) (name, slug string) {
	words := g.pools[typ].words
	for attempt := 0; ; attempt++ {
		parts := []string{pick(g.names, words), pick(g.names, words)}
		switch third := g.names.Float64(); {
		case third < coined || attempt >= 8:
			first, second := pick(g.names, words), pick(g.names, words)
			parts = append(parts, first[:(len(first)+1)/2]+strings.ToLower(second[len(second)/2:]))
		case third < coined+longer:
			parts = append(parts, pick(g.names, words))
		}
		name = strings.Join(parts, " ")
		slug = content.Slugify(name)
		if path := typ + "/" + slug + ".yaml"; !g.taken[path] && parts[0] != parts[1] {
			g.taken[path] = true
			return name, slug
		}
	}
}

// bytes is an entity as a file.
func (g *generator) bytes(e *entity) (data []byte) {
	for _, name := range g.order {
		data = append(data, e.text[name]...)
	}
	return data
}

// entity generates one entity.
func (g *generator) entity(i int) *entity {
	rng, s := rand.New(rand.NewPCG(g.seed, uint64(i)+1)), g.subjects[i]
	p := g.pools[s.base.typ]
	peers := p.byCategory[s.base.category]
	e := &entity{s.base.typ, s.slug, maps.Clone(s.base.text)}
	for _, name := range []string{"formerly", "ids", "lifecycle", "offers", "offersRead", "status"} {
		delete(e.text, name)
	}
	from := func(o *original, names ...string) {
		for _, name := range names {
			e.text[name] = o.text[name]
		}
	}
	from(pick(rng, peers), "pricingModel", "license", "openWeights")
	from(pick(rng, p.all), "version", "url", "links", "signals")
	if o := pick(rng, p.all); o.text["provider"] != "" {
		from(o, "provider")
	}
	e.text["name"] = "name: " + s.name + "\n"
	e.text["links"] = ownLinks.ReplaceAllString(e.text["links"], "$1")
	if e.text["links"] == "links:\n" {
		delete(e.text, "links")
	}
	e.text["tags"] = swapTag(rng, e.text["tags"], pick(rng, peers).text["tags"])
	e.text["description"] = describe(rng, s.base, pick(rng, p.all), pick(rng, peers))
	e.text["signals"] = scale(rng, e.text["signals"], g.back+rng.IntN(furthestBack+1))
	if e.typ == "model" { // a model that has ended must have one
		e.text["ids"] = "ids:\n  openrouter: generated/" + e.slug + "\n"
	}
	switch roll := rng.Float64(); {
	case roll < withdrawn:
		e.text["status"] = "status: withdrawn\n"
	case roll < withdrawn+deprecated:
		e.text["status"] = "status: deprecated\n"
	}
	return e
}

// describe joins clauses of some entities, so that words are as frequent as in real prose.
func describe(rng *rand.Rand, from ...*original) string {
	if rng.Float64() < brief {
		from = from[:2]
	}
	rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	var parts []string
	for _, o := range from {
		if part := pick(rng, o.clauses); len(part) < 600 && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "description: " + strconv.Quote(strings.Join(parts, " ")) + "\n" // its escapes are valid in YAML
}

// swapTag replaces a tag with one of another entity.
func swapTag(rng *rand.Rand, own, other string) string {
	list := func(text string) []string { // with any quotes
		return strings.FieldsFunc(strings.TrimPrefix(text, "tags:"), func(r rune) bool { return strings.ContainsRune("[], \n", r) })
	}
	tags, others := list(own), list(other)
	if len(tags) == 0 || len(others) == 0 {
		return own
	}
	if tag := pick(rng, others); !slices.Contains(tags, tag) {
		tags[rng.IntN(len(tags))] = tag
	}
	return "tags: [" + strings.Join(tags, ", ") + "]\n"
}

// scale changes the figures of signals so that they look like those of a record that is more or
// less popular, and moves dates back. Sizes change by a power of two, and results of benchmarks
// by up to a tenth.
func scale(rng *rand.Rand, signals string, days int) string {
	factor := math.Exp(popularity * rng.NormFloat64())
	return restate(signals, func(_ string, t time.Time) time.Time { return t.AddDate(0, 0, -days) }, func(line string, value float64) float64 {
		switch {
		case strings.HasPrefix(line, "    - "):
			return math.Round(100*value*(0.9+0.1*rng.Float64())) / 100
		case strings.Contains(line, "Tokens:") || value == 0:
			return math.Ceil(value * math.Exp2(math.Round(rng.NormFloat64())))
		}
		return min(max(math.Round(value*factor*math.Exp(unevenness*rng.NormFloat64())), 1), 1<<53-1)
	})
}

// restate changes the dates and numbers of signals, line by line.
func restate(signals string, day func(what string, t time.Time) time.Time, number func(line string, value float64) float64) string {
	var b strings.Builder
	for line := range strings.Lines(signals) {
		b.WriteString(figure.ReplaceAllStringFunc(line, func(found string) string {
			m := figure.FindStringSubmatch(found)
			layout := time.DateOnly[:min(len(m[2]), len(time.DateOnly))]
			if t, err := time.Parse(layout, m[2]); err == nil && len(layout) > 4 {
				return m[1] + ": " + day(m[1], t).Format(layout) + m[3]
			}
			value, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				return found
			}
			return m[1] + ": " + strconv.FormatFloat(number(line, value), 'f', -1, 64) + m[3]
		}))
	}
	return b.String()
}
