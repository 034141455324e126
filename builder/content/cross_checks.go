package content

import (
	"cmp"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// The kinds of values by which files refer to each other, or that must be unique.
const (
	byName    = iota // of its type
	byFormer         // the address of an earlier slug
	byID             // of its type
	byProject        // a key of projects
	byOffer          // the address of an offer
	bySeries         // of its offers
)

// claim is a value of a kind.
type claim struct {
	kind int
	key  string
}

// claimsOf lists the values of an entity, which may be nil, each once.
func claimsOf(e *record.Entity) (list []claim) {
	if e == nil {
		return nil
	}
	seen := map[claim]bool{}
	add := func(kind int, key string) {
		if x := (claim{kind, key}); !seen[x] {
			seen[x] = true
			list = append(list, x)
		}
	}
	if e.Name != "" {
		add(byName, nameKey(e))
	}
	for _, id := range ownIDs(e) {
		add(byID, idKey(e, id))
	}
	for _, id := range e.IDs {
		if key := ProjectKey(e, id); key != "" {
			add(byProject, key)
		}
	}
	for _, old := range e.FormerKeys() {
		add(byFormer, old)
	}
	for i := range e.Offers {
		add(byOffer, e.Offers[i].Key())
	}
	for _, key := range series(e) {
		add(bySeries, key)
	}
	return list
}

// among holds entity files for comparing them with each other, or another one with them. It implements Siblings.
type among struct {
	files      map[string]*file
	sorted     []*file           // by type and slug
	claims     map[claim][]*file // the files that have a value
	vocabulary record.Vocabulary
	words      vocabulary
	namespaces []string
	providers  []string
	declared   []record.Category
	coming     map[string]bool // the keys of entities that will be added
	later      bool            // whether of the files with a value, only those after the first have a problem
}

// among returns the files of the folder. c has the contents of the files next to the type folders.
func (f *Folder) among(c *Content) *among {
	a := &among{files: f.files, claims: map[claim][]*file{}, later: true, vocabulary: c.Vocabulary, words: newVocabulary(c.Vocabulary, c.Kinds),
		namespaces: ids.Names(), declared: c.Categories}
	for _, n := range c.Kinds.IDs {
		a.namespaces = append(a.namespaces, n.Name)
	}
	slices.Sort(a.namespaces)
	for _, p := range c.Providers {
		a.providers = append(a.providers, p.Slug)
	}
	for _, r := range f.files {
		if r.slug != "" {
			a.sorted = append(a.sorted, r)
		}
	}
	slices.SortFunc(a.sorted, func(a, b *file) int { return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.slug, b.slug)) })
	for _, r := range a.sorted {
		a.add(r)
	}
	return a
}

func (a *among) add(r *file) {
	for _, x := range r.claims {
		a.claims[x] = append(a.claims[x], r)
	}
}

// first returns the name of the first file that is not that of e, or "" if there is none.
func (a *among) first(list []*file, e *record.Entity) string {
	for _, r := range list {
		if r.typ != e.Type || r.slug != e.Slug {
			return r.shown
		}
		if a.later {
			break
		}
	}
	return ""
}

func (a *among) WithSlug(typ, slug string) string {
	if r := a.files[typ+"/"+slug+".yaml"]; r != nil {
		return r.shown
	}
	return ""
}

func (a *among) OnceWithSlug(typ, slug string, e *record.Entity) string {
	if a.later && typ == e.Type && slug == e.Slug {
		return "" // the other file has the problem
	}
	return a.first(a.claims[claim{byFormer, typ + "/" + slug}], e)
}

func (a *among) WithName(e *record.Entity) string {
	return a.first(a.claims[claim{byName, nameKey(e)}], e)
}

func (a *among) WithID(e *record.Entity, id record.ID) string {
	return a.first(a.claims[claim{byID, idKey(e, id)}], e)
}

func (a *among) WithProject(e *record.Entity, id record.ID) string {
	list := a.claims[claim{byProject, ProjectKey(e, id)}]
	if len(list) > 0 && nameKey(list[0].entity) == nameKey(e) {
		return ""
	}
	return a.first(list, e)
}

func (a *among) Successor(key string) (next string, ok bool) {
	r := a.files[key+".yaml"]
	switch {
	case r == nil && a.later && !a.coming[key]:
		return a.near(key), false
	case r != nil && r.entity != nil && r.entity.Lifecycle != nil:
		next = r.entity.Lifecycle.ReplacedBy
	}
	return next, r != nil || a.coming[key]
}

func (a *among) Declared() []record.Category   { return a.declared }
func (a *among) Namespaces() []string          { return a.namespaces }
func (a *among) Vocabulary() record.Vocabulary { return a.vocabulary }
func (a *among) Providers() []string           { return a.providers }

// near returns the key of the entity that a key may mean, or "".
func (a *among) near(key string) string {
	keys := make([]string, len(a.sorted))
	for i, r := range a.sorted {
		keys[i] = r.typ + "/" + r.slug
	}
	return didyoumean.Key(key, keys)
}

// categories lists the declared categories by slug or, if there are none, those of the entities in files that count.
func (a *among) categories(counts func(*file) bool) []record.Category {
	list := slices.Clone(a.declared)
	seen := map[string]bool{}
	for _, r := range a.files {
		if len(a.declared) == 0 && r.entity != nil && counts(r) && !seen[r.entity.Category] {
			seen[r.entity.Category] = true
			list = append(list, record.Category{Slug: r.entity.Category, Title: TitleOf(r.entity.Category)})
		}
	}
	slices.SortFunc(list, func(a, b record.Category) int { return cmp.Compare(a.Slug, b.Slug) })
	return list
}

func (a *among) checkFile(r *file) yamldoc.Problems {
	if r.entity == nil {
		return nil // it cannot be read
	}
	d := yamldoc.New(r.shown)
	if a.check(r, d); len(d.Problems) > 0 { // again, with their positions
		if data, err := readFile(r.shown, yamldoc.MaxFileSize); err == nil {
			d = yamldoc.Parse(r.shown, data)
			d.Problems = nil // which have been reported
			a.check(r, d)
		}
	}
	return d.Problems
}

func (a *among) check(r *file, d *yamldoc.Document) {
	c := &siblingCheck{a, a.words, d}
	c.check(r.entity)
	a.checkShared(r, c)
	a.checkSeries(r, c)
}

// wrongCategory returns the reason an entity cannot be in a category, or "". declared are those of categories.yaml.
func wrongCategory(category string, declared []record.Category) (message, suggestion string) {
	if category == view.AllBoard {
		return yamldoc.Quote(category) + reservedSlug, ""
	}
	is := func(c record.Category) bool { return c.Slug == category }
	if slices.ContainsFunc(declared, is) || !ValidSlug(category) {
		return "", ""
	}
	if device := DeviceName(category); device != "" {
		return yamldoc.Quote(category) + device, ""
	}
	if len(declared) == 0 {
		return "", ""
	}
	var slugs []string
	for _, c := range declared {
		if slices.Contains(c.Formerly, category) {
			return yamldoc.Quote(category) + " is the former slug of a category", c.Slug
		}
		slugs = append(slugs, c.Slug)
	}
	return yamldoc.Quote(category) + " is not in categories.yaml", didyoumean.Name(category, slugs)
}

func nameKey(e *record.Entity) string { return e.Type + "/" + record.Fold(e.Name) }

// ProjectKey returns what two entities with an identifier have in common if they are probably the same project,
// or "" if they need not be: the package, whose link others may have too, or the repository with the name
// without spaces and punctuation, because one repository may contain several.
func ProjectKey(e *record.Entity, id record.ID) string {
	switch {
	case id.Namespace == "github" || id.Namespace == "gitlab":
		return idKey(e, id) + "\x00" + record.FoldName(e.Name)
	case id.Namespace == "pypi" && !hasBlock(e, kinds.Offers): // models have the packages of tools
		return idKey(e, id)
	}
	return ""
}
