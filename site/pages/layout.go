package pages

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"kindex/exports"
	"kindex/exports/feed"
	"kindex/exports/kinds"
	"kindex/exports/safetext"
	"kindex/site/chart"
	"kindex/site/panel"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

//go:embed templates
var templateFiles embed.FS

// frame is the data for the layout template.
type frame struct {
	*request
	*page
}

func (r *request) render(p *page) (*Answer, error) {
	if p.Template == "" {
		return &p.Answer, nil
	}
	var b bytes.Buffer
	if err := r.templates[p.Template].ExecuteTemplate(&b, "layout", frame{r, p}); err != nil {
		return nil, err
	}
	return &Answer{Status: cmp.Or(p.Status, http.StatusOK), MediaType: htmlType, Body: b.Bytes(), Gone: p.Gone}, nil
}

// Abs returns the absolute URL of a path, or "" if the site's URL is unknown.
func (r *request) Abs(path string) string {
	if r.Base == "" {
		return ""
	}
	return r.Base + strings.TrimPrefix(r.to(path), strings.TrimSuffix(r.to("/"), "/"))
}

// Turned returns the page number in a paged list, or "" for the first page. It is used to
// make the titles of the pages distinct.
func (f frame) Turned() string { return cmp.Or(f.choices["page"], f.choices["part"]) }

// In reports whether the page belongs to a section of the navigation.
func (f frame) In(section string) bool {
	at := cmp.Or(f.Section, f.Path)
	return at == section || strings.HasPrefix(at, section) && section != "/"
}

// maxKinds is the number of kinds that the navigation names.
const maxKinds = 4

// ranks reports whether the formula ranks any kind.
func (s *Site) ranks() bool { return len(s.Formula.Types) > 0 }

// Lists returns the first links of the navigation: the lists of the largest kinds, and what crosses
// kinds.
func (f frame) Lists() (list []option) {
	add := func(name, path string) { list = append(list, option{Name: name, To: path, Chosen: f.In(path)}) }
	for _, t := range f.largest()[:min(maxKinds, len(f.largest()))] {
		add(f.plurals(t), f.kindPath(t))
	}
	if f.kinds().HasBlock(kinds.Offers) && len(f.Build.Offers().Providers()) > 0 {
		add("Prices", pricesPath)
	}
	if f.ranks() {
		add("Boards", boardsPath)
	}
	add("Changes", "/changes/")
	add("Compare", "/compare/")
	return list
}

// Others returns links to the lists of the other kinds.
func (f frame) Others() []option {
	return each(f.largest()[min(maxKinds, len(f.largest())):], func(t string) option {
		return option{Name: f.plurals(t), To: f.kindPath(t), Chosen: f.In(f.kindPath(t))}
	})
}

// largest returns the kinds, those with most entities first.
func (s *Site) largest() []string {
	count := func(t string) int { return int(s.Build.Bitmap("type", t).GetCardinality()) }
	return slices.SortedStableFunc(slices.Values(s.types()), func(a, b string) int { return count(b) - count(a) })
}

// label returns the display name of a field, a score, a signal or one of their values.
func (s *Site) label(name string) string { return textfmt.Label(s.kinds(), name) }

// scoreLabel returns the display name of a score of a kind: its own title, if it declares one.
func (s *Site) scoreLabel(kind, name string) string {
	if k := s.kinds().Kind(kind); k != nil && k.Dimensions[name] != "" {
		return textfmt.Name(k.Dimensions[name])
	}
	return s.label(name)
}

// functions returns the template functions. Every string from an entity must pass through
// name, line or text.
func (s *Site) functions() template.FuncMap {
	return template.FuncMap{
		"to":        s.to,
		"api":       s.api,
		"served":    s.served,
		"policy":    func() string { return Policy },
		"static":    func() bool { return s.Static },
		"asset":     s.asset,
		"category":  func(slug string) string { return textfmt.Name(s.categoryTitle(slug)) },
		"entity":    siteurl.Entity,
		"name":      textfmt.Name,
		"line":      func(t string) string { return textfmt.Truncate(safetext.OneLine(t), textfmt.MaxLineLen) },
		"text":      func(t string) string { return textfmt.Truncate(safetext.OneLine(t), textfmt.MaxTextLen) },
		"web":       textfmt.WebURL,
		"count":     textfmt.Count,
		"day":       textfmt.Day,
		"moment":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"on":        func(t time.Time) string { return textfmt.Day(t.UTC().Format(time.DateOnly)) },
		"bar":       chart.Bar,
		"plural":    textfmt.Plural,
		"percent":   percent,
		"share":     textfmt.Percent,
		"bytes":     func(n int64) string { return humanize.Bytes(uint64(n)) }, //nolint:gosec // a size
		"plain":     plainValue,
		"label":     s.label,
		"reference": s.reference,
		"scored":    s.scoreLabel,
		"delta":     deltaOf,
		"meaning":   s.meaning,
		"sourced":   func() string { return s.news().Sourced },
		"add":       func(a, b int) int { return a + b },
		"upper":     textfmt.Capitalize,
		"formula":   func() string { return s.to("/data/" + s.Build.Manifest.ID + "/" + exports.ScoringFile) },
		"boards":    func() string { return boardsPath },
		"kind":      s.kindPath,
		"plurals":   s.plural,
		"kindname":  func(name string) string { return s.kind(name).Title },
		"counted":   s.counted,
		"figures":   newFigureTable,
		"told":      s.changeSummary,
		"snippet":   func(name, text string) snippet { return snippet{name, text} },
	}
}

// Panel renders a page of the panel. The response may contain secrets and must not be
// cached.
func (s *Site) Panel(q Request, v *panel.Page) (*Answer, error) {
	p := &page{Template: "panel-" + v.Template, Title: v.Title, Description: v.Description, Member: v.Member, Data: v.Data, NoIndex: true, Section: "/developer/",
		Answer: Answer{Status: cmp.Or(v.Status, http.StatusOK)}} // set explicitly: personal pages have no canonical URL
	if v.Script {
		p.Scripts = []string{"panel.js"}
	}
	return (&request{Site: s, Request: q}).render(p)
}

// developer explains to visitors who are not signed in what an API key is for and how to get
// one.
func (r *request) developer() (*page, error) {
	text := map[bool]string{true: "What an API key gets you: more requests, webhooks and submissions.", false: "All data is in plain files; no key is needed."}
	return &page{Template: "developer", Title: "For developers", Description: text[r.served()]}, nil
}

// Feeds returns the page's feeds, with their formats. Static sites have feeds of all changes and of single
// entities; other feeds need the API.
func (f frame) Feeds() (list []link) {
	names, ends := []string{"RSS", "Atom", "JSON Feed"}, []string{".xml", ".atom", ".json"}
	if key, ok := strings.CutPrefix(f.Feed, entityFeed); ok && !f.served() {
		return []link{{names[0], f.to("/" + key + "/" + feedFile), feed.Formats[0]}}
	}
	for i, format := range feed.Formats {
		to := f.to("/" + exports.FeedFile + ends[i])
		if !f.Static || f.API != "" && f.Feed != "" {
			query := f.Feed
			if i > 0 {
				query = strings.TrimPrefix(query+"&format="+format, "&")
			}
			to = f.api(strings.TrimSuffix("/api/feed?"+query, "?"))
		}
		list = append(list, link{names[i], to, format})
	}
	return list
}

// Calendar returns the address of the calendar of releases and retirements, narrowed down to the
// same entities as the feeds, or "" if there is no API.
func (f frame) Calendar() string {
	if !f.served() {
		return ""
	}
	query, _ := url.ParseQuery(f.Feed) // is valid
	query.Del("figures")               // it has none
	return f.api(strings.TrimSuffix("/api/calendar?"+query.Encode(), "?"))
}

// entityFeed begins the query of the feed of an entity.
const entityFeed = "entity="
