package pages

import (
	"cmp"
	"strings"

	"kindex/exports"
	"kindex/exports/feed"
)

// feedLink is a feed linked from the head of a page.
type feedLink struct{ Format, To string }

// Name returns the display name of the format.
func (l feedLink) Name() string {
	return map[string]string{"rss": "RSS", "atom": "Atom", "json": "JSON Feed"}[l.Format]
}

// Feeds returns the page's feeds. Static sites have feeds of all changes and of single
// entities; other feeds need the API.
func (f frame) Feeds() (list []feedLink) {
	if f.Static && (f.API == "" || f.Feed == "") {
		if key, ok := strings.CutPrefix(f.Feed, entityFeedPrefix); ok {
			return []feedLink{{"rss", f.to("/" + key + "/" + feedFile)}}
		}
		for _, of := range [][2]string{{"rss", ".xml"}, {"atom", ".atom"}, {"json", ".json"}} {
			list = append(list, feedLink{of[0], f.to("/" + exports.FeedFile + of[1])})
		}
		return list
	}
	for _, format := range feed.Formats {
		list = append(list, feedLink{format, f.api(feedPath(cmp.Or(f.Feed, "/api/feed"), format))})
	}
	return list
}

// feedPath returns the path of one of the API's feeds in a format.
func feedPath(path, format string) string {
	switch {
	case format == feed.Formats[0]:
		return path
	case strings.Contains(path, "?"):
		return path + "&format=" + format
	}
	return path + "?format=" + format
}

// entityFeedPath returns the path of the API's feed of an entity.
func entityFeedPath(typ, slug string) string { return entityFeedPrefix + typ + "/" + slug }

const entityFeedPrefix = "/api/feed?entity="
