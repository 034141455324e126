package site

import (
	"cmp"

	"kindex/exports"
)

// Reason words a feature that two entities share. titles are those of the categories.
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
	return "both described with “" + f.Value + "”"
}
