package pages

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/site"
	"kindex/site/docs"
	"kindex/site/mdrender"
	"kindex/site/sdk"
	"kindex/site/textfmt"
)

// guidesFolder is the folder in the project that contains the guides, for resolving links
// between them.
const guidesFolder = "site/docs"

// fieldsFile documents the content files. Every index has its own.
const fieldsFile = "content/README.md"

// guidePage is a guide rendered as a page.
type guidePage struct {
	*mdrender.Guide
	Path string
}

// guideAddress is the service in the examples of the guides. Guides whose readers call a service show
// them with the address of the service that shows the guide.
const guideAddress = "http://127.0.0.1:8080"

// guidesOfOperators are about the machine of the service, on which it listens at guideAddress.
var guidesOfOperators = []string{"deploying", "operating", "releases", "scaling"}

// shownGuide is a guide as a service shows it.
type shownGuide struct {
	*guidePage
	Lead string
	Body template.HTML // without the title
}

// shown returns a guide whose examples use the service at base, or leaves them as they are if the
// service is unknown.
func (g *guidePage) shown(base string) shownGuide {
	lead, text := g.Lead, g.HTML
	if base != "" && !slices.ContainsFunc(guidesOfOperators, func(name string) bool { return g.Path == guidePath(name) }) {
		lead = strings.ReplaceAll(lead, guideAddress, base)
		text = strings.ReplaceAll(text, guideAddress, html.EscapeString(base))
		text = strings.ReplaceAll(text, "https://index.example.org", html.EscapeString(base))
	}
	return shownGuide{g, lead, template.HTML(text)} //nolint:gosec // package mdrender drops HTML in the text
}

// docsPage lists the documentation.
type docsPage struct {
	Guides []guideCard
	Fields string // URL of the documentation of the content files, or "" if unknown
	Schema string // path
}

// guideCard links to a guide.
type guideCard struct{ To, Title, For string }

// guideFiles maps the last part of a guide's URL to its path in the project.
func guideFiles() (map[string]string, error) {
	m := map[string]string{sdk.TypeScript: "site/sdk/typescript/README.md", sdk.Python: "site/sdk/python/README.md"}
	files, err := docs.Files.ReadDir(".")
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".md"); name != "README" {
			m[name] = guidesFolder + "/" + f.Name()
		}
	}
	return m, err
}

func guideText(name string) ([]byte, error) {
	if name == sdk.TypeScript || name == sdk.Python {
		return sdk.Readme(name)
	}
	return docs.Files.ReadFile(name + ".md")
}

func guidePath(name string) string { return "/docs/" + name + "/" }

// renderGuides renders the guides. It is called once for each build.
func (s *Site) renderGuides() (map[string]*guidePage, error) {
	files, err := guideFiles()
	if err != nil {
		return nil, err
	}
	m := map[string]*guidePage{}
	for name, file := range files {
		text, err := guideText(name)
		if err != nil {
			return nil, err
		}
		g, err := mdrender.Render(text, func(address string) string { return s.guideLink(path.Dir(file), address, files) })
		if err != nil {
			return nil, fmt.Errorf("guide %s: %w", file, err)
		}
		m[name] = &guidePage{g, guidePath(name)}
	}
	return m, nil
}

// guideLink returns the page that a link in a guide leads to, or "" if there is none:
// project files that are not pages are not linked.
func (s *Site) guideLink(folder, address string, files map[string]string) string {
	to, anchor, _ := strings.Cut(address, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	if to == "" {
		return anchor
	}
	if strings.Contains(to, ":") {
		return textfmt.WebURL(address)
	}
	file := path.Join(folder, to)
	if file == guidesFolder+"/README.md" {
		return s.to("/docs/") + anchor
	}
	for name, f := range files {
		if f == file {
			return s.to(guidePath(name)) + anchor
		}
	}
	if within, ok := strings.CutPrefix(file, "content/"); ok {
		if page := textfmt.WebURL(s.Build.Manifest.Repository.View(within)); page != "" {
			return page + anchor
		}
	}
	return ""
}

// guideRow matches a row of the table of guides.
var guideRow = regexp.MustCompile(`(?m)^\| \[[^]]*\]\(([^)]*)\) \| (.*) \|$`)

// docs lists the guides in the same order as their README.
func (r *request) docs() (*page, error) {
	all, err := r.guides()
	if err != nil {
		return nil, err
	}
	text, err := docs.Files.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	d := &docsPage{Schema: "/data/" + r.Build.Manifest.ID + "/entity.schema.json"}
	files, err := guideFiles()
	if err != nil {
		return nil, err
	}
	for _, row := range guideRow.FindAllStringSubmatch(string(text), -1) { // its file, and for whom it is
		for name, file := range files {
			if g := all[name]; file == path.Join(guidesFolder, row[1]) {
				d.Guides = append(d.Guides, guideCard{g.Path, g.Title, strings.ReplaceAll(row[2], "`", "")})
			}
		}
	}
	if len(d.Guides) != len(all) {
		return nil, fmt.Errorf("%s/README.md lists %d of %d guides", guidesFolder, len(d.Guides), len(all))
	}
	d.Fields = textfmt.WebURL(r.Build.Manifest.Repository.View(path.Base(fieldsFile)))
	return &page{Template: "docs", Title: "Docs", Data: d, Description: "The API reference, the guides, and how scores are calculated."}, nil
}

// guide renders a guide.
func (r *request) guide() (*page, error) {
	all, err := r.Site.guides()
	if err != nil {
		return nil, err
	}
	name := r.arg("guide")
	g, ok := all[name]
	if !ok {
		return r.missing("Guide not found", "", near(name, append(slices.Sorted(maps.Keys(all)), "scoring"), func(n string) link {
			if g := all[n]; g != nil {
				return link{Name: g.Title, To: g.Path}
			}
			return link{Name: "How scores are calculated", To: guidePath(n)}
		})...), nil
	}
	base := r.Base
	if r.Static {
		base = r.API
	}
	shown := g.shown(base)
	return &page{Template: "guide", Title: g.Title, Description: shown.Lead, Data: shown, Scripts: []string{"code.js"}}, nil
}

// APIDocsPath is the path of the API reference; the paths of its files start with it.
// Only an edge has it.
const APIDocsPath = "/docs/api"

// Operation is an operation of the API.
type Operation struct {
	Method, Path, Summary string
}

// apiPage is the API reference.
type apiPage struct {
	Files      map[string]string // paths of the page's files, by name
	Operations []Operation       // listed for browsers without JavaScript
}

// APIDocs renders the API reference: Swagger UI for the description at /api/openapi, and
// a list of the operations for browsers without JavaScript. Only an edge has it.
func (s *Site) APIDocs(q Request, operations []Operation) (*Answer, error) {
	r := &request{Site: s, Request: q}
	files := map[string]string{}
	for file, name := range site.APIDocsFiles() {
		files[file] = s.to(APIDocsPath + "/" + name)
	}
	return r.render(&page{Template: "apidocs", Title: "API reference", Sheet: layeredSheet, Data: &apiPage{files, operations},
		Description: "Every operation of the " + s.Build.Manifest.Title + " API, with a console for trying it out."})
}

// scoringPage explains the scoring formula of the build.
type scoringPage struct {
	*score.Formula
	Site *Site
	AsOf string
	Cap  string // maximum score of a deprecated entity, or "" if there is no cap
	File string // path of the formula as JSON
}

// scoring shows the formula that the scores of the build were calculated with.
func (r *request) scoring() (*page, error) {
	d := &scoringPage{Formula: r.Formula, Site: r.Site, AsOf: r.Build.Manifest.AsOf, File: "/data/" + r.Build.Manifest.ID + "/" + exports.ScoringFile}
	if c := r.Formula.DeprecatedCap; c != nil {
		d.Cap = textfmt.Count(*c)
	}
	return &page{Template: "scoring", Title: "How scores are calculated", Data: d,
		Description: "The formula behind every score: the dimensions, weights and figures of this build."}, nil
}

// weighted is a dimension of a type or a measure of a dimension, with its share of their weights.
type weighted struct {
	Name      string
	Dimension *score.Dimension
	Measure   score.Measure
	Weight    float64
	all       float64
}

// Share returns the part of the weights as a percentage.
func (w weighted) Share() string {
	return textfmt.Percent(w.Weight / max(w.all, math.SmallestNonzeroFloat64))
}

// Dimensions returns the dimensions of a type, those with the most weight first.
func (*scoringPage) Dimensions(f *score.TypeFormula) (list []weighted) {
	var all float64
	for _, name := range score.DimensionNames {
		if d := f.Dimensions[name]; d != nil {
			list, all = append(list, weighted{Name: name, Dimension: d, Weight: d.Weight}), all+d.Weight
		}
	}
	for i := range list {
		list[i].all = all
	}
	slices.SortStableFunc(list, func(a, b weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	return list
}

// Measures returns the measures of a dimension.
func (d *scoringPage) Measures(of *score.Dimension) (list []weighted) {
	var all float64
	for _, m := range of.Measures {
		all += m.Weight
	}
	for _, m := range of.Measures {
		list = append(list, weighted{Name: cmp.Or(m.Benchmark, d.Site.signalLabel(&m)), Measure: m, Weight: m.Weight, all: all})
	}
	return list
}

// Stale reports whether a measure of a dimension has an age limit.
func (*scoringPage) Stale(of *score.Dimension) bool {
	return slices.ContainsFunc(of.Measures, func(m score.Measure) bool { return m.StaleAfter > 0 })
}

// Note returns what a measure is besides its name.
func (d *scoringPage) Note(m score.Measure) string {
	switch {
	case m.Benchmark != "" && m.Variants:
		return "benchmark, variants included"
	case m.Benchmark != "":
		return "benchmark"
	case m.Signal != "" && len(m.Sum) > 0:
		m.Signal = ""
		return "the sum of " + strings.ReplaceAll(d.Site.signalLabel(&m), " + ", " and ") + " or, without any of them, as stated"
	}
	return ""
}

// How returns what a measure earns.
func (*scoringPage) How(m score.Measure) string {
	how := textfmt.Capitalize(mapping(&m))
	if m.Map == "log" {
		how += ", by 100 · ln(1 + x) / ln(1 + " + textfmt.Count(m.Full) + ")"
	}
	return how
}

// dimensionMeanings describes, in one sentence each, what the dimensions measure in any
// formula.
var dimensionMeanings = map[string]string{
	"adoption":   "How widely it is used, judged by counts such as stars, downloads or likes.",
	"quality":    "How well it performs, judged by published benchmark results.",
	"freshness":  "How recent its latest commit and release are: the value fades as they age.",
	"citations":  "How much other work builds on it, judged by dependents and citations.",
	"engagement": "How many people work on it or with its code, judged by contributors and forks.",
}

// scores returns the scores that the formula of the build calculates for entities of the
// given types, starting with the composite. Pages leave out dimensions that the formula
// does not have.
func (s *Site) scores(types ...string) []string {
	if s.Formula == nil {
		return record.ScoreNames
	}
	return slices.DeleteFunc(slices.Clone(record.ScoreNames), func(name string) bool {
		return name != "composite" && !slices.ContainsFunc(types, func(t string) bool {
			f := s.Formula.Types[t]
			return f != nil && f.Dimensions[name] != nil
		})
	})
}

// daysLong formats a number of days, also in years if it is whole years.
func daysLong(days float64) string {
	text := textfmt.Count(days) + " days"
	if days == 1 {
		text = "day"
	}
	if years := days / 365; days >= 365 && years == math.Trunc(years) {
		return text + " (" + textfmt.Plural(int(years), "year", "years") + ")"
	}
	return text
}
