package edge

import (
	"slices"
	"strings"

	"fmt"
	"kindex/exports"
	"kindex/exports/didyoumean"
	"time"
)

// deleted answers for an entity that is gone for good.
func deleted(typ, slug string, at int64) error {
	p := newProblem("deleted-entity", fmt.Sprintf("The %s %q was deleted on %s. Its changelog is still there.", typ, slug,
		time.Unix(at, 0).UTC().Format(time.DateOnly)))
	return p.suggest("/api/entity/" + typ + "/" + slug + "/changelog")
}

// unknownEntity names what was probably meant: the type, or the entities whose
// names are near.
func unknownEntity(c *call, typ, slug string) error {
	if !slices.Contains(exports.Types, typ) {
		p := newProblem("unknown-entity", fmt.Sprintf("There is no type %q; known are %s.", shorten(typ), strings.Join(exports.Types, ", ")))
		return p.suggest(didyoumean.Name(typ, exports.Types))
	}
	p := newProblem("unknown-entity", fmt.Sprintf("There is no %s %q.", typ, shorten(slug)))
	near, err := nearSlugs(c.served, typ, slug)
	if err != nil {
		return err
	}
	if len(near) > 0 {
		p.Detail += " Near are: " + strings.Join(near, ", ") + "."
		p.suggest("/api/entity/" + typ + "/" + near[0])
	}
	return p
}

// nearSlugs lists the entities of a type that are most like a slug.
func nearSlugs(v *view, typ, slug string) ([]string, error) {
	of := v.build.Bitmap("type", typ)
	if of == nil {
		return nil, nil
	}
	res, err := v.index.Search(shorten(slug), of, nil, 0, 3)
	if err != nil {
		return nil, err
	}
	var near []string
	for _, h := range res.Hits {
		_, slug := v.build.Key(h.Ordinal)
		near = append(near, slug)
	}
	return near, nil
}
