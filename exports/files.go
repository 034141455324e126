package exports

import (
	"path"
	"strings"
)

// The files of a build. Those below lookup/ are for the edge and change with
// FormatVersion; the others are for everybody.
const (
	ManifestFile    = "manifest.json"
	EntitiesFile    = "entities"     // + extension of the format
	FeedFile        = "feed"         // the newest changes: .xml (RSS), .atom, .json (JSON Feed)
	ChangelogFile   = "changelog"    // + extension of the format
	LeaderboardsDir = "leaderboards" // <board>.json
	CategoriesFile  = "categories.json"
	ScoringFile     = "scoring.json"
	SchemaFile      = "entity.schema.json"

	// WithdrawnFile holds the export lines of withdrawn entities.
	WithdrawnFile = "lookup/withdrawn.jsonl"

	recordsFile  = "lookup/records.bin"
	offsetsFile  = "lookup/offsets.bin"
	rowsFile     = "lookup/rows.bin"
	keysFile     = "lookup/keys.bin"
	valuesFile   = "lookup/values.bin"
	bitmapsFile  = "lookup/bitmaps.bin"
	facetsFile   = "lookup/facets.bin"
	columnsFile  = "lookup/columns.bin"
	ordersFile   = "lookup/orders.bin"
	similarFile  = "lookup/similar.bin"
	featuresFile = "lookup/features.bin"

	// For the next build: they spare it work.
	sourcesFile    = "lookup/sources.bin"
	versionsFile   = "lookup/versions.bin"
	archiveFile    = "lookup/archive.bin"
	pastValuesFile = "lookup/pastvalues.bin"
	changesFile    = "lookup/changes.bin"
	trendsFile     = "lookup/trends.bin"
	snapshotsDir   = "lookup/past/" // <day>.bin
)

// shardsFile tells where the shards of a table lie in its files.
func shardsFile(table string) string { return "lookup/" + table + ".shards.bin" }

// AllBoard is the leaderboard over every category.
const AllBoard = "all"

// LeaderboardFile is the path of a category's leaderboard.
func LeaderboardFile(board string) string { return LeaderboardsDir + "/" + board + ".json" }

// EncodingExtension returns the file extension of a content coding.
func EncodingExtension(encoding string) string {
	switch encoding {
	case "gzip":
		return ".gz"
	case "zstd":
		return ".zst"
	case "br":
		return ".br"
	}
	return ""
}

// feedTypes are the media types of the feeds of a build.
var feedTypes = map[string]string{
	FeedFile + ".xml": "application/rss+xml", FeedFile + ".atom": "application/atom+xml", FeedFile + ".json": "application/feed+json",
}

// mediaType tells what a file is by its name, without a compression extension.
func mediaType(name string) string {
	switch {
	case feedTypes[name] != "":
		return feedTypes[name]
	default:
		ext := path.Ext(name)
		for _, f := range Formats {
			if f.Extension == ext {
				return f.MediaType
			}
		}
	}
	return "application/octet-stream"
}

// splitEncoding separates a compression extension from a file name.
func splitEncoding(name string) (base, encoding string) {
	for _, enc := range []string{"gzip", "zstd", "br"} {
		if b, ok := strings.CutSuffix(name, EncodingExtension(enc)); ok {
			return b, enc
		}
	}
	return name, ""
}
