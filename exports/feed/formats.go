package feed

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"time"
)

const (
	atomNamespace       = "http://www.w3.org/2005/Atom"
	dublinCoreNamespace = "http://purl.org/dc/elements/1.1/"
	jsonFeedVersion     = "https://jsonfeed.org/version/1.1"
)

type rssFeed struct {
	XMLName       xml.Name  `xml:"rss"`
	Version       string    `xml:"version,attr"`
	Atom          string    `xml:"xmlns:atom,attr"`
	DC            string    `xml:"xmlns:dc,attr"`
	Title         string    `xml:"channel>title"`
	Link          string    `xml:"channel>link"`
	Description   string    `xml:"channel>description"`
	Language      string    `xml:"channel>language"`
	LastBuildDate string    `xml:"channel>lastBuildDate,omitempty"`
	Generator     string    `xml:"channel>generator"`
	Links         []rssLink `xml:"channel>atom:link"`
	Items         []rssItem `xml:"channel>item"`
}

type rssLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

// rssItem names an author without the email address that RSS's own element requires.
type rssItem struct {
	Title       string  `xml:"title"`
	Description string  `xml:"description"`
	Category    string  `xml:"category,omitempty"`
	GUID        rssGUID `xml:"guid"`
	PubDate     string  `xml:"pubDate"`
	Link        string  `xml:"link,omitempty"`
	Creator     string  `xml:"dc:creator,omitempty"`
}

type rssGUID struct {
	IsPermaLink bool   `xml:"isPermaLink,attr"`
	ID          string `xml:",chardata"`
}

func (f *Feed) writeRSS(w io.Writer, items []item, updated time.Time) error {
	doc := rssFeed{Version: "2.0", Atom: atomNamespace, DC: dublinCoreNamespace, Title: f.title(), Link: cmp.Or(f.base(), indexURN),
		Description: f.description(), Language: language, Generator: generator}
	if !updated.IsZero() {
		doc.LastBuildDate = updated.Format(time.RFC1123Z)
	}
	for _, r := range f.relations() {
		doc.Links = append(doc.Links, rssLink{r.rel, MediaType("rss"), r.href})
	}
	for _, i := range items {
		doc.Items = append(doc.Items, rssItem{Title: i.title, Description: i.content, Category: i.kind, GUID: rssGUID{ID: i.id},
			PubDate: i.published.Format(time.RFC1123Z), Link: i.link, Creator: i.author})
	}
	return writeXML(w, doc)
}

type atomFeed struct {
	XMLName   xml.Name    `xml:"feed"`
	Namespace string      `xml:"xmlns,attr"`
	Language  string      `xml:"xml:lang,attr"`
	Title     string      `xml:"title"`
	ID        string      `xml:"id"`
	Updated   string      `xml:"updated"`
	Subtitle  string      `xml:"subtitle"`
	Author    string      `xml:"author>name"` // entries outside git have no author
	Generator string      `xml:"generator"`
	Links     []atomLink  `xml:"link"`
	Entries   []atomEntry `xml:"entry"`
}

type atomLink struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
}

type atomEntry struct {
	Title     string        `xml:"title"`
	Updated   string        `xml:"updated"`
	ID        string        `xml:"id"`
	Content   atomContent   `xml:"content"`
	Published string        `xml:"published"`
	Links     []atomLink    `xml:"link"`
	Author    *string       `xml:"author>name"` // nil if unknown
	Category  *atomCategory `xml:"category"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	HTML string `xml:",chardata"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

func (f *Feed) writeAtom(w io.Writer, items []item, updated time.Time) error {
	doc := atomFeed{Namespace: atomNamespace, Language: language, Title: f.title(), ID: f.id(), Updated: updated.Format(time.RFC3339),
		Subtitle: f.description(), Author: f.title(), Generator: generator}
	if base := f.base(); base != "" {
		doc.Links = append(doc.Links, atomLink{Rel: "alternate", Href: base})
	}
	for _, r := range f.relations() {
		doc.Links = append(doc.Links, atomLink{Rel: r.rel, Href: r.href, Type: MediaType("atom")})
	}
	for _, i := range items {
		made := i.published.Format(time.RFC3339)
		e := atomEntry{Title: i.title, Updated: made, ID: i.id, Content: atomContent{"html", i.content}, Published: made}
		if i.author != "" {
			e.Author = &i.author
		}
		if i.kind != "" {
			e.Category = &atomCategory{i.kind}
		}
		if i.link != "" {
			e.Links = []atomLink{{Rel: "alternate", Href: i.link}}
		}
		doc.Entries = append(doc.Entries, e)
	}
	return writeXML(w, doc)
}

// id returns an ID that is the same on all pages of a feed: the URL of the first
// page or, if that is not set, of the document itself. A URL that is not absolute
// becomes part of a URN.
func (f *Feed) id() string {
	address := cmp.Or(clean(f.First), clean(f.Self))
	if address == "" {
		return feedURN
	}
	if u, err := url.Parse(address); err == nil && u.IsAbs() {
		return address
	}
	return feedURN + ":" + url.PathEscape(address)
}

func writeXML(w io.Writer, doc any) error {
	if _, err := io.WriteString(w, xml.Header[:len(xml.Header)-1]); err != nil { // without its line ending
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	return e.Encode(doc)
}

type jsonFeed struct {
	Version     string     `json:"version"`
	Title       string     `json:"title"`
	Language    string     `json:"language"`
	HomePageURL string     `json:"home_page_url,omitempty"`
	FeedURL     string     `json:"feed_url,omitempty"`
	Description string     `json:"description"`
	NextURL     string     `json:"next_url,omitempty"`
	Items       []jsonItem `json:"items"`
}

type jsonItem struct {
	ID            string       `json:"id"`
	URL           string       `json:"url,omitempty"`
	Title         string       `json:"title"`
	ContentHTML   string       `json:"content_html,omitempty"`
	DatePublished time.Time    `json:"date_published"`
	Authors       []jsonAuthor `json:"authors,omitempty"`
	Tags          []string     `json:"tags,omitempty"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

func (f *Feed) writeJSON(w io.Writer, items []item) error {
	doc := jsonFeed{Version: jsonFeedVersion, Title: f.title(), Language: language, HomePageURL: f.base(), FeedURL: clean(f.Self),
		Description: f.description(), NextURL: clean(f.Next), Items: []jsonItem{}}
	for _, i := range items {
		entry := jsonItem{ID: i.id, URL: i.link, Title: i.title, ContentHTML: i.content, DatePublished: i.published}
		if i.kind != "" {
			entry.Tags = []string{i.kind}
		}
		if i.author != "" {
			entry.Authors = []jsonAuthor{{i.author}}
		}
		doc.Items = append(doc.Items, entry)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // the document is not embedded in a page, and content is HTML
	e.SetIndent("", "  ")
	return e.Encode(doc)
}
