package content

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// Workspace is a content folder that files are to be added to: what would be
// wrong with them there is found before they are written. Checking is safe for
// several goroutines at once, adding is not.
type Workspace struct {
	Dir     string
	Index   Index
	Missing error // says that the folder is not there; nil where it is

	declared []Category // those of categories.yaml; none where every category will do
	folder   *Folder
}

// OpenWorkspace reads what is in a content folder. It may be empty, and need
// not exist. What is wrong with categories.yaml, index.yaml or scoring.yaml is the
// error; an entity file that is wrong only has its slug.
func OpenWorkspace(dir string) (*Workspace, error) {
	f := Open(dir)
	_, missing := f.Refresh(nil)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	var c Content
	problems, err := c.loadRootFiles(dir)
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	return &Workspace{Dir: dir, Index: c.Index, Missing: missing, declared: c.Categories, folder: f}, nil
}

// Path is where the file of an entity lies.
func (s *Workspace) Path(typ, slug string) string {
	return filepath.Join(s.Dir, typ, slug+".yaml")
}

// Shown is how messages name the file of an entity.
func (s *Workspace) Shown(typ, slug string) string { return shownPath(s.Dir, typ, slug+".yaml") }

// Find returns the entity that has a slug, or had it earlier; nil for none.
func (s *Workspace) Find(typ, slug string) *record.Entity {
	key := typ + "/" + slug
	if r := s.folder.files[key+".yaml"]; r != nil && r.entity != nil {
		return r.entity
	}
	if list := s.folder.former[key]; len(list) > 0 {
		return list[0].entity
	}
	return nil
}

// Categories lists the categories that there are, by slug: those of
// categories.yaml, else those that entities name.
func (s *Workspace) Categories() []Category {
	list := slices.Clone(s.declared)
	if len(list) == 0 {
		for slug := range s.folder.categories {
			list = append(list, Category{Slug: slug, Title: TitleOf(slug)})
		}
	}
	slices.SortFunc(list, func(a, b Category) int { return strings.Compare(a.Slug, b.Slug) })
	return list
}

// CheckFile returns what is wrong with the file of an entity, by itself and
// together with the others.
func (s *Workspace) CheckFile(typ, slug string, data []byte) yamldoc.Problems {
	e, problems := parseEntity(s.Shown(typ, slug), typ, slug, data)
	if e == nil {
		return problems
	}
	return problems.With(s.Check(e))
}

// Check returns what is wrong between an entity and the others.
func (s *Workspace) Check(e *record.Entity) (problems yamldoc.Problems) {
	return CheckSiblings(s.Shown(e.Type, e.Slug), e, workspaceSiblings{s})
}

// workspaceSiblings are the others of a folder.
type workspaceSiblings struct{ s *Workspace }

// Declared implements Siblings.
func (o workspaceSiblings) Declared() []Category { return o.s.declared }

// WithSlug implements Siblings.
func (o workspaceSiblings) WithSlug(typ, slug string) string {
	if r := o.s.folder.files[typ+"/"+slug+".yaml"]; r != nil {
		return r.shown
	}
	return ""
}

// OnceWithSlug implements Siblings.
func (o workspaceSiblings) OnceWithSlug(typ, slug string, e *record.Entity) string {
	return firstOther(o.s.folder.former[typ+"/"+slug], e)
}

// WithName implements Siblings.
func (o workspaceSiblings) WithName(e *record.Entity) string {
	return firstOther(o.s.folder.names[nameKey(e)], e)
}

// firstOther names the first of some files that is not that of an entity, "" for
// none.
func firstOther(list []*file, e *record.Entity) string {
	i := slices.IndexFunc(list, func(r *file) bool { return r.typ != e.Type || r.slug != e.Slug })
	if i < 0 {
		return ""
	}
	return list[i].shown
}

// Add makes an entity part of the folder. The file is the caller's to write.
func (s *Workspace) Add(e *record.Entity) {
	r := &file{source: source{s.Path(e.Type, e.Slug), s.Shown(e.Type, e.Slug), e.Type, e.Slug}, entity: e}
	s.folder.replace(e.Key()+".yaml", r)
}
