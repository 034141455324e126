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
)

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

// mediaType tells what a file is by its name, without a compression extension.
func mediaType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".xml":
		return "application/xml"
	default:
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
