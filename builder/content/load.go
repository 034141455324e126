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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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
	Kinds      *kinds.Set         // from kinds.yaml; kinds.Default without one
	KindsText  []byte             // kinds.yaml verbatim; nil if there is none
	Entities   []*record.Entity   // sorted by type and slug
	Categories []Category         // from categories.yaml, or from the entities if there is no such file
	Providers  pricing.Providers  // from providers.yaml, in its order
	Vocabulary *record.Vocabulary // from vocabulary.yaml; nil if there is none
	Synonyms   [][]string         // from synonyms.yaml: groups of words and phrases
	Index      Index
	Boards     []*board.Board // from boards.yaml, in its order; not resolved
	BoardsFile BoardsFile

	Blobs map[string][sha1.Size]byte // git blob names of the files that it was read from, by path relative to the folder

	Scoring     []byte // scoring.yaml as JSON; nil if there is none
	ScoringText []byte // scoring.yaml verbatim
	ScoringPath string

	Collect json.RawMessage // collect.yaml as JSON; nil if there is none
	Status  quality.Status  // collect-status.json
}

// Load reads the content folder dir and returns all problems, including warnings. The
// content is usable only if none of them is an error. err is not nil if the folder cannot be
// read at all. progress, if not nil, is called after each file, concurrently.
func Load(dir string, progress func(done, total int)) (c *Content, problems yamldoc.Problems, err error) {
	f := Open(dir)
	if _, err := f.Refresh(progress); err != nil {
		return nil, nil, err
	}
	return f.Snapshot()
}

// Folder is a content folder that is read repeatedly. Each time, only changed files are read.
// The methods are safe for concurrent use, but only one of those that read files runs at a time.
type Folder struct {
	dir string

	mu       sync.Mutex
	declared declaration
	files    map[string]*file // keyed by slash-separated path relative to the folder
}

// file is a file in the content folder: a file in a type folder, a root file, or a misplaced
// file.
type file struct {
	source
	entity   *record.Entity // nil if no part of the entity can be read
	claims   []claim        // of the entity
	problems yamldoc.Problems
	info     fs.FileInfo // metadata of the file when it was read; nil if it might not reveal a later change
	blob     [sha1.Size]byte
}

// source contains a file's path, in one form for opening the file and in another for messages,
// and its type and slug.
type source struct {
	path, shown, typ, slug string
}

// Open returns a Folder without reading anything.
func Open(dir string) *Folder {
	return &Folder{dir: dir, declared: declaration{set: kinds.Default()}, files: map[string]*file{}}
}

// Refresh reads the files that seem to have changed since they were last read, and returns the
// names of those that really have.
func (f *Folder) Refresh(progress func(done, total int)) (changed []string, err error) {
	names, err := f.Changed()
	if err != nil {
		return nil, err
	}
	return f.Read(names, progress)
}

// Read reads some files, given by their paths relative to the folder, and returns the paths of
// those that have changed. It forgets deleted files and skips files that do not belong in a
// content folder.
func (f *Folder) Read(names []string, progress func(done, total int)) (changed []string, err error) {
	if slices.Contains(names, KindsFile) {
		before := f.Kinds()
		if err := f.readKinds(); err != nil {
			return nil, err
		}
		if f.Kinds() != before {
			if names, err = f.list(); err != nil {
				return nil, err
			}
		}
	}
	linked := f.linkedFolders()
	read := make([]*file, len(names))
	failed := make([]error, len(names))
	var done atomic.Int64
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			if !linked[path.Dir(names[i])] {
				read[i], failed[i] = f.read(names[i])
			}
			if n := int(done.Add(1)); progress != nil {
				progress(n, len(names))
			}
		}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, name := range names {
		if failed[i] == nil && f.replace(name, read[i]) {
			changed = append(changed, name)
		}
	}
	return changed, errors.Join(failed...)
}

// linkedFolders returns the type folders that have been replaced by symbolic links. Events may
// still arrive for files in the folders to which the links point.
func (f *Folder) linkedFolders() map[string]bool {
	linked := map[string]bool{}
	for _, typ := range f.Kinds().Names() {
		info, err := os.Lstat(filepath.Join(f.dir, typ))
		linked[typ] = err == nil && !info.IsDir()
	}
	return linked
}

// replace stores a newly read file, or nil if the file is gone, and reports whether it
// differs from the previous version.
func (f *Folder) replace(name string, now *file) bool {
	previous := f.files[name]
	if now == nil {
		delete(f.files, name)
		return previous != nil
	}
	f.files[name] = now
	return previous == nil || previous.blob != now.blob || !slices.Equal(previous.problems, now.problems)
}

func compareFiles(a, b *file) int {
	return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.slug, b.slug))
}

// read reads one file, and returns nil if the file does not exist or must be ignored.
func (f *Folder) read(name string) (*file, error) {
	full := filepath.Join(f.dir, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	src, problem, ok := f.classify(name, info)
	if !ok {
		return nil, nil
	}
	r := &file{source: src}
	if settled(info) {
		r.info = info
	}
	if problem != nil {
		r.problems = yamldoc.Problems{*problem}
		return r, nil
	}
	data, err := readFile(full, yamldoc.MaxFileSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has just been deleted
	}
	if err != nil {
		return nil, err
	}
	r.blob = gitBlobName(data)
	if src.slug == "" {
		return r, nil // root files are parsed whenever the content is assembled
	}
	r.entity, r.problems = parseEntity(f.Kinds(), src.shown, src.typ, src.slug, data)
	r.claims = claimsOf(r.entity)
	return r, nil
}

// Entity returns the entity in a file, and the name by which messages refer to that file. name
// is the file's path relative to the folder. The entity is nil if the file is unusable, or if
// there is no such entity file; in the latter case, gone is true. The caller owns the entity.
func (f *Folder) Entity(name string) (e *record.Entity, shown string, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.files[name]
	if r == nil || r.slug == "" {
		return nil, shownPath(f.dir, name), true
	}
	if r.problems.HasErrors() {
		return nil, r.shown, false
	}
	own := *r.entity
	return &own, r.shown, false
}

// Snapshot returns the folder's content as last read, and its problems, in the same form as Load.
// Later reads do not change it.
func (f *Folder) Snapshot() (*Content, yamldoc.Problems, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &Content{Kinds: f.declared.set}
	if f.declared.problems.HasErrors() { // all else depends on it
		return c, f.declared.problems, nil
	}
	problems, err := c.loadRootFiles(f.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range f.files {
		problems = append(problems, r.problems...)
	}
	all := f.among(c)
	if len(all.sorted) == 0 && len(problems) == 0 {
		return nil, nil, fmt.Errorf("%s: contains no entity files (%s/<slug>.yaml)", f.dir, strings.Join(c.Kinds.Names(), "/<slug>.yaml, "))
	}
	for _, r := range all.sorted {
		problems = append(problems, all.checkFile(r)...)
		if !r.problems.HasErrors() {
			own := *r.entity
			c.Entities, c.Blobs[own.Key()+".yaml"] = append(c.Entities, &own), r.blob
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
