package live

import (
	"strings"

	"kindex/exports/view"
)

// MaxQueryLen is the maximum length of a search query, in bytes.
const MaxQueryLen = 500

// FindSimilarNames finds entities that a name could refer to.
func (v *ServedBuild) FindSimilarNames(name string, limit int) []uint32 {
	all := v.Build.Select(&view.Filter{})
	text := strings.ReplaceAll(name, `"`, " ") // quotation marks have a special meaning in queries
	if len(text) > MaxQueryLen {
		text = strings.ToValidUTF8(text[:MaxQueryLen], "")
	}
	return v.Index.Alternatives(text, all, limit)
}

// SimilarSlugs returns the entities of a type whose slugs are most similar to the given slug.
func (v *ServedBuild) SimilarSlugs(typ, slug string) (similar []string) {
	ofType := v.Build.Bitmap("type", typ)
	if ofType == nil {
		return nil
	}
	for _, h := range v.Index.Search(slug, ofType, nil, 0, 3).Hits {
		_, slug := v.Build.Key(h.Ordinal)
		similar = append(similar, slug)
	}
	return similar
}

// MaxSimilar is the maximum number of similar entities reported for a new one.
const MaxSimilar = 5
