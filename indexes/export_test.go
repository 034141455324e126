package indexes

// Otherwise, the catalogues of most tests would be too small to be searched by several goroutines, or to have sets
// of phrases.
func init() {
	chunkBlocks, parallelRanking, parallelGroups, parallelSet, minReadDocuments = 1, 1, 1, 1, 1
}

// WithoutSynonyms returns an index that expands no queries.
func WithoutSynonyms(x *Index) *Index {
	disk := *x.diskIndex
	disk.synonyms = nil
	return &Index{diskIndex: &disk, build: x.build, memSegments: x.memSegments, overlay: x.overlay}
}

// SessionSets returns the number of sets that a session has allocated for the searches so far.
func SessionSets(x *Index) int {
	s, err := x.session()
	if err != nil {
		return -1
	}
	defer s.end()
	return len(s.sets)
}
