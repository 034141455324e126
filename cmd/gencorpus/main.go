// Command gencorpus writes a generated content folder of any size, for tests and benchmarks. It
// recombines the files of a real folder, field by field. The same folder, seed and size always give the
// same bytes, and a larger size starts with the same entities.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"kindex/builder/content"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f := flag.NewFlagSet("corpus", flag.ContinueOnError)
	n := f.Int("n", 100_000, "number of entities, without offers, dates of retirement and earlier names")
	from := f.String("content", "content", "content folder from which to generate the entities")
	out := f.String("out", "", "folder to write; it must be empty or not exist")
	seed := f.Uint64("seed", 1, "random seed")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || *n < 1 || *out == "" {
		return errors.New("specify a folder with -out; see -help")
	}
	if entries, err := os.ReadDir(*out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; choose a new folder, or empty this one first", *out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	g, err := newGenerator(*from, *seed)
	if err != nil {
		return err
	}
	for typ := range g.words {
		if err := os.MkdirAll(filepath.Join(*out, typ), 0o755); err != nil {
			return err
		}
	}
	for range *n {
		path, data := g.entity()
		if err := os.WriteFile(filepath.Join(*out, path), data, 0o644); err != nil {
			return err
		}
	}
	for _, name := range sharedFiles {
		data, err := os.ReadFile(filepath.Join(*from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, name), data, 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// sharedFiles describe the whole folder.
var sharedFiles = []string{"categories.yaml", "index.yaml", "kinds.yaml", "scoring.yaml", "synonyms.yaml", "vocabulary.yaml"}

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
	peers map[string][]*original // by type, and by type and category
	words map[string][]string    // of the names of a type, with repetition
	order []string               // of the fields in a file
	taken map[string]bool        // types and slugs
}

var (
	wordPattern = regexp.MustCompile(`[A-Za-z][A-Za-z\d-]{1,19}`)
	clauseEnd   = regexp.MustCompile(`[.;:] +|, (?:and|but|so) `)
	fieldStart  = regexp.MustCompile(`(?m)^([A-Za-z]\w*):`)
	reference   = regexp.MustCompile(`^\w+:\s*(?:- |\[)?[a-z-]+/[a-z0-9-]+[],\n]`) // to an entity that is not generated
	ownLinks    = regexp.MustCompile(`(?m)^(links:\n)?  (?:deprecation|package): .*\n`)
)

func newGenerator(dir string, seed uint64) (*generator, error) {
	g := &generator{rand.New(rand.NewPCG(seed, 0)), nil, map[string][]*original{}, map[string][]string{}, []string{"name"}, map[string]bool{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s contains no entity files: %w", dir, err)
	}
	for _, path := range paths {
		if err := g.read(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
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
	o := &original{filepath.Base(filepath.Dir(path)), known.Category, map[string]string{}, clauseEnd.Split(strings.TrimRight(known.Description, ".!?"), -1)}
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
	g.taken[o.typ+"/"+strings.TrimSuffix(filepath.Base(path), ".yaml")] = true // generated entities never have real names
	return nil
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// name draws two words, and a coined one that joins halves of two others, until their slug is free.
func (g *generator) name(typ string) (name, slug string) {
	for {
		first, second := pick(g, g.words[typ]), pick(g, g.words[typ])
		name = pick(g, g.words[typ]) + " " + pick(g, g.words[typ]) + " " + first[:(len(first)+1)/2] + strings.ToLower(second[len(second)/2:])
		slug = content.Slugify(name)
		if path := typ + "/" + slug; !g.taken[path] {
			g.taken[path] = true
			return name, slug
		}
	}
}

// entity generates one entity, whose fields are from several real ones.
func (g *generator) entity() (path string, data []byte) {
	base := pick(g, g.all)
	name, slug := g.name(base.typ)
	same, near := g.peers[base.typ], g.peers[base.typ+"/"+base.category]
	text := maps.Clone(base.text)
	seller, measured := pick(g, near), pick(g, same)
	for _, name := range []string{"pricingModel", "license"} {
		text[name] = seller.text[name]
	}
	for _, name := range []string{"version", "url", "links", "signals"} {
		text[name] = measured.text[name]
	}
	text["name"] = "name: " + name + "\n"
	if text["links"] = ownLinks.ReplaceAllString(text["links"], "$1"); text["links"] == "links:\n" {
		delete(text, "links")
	}
	description := pick(g, base.clauses) + ". " + pick(g, pick(g, same).clauses) + ". " + pick(g, pick(g, near).clauses) + "."
	text["description"] = "description: " + strconv.Quote(description) + "\n" // its escapes are valid in YAML
	for _, name := range g.order {
		data = append(data, text[name]...)
	}
	return base.typ + "/" + slug + ".yaml", data
}
