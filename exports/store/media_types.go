package store

import (
	"path"
	"strings"

	"kindex/exports/table"
)

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

// feedTypes maps the feed files of a build to their media types.
var feedTypes = map[string]string{
	"feed.xml": "application/rss+xml", "feed.atom": "application/atom+xml", "feed.json": "application/feed+json",
}

// mediaType returns the media type of a file name without a compression
// extension.
func mediaType(name string) string {
	switch {
	case feedTypes[name] != "":
		return feedTypes[name]
	default:
		ext := path.Ext(name)
		for _, f := range table.Formats {
			if f.Extension == ext {
				return f.MediaType
			}
		}
	}
	return "application/octet-stream"
}

// splitEncoding removes a compression extension from a file name and also returns
// the content coding.
func splitEncoding(name string) (base, encoding string) {
	for _, enc := range []string{"gzip", "zstd", "br"} {
		if b, ok := strings.CutSuffix(name, EncodingExtension(enc)); ok {
			return b, enc
		}
	}
	return name, ""
}
