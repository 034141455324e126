package exports

// KindFile returns the base name of the table of one kind.
func KindFile(kind string) string { return "entities_" + kind }

// The files of a build. Files in lookup/ are internal to the edge and change with
// FormatVersion. All other files are public. Package history defines those of the history.
const (
	EntitiesFile     = "entities" // plus the format's extension
	FullFile         = "entities_full"
	SignalsFile      = "signals"
	BenchmarksFile   = "benchmarks"
	OffersFile       = "offers"
	IDsFile          = "ids"
	FeedFile         = "feed"      // the newest changes: .xml (RSS), .atom, .json (JSON Feed)
	ChangelogFile    = "changelog" // plus the format's extension
	LeaderboardsFile = "leaderboards.json"
	CategoriesFile   = "categories.json"
	ProvidersFile    = "providers.json"  // only if the content has providers.yaml
	KindsFile        = "kinds.yaml"      // only if the content has kinds.yaml
	SynonymsFile     = "synonyms.json"   // only if the content has synonyms.yaml
	VocabularyFile   = "vocabulary.json" // only if the content has vocabulary.yaml
	ScoringFile      = "scoring.json"
	SchemaFile       = "entity.schema.json"
	QualityFile      = "quality.json"
	BoardsFile       = "boards.json" // only if the content has boards.yaml

	recordsFile = "lookup/records.jsonl"
	similarFile = "lookup/similar.json.gz"

	boardsFile = "lookup/boards.json" // only with BoardsFile
)
