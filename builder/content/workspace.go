package content

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Workspace is a content folder to which files are being added. It checks the files before
// they are written. The methods that check are safe for concurrent use; Add is not.
type Workspace struct {
	Dir     string
	Index   Index
	Missing error // not nil if the folder does not exist

	Kinds      *kinds.Set
	declared   []Category // from categories.yaml; if empty, every category is valid
	providers  []string   // from providers.yaml; if empty, every provider is valid
	vocabulary *record.Vocabulary
	folder     *Folder
}

// OpenWorkspace reads a content folder, which may be empty or missing. It returns problems
// in a file next to the type folders, such as categories.yaml, as an error; an invalid entity file is not
// an error, but still reserves its slug.
func OpenWorkspace(dir string) (*Workspace, error) {
	f := Open(dir)
	_, missing := f.Refresh(nil)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	c := Content{Kinds: f.Kinds()}
	if f.declared.faulty() {
		return nil, f.declared.problems
	}
	problems, err := c.loadRootFiles(dir, f.roots)
	if err != nil {
		return nil, err
	}
	if n, _ := problems.Count(); n > 0 {
		return nil, problems
	}
	s := &Workspace{Dir: dir, Index: c.Index, Missing: missing, Kinds: c.Kinds, declared: c.Categories, vocabulary: c.Vocabulary, folder: f}
	for _, p := range c.Providers {
		s.providers = append(s.providers, p.Slug)
	}
	return s, nil
}

// Path returns the path of an entity file.
func (s *Workspace) Path(typ, slug string) string {
	return filepath.Join(s.Dir, typ, slug+".yaml")
}

// Shown returns the path of an entity file as shown in messages.
func (s *Workspace) Shown(typ, slug string) string { return shownPath(s.Dir, typ, slug+".yaml") }

// Find returns the entity that has or had a slug, or nil.
func (s *Workspace) Find(typ, slug string) *record.Entity {
	key := typ + "/" + slug
	if r := s.folder.files[key+".yaml"]; r != nil && r.entity != nil {
		return r.entity
	}
	if list := s.folder.claims[byFormer][key]; len(list) > 0 {
		return list[0].entity
	}
	return nil
}

// Categories lists the categories by slug: from categories.yaml or, if it is missing, from
// the entities.
func (s *Workspace) Categories() []Category {
	list := slices.Clone(s.declared)
	if len(list) == 0 {
		for slug := range s.folder.claims[byCategory] {
			list = append(list, Category{Slug: slug, Title: TitleOf(slug)})
		}
	}
	slices.SortFunc(list, func(a, b Category) int { return strings.Compare(a.Slug, b.Slug) })
	return list
}

// Prefer updates the fields of a new file: it replaces the former slug of a category with the
// current one, and capabilities and tags that are synonyms with the preferred words of
// vocabulary.yaml. It modifies fields.
func (s *Workspace) Prefer(fields map[string]any) {
	category, _ := fields["category"].(string)
	for _, c := range s.declared {
		if slices.Contains(c.Formerly, category) {
			fields["category"] = c.Slug
		}
	}
	words := newVocabulary(s.vocabulary)
	if words == nil {
		return
	}
	for field, of := range map[string]map[string]string{"capabilities": words.capabilities, "tags": words.tags} {
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

// CheckFile returns the problems in an entity file itself, and its conflicts with other
// files.
func (s *Workspace) CheckFile(typ, slug string, data []byte) yamldoc.Problems {
	e, problems := parseEntity(s.Kinds, s.Shown(typ, slug), typ, slug, data)
	if e == nil {
		return problems
	}
	fields, _ := yamldoc.Parse(s.Shown(typ, slug), data, yamldoc.TextFields...).Fields()
	return problems.With(s.Check(e, fields))
}

// Check returns the conflicts between an entity and the other entities. fields are the fields
// of its file.
func (s *Workspace) Check(e *record.Entity, fields map[string]any) (problems yamldoc.Problems) {
	return CheckSiblings(s.Shown(e.Type, e.Slug), e, fields, workspaceSiblings{s})
}

// workspaceSiblings provides the other entities in a folder.
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
	return firstOther(o.s.folder.claims[byFormer][typ+"/"+slug], e)
}

// WithName implements Siblings.
func (o workspaceSiblings) WithName(e *record.Entity) string {
	return firstOther(o.s.folder.claims[byName][nameKey(e)], e)
}

// WithID implements Siblings.
func (o workspaceSiblings) WithID(e *record.Entity, id record.ID) string {
	return firstOther(o.s.folder.claims[byID][idKey(e, id)], e)
}

// Successor implements Siblings.
func (o workspaceSiblings) Successor(key string) (string, bool) { return o.s.folder.successor(key) }

// Namespaces implements Siblings.
func (o workspaceSiblings) Namespaces() []string { return namespacesOf(o.s.Kinds) }

// Vocabulary implements Siblings.
func (o workspaceSiblings) Vocabulary() *record.Vocabulary { return o.s.vocabulary }

// Providers implements Siblings.
func (o workspaceSiblings) Providers() []string { return o.s.providers }

// firstOther returns the name of the first file that is not the file of e, or "" if there is
// none.
func firstOther(list []*file, e *record.Entity) string {
	i := slices.IndexFunc(list, func(r *file) bool { return r.typ != e.Type || r.slug != e.Slug })
	if i < 0 {
		return ""
	}
	return list[i].shown
}

// Add adds an entity to the folder. The caller writes the file.
func (s *Workspace) Add(e *record.Entity) {
	r := &file{source: source{s.Path(e.Type, e.Slug), s.Shown(e.Type, e.Slug), e.Type, e.Slug}, entity: e}
	s.folder.replace(e.Key()+".yaml", r)
}
