package indexes

// WithoutSynonyms returns an index that expands no queries.
func WithoutSynonyms(x *Index) *Index {
	plain := *x
	plain.synonyms = new(synonyms)
	return &plain
}
