// Command gencorpus writes a generated content folder of any size, for tests and benchmarks. It
// recombines the files of a real folder, field by field. The same folder, seed and size always give the
// same bytes, and a larger size starts with the same entities.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// options are the command line options.
type options struct {
	n            int
	content, out string
	seed         uint64
}

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var o options
	f := flag.NewFlagSet("corpus", flag.ContinueOnError)
	f.IntVar(&o.n, "n", 100_000, "number of entities, without offers, dates of retirement and earlier names")
	f.StringVar(&o.content, "content", "content", "content folder from which to generate the entities")
	f.StringVar(&o.out, "out", "", "folder to write; it must be empty or not exist")
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || o.n < 1 || o.out == "" {
		return errors.New("specify a folder with -out; see -help")
	}
	if entries, err := os.ReadDir(o.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; choose a new folder, or empty this one first", o.out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	start := time.Now()
	g, err := newGenerator(o.content, o.seed)
	if err == nil {
		err = write(g, o)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d entities in %.1f s\n", o.out, o.n, time.Since(start).Seconds())
	return nil
}

// sharedFiles describe the whole folder.
var sharedFiles = []string{"categories.yaml", "index.yaml", "kinds.yaml", "scoring.yaml", "synonyms.yaml", "vocabulary.yaml"}

// write writes the entities, and copies the files that describe the whole folder.
func write(g *generator, o options) error {
	for typ := range g.words {
		if err := os.MkdirAll(filepath.Join(o.out, typ), 0o755); err != nil {
			return err
		}
	}
	for range o.n {
		path, data := g.entity()
		if err := os.WriteFile(filepath.Join(o.out, path), data, 0o644); err != nil {
			return err
		}
	}
	for _, name := range sharedFiles {
		data, err := os.ReadFile(filepath.Join(o.content, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(o.out, name), data, 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
