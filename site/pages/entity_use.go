package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"kindex/exports"
	"kindex/exports/record"
)

// alike is an entity that is like the one of the page.
type alike struct {
	row
	Reasons []string
	Compare string // path of a comparison of the two
}

func (s *Site) alike(d *entityPage, o uint32) ([]alike, error) {
	var list []alike
	near := s.Build.Similar(o)
	for _, n := range near[:min(entityNear, len(near))] {
		e, err := s.Build.Entity(n.Ordinal)
		if err != nil {
			return nil, err
		}
		a := alike{row: row{Entity: e}, Compare: "/compare/?" + queryOf("e", d.Key()) + "&" + queryOf("e", e.Key()), Reasons: s.reasons(n)}
		list = append(list, a)
	}
	return list, nil
}

// use is how an entity is used elsewhere.
type use struct {
	Badge    string // address of the picture
	Markdown string // that shows the badge, "" where its whole address is not known
	HTML     string
	Cite     string
	BibTeX   string
	JSON     string // addresses of the entity in other forms
	Text     string
	Score    string // "" where there is none
	Changes  string
	RSS      string
	Atom     string // "" where there is RSS alone
	FeedJSON string
	Hosted   bool // the badge is on this site, so that a page may show it
}

// snippet is a text to copy.
type snippet struct{ Name, Text string }

// formulaAddress is where the formula of the build is.
func (s *Site) formulaAddress() string {
	return s.to("/data/" + s.Build.Manifest.ID + "/" + exports.ScoringFile)
}

func (r *request) use(d *entityPage) *use {
	u := &use{JSON: r.to(d.Now + "entity.json"), Text: r.to(d.Now + "entity.md"), Changes: r.to(d.Now + "history.json")}
	here := r.absolute(d.Now)
	u.RSS = r.to(d.Now + feedFile)
	u.Badge, u.Hosted = r.to(d.Now+badgeFile), true
	badge := r.absolute(d.Now + badgeFile)
	if r.served() {
		authored := r.api("/api/entity/" + d.Key())
		u.JSON, u.Text, u.Score, u.Changes = authored, authored+".md", authored+"/score", authored+"/changelog"
		feed := entityFeedPath(d.Type, d.Slug)
		u.RSS, u.Atom, u.FeedJSON = r.api(feed), r.api(feedIn(feed, "atom")), r.api(feedIn(feed, "json"))
		path := "/badge/" + d.Key() + ".svg"
		u.Badge, u.Hosted = r.api(path), r.API == ""
		badge = cmp.Or(r.API, r.Base) + path
	}
	if badge != "" {
		u.addBadge(r, badge, cmp.Or(here, d.Now))
	}
	u.cite(r, d, here)
	return u
}

// addBadge writes what shows the badge at an address, with a link to a page.
func (u *use) addBadge(r *request, address, page string) {
	title := name(r.Build.Manifest.Title) + " score"
	u.Markdown = fmt.Sprintf("[![%s](%s)](%s)", markdownText(title), address, page)
	u.HTML = fmt.Sprintf(`<a href="%s"><img src="%s" alt="%s"></a>`, html.EscapeString(page), html.EscapeString(address), html.EscapeString(title))
}

// cite writes how an entity is cited. It was looked up on the as-of day: that is the
// state which the build shows for good.
func (u *use) cite(r *request, d *entityPage, address string) {
	m := r.Build.Manifest
	what := name(d.Name)
	if d.Provider != "" && record.Fold(d.Provider) != record.Fold(d.Name) {
		what += " (" + name(d.Provider) + ")"
	}
	standing := "not ranked"
	if d.Rank > 0 {
		standing = fmt.Sprintf("score %s of 100, rank %d of %d", d.Scores.Composite, d.Rank, d.Of)
	}
	u.Cite = fmt.Sprintf("“%s”. In: %s, as of %s; %s. Build %s.", what, name(m.Title), d.AsOf, standing, m.ID)
	if address != "" {
		u.Cite += " " + address + " (accessed " + d.AsOf + ")."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@misc{%s-%s,\n", d.Type, d.Slug)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %s = {%s},\n", name, value)
		}
	}
	field("title", "{"+bibText(name(d.Name))+"}")
	field("author", braced(bibText(name(d.Provider))))
	field("howpublished", bibText(name(m.Title)))
	field("year", d.AsOf[:4])
	field("url", address)
	field("urldate", d.AsOf)
	field("note", bibText(upper(standing)+"; build "+m.ID))
	u.BibTeX = b.String() + "}"
}

func braced(s string) string {
	if s == "" {
		return ""
	}
	return "{" + s + "}"
}

// bibText escapes what means something to TeX.
func bibText(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `%`, `\%`, `&`, `\&`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
		`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`).Replace(s)
}

// markdownText escapes what would end the text of a link or not be shown as it is.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `<`, `\<`, "`", "\\`", `&`, `\&`, `*`, `\*`, `_`, `\_`).Replace(s)
}

// absolute is the absolute address of a path, "" where that of the site is not known.
func (r *request) absolute(path string) string { return frame{request: r}.Abs(path) }

// application describes the entity to search engines (schema.org/SoftwareApplication)
// with what is known. The scores are no reviews by people, so that there are none.
func (r *request) application(d *entityPage) any {
	a := map[string]any{"@context": "https://schema.org", "@type": "SoftwareApplication", "name": name(d.Name)}
	set := func(key, value string) {
		if value != "" {
			a[key] = value
		}
	}
	set("description", cut(clean(d.Description), longText))
	set("applicationCategory", name(r.categoryTitle(d.Category)))
	set("softwareVersion", name(d.Version))
	set("license", licenseText(d.License))
	set("dateModified", isoDay(d.LastUpdated))
	set("mainEntityOfPage", r.absolute(d.Now))
	if d.Provider != "" {
		a["creator"] = map[string]any{"@type": "Organization", "name": name(d.Provider)}
	}
	if len(d.Main) > 0 {
		set("url", d.Main[0].To)
	}
	var same []string
	for _, l := range d.Main[min(1, len(d.Main)):] {
		same = append(same, l.To)
	}
	if len(same) > 0 {
		a["sameAs"] = same
	}
	var words []string
	for _, t := range d.Tags {
		words = append(words, name(t.Name))
	}
	set("keywords", strings.Join(words, ", "))
	return a
}

// Entities in other forms beside their pages, for sites without an API.

func (r *request) entityChangesJSON() (*page, error) {
	return r.file("/changelog", func(o uint32) ([]byte, string, error) {
		list, changes := r.changesOf(o), []json.RawMessage{}
		for i := len(list) - 1; i >= 0; i-- {
			changes = append(changes, r.Build.Archive().ChangeLine(int(list[i])))
		}
		body, err := json.Marshal(map[string]any{"data": changes, "count": len(changes), "build": r.Build.Manifest.ID})
		return append(body, '\n'), "application/json", err
	})
}

// file answers with a file about an entity. Where there is an API, that is its place.
func (r *request) file(resource string, write func(o uint32) ([]byte, string, error)) (*page, error) {
	typ, slug := r.arg("type"), r.arg("slug")
	o, former, ok := r.Build.Find(typ, slug)
	switch {
	case !ok || former:
		return r.nothing(), nil
	case !r.Static:
		return &page{location: "/api/entity/" + typ + "/" + slug + resource}, nil
	}
	body, mediaType, err := write(o)
	if err != nil {
		return nil, err
	}
	return &page{body: body, mediaType: mediaType}, nil
}
