package site

import (
	"cmp"

	"kindex/exports"
)

// Reason describes a feature that two entities share. titles are the category titles by slug.
func Reason(f exports.Feature, titles map[string]string) string {
	switch f.Kind {
	case "category":
		return "same category: " + cmp.Or(titles[f.Value], f.Value)
	case "provider":
		return "same provider: " + f.Value
	case "tag":
		return "both tagged " + f.Value
	case "capability":
		return "both offer " + f.Value
	}
	return "both mention “" + f.Value + "”"
}
