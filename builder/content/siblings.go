package content

import (
	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
	"strings"
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
	add := func(severity yamldoc.Severity, field, message, suggestion string) {
		problems = append(problems, yamldoc.Problem{File: path, Line: 1, Column: 1, Severity: severity,
			Field: field, Message: message, Suggestion: suggestion})
	}
	if message, suggestion := wrongCategory(e.Category, siblings.Declared()); message != "" {
		add(yamldoc.Error, "category", message, suggestion)
	}
	newVocabulary(siblings.Vocabulary()).check(e, func(path []string, message, suggestion string) {
		add(yamldoc.Error, yamldoc.FieldName(path), message, suggestion)
	})
	for i, old := range e.Formerly {
		field := yamldoc.FieldName([]string{"formerly", indexStep(i)})
		typ, slug, _ := strings.Cut(e.FormerKeys()[i], "/")
		if owner := siblings.WithSlug(typ, slug); owner != "" && typ+"/"+slug != e.Key() {
			add(yamldoc.Error, field, slugTaken(old, owner), "")
		} else if by := siblings.OnceWithSlug(typ, slug, e); by != "" {
			add(yamldoc.Error, field, slugClaimed(old, by), "")
		}
	}
	if by := siblings.OnceWithSlug(e.Type, e.Slug, e); by != "" {
		add(yamldoc.Error, "slug", yamldoc.Quote(e.Slug)+" is an earlier slug of "+by, "")
	}
	if by := siblings.WithName(e); e.Name != "" && by != "" {
		add(yamldoc.Warning, "name", nameTaken(e.Name, by), "")
	}
	message := lookAlike(e, func(typ, name string) string {
		return siblings.WithName(&record.Entity{Type: typ, Name: name})
	})
	if message != "" {
		add(yamldoc.Warning, "name", message, "")
	}
	for _, id := range ownIDs(e) {
		if by := siblings.WithID(e, id); by != "" {
			add(yamldoc.Error, yamldoc.FieldName([]string{"ids", id.Namespace}), idTaken(id, by), "")
		}
	}
	check := factCheck{namespaces: siblings.Namespaces(), providers: siblings.Providers(), today: today(), successor: siblings.Successor, near: func(string) string { return "" },
		offer: func(o *record.Offer) int { return offerIndex(fields, o) },
		add: func(severity yamldoc.Severity, path []string, message, suggestion string) {
			add(severity, yamldoc.FieldName(path), message, suggestion)
		}}
	check.entity(e)
	return problems
}
