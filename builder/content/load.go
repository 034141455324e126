// Package content reads the YAML files of an index: entity files, categories.yaml, scoring.yaml,
// boards.yaml and index.yaml. It is strict and reports all problems in all files at once, with their
// positions. The command line, continuous integration and submissions all use this validator.
package content

import (
	"cmp"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/parallel"
	"kindex/exports/pricing"
	"kindex/exports/quality"
	"kindex/exports/record"
)

// Content is a content folder that has been read and checked.
type Content struct {
	Kinds      *kinds.Set        // from kinds.yaml; kinds.Default without one
	KindsText  []byte            // kinds.yaml verbatim; nil if there is none
	Entities   []*record.Entity  // sorted by type and slug
	Categories []record.Category // from categories.yaml, or from the entities if there is no such file
	Providers  pricing.Providers // from providers.yaml, in its order
	Vocabulary record.Vocabulary // from vocabulary.yaml; nil if there is none
	Synonyms   [][]string        // from synonyms.yaml: groups of words and phrases
	Index      Index
	Boards     []*board.Board // from boards.yaml, in its order; not resolved
	BoardsFile RootFile

	Blobs map[string][sha1.Size]byte // git blob names of the files that it was read from, by path relative to the folder

	Scoring     []byte // scoring.yaml as JSON; nil if there is none
	ScoringFile RootFile

	Collect json.RawMessage // collect.yaml as JSON; nil if there is none
	Status  quality.Status  // collect-status.json
}

// Load reads the content folder dir and returns all problems. The content is usable only if none of them is an error.
// err is not nil if the folder cannot be read at all. progress, if not nil, is called after each file, concurrently.
func Load(dir string, progress func(done, total int)) (c *Content, problems yamldoc.Problems, err error) {
	return Open(dir).Load(progress)
}

// Folder is a content folder that is read repeatedly. A file with the same bytes as the last time is not
// parsed again.
type Folder struct {
	// Trust is set while a file whose size and time are those of the last time is taken for unchanged, and
	// not read. It misses a change that keeps both.
	Trust bool

	dir      string
	declared declaration
	files    map[string]*file // keyed by slash-separated path relative to the folder
}

// file is a file in a type folder, a root file, or a misplaced file.
type file struct {
	name     string // the path relative to the folder
	shown    string // the path as the user entered it, with forward slashes
	typ      string // "" for a file that is not an entity file
	slug     string
	info     fs.FileInfo    // when it was last read
	entity   *record.Entity // nil if no part of the entity can be read
	claims   []claim        // of the entity
	problems yamldoc.Problems
	blob     [sha1.Size]byte
}

// Open returns a Folder without reading anything.
func Open(dir string) *Folder {
	return &Folder{dir: dir, declared: declaration{set: kinds.Default()}, files: map[string]*file{}}
}

// Load is like the function of the same name. What it returns is not changed by later calls. If kinds.yaml
// has errors, nothing else is read, and the content has no Blobs.
func (f *Folder) Load(progress func(done, total int)) (*Content, yamldoc.Problems, error) {
	if err := f.read(progress); err != nil {
		return nil, nil, err
	}
	c, problems, err := f.readRoot()
	if err != nil || c.Blobs == nil {
		return c, problems, err
	}
	for _, r := range f.files {
		problems = append(problems, r.problems...)
	}
	all := f.among(c)
	if len(all.sorted) == 0 && len(problems) == 0 {
		valid := map[bool]string{true: "; its kinds.yaml has no mistakes"}[c.KindsText != nil]
		return nil, nil, fmt.Errorf("%s: contains no entity files (%s/<slug>.yaml)%s", f.dir, strings.Join(c.Kinds.Names(), "/<slug>.yaml, "), valid)
	}
	found := make([]yamldoc.Problems, len(all.sorted))
	parallel.Ranges(len(found), func(from, to int) {
		for i := from; i < to; i++ {
			found[i] = all.checkFile(all.sorted[i])
		}
	})
	for i, r := range all.sorted {
		problems = append(problems, found[i]...)
		if !r.problems.HasErrors() {
			own := *r.entity
			c.Entities, c.Blobs[r.name] = append(c.Entities, &own), r.blob
		}
	}
	c.Categories = all.categories(func(r *file) bool { return !r.problems.HasErrors() })
	boardProblems, err := c.parseBoards()
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, boardProblems...)
	problems.Sort()
	return c, problems, nil
}

func (f *Folder) read(progress func(done, total int)) error {
	if err := f.readKinds(); err != nil {
		return err
	}
	list, err := f.list()
	if err != nil {
		return err
	}
	var done atomic.Int64
	err = parallel.Each(len(list), func(i int) (err error) {
		list[i], err = f.readEntity(list[i])
		if n := int(done.Add(1)); progress != nil {
			progress(n, len(list))
		}
		return err
	})
	if err != nil {
		return err
	}
	f.files = make(map[string]*file, len(list))
	for _, r := range list {
		if r != nil {
			f.files[r.name] = r
		}
	}
	return nil
}

// readEntity reads an entity file, and leaves others as they are. It returns nil if the file has just been deleted.
func (f *Folder) readEntity(r *file) (*file, error) {
	if r.slug == "" {
		return r, nil
	}
	previous := f.files[r.name]
	if f.Trust && previous != nil && previous.slug != "" && previous.info.Size() == r.info.Size() && previous.info.ModTime().Equal(r.info.ModTime()) {
		return previous, nil
	}
	data, err := readFile(r.shown, yamldoc.MaxFileSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.blob = gitBlobName(data)
	if previous != nil && previous.blob == r.blob {
		previous.info = r.info
		return previous, nil
	}
	var d *yamldoc.Document
	r.entity, d = parseEntity(f.declared.set, r.shown, r.typ, r.slug, data)
	r.problems, r.claims = d.Report(), claimsOf(r.entity)
	return r, nil
}

// KindsFile is the name of the file that declares the kinds of an index.
const KindsFile = "kinds.yaml"

// ParseKinds reads a kinds.yaml. The set is nil if one of the problems is an error. path is used only in
// messages.
func ParseKinds(path string, data []byte) (*kinds.Set, yamldoc.Problems) {
	d, fields := parse(path, data, schema.Of(kinds.Default(), "kinds"))
	if fields == nil || d.Problems.HasErrors() {
		return nil, d.Report()
	}
	set, err := kinds.Parse(data)
	mistakes := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		mistakes = all.Unwrap()
	}
	for _, wrong := range mistakes {
		if e, ok := errors.AsType[*kinds.Error](wrong); ok {
			d.AddAt(e.Path, e.Key, yamldoc.Problem{Message: e.Message, Suggestion: e.Suggestion})
		} else if wrong != nil {
			d.Add(1, 1, yamldoc.Problem{Message: wrong.Error()})
		}
	}
	kindNames, _ := fields["kinds"].(map[string]any)
	for name := range kindNames {
		if device := DeviceName(name); device != "" {
			d.AddAt([]string{"kinds", name}, true, yamldoc.Problem{Message: yamldoc.Quote(name) + device})
		}
	}
	if set == nil || d.Problems.HasErrors() {
		return nil, d.Report()
	}
	unlisted := func(list, name string, lists func(*kinds.Kind) bool) {
		if !slices.ContainsFunc(set.Kinds, lists) {
			d.AddAt([]string{list, name}, true, yamldoc.Problem{Severity: yamldoc.Warning, Message: "no kind lists it; add it to the kinds that have it, or remove it"})
		}
	}
	for _, f := range set.Fields {
		unlisted("fields", f.Name, func(k *kinds.Kind) bool { return k.Has(f) })
	}
	for _, s := range set.Signals {
		unlisted("signals", s.Name, func(k *kinds.Kind) bool { return k.HasSignal(s.Name) })
	}
	return set, d.Report()
}

// declaration is the state of kinds.yaml when it was last read.
type declaration struct {
	set      *kinds.Set // of the last version without errors; until there is one, kinds.Default
	blob     [sha1.Size]byte
	problems yamldoc.Problems
}

// ReadKinds returns the kinds that a content folder declares, which may be missing or empty.
func ReadKinds(dir string) (*kinds.Set, error) {
	f := Open(dir)
	if err := f.readKinds(); err != nil {
		return nil, err
	}
	if f.declared.problems.HasErrors() {
		return nil, f.declared.problems
	}
	return f.declared.set, nil
}

// readKinds reads kinds.yaml, and forgets all files if it has changed: they must be read again.
func (f *Folder) readKinds() error {
	path := filepath.Join(f.dir, KindsFile)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil // reported as misplaced; what was declared before still is
	}
	data, err := readRegular(path, yamldoc.MaxFileSize)
	if err != nil {
		return err
	}
	now := declaration{set: kinds.Default()}
	if data != nil {
		now.blob = gitBlobName(data)
	}
	if now.blob == f.declared.blob {
		return nil
	}
	if data != nil {
		now.set, now.problems = ParseKinds(shownPath(f.dir, KindsFile), data)
		now.set = cmp.Or(now.set, f.declared.set)
	}
	f.declared, f.files = now, map[string]*file{}
	return nil
}
