package pages

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/score"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// addresses are the links of an entity in the order of exports.LinkNames, with its own
// address unless one of them is the same, and the one that tells of its end.
func addresses(e *record.Entity) (list []link, ended *link) {
	own := record.NormalizeURL(e.URL)
	for _, wanted := range record.LinkNames {
		i := slices.IndexFunc(e.Links, func(l record.Link) bool { return l.Name == wanted })
		if i < 0 || textfmt.WebURL(e.Links[i].URL) == "" {
			continue
		}
		l := link{linkTitle(wanted), textfmt.WebURL(e.Links[i].URL)}
		if wanted == "deprecation" {
			ended = &l
			continue
		}
		if record.NormalizeURL(e.Links[i].URL) == own {
			own = ""
		}
		list = append(list, l)
	}
	if to := textfmt.WebURL(e.URL); to != "" && own != "" {
		list = slices.Insert(list, 0, link{"Website", to})
	}
	return list, ended
}

// linkTitle is what people call a link.
func linkTitle(of string) string {
	switch of {
	case "homepage":
		return "Website"
	case "modelCard":
		return "Model card"
	}
	return textfmt.Capitalize(of)
}

// facts are the main facts, those that are not known left out.
func (s *Site) facts(e *record.Entity) []fact {
	list := []fact{
		{Name: "Provider", Value: e.Provider},
		{Name: "Category", Value: s.categoryTitle(e.Category)},
		{Name: "Version", Value: e.Version},
		{Name: "Pricing", Value: textfmt.Label(e.PricingModel)},
		{Name: "Licence", Value: e.License, Out: licenseText(e.License)},
		{Name: "In the index since", Value: textfmt.Day(e.AddedDate), Date: textfmt.ISODay(e.AddedDate)},
		{Name: "Last updated", Value: textfmt.Day(e.LastUpdated), Date: textfmt.ISODay(e.LastUpdated)},
	}
	if e.Provider != "" && s.Build.Bitmap(byProvider.Field, e.Provider) != nil {
		list[0].To = siteurl.Provider(e.Provider)
	}
	if s.titles[e.Category] != "" {
		list[1].To = "/categories/" + e.Category + "/"
	}
	return slices.DeleteFunc(list, func(f fact) bool { return safetext.OneLine(f.Value) == "" })
}

// licenseID is one identifier of SPDX's list, as far as its letters tell: content
// has no others, but may have expressions of several and references to own texts.
var licenseID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,60}$`)

// licenseText is where a licence can be read, "" for what is not one identifier.
func licenseText(id string) string {
	if !licenseID.MatchString(id) || strings.HasPrefix(id, "LicenseRef-") {
		return ""
	}
	return "https://spdx.org/licenses/" + id + ".html"
}

// licenseTexts are where the licences of an expression can be read that hold all at
// once, nil where one of them is not such an identifier, or one may choose.
func licenseTexts(expression string) []string {
	var texts []string
	for id := range strings.SplitSeq(expression, " AND ") {
		text := licenseText(id)
		if text == "" {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

// figure is one observation, and what became of it in the score.
type figure struct {
	Name    string
	Unit    string
	Value   string
	Date    string // when it was observed
	Address string // where it was read, "" where that is no address of the web
	Source  string // its host, or what stands in its place
	Counts  string // the score that it counts in, "" for none
	Why     string // why it does not count where a score would take it
}

// figures are the signals and the results of benchmarks.
func figures(e *record.Entity, x *score.Explanation) (signals, results []figure) {
	for _, f := range e.Signals.Facts {
		g := figure{Name: textfmt.Label(f.Name), Value: textfmt.Day(f.Day), Date: textfmt.ISODay(f.Date)}
		if f.Day == "" {
			g.Value = textfmt.Count(f.Number)
		}
		if t, ok := record.SignalType(f.Name); ok && t.Kind != record.Day {
			g.Unit = t.Unit
		}
		g.from(f.Source)
		g.addContribution(x, func(m *score.MeasureValue) bool { return m.Measure.Signal == f.Name })
		signals = append(signals, g)
	}
	for _, b := range e.Signals.Benchmarks[:min(entityResults, len(e.Signals.Benchmarks))] {
		g := figure{Name: b.Name, Value: textfmt.Count(b.Value), Date: textfmt.ISODay(b.Date)}
		g.from(b.Source)
		g.addContribution(x, func(m *score.MeasureValue) bool {
			value, isNumber := m.Value.(float64)
			return m.Result != nil && *m.Result == b.Name && isNumber && value == b.Value && orEmpty(m.Date) == b.Date && orEmpty(m.Source) == b.Source
		})
		results = append(results, g)
	}
	return signals, results
}

// from notes where a figure was read.
func (g *figure) from(source string) {
	g.Address = textfmt.WebURL(source)
	g.Source = textfmt.Host(source)
	if g.Address == "" || g.Source == "" {
		g.Source = textfmt.Name(source)
	}
}

// addContribution notes what became of the figure in the score.
func (g *figure) addContribution(x *score.Explanation, is func(*score.MeasureValue) bool) {
	for i := range x.Dimensions {
		p := &x.Dimensions[i]
		for j := range p.Measures {
			m := &p.Measures[j]
			switch {
			case !is(m):
			case m.State == score.Counted && p.Value != nil:
				g.Counts = p.Name
			case m.State == score.Counted:
				g.Why = "too little else is known of " + p.Name
			case m.State == score.Stale:
				g.Why = "too old to count"
			case m.State == score.Future:
				g.Why = "of a later day"
			}
		}
	}
}

// source is the file that an entity is written in.
type source struct {
	File    string // path within the repository
	Edit    string // address of an editor for it, "" for none
	View    string
	Forge   string // the host of the editor, where the editor is all there is to suggest a change by
	Suggest string // address of the form, "" for none
	How     string // path of the page that says how changes are made, where there is no form
	Updated string // the day of its last change
}

func (s *Site) sourceOf(e *record.Entity) source {
	file := e.Type + "/" + e.Slug + ".yaml"
	repository := s.Build.Manifest.Repository
	c := source{File: "content/" + file, Edit: textfmt.WebURL(repository.Edit(file)), View: textfmt.WebURL(repository.View(file)), Updated: textfmt.ISODay(e.LastUpdated)}
	if repository != nil && repository.Path != "" {
		c.File = repository.Path + "/" + file
	}
	switch form := siteurl.Submit + "?" + singleQuery("e", e.Key()); {
	case s.served() && s.Static:
		c.Suggest = s.api(form)
	case s.served():
		c.Suggest = s.to(form)
	default:
		c.How, c.Forge = siteurl.Submit, textfmt.Host(c.Edit)
	}
	return c
}

// singleQuery is a query of one parameter.
func singleQuery(key, value string) string { return url.Values{key: {value}}.Encode() }

// link is a page here, or one elsewhere that web has let pass.
type link struct{ Name, To string }

// fact is one line of what is known.
type fact struct {
	Name, Value string
	To          string // path, "" for none
	Out         string // address elsewhere, "" for none
	Date        string // Value in the form of ISO 8601 where it is a date
}
