package feed

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
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

// atomFeed supports several links and a generator, unlike the gorilla/feeds type, which
// supports only one link and no generator.
type atomFeed struct {
	*feeds.AtomFeed
	Lang      string           `xml:"xml:lang,attr"`
	Generator string           `xml:"generator"`
	Links     []feeds.AtomLink `xml:"link"`
	Entries   []atomEntry      `xml:"entry"`
}

// FeedXml implements feeds.XmlFeed.
func (d *atomFeed) FeedXml() any { return d } //nolint:staticcheck // the interface requires this name

// atomEntry writes the category as an attribute, as RFC 4287 requires.
type atomEntry struct {
	*feeds.AtomEntry
	Category *atomCategory `xml:"category"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

func (f *Feed) writeAtom(w io.Writer, items []item, updated time.Time) error {
	doc := &atomFeed{
		AtomFeed: &feeds.AtomFeed{
			Xmlns: atomNamespace, Title: f.title(), Id: f.id(), Updated: updated.Format(time.RFC3339),
			Subtitle: f.description(),
			// Entries outside git have no author.
			Author: &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: f.title()}},
		},
		Lang: language, Generator: generator,
	}
	if base := f.base(); base != "" {
		doc.Links = append(doc.Links, feeds.AtomLink{Rel: "alternate", Href: base})
	}
	for _, r := range f.relations() {
		doc.Links = append(doc.Links, feeds.AtomLink{Rel: r.rel, Href: r.href, Type: MediaType("atom")})
	}
	for _, i := range items {
		made := i.published.Format(time.RFC3339)
		e := atomEntry{AtomEntry: &feeds.AtomEntry{
			Title: i.title, Id: i.id, Updated: made, Published: made,
			Content: &feeds.AtomContent{Type: "html", Content: i.content},
		}}
		if i.kind != "" {
			e.Category = &atomCategory{i.kind}
		}
		if i.author != "" {
			e.Author = &feeds.AtomAuthor{AtomPerson: feeds.AtomPerson{Name: i.author}}
		}
		if i.link != "" {
			e.Links = []feeds.AtomLink{{Rel: "alternate", Href: i.link}}
		}
		doc.Entries = append(doc.Entries, e)
	}
	return feeds.WriteXML(doc, w)
}

// id returns an ID that is the same on all pages of a feed: the URL of the first
// page or, if that is not set, of the document itself. A URL that is not absolute
// becomes part of a URN.
func (f *Feed) id() string {
	for _, address := range []string{f.First, f.Self} {
		if address = clean(address); address == "" {
			continue
		}
		if u, err := url.Parse(address); err == nil && u.IsAbs() {
			return address
		}
		return feedURN + ":" + url.PathEscape(address)
	}
	return feedURN
}

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
