package feed_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kindex/builder/suite"
	"kindex/exports/feed"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// The types into which these tests decode the documents.
type (
	rssDocument struct {
		Channel struct {
			Title       string      `xml:"title"`
			Description string      `xml:"description"`
			Links       []namedLink `xml:"link"`
			Items       []struct {
				Title       string `xml:"title"`
				GUID        string `xml:"guid"`
				Description string `xml:"description"`
				Creator     string `xml:"http://purl.org/dc/elements/1.1/ creator"`
			} `xml:"item"`
		} `xml:"channel"`
	}
	atomDocument struct {
		ID      string      `xml:"http://www.w3.org/2005/Atom id"`
		Title   string      `xml:"http://www.w3.org/2005/Atom title"`
		Updated string      `xml:"http://www.w3.org/2005/Atom updated"`
		Author  string      `xml:"http://www.w3.org/2005/Atom author>name"`
		Links   []namedLink `xml:"http://www.w3.org/2005/Atom link"`
		Entries []struct {
			Title   string `xml:"http://www.w3.org/2005/Atom title"`
			ID      string `xml:"http://www.w3.org/2005/Atom id"`
			Content string `xml:"http://www.w3.org/2005/Atom content"`
			Author  string `xml:"http://www.w3.org/2005/Atom author>name"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	// namedLink is a link element. A name without a namespace is RSS's own link element.
	namedLink struct {
		XMLName xml.Name
		Rel     string `xml:"rel,attr"`
		Href    string `xml:"href,attr"`
		Text    string `xml:",chardata"`
	}
	jsonDocument struct {
		Version string    `json:"version"`
		Title   string    `json:"title"`
		NextURL string    `json:"next_url"`
		FeedURL string    `json:"feed_url"`
		Items   []newsOut `json:"items"`
	}
	// newsOut is an item as every feed reader must see it.
	newsOut struct {
		ID      string    `json:"id"`
		URL     string    `json:"url"`
		Title   string    `json:"title"`
		Content string    `json:"content_html"`
		Made    time.Time `json:"date_published"`
		Tags    []string  `json:"tags"`
		Authors []person  `json:"authors"`
	}
	person struct {
		Name string `json:"name"`
	}
)

func readXML(t *testing.T, b []byte, v any) {
	t.Helper()
	if err := xml.Unmarshal(b, v); err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
}

func readRSS(t *testing.T, b []byte) (d rssDocument) {
	t.Helper()
	readXML(t, b, &d)
	return d
}

func readAtom(t *testing.T, b []byte) (d atomDocument) {
	t.Helper()
	readXML(t, b, &d)
	return d
}

func readJSON(t *testing.T, b []byte) (d jsonDocument) {
	t.Helper()
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	return d
}

// visible returns what must remain of a name: all its visible characters, on one
// line.
func visible(s string) string {
	return safetext.Replace(strings.Join(strings.Fields(s), " "), "\ufffd")
}

// FuzzWrite uses arbitrary strings everywhere. The documents must always be
// readable and have the same content, and no string may become markup.
func FuzzWrite(f *testing.F) {
	f.Add("0123456789abcdef01234567", "tool", "pytorch", "PyTorch", "version", "2.1", "2.2", "abc", "Ada", "Index", "https://index.example")
	f.Add("a b/?", "", "..", "]]><script>", "signals.benchmarks", `[{"name":"a","value":1}]`, `[{"name":"b"}]`, "\x00", "<b>", "\ufffe", "javascript:alert(1)")
	f.Add("", "m\ufffe", "\r\n", "&amp;", "tags", `["a","b"]`, `["b",1]`, "", "", "", " ")
	f.Add("x", "tool", "x", "P\x7f\xffcy", "version", "1", "2", "", "", "", "")
	f.Add("\xff", "tool", "x", "\"'`", "scores.composite", "1.0", "1e999", "", "", "\u2028", "/")
	f.Add("x", "tool", "x", strings.Repeat("long name ", 40), "description", strings.Repeat("word ", 90), "null", "", "", "", "")
	f.Add("x", "tool", "x", "x", "url", `"https://a.example/?a=1\u0000&b=\"><script>"`, "http://b.example/\"", "", "", "", "")
	f.Fuzz(func(t *testing.T, id, typ, slug, name, field, before, after, commit, author, title, base string) {
		var changes []*record.Change
		for i, event := range append([]string{"other"}, record.Events...) {
			changes = append(changes, &record.Change{
				ID: id, Event: event, Timestamp: time.Unix(int64(1e9-i), 0), Type: typ, Slug: slug, Name: name,
				Fields: []record.FieldChange{
					{Field: field, Old: []byte(before), New: jsonenc.AppendString(nil, after)},
					{Field: "description", Old: jsonenc.AppendString(nil, before), New: []byte(after)},
					{Field: "name", Old: []byte("null"), New: jsonenc.AppendString(nil, name)},
				},
				Commit: commit, Author: author, PullRequest: len(id),
			})
		}
		doc := &feed.Feed{Title: title, Description: name, Base: base, Self: base, First: author, Next: after, Changes: changes,
			Words: feed.Words{Kinds: kinds.Default(), Categories: map[string]string{after: before}}}
		mover := record.Mover{Type: typ, Slug: slug, Name: name}
		doc.Weeks = []*record.Week{{ID: id, End: time.Unix(1e9-100, 0), Scores: []record.ScoreMove{{Mover: mover, Previous: record.ScoreOf(1)}},
			Figures: []record.FigureMove{{Mover: mover, Signal: field, Value: float64(len(id))}}}}
		compare(t, doc, len(changes)+1)
		if want := visible(name); want != "" && utf8.RuneCountInString(want) <= 100 {
			created := readJSON(t, write(t, doc, "json")).Items[1]
			suite.Equal(t, created.Title, want+" was added")
			suite.Equal(t, created.ID, "urn:kindex:change:"+url.PathEscape(id), id)
		}
	})
}

// compare reads a feed in all formats and compares the results.
func compare(t *testing.T, f *feed.Feed, items int) {
	t.Helper()
	rss, atom, js := readRSS(t, write(t, f, "rss")), readAtom(t, write(t, f, "atom")), readJSON(t, write(t, f, "json"))
	if len(rss.Channel.Items) != items || len(atom.Entries) != items || len(js.Items) != items {
		t.Fatalf("%d, %d and %d items, want %d", len(rss.Channel.Items), len(atom.Entries), len(js.Items), items)
	}
	if rss.Channel.Title != js.Title || atom.Title != js.Title {
		t.Errorf("titles %q, %q and %q", rss.Channel.Title, atom.Title, js.Title)
	}
	for i, want := range js.Items {
		r, a := rss.Channel.Items[i], atom.Entries[i]
		author := ""
		if len(want.Authors) > 0 {
			author = want.Authors[0].Name
		}
		if r.Title != want.Title || r.GUID != want.ID || r.Description != want.Content || r.Creator != author {
			t.Errorf("RSS has\n%+v\nJSON Feed\n%+v", r, want)
		}
		if a.Title != want.Title || a.ID != want.ID || a.Content != want.Content || a.Author != author {
			t.Errorf("Atom has\n%+v\nJSON Feed\n%+v", a, want)
		}
		checkHTML(t, want.Content)
	}
}

// checkHTML reads the content of an item, which is also XML, and checks that it
// contains only the layout's elements and web addresses.
func checkHTML(t *testing.T, html string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader([]byte("<body>" + html + "</body>")))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.RawToken()
		if err != nil {
			suite.Equal(t, err.Error(), "EOF", err, html)
			return
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "body", "p", "ul", "li":
			if len(start.Attr) > 0 {
				t.Errorf("an attribute of %s in %s", start.Name.Local, html)
			}
		case "a":
			if len(start.Attr) != 1 || start.Attr[0].Name.Local != "href" || !strings.HasPrefix(start.Attr[0].Value, "http") {
				t.Errorf("a link with %v in %s", start.Attr, html)
			}
		default:
			t.Errorf("an element %s in %s", start.Name.Local, html)
		}
	}
}
