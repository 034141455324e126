// Command gencorpus writes a generated content folder of any size, or a repository with a history,
// for tests and benchmarks. It recombines the files of a real folder, field by field. The same
// folder, seed and sizes always give the same bytes.
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

const about = `gencorpus writes N entities to DIR, generated from the files of a content folder.

  go run ./cmd/gencorpus -n 100000 -content content -out DIR
  go run ./cmd/gencorpus -n 100000 -content content -commits 5000 -repo DIR

The second command writes a git repository: its content folder starts with the same
entities, and two years of commits edit them. Generated entities have no offers, no dates
of retirement, no earlier names and no identifiers other than one per model.

`

// options are the command line options.
type options struct {
	n, commits         int
	content, out, repo string
	seed               uint64
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
	f.Usage = func() {
		fmt.Fprint(f.Output(), about)
		f.PrintDefaults()
	}
	f.IntVar(&o.n, "n", 100_000, "number of entities")
	f.StringVar(&o.content, "content", "content", "content folder from which to generate the entities")
	f.StringVar(&o.out, "out", "", "folder to write; it must be empty or not exist")
	f.StringVar(&o.repo, "repo", "", "git repository to write, instead of -out; it must be empty or not exist")
	f.IntVar(&o.commits, "commits", 0, "with -repo: number of commits")
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 || o.n < 1 || (o.out == "") == (o.repo == "") || (o.repo == "") != (o.commits < 1) {
		return errors.New("specify either a folder with -out, or a repository with -repo and -commits; see -help")
	}
	start, target := time.Now(), o.out+o.repo
	if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; choose a new folder, or empty this one first", target)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	g, err := newGenerator(o.content, o.seed)
	if err != nil {
		return err
	}
	for range o.n {
		g.addSubject()
	}
	if o.repo != "" {
		err = writeRepository(g, o)
	} else {
		err = write(g, o.out)
	}
	if err == nil {
		fmt.Printf("%s: %d entities in %.1f s\n", target, len(g.subjects), time.Since(start).Seconds())
	}
	return err
}

// write writes the entities, and copies the files that describe the whole folder.
func write(g *generator, dir string) error {
	for typ := range g.pools {
		if err := os.MkdirAll(filepath.Join(dir, typ), 0o755); err != nil {
			return err
		}
	}
	for i := range g.subjects {
		e := g.entity(i)
		if err := os.WriteFile(filepath.Join(dir, e.path()), g.bytes(e), 0o644); err != nil {
			return err
		}
	}
	for name, data := range g.shared {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
