package content

import (
	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// Siblings looks up the entities against which another entity is checked. All methods except
// Declared return the name by which messages refer to the entity found, or "" if there is no
// such entity.
type Siblings interface {
	// Declared lists the valid categories; if empty, every category is valid.
	Declared() []Category
	// WithSlug returns the entity with a slug.
	WithSlug(typ, slug string) string
	// OnceWithSlug returns an entity other than e that previously had the slug.
	OnceWithSlug(typ, slug string, e *record.Entity) string
	// WithName returns an entity other than e with the same type and name.
	WithName(e *record.Entity) string
}

// CheckSiblings returns the conflicts between an entity and its siblings. path is used only
// in messages.
func CheckSiblings(path string, e *record.Entity, siblings Siblings) (problems yamldoc.Problems) {
	add := func(severity yamldoc.Severity, field, message, suggestion string) {
		problems = append(problems, yamldoc.Problem{File: path, Line: 1, Column: 1, Severity: severity,
			Field: field, Message: message, Suggestion: suggestion})
	}
	if message, suggestion := wrongCategory(e.Category, siblings.Declared()); message != "" {
		add(yamldoc.Error, "category", message, suggestion)
	}
	for i, old := range e.Formerly {
		field := yamldoc.FieldName([]string{"formerly", indexStep(i)})
		if owner := siblings.WithSlug(e.Type, old); owner != "" && old != e.Slug {
			add(yamldoc.Error, field, slugTaken(old, owner), "")
		} else if by := siblings.OnceWithSlug(e.Type, old, e); by != "" {
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
	return problems
}
