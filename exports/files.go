package exports

// The files of a build. Files in lookup/ are internal to the edge and change with
// FormatVersion. All other files are public.
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
	NamespacesFile   = "namespaces.json" // only if index.yaml declares namespaces of identifiers
	SynonymsFile     = "synonyms.json"   // only if the content has synonyms.yaml
	VocabularyFile   = "vocabulary.json" // only if the content has vocabulary.yaml
	ScoringFile      = "scoring.json"
	SchemaFile       = "entity.schema.json"
	QualityFile      = "quality.json"
	BoardsFile       = "boards.json" // only if the content has boards.yaml

	recordsFile  = "lookup/records.bin"
	offsetsFile  = "lookup/offsets.bin"
	keysFile     = "lookup/keys.bin"
	valuesFile   = "lookup/values.bin"
	bitmapsFile  = "lookup/bitmaps.bin"
	facetsFile   = "lookup/facets.bin"
	columnsFile  = "lookup/columns.bin"
	daysFile     = "lookup/days.bin"
	ordersFile   = "lookup/orders.bin"
	measuresFile = "lookup/measures.bin"
	similarFile  = "lookup/similar.bin"
	featuresFile = "lookup/features.bin"
	idsFile      = "lookup/ids.bin"

	summariesFile = "lookup/summaries.bin"
	offersFile    = "lookup/offers.bin"
	boardsFile    = "lookup/boards.bin" // only with BoardsFile

	// Read by the next build, which reuses data from this one.
	sourcesFile    = "lookup/sources.bin"
	versionsFile   = "lookup/versions.bin"
	archiveFile    = "lookup/archive.bin"
	pastValuesFile = "lookup/pastvalues.bin"
	changesFile    = "lookup/changes.bin"
	trendsFile     = "lookup/trends.bin"
	weeksFile      = "lookup/weeks.bin"
	snapshotsDir   = "lookup/past/" // <day>.bin

	pastMeasuresFile = "lookup/pastmeasures.bin"
)

// AllBoard is the leaderboard of all categories.
const AllBoard = "all"
