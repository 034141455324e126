package store

import (
	"path"
	"strings"

	"kindex/exports/table"
)

// GzipExtension is the file extension of a file that is a gzip member.
const GzipExtension = ".gz"

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
	if base, ok := strings.CutSuffix(name, GzipExtension); ok {
		return base, "gzip"
	}
	return name, ""
}
