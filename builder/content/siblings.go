package content

import (
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// Siblings looks up the entities against which another entity is checked. The methods that
// begin with With or Once return the name by which messages refer to the entity found, or ""
// if there is no such entity.
type Siblings interface {
	// Declared lists the valid categories; if empty, every category is valid.
	Declared() []Category
	// WithSlug returns the entity with a slug.
	WithSlug(typ, slug string) string
	// OnceWithSlug returns an entity other than e that previously had the slug.
	OnceWithSlug(typ, slug string, e *record.Entity) string
	// WithName returns an entity other than e with the same type and name.
	WithName(e *record.Entity) string
	// WithID returns an entity other than e that has the same type and the given identifier.
	WithID(e *record.Entity, id record.ID) string
	// Successor returns the key of the entity that replaces the one with the given key, or
	// "", and reports whether the one with the given key exists.
	Successor(key string) (next string, ok bool)
	// Namespaces lists the names of all namespaces of identifiers.
	Namespaces() []string
	// Vocabulary returns the words for capabilities and tags; if nil, every word is valid.
	Vocabulary() *record.Vocabulary
	// Providers lists the valid providers of offers; if empty, every provider is valid.
	Providers() []string
}

// CheckSiblings returns the conflicts between an entity and its siblings. path is used only
// in messages. fields are the fields of the entity's file, whose offers need not be sorted.
func CheckSiblings(path string, e *record.Entity, fields map[string]any, siblings Siblings) (problems yamldoc.Problems) {
	c := siblingCheck{Siblings: siblings, words: newVocabulary(siblings.Vocabulary()), near: func(string) string { return "" },
		offer: func(o *record.Offer) int { return offerIndex(fields, o) },
		add: func(severity yamldoc.Severity, path2 []string, message, suggestion string) {
			problems = append(problems, yamldoc.Problem{File: path, Line: 1, Column: 1, Severity: severity,
				Field: yamldoc.FieldName(path2), Message: message, Suggestion: suggestion})
		}}
	c.check(e)
	return problems
}

// siblingCheck checks entities against their siblings.
type siblingCheck struct {
	Siblings
	words *vocabulary
	// near returns the key of the entity whose address is most similar, or "".
	near func(key string) string
	// offer returns the index of an offer in its file, which need not be sorted, or -1.
	offer func(o *record.Offer) int
	add   func(severity yamldoc.Severity, path []string, message, suggestion string)
}

func (c *siblingCheck) check(e *record.Entity) {
	if message, suggestion := wrongCategory(e.Category, c.Declared()); message != "" {
		c.add(yamldoc.Error, []string{"category"}, message, suggestion)
	}
	c.words.check(e, func(path []string, message, suggestion string) { c.add(yamldoc.Error, path, message, suggestion) })
	c.addresses(e)
	if by := c.WithName(e); e.Name != "" && by != "" {
		c.add(yamldoc.Warning, []string{"name"}, yamldoc.Quote(e.Name)+" is also the name of "+by, "")
	}
	message := lookAlike(e, func(typ, name string) string {
		return c.WithName(&record.Entity{Kinds: e.Kinds, Type: typ, Name: name})
	})
	if message != "" {
		c.add(yamldoc.Warning, []string{"name"}, message, "")
	}
	seen := map[string]bool{}
	for _, id := range ownIDs(e) {
		key := idKey(e, id)
		if by := c.WithID(e, id); by != "" && !seen[key] {
			c.add(yamldoc.Error, []string{"ids", id.Namespace}, yamldoc.Quote(id.Value)+" is also an identifier of "+by, "")
		}
		seen[key] = true
	}
	c.references(e)
}

// addresses finds earlier slugs that belong to another entity, or that another one claims too.
func (c *siblingCheck) addresses(e *record.Entity) {
	for i, old := range e.Formerly {
		if slices.Index(e.Formerly, old) != i {
			continue // the schema reports duplicates
		}
		field := []string{"formerly", strconv.Itoa(i)}
		typ, slug, _ := strings.Cut(e.FormerKeys()[i], "/")
		if owner := c.WithSlug(typ, slug); owner != "" && typ+"/"+slug != e.Key() {
			c.add(yamldoc.Error, field, yamldoc.Quote(old)+" is the slug of "+owner, "")
		} else if by := c.OnceWithSlug(typ, slug, e); by != "" {
			c.add(yamldoc.Error, field, yamldoc.Quote(old)+" is also claimed by "+by, "")
		}
	}
	if by := c.OnceWithSlug(e.Type, e.Slug, e); by != "" {
		c.add(yamldoc.Error, []string{"slug"}, yamldoc.Quote(e.Slug)+" is an earlier slug of "+by, "")
	}
}
