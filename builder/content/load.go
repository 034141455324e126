// Package content reads the YAML that the index is made of: entity files,
// categories.yaml, scoring.yaml and index.yaml. It is strict, it reports every
// problem of every file at once with its place, and it is the one validator for
// the command line, for continuous integration and for submissions.
package content

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kindex/exports"
)

// Content is a content folder, read and checked.
type Content struct {
	Entities   []*exports.Entity // sorted by type and slug
	Categories []Category        // of categories.yaml, else those that entities name
	Index      Index

	Scoring     []byte // scoring.yaml as JSON, nil without one
	ScoringText []byte // scoring.yaml as it is
	ScoringPath string
}

// Load reads the content folder dir. All problems are returned, warnings too;
// the content is usable only where none of them is an error. err is for what
// keeps the folder from being read at all. progress, if not nil, is called
// after each file, from several goroutines.
func Load(dir string, progress func(done, total int)) (c *Content, problems Problems, err error) {
	f := Open(dir)
	if err := f.Refresh(progress); err != nil {
		return nil, nil, err
	}
	return f.content(func(e *exports.Entity) *exports.Entity { return e })
}

// Folder is a content folder that is read again and again. Each time only the
// files that have changed are read. Its methods may be called from several
// goroutines; of those that read files, one runs at a time.
type Folder struct {
	dir string

	mu    sync.Mutex
	files map[string]*file // by path below the folder, with slashes
}

// file is one file of a type folder, a root file, or another that was found where
// it does not belong.
type file struct {
	source
	entity   *exports.Entity // nil where nothing could be read of it
	problems Problems
	info     fs.FileInfo // of the bytes that were read, nil where they may be newer
}

// source is where an entity file lies, as the system and as people call it.
type source struct {
	path, shown, typ, slug string
}

// Open returns a folder of which nothing was read yet.
func Open(dir string) *Folder { return &Folder{dir: dir, files: map[string]*file{}} }

// Refresh reads what has changed since the files were last read.
func (f *Folder) Refresh(progress func(done, total int)) error {
	changed, err := f.Changed()
	if err != nil {
		return err
	}
	return f.Read(changed, progress)
}

// Read reads some files, given by their paths below the folder, whether or not
// they seem to have changed. A file that is gone is forgotten, and what is no
// part of a content folder is passed over.
func (f *Folder) Read(names []string, progress func(done, total int)) error {
	read := make([]*file, len(names))
	failed := make([]error, len(names))
	next := make(chan int, 256)
	var done atomic.Int64
	var wg sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				read[i], failed[i] = f.read(names[i])
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
		if read[i] == nil && failed[i] == nil {
			delete(f.files, name)
		} else if failed[i] == nil {
			f.files[name] = read[i]
		}
	}
	return errors.Join(failed...)
}

// read reads one file; nil stands for none.
func (f *Folder) read(name string) (*file, error) {
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	info, err := os.Lstat(path)
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
		r.problems = Problems{*problem}
		return r, nil
	}
	if src.slug == "" {
		return r, nil // root files are read whenever the content is put together
	}
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has gone this moment
	}
	if err != nil {
		return nil, err
	}
	r.entity, r.problems = parseEntity(src.shown, src.typ, src.slug, data)
	return r, nil
}

// Content returns the folder as it was last read, and everything that is wrong
// with it, as Load does. The entities are the caller's.
func (f *Folder) Content() (*Content, Problems, error) {
	return f.content(func(e *exports.Entity) *exports.Entity {
		own := *e
		return &own
	})
}

func (f *Folder) content(own func(*exports.Entity) *exports.Entity) (*Content, Problems, error) {
	files, problems := f.sorted()
	c := &Content{}
	more, err := c.loadRootFiles(f.dir)
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, more...)
	for _, r := range files {
		problems = append(problems, r.problems...)
		if n, _ := r.problems.Count(); n == 0 {
			c.Entities = append(c.Entities, own(r.entity))
		}
	}
	if len(files) == 0 && len(problems) == 0 {
		return nil, nil, fmt.Errorf("%s: holds no entity files (%s/<slug>.yaml)", f.dir, strings.Join(exports.Types, "/<slug>.yaml, "))
	}
	problems = append(problems, c.checkTogether(files)...)
	c.completeCategories()
	problems.sort()
	return c, problems, nil
}

// sorted lists the entity files by type and slug, and the problems of those that
// are none.
func (f *Folder) sorted() (files []*file, problems Problems) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.files {
		if r.slug == "" {
			problems = append(problems, r.problems...)
		} else {
			files = append(files, r)
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.typ+"\x00"+a.slug, b.typ+"\x00"+b.slug) })
	return files, problems
}
