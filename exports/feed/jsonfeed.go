package feed

import (
	"encoding/json"
	"io"

	"github.com/gorilla/feeds"
)

// jsonFeed always writes items, because JSON Feed requires that member even if a
// feed is empty.
type jsonFeed struct {
	*feeds.JSONFeed
	Items []*feeds.JSONItem `json:"items"`
}

func (f *Feed) writeJSON(w io.Writer, items []item) error {
	generic := &feeds.Feed{Title: f.title(), Description: f.description()}
	doc := jsonFeed{JSONFeed: (&feeds.JSON{Feed: generic}).JSONFeed(), Items: []*feeds.JSONItem{}}
	doc.Language, doc.HomePageUrl = language, f.base()
	doc.FeedUrl, doc.NextUrl = clean(f.Self), clean(f.Next)
	for _, i := range items {
		made := i.published
		entry := &feeds.JSONItem{Id: i.id, Url: i.link, Title: i.title, ContentHTML: i.content, PublishedDate: &made}
		if i.kind != "" {
			entry.Tags = []string{i.kind}
		}
		if i.author != "" {
			entry.Authors = []*feeds.JSONAuthor{{Name: i.author}}
		}
		doc.Items = append(doc.Items, entry)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // the document is not embedded in a page, and content is HTML
	e.SetIndent("", "  ")
	return e.Encode(doc)
}
