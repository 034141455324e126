package content

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Workspace is a content folder to which files are being added. It checks the files before
// they are written. The methods that check are safe for concurrent use; Add is not.
type Workspace struct {
	Dir     string
	Index   Index
	Missing error // not nil if the folder does not exist

	Kinds *kinds.Set
	all   *among
}

// OpenWorkspace reads a content folder, which may be empty or missing. Problems in a file next to the type folders are an
// error; an invalid entity file is none, but still reserves its slug.
func OpenWorkspace(dir string) (*Workspace, error) {
	f := Open(dir)
	missing := f.read(nil)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	c, problems, err := f.readRoot()
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return nil, problems
	}
	s := &Workspace{Dir: dir, Index: c.Index, Missing: missing, Kinds: c.Kinds, all: f.among(c)}
	s.all.later = false
	return s, nil
}

// Expect has the keys of entities that will be added, to which others can refer before they are.
func (s *Workspace) Expect(keys map[string]bool) { s.all.coming = keys }

// Path returns the path of an entity file.
func (s *Workspace) Path(typ, slug string) string {
	return filepath.Join(s.Dir, typ, slug+".yaml")
}

// Shown returns the path of an entity file as shown in messages.
func (s *Workspace) Shown(typ, slug string) string { return shownPath(s.Dir, typ, slug+".yaml") }

// Find returns the entity that has or had a slug, or nil.
func (s *Workspace) Find(typ, slug string) *record.Entity {
	key := typ + "/" + slug
	if r := s.all.files[key+".yaml"]; r != nil && r.entity != nil {
		return r.entity
	}
	if list := s.all.claims[claim{byFormer, key}]; len(list) > 0 {
		return list[0].entity
	}
	return nil
}

// Has reports whether the folder has a file of a kind.
func (s *Workspace) Has(kind string) bool {
	for _, r := range s.all.files {
		if r.typ == kind {
			return true
		}
	}
	return false
}

// Categories lists the categories by slug: from categories.yaml or, if it is missing, from
// the entities.
func (s *Workspace) Categories() []record.Category {
	return s.all.categories(func(*file) bool { return true })
}

// Prefer replaces, in the fields of a new file, the former slug of a category with the current one, and synonyms with
// the preferred words of vocabulary.yaml. It modifies fields.
func (s *Workspace) Prefer(fields map[string]any) {
	category, _ := fields["category"].(string)
	for _, c := range s.all.declared {
		if slices.Contains(c.Formerly, category) {
			fields["category"] = c.Slug
		}
	}
	for field, of := range s.all.words {
		list, _ := fields[field].([]any)
		var preferred []any
		for _, item := range list {
			if text, _ := item.(string); of[text] != "" {
				item = of[text]
			}
			if !slices.Contains(preferred, item) {
				preferred = append(preferred, item)
			}
		}
		if len(list) > 0 {
			fields[field] = preferred
		}
	}
}

// CheckFile returns the entity in a file, or nil if it has errors, and the problems of the file itself and with
// other files.
func (s *Workspace) CheckFile(typ, slug string, data []byte) (*record.Entity, yamldoc.Problems) {
	e, d := parseEntity(s.Kinds, s.Shown(typ, slug), typ, slug, data)
	problems := d.Report()
	if e == nil {
		return nil, problems
	}
	fields, _ := d.Fields()
	all := problems.With(CheckSiblings(s.Shown(typ, slug), e, fields, s.all))
	if problems.HasErrors() {
		e = nil
	}
	return e, all
}

// Add adds an entity to the folder. The caller writes the file.
func (s *Workspace) Add(e *record.Entity) {
	r := &file{name: e.Key() + ".yaml", shown: s.Shown(e.Type, e.Slug), typ: e.Type, slug: e.Slug, entity: e, claims: claimsOf(e)}
	s.all.files[r.name] = r
	s.all.add(r)
}

// WriteEntity atomically writes an entity file into a content folder, which is created if missing. The type folder must not
// be a link, so nothing is written outside the content folder, whatever a cloned repository contains.
func WriteEntity(dir, typ, slug string, data []byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	folder, err := openType(dir, typ)
	if err != nil {
		return err
	}
	defer folder.Close()
	name := slug + ".yaml"
	part := fmt.Sprintf(".%s.%016x.part", name, rand.Uint64()) //nolint:gosec // the name need not be secret, because O_EXCL detects a clash; readers ignore hidden files
	f, err := folder.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = folder.Rename(part, name)
	}
	if err != nil {
		err = errors.Join(err, folder.Remove(part))
	}
	return err
}

func openType(dir, typ string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.Mkdir(typ, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return store.OpenFolder(dir, typ)
}
