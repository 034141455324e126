package web

import (
	"fmt"
	"strings"
	"time"

	"kindex/exports/didyoumean"
)

// DeletedEntity returns the problem for a deleted entity.
func DeletedEntity(typ, slug string, at int64) error {
	p := NewProblem("deleted-entity", fmt.Sprintf("The %s %q was deleted on %s. Its changelog is still available.", typ, slug,
		time.Unix(at, 0).UTC().Format(time.DateOnly)))
	return p.WithSuggestion("/api/entity/" + typ + "/" + slug + "/changelog")
}

// UnknownEntity returns the problem for an entity that does not exist. It suggests what the
// client probably meant: the type, or entities with similar names.
func UnknownEntity(c *Call, typ, slug string) error {
	if c.kinds().Kind(typ) == nil {
		p := NewProblem("unknown-entity", fmt.Sprintf("There is no type %q; expected one of: %s.", Shorten(typ), strings.Join(c.kinds().Names(), ", ")))
		return p.WithSuggestion(didyoumean.Name(typ, c.kinds().Names()))
	}
	p := NewProblem("unknown-entity", fmt.Sprintf("There is no %s %q.", typ, Shorten(slug)))
	if near := c.Served.SimilarSlugs(typ, Shorten(slug)); len(near) > 0 {
		p.Detail += " Similar: " + strings.Join(near, ", ") + "."
		_ = p.WithSuggestion("/api/entity/" + typ + "/" + near[0])
	}
	return p
}
