package record

import "kindex/exports/jsonenc"

// Vocabulary is the content of vocabulary.json: the words for capabilities and tags.
type Vocabulary struct {
	// Capabilities lists all capabilities that entities can have. If it is empty, entities can
	// have any.
	Capabilities []Word `json:"capabilities"`
	// Tags lists the tags that have synonyms. Entities can have any other tag too.
	Tags []Word `json:"tags"`
}

// Word is a capability or a tag.
type Word struct {
	Slug     string                 `json:"slug"`
	Title    jsonenc.OptionalString `json:"title"`    // for people; "" for the slug
	Synonyms []string               `json:"synonyms"` // slugs that the word replaces
}
