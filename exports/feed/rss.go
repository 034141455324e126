package feed

import (
	"cmp"
	"encoding/xml"
	"io"
	"time"

	"github.com/gorilla/feeds"
)

const (
	atomNamespace       = "http://www.w3.org/2005/Atom"
	dublinCoreNamespace = "http://purl.org/dc/elements/1.1/"
)

// rssDocument is the root element. The gorilla/feeds type declares neither of the
// two namespaces.
type rssDocument struct {
	XMLName xml.Name `xml:"rss"`
	Version string   `xml:"version,attr"`
	Atom    string   `xml:"xmlns:atom,attr"`
	DC      string   `xml:"xmlns:dc,attr"`
	Channel rssChannel
}

// FeedXml implements feeds.XmlFeed.
func (d *rssDocument) FeedXml() any { return d } //nolint:staticcheck // the interface requires this name

type rssChannel struct {
	*feeds.RssFeed
	Links []rssAtomLink `xml:"atom:link"`
	Items []rssItem     `xml:"item"`
}

type rssAtomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

// rssItem omits a missing link, and names an author without the email address
// that RSS's own element requires.
type rssItem struct {
	*feeds.RssItem
	Link    string `xml:"link,omitempty"`
	Creator string `xml:"dc:creator,omitempty"`
}

func (f *Feed) writeRSS(w io.Writer, items []item, updated time.Time) error {
	channel := rssChannel{RssFeed: &feeds.RssFeed{
		Title: f.title(), Link: cmp.Or(f.base(), indexURN), Description: f.description(),
		Language: language, Generator: generator,
	}}
	if !updated.IsZero() {
		channel.LastBuildDate = updated.Format(time.RFC1123Z)
	}
	for _, r := range f.relations() {
		channel.Links = append(channel.Links, rssAtomLink{r.rel, MediaType("rss"), r.href})
	}
	for _, i := range items {
		channel.Items = append(channel.Items, rssItem{
			RssItem: &feeds.RssItem{
				Title: i.title, Description: i.content, Category: i.kind,
				Guid:    &feeds.RssGuid{Id: i.id, IsPermaLink: "false"},
				PubDate: i.published.Format(time.RFC1123Z),
			},
			Link: i.link, Creator: i.author,
		})
	}
	return feeds.WriteXML(&rssDocument{Version: "2.0", Atom: atomNamespace, DC: dublinCoreNamespace, Channel: channel}, w)
}
