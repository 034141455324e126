// Package content reads the YAML that the index is made of: entity files,
// categories.yaml, scoring.yaml and index.yaml. It is strict, it reports every
// problem of every file at once with its place, and it is the one validator for
// the command line, for continuous integration and for submissions.
package content

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// Content is a content folder, read and checked.
type Content struct {
	Entities   []*record.Entity // sorted by type and slug
	Categories []Category       // of categories.yaml, else those that entities name
	Index      Index

	// What is known of the files of the entities, in the order of the entities.
	Blobs     [][sha1.Size]byte   // the names that git gives their bytes
	Sums      [][sha256.Size]byte // of their bytes; zero where there is a warning about them
	Unchanged []bool              // whether Reuse knew them

	roots map[string][sha1.Size]byte // the names that git gives the root files that are there

	Scoring     []byte // scoring.yaml as JSON, nil without one
	ScoringText []byte // scoring.yaml as it is
	ScoringPath string
}

// Load reads the content folder dir. All problems are returned, warnings too;
// the content is usable only where none of them is an error. err is for what
// keeps the folder from being read at all. progress, if not nil, is called
// after each file, from several goroutines.
func Load(dir string, progress func(done, total int)) (c *Content, problems yamldoc.Problems, err error) {
	return LoadWithReuse(dir, nil, progress)
}

// LoadWithReuse is Load, but takes what reuse knows instead of parsing it again. A nil
// reuse knows nothing.
func LoadWithReuse(dir string, reuse Reuse, progress func(done, total int)) (c *Content, problems yamldoc.Problems, err error) {
	f := Open(dir)
	f.reuse = reuse
	if _, err := f.Refresh(progress); err != nil {
		return nil, nil, err
	}
	c, problems, err = f.Check()
	if err == nil {
		compact(c.Entities)
	}
	return c, problems, err
}

// Folder is a content folder that is read again and again. Each time only the
// files that have changed are read. Its methods may be called from several
// goroutines; of those that read files, one runs at a time.
type Folder struct {
	dir   string
	reuse Reuse // nil for none

	mu    sync.Mutex
	files map[string]*file // by path below the folder, with slashes
	order []*file          // the entity files by type and slug; nil where it must be made anew
	claims
}

// file is one file of a type folder, a root file, or another that was found where
// it does not belong.
type file struct {
	source
	entity   *record.Entity // nil where nothing could be read of it
	problems yamldoc.Problems
	info     fs.FileInfo // of the bytes that were read, nil where they may be newer
	sum      [sha256.Size]byte
	blob     [sha1.Size]byte
	reused   bool
}

// source is where an entity file lies, as the system and as people call it.
type source struct {
	path, shown, typ, slug string
}

// Open returns a folder of which nothing was read yet.
func Open(dir string) *Folder {
	return &Folder{dir: dir, files: map[string]*file{}, claims: newClaims()}
}

// Refresh reads what seems to have changed since the files were last read, and
// returns what has.
func (f *Folder) Refresh(progress func(done, total int)) (changed []string, err error) {
	names, err := f.Changed()
	if err != nil {
		return nil, err
	}
	return f.Read(names, progress)
}

// Read reads some files, given by their paths below the folder, and returns
// those whose bytes are not what they were. A file that is gone is forgotten,
// and what is no part of a content folder is passed over.
func (f *Folder) Read(names []string, progress func(done, total int)) (changed []string, err error) {
	linked := f.linkedFolders()
	read := make([]*file, len(names))
	failed := make([]error, len(names))
	next := make(chan int, 256)
	var done atomic.Int64
	var wg sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			var room bytes.Buffer
			for i := range next {
				if !linked[path.Dir(names[i])] {
					read[i], failed[i] = f.read(names[i], &room)
				}
				if n := int(done.Add(1)); progress != nil {
					progress(n, len(names))
				}
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, name := range names {
		if failed[i] == nil && f.replace(name, read[i]) {
			changed = append(changed, name)
		}
	}
	return changed, errors.Join(failed...)
}

// linkedFolders are the type folders that are links by now: events still tell of files
// below them, which lie elsewhere.
func (f *Folder) linkedFolders() map[string]bool {
	linked := map[string]bool{}
	for _, typ := range record.Types {
		info, err := os.Lstat(filepath.Join(f.dir, typ))
		linked[typ] = err == nil && !info.IsDir()
	}
	return linked
}

// replace takes over what was read of a file, nil for nothing, and tells whether
// it is another than before.
func (f *Folder) replace(name string, now *file) bool {
	previous := f.files[name]
	if previous != nil {
		f.claims.remove(previous)
	}
	if now != nil {
		f.claims.add(now)
	}
	switch {
	case now == nil:
		delete(f.files, name)
		f.order = nil
		return previous != nil
	case previous == nil || previous.slug == "" || now.slug == "":
		f.order = nil
	case f.order != nil:
		at, _ := slices.BinarySearchFunc(f.order, now, compareFiles)
		f.order[at] = now
	}
	f.files[name] = now
	return previous == nil || previous.sum != now.sum || !slices.Equal(previous.problems, now.problems)
}

func compareFiles(a, b *file) int {
	return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.slug, b.slug))
}

// read reads one file; nil stands for none. Its bytes are in room until the next
// one is read.
func (f *Folder) read(name string, room *bytes.Buffer) (*file, error) {
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
	data, err := readInto(room, full)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has gone this moment
	}
	if err != nil {
		return nil, err
	}
	r.sum, r.blob = sha256.Sum256(data), gitBlobName(data)
	if src.slug == "" {
		return r, nil // root files are parsed whenever the content is put together
	}
	if f.reuse != nil {
		r.entity = f.reuse(src.typ, src.slug, r.sum)
		r.reused = r.entity != nil
	}
	if !r.reused {
		r.entity, r.problems = parseEntity(src.shown, src.typ, src.slug, data)
	}
	return r, nil
}

// Content returns the folder as it was last read, and everything that is wrong
// with it, as Load does. The entities are the caller's.
func (f *Folder) Content() (*Content, yamldoc.Problems, error) {
	return f.content(func(e *record.Entity) *record.Entity {
		own := *e
		return &own
	})
}

// Check is Content without a copy of the entities: they must not be changed.
func (f *Folder) Check() (*Content, yamldoc.Problems, error) {
	return f.content(func(e *record.Entity) *record.Entity { return e })
}

// Entity returns the entity of a file, given by its path below the folder, and
// how messages name the file. It is nil where nothing is there, or nothing of it
// can be used; gone tells these apart. The entity is the caller's.
func (f *Folder) Entity(name string) (e *record.Entity, shown string, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.files[name]
	if r == nil || r.slug == "" {
		return nil, shownPath(f.dir, name), true
	}
	if n, _ := r.problems.Count(); n > 0 {
		return nil, r.shown, false
	}
	own := *r.entity
	return &own, r.shown, false
}

func (f *Folder) content(own func(*record.Entity) *record.Entity) (*Content, yamldoc.Problems, error) {
	c := &Content{}
	problems, err := c.loadRootFiles(f.dir)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sort()
	for _, r := range f.files {
		problems = append(problems, r.problems...)
	}
	for _, r := range f.order {
		if n, _ := r.problems.Count(); n == 0 {
			c.add(r, own(r.entity))
		}
	}
	if len(f.order) == 0 && len(problems) == 0 {
		return nil, nil, fmt.Errorf("%s: holds no entity files (%s/<slug>.yaml)", f.dir, strings.Join(record.Types, "/<slug>.yaml, "))
	}
	problems = append(problems, f.crossCheck(c.Categories)...)
	c.completeCategories()
	problems.Sort()
	return c, problems, nil
}

// sort puts the entity files in order, unless they are.
func (f *Folder) sort() {
	if f.order != nil {
		return
	}
	for _, r := range f.files {
		if r.slug != "" {
			f.order = append(f.order, r)
		}
	}
	slices.SortFunc(f.order, compareFiles)
}
