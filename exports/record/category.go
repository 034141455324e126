package record

import "kindex/exports/jsonenc"

// Category is one class of entities, as categories.json lists them.
type Category struct {
	Slug        string                 `json:"slug"`
	Title       string                 `json:"title"`
	Description jsonenc.OptionalString `json:"description"`
	Count       int                    `json:"count"`  // entities that lists show
	Ranked      int                    `json:"ranked"` // entities on its leaderboard
}
