package store

import (
	"path"

	"kindex/exports/table"
)

// GzipExtension is the file extension of a file that is a gzip member.
const GzipExtension = ".gz"

// feedTypes maps the feed files of a build to their media types.
var feedTypes = map[string]string{
	"feed.xml": "application/rss+xml", "feed.atom": "application/atom+xml", "feed.json": "application/feed+json",
}

// mediaType returns the media type of a file name without a compression extension.
func mediaType(name string) string {
	if feed := feedTypes[name]; feed != "" {
		return feed
	}
	for _, f := range table.Formats {
		if f.Extension == path.Ext(name) {
			return f.MediaType
		}
	}
	return "application/octet-stream"
}
