package live

import (
	"strings"

	"kindex/exports"
)

// MaxQuery is the longest text that is searched for, in bytes.
const MaxQuery = 500

// EntitiesNamed finds entities that may be what a name stands for.
func (v *ServedBuild) EntitiesNamed(name string, most int) ([]uint32, error) {
	all, err := v.Build.Select(&exports.Filter{})
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(name, `"`, " ") // quotes are signs to the search
	if len(text) > MaxQuery {
		text = strings.ToValidUTF8(text[:MaxQuery], "")
	}
	return v.Index.Alternatives(text, all, most)
}

// NearSlugs lists the entities of a type that are most like a slug.
func (v *ServedBuild) NearSlugs(typ, slug string) ([]string, error) {
	of := v.Build.Bitmap("type", typ)
	if of == nil {
		return nil, nil
	}
	res, err := v.Index.Search(slug, of, nil, 0, 3)
	if err != nil {
		return nil, err
	}
	var near []string
	for _, h := range res.Hits {
		_, slug := v.Build.Key(h.Ordinal)
		near = append(near, slug)
	}
	return near, nil
}

// MaxSimilar is how many entities like a new one are named.
const MaxSimilar = 5
