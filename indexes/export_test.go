package indexes

// Otherwise, the catalogues of most tests would be too small to be searched by several goroutines, or to have sets
// of phrases.
func init() {
	chunkBlocks, parallelRanking, parallelGroups, parallelSet, minReadDocuments = 1, 1, 1, 1, 1
}

// WithoutSynonyms returns an index that expands no queries.
func WithoutSynonyms(x *Index) *Index {
	disk := &diskIndex{records: x.records, listed: x.listed, segment: x.segment, ordinalMap: x.ordinalMap, phrases: x.phrases,
		aliasFST: x.aliasFST, nameLengths: x.nameLengths, files: x.files, vocabularies: x.vocabularies}
	return &Index{diskIndex: disk, build: x.build, memSegments: x.memSegments, overlay: x.overlay}
}
