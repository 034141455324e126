package feed

import (
	"io"
	"net/url"
	"time"

	"github.com/gorilla/feeds"
)

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
