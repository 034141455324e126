// Command gencorpus writes a generated content folder of any size, for tests and
// benchmarks. It recombines real records. The same source, seed and number of
// entities always produce the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"kindex/builder/content"
	"kindex/exports/record"
)

// maxEntities is the maximum number of entities. There is a limit because names
// and words are kept in memory until all entities are generated.
const maxEntities = 5_000_000

// The exit codes.
const (
	exitOK      = 0
	exitProblem = 1 // the content or the machine has a problem
	exitUsage   = 2 // invalid arguments
)

const about = `gencorpus writes N entities to DIR, generated from the records of a content
folder.

  go run ./cmd/gencorpus -n 100000 -content content -out DIR
  go run ./cmd/gencorpus -n 100000 -content content -commits 5000 -repo DIR

The second command writes a git repository: its content folder starts with the same
entities, and two years of commits edit them.

`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command line options.
type options struct {
	n       int
	content string
	out     string
	repo    string
	commits int
	seed    uint64
}

// run executes one command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "corpus:", err)
		return exitUsage
	}
	start := time.Now()
	target, produce := o.out, write
	if o.repo != "" {
		target, produce = o.repo, writeRepository
	}
	r, err := produce(o)
	if err != nil {
		fmt.Fprintln(stderr, "corpus:", err)
		return exitProblem
	}
	fmt.Fprintf(stdout, "%s: %s, %d bytes in %.1f s\n", target, r.counted(), r.bytes, time.Since(start).Seconds())
	return exitOK
}

// parse reads and checks the flags.
func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("corpus", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run reports each error once
	f.IntVar(&o.n, "n", 100_000, fmt.Sprintf("number of entities, 1 to %d", maxEntities))
	f.StringVar(&o.content, "content", "content", "content folder from which to generate the entities")
	f.StringVar(&o.out, "out", "", "folder to write; it must be empty or not exist")
	f.StringVar(&o.repo, "repo", "", "git repository to write, instead of -out; it must be empty or not exist")
	f.IntVar(&o.commits, "commits", 0, fmt.Sprintf("with -repo: number of commits, 1 to %d", maxCommits))
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, about)
			f.SetOutput(stderr)
			f.PrintDefaults()
		}
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.n < 1 || o.n > maxEntities:
		return o, fmt.Errorf("-n is %d; it must be between 1 and %d", o.n, maxEntities)
	case (o.out == "") == (o.repo == ""):
		return o, errors.New("specify the folder to write with -out, or the repository with -repo")
	case o.repo == "" && o.commits != 0:
		return o, errors.New("-commits applies only to a repository: use -repo instead of -out")
	case o.repo != "" && (o.commits < 1 || o.commits > maxCommits):
		return o, fmt.Errorf("-commits is %d; it must be between 1 and %d", o.commits, maxCommits)
	case o.content == "":
		return o, errors.New("-content must not be empty")
	}
	return o, nil
}

// result describes the corpus that was written.
type result struct {
	counts map[string]int // by type
	bytes  int64          // total size of all files in the folder
	// For a repository:
	commits, versions int
}

func (r result) counted() string {
	var parts []string
	for _, typ := range record.Types {
		parts = append(parts, fmt.Sprintf("%d of type %s", r.counts[typ], typ))
	}
	if r.commits > 0 {
		parts = append(parts, fmt.Sprintf("%d versions in %d commits", r.versions, r.commits))
	}
	return strings.Join(parts, ", ")
}

// write writes the corpus to a folder.
func write(o options) (result, error) {
	if err := checkEmpty(o.out); err != nil {
		return result{}, err
	}
	g, err := open(o)
	if err != nil {
		return result{}, err
	}
	written, err := writeEntities(o.out, g)
	if err != nil {
		return result{}, err
	}
	copied, err := copyRootFiles(o.content, o.out)
	return result{counts: g.counts(), bytes: written + copied}, err
}

// open reads the source content of a corpus.
func open(o options) (*generator, error) {
	source, problems, err := content.Load(o.content, nil)
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	g, err := newGenerator(source.Entities, o.n, o.seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.content, err)
	}
	return g, nil
}

// checkEmpty returns an error if the folder already contains something.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty; choose a new folder, or empty this one first", dir)
	}
	return nil
}

// writeEntities writes one file for each entity, several in parallel, because
// creating files takes most of the time.
func writeEntities(dir string, g *generator) (int64, error) {
	counts := g.counts()
	for _, typ := range record.Types {
		if counts[typ] == 0 {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, typ), 0o755); err != nil {
			return 0, err
		}
	}
	var written atomic.Int64
	var failed atomic.Bool
	var group errgroup.Group
	workers := 2 * runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error {
			var buf []byte
			for i := w; i < g.len() && !failed.Load(); i += workers {
				e := g.entity(i)
				buf = appendYAML(buf[:0], e)
				if err := os.WriteFile(filepath.Join(dir, e.Type, e.Slug+".yaml"), buf, 0o644); err != nil {
					failed.Store(true)
					return err
				}
				written.Add(int64(len(buf)))
			}
			return nil
		})
	}
	err := group.Wait()
	return written.Load(), err
}

// rootFiles lists the files that describe the whole folder.
var rootFiles = []string{"categories.yaml", "index.yaml", "scoring.yaml", "synonyms.yaml", "vocabulary.yaml"}

// copyRootFiles copies the root files that exist.
func copyRootFiles(from, to string) (int64, error) {
	var copied int64
	for _, name := range rootFiles {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o644)
		}
		if err != nil {
			return copied, err
		}
		copied += int64(len(data))
	}
	return copied, nil
}
