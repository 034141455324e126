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
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"kindex/builder/content"
)

// The proportions of a corpus.
const (
	coined     = 0.30 // share of names with a unique word, as in real catalogues
	deprecated = 0.03
	withdrawn  = 0.01
	popularity = 1.2 // spread of the factor that scales all figures of a record
)

// original is a real entity: the text of each field, with the lines that follow its first one.
type original struct {
	typ, category string
	text          map[string]string
	clauses       []string // of the description
}

// generator generates entities, one after the other, because no name may be taken.
type generator struct {
	*rand.Rand
	all   []*original
	peers map[string][]*original // by type and category
	words map[string][]string    // of the names of a type, with repetition
	order []string               // of the fields in a file
	taken map[string]bool        // paths
}

var (
	wordPattern = regexp.MustCompile(`[A-Za-z][A-Za-z\d-]{1,19}`)
	clauseEnd   = regexp.MustCompile(`[.;:] +|, (?:and|but|so) `)
	count       = regexp.MustCompile(`(?m)^(  \w+: \{value: )(\d+)([,}])`)
	fieldStart  = regexp.MustCompile(`(?m)^([A-Za-z]\w*):`)
	reference   = regexp.MustCompile(`^\w+:\s*(?:- |\[)?[a-z-]+/[a-z0-9-]+[],\n]`) // to an entity that is not generated
	ownLinks    = regexp.MustCompile(`(?m)^(links:\n)?  (?:deprecation|package): .*\n`)
)

// newGenerator reads a content folder.
func newGenerator(dir string, seed uint64) (*generator, error) {
	g := &generator{rand.New(rand.NewPCG(seed, 0)), nil, map[string][]*original{}, map[string][]string{}, []string{"name", "status"}, map[string]bool{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s contains no entity files: %w", dir, err)
	}
	for _, path := range paths {
		if err := g.read(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for typ, words := range g.words {
		if len(slices.Compact(slices.Sorted(slices.Values(words)))) < 2 {
			return nil, fmt.Errorf("%s: the names of type %s have too few words to generate new names", dir, typ)
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
	o := &original{filepath.Base(filepath.Dir(path)), known.Category, map[string]string{}, clauses(known.Description)}
	starts := append(fieldStart.FindAllSubmatchIndex(data, -1), []int{len(data)})
	for i, at := range starts[:len(starts)-1] {
		name := string(data[at[2]:at[3]])
		if o.text[name] = string(data[at[0]:starts[i+1][0]]); reference.MatchString(o.text[name]) {
			delete(o.text, name)
		} else if !slices.Contains(g.order, name) {
			g.order = append(g.order, name)
		}
	}
	for _, name := range []string{"formerly", "ids", "lifecycle", "offers", "offersRead", "status"} {
		delete(o.text, name)
	}
	g.all = append(g.all, o)
	for _, of := range []string{o.typ, o.typ + "/" + o.category} {
		g.peers[of] = append(g.peers[of], o)
	}
	g.words[o.typ] = append(g.words[o.typ], wordPattern.FindAllString(known.Name, -1)...)
	g.taken[o.typ+"/"+filepath.Base(path)] = true // generated entities never have real names
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

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// name draws words until their slug is free. A coined word joins halves of two others.
func (g *generator) name(typ string) (name, slug string) {
	words := g.words[typ]
	for attempt := 0; ; attempt++ {
		parts := []string{pick(g, words), pick(g, words)}
		switch third := g.Float64(); {
		case third < coined || attempt >= 8:
			first, second := pick(g, words), pick(g, words)
			parts = append(parts, first[:(len(first)+1)/2]+strings.ToLower(second[len(second)/2:]))
		case third < 2*coined:
			parts = append(parts, pick(g, words))
		}
		name = strings.Join(parts, " ")
		slug = content.Slugify(name)
		if path := typ + "/" + slug + ".yaml"; !g.taken[path] && parts[0] != parts[1] {
			g.taken[path] = true
			return name, slug
		}
	}
}

// entity generates one entity, whose fields are from several real ones.
func (g *generator) entity() (path string, data []byte) {
	base := pick(g, g.all)
	name, slug := g.name(base.typ)
	peers, text := g.peers[base.typ+"/"+base.category], maps.Clone(base.text)
	from := func(o *original, names ...string) {
		for _, name := range names {
			text[name] = o.text[name]
		}
	}
	from(pick(g, peers), "pricingModel", "license")
	from(pick(g, g.peers[base.typ]), "version", "url", "links", "signals")
	text["name"] = "name: " + name + "\n"
	if text["links"] = ownLinks.ReplaceAllString(text["links"], "$1"); text["links"] == "links:\n" {
		delete(text, "links")
	}
	text["description"] = "description: " + strconv.Quote(g.description(base, pick(g, g.peers[base.typ]), pick(g, peers))) + "\n" // its escapes are valid in YAML
	factor := math.Exp(popularity * g.NormFloat64())
	text["signals"] = count.ReplaceAllStringFunc(text["signals"], func(found string) string {
		m := count.FindStringSubmatch(found)
		value, _ := strconv.ParseFloat(m[2], 64)
		return m[1] + strconv.FormatFloat(min(max(math.Round(value*factor), 1), 1<<53-1), 'f', -1, 64) + m[3]
	})
	if base.typ == "model" { // a model that has ended must have one
		text["ids"] = "ids:\n  openrouter: generated/" + slug + "\n"
	}
	switch roll := g.Float64(); {
	case roll < withdrawn:
		text["status"] = "status: withdrawn\n"
	case roll < withdrawn+deprecated:
		text["status"] = "status: deprecated\n"
	}
	for _, name := range g.order {
		data = append(data, text[name]...)
	}
	return base.typ + "/" + slug + ".yaml", data
}

// description joins clauses of some entities, so that words are as frequent as in real prose.
func (g *generator) description(from ...*original) string {
	g.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	var parts []string
	for _, o := range from {
		if part := pick(g, o.clauses); len(part) < 600 && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}
