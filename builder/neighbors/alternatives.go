package neighbors

import (
	"slices"
	"strings"

	"kindex/exports/record"
)

// alternativeShare is how many times less similar than the nearest alternative an alternative may
// be. It excludes entities that have little in common besides a capability that many entities have.
const alternativeShare = 3

// samePurpose reports whether two entities do the same job: they have the same type and category, share a
// capability if both state any, and neither is tagged with the other's slug or name. Such a tag says that one
// builds on the other or works with it.
func samePurpose(a, b *record.Entity) bool {
	capable := len(a.Capabilities) == 0 || len(b.Capabilities) == 0 ||
		slices.ContainsFunc(a.Capabilities, func(c string) bool { return slices.Contains(b.Capabilities, c) })
	return a.Type == b.Type && a.Category == b.Category && capable && !isTagged(a, b) && !isTagged(b, a)
}

// sharePurpose reports whether two entities share a feature that says what they are for: words and providers do not,
// nor does the category of everything.
func (v *vectors) sharePurpose(i, j uint32) bool {
	return slices.ContainsFunc(v.has[i], func(id uint32) bool {
		kind := v.features[id].Kind
		_, shared := slices.BinarySearch(v.has[j], id)
		return shared && v.square[id] > 0 && kind != kindWord && kind != kindProvider
	})
}

// isTagged reports whether an entity is tagged with the slug or the name of another.
func isTagged(a, b *record.Entity) bool {
	return slices.Contains(a.Tags, b.Slug) || slices.Contains(a.Tags, strings.ReplaceAll(record.Fold(b.Name), " ", "-"))
}
