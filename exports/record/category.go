package record

import "kindex/exports/jsonenc"

// Category is a category in categories.json.
type Category struct {
	Slug        string                 `json:"slug"`
	Formerly    []string               `json:"formerly"` // earlier slugs
	Title       string                 `json:"title"`
	Description jsonenc.OptionalString `json:"description"`
	Count       int                    `json:"count"`  // listed entities
	Ranked      int                    `json:"ranked"` // number of entities on its leaderboard
}
