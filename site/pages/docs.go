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

type guidePage struct {
	mdrender.Guide
	Name string        // the last part of its path
	For  string        // for whom it is
	Body template.HTML // of a page: the guide without its title

	file string // in the project
}

// Path returns the path of the page.
func (g *guidePage) Path() string { return guidePath(g.Name) }

func guidePath(name string) string { return "/docs/" + name + "/" }

// guideAddress is the service in the examples of the guides. Guides whose readers call a service show
// them with the address of the service that shows the guide.
const guideAddress = "http://127.0.0.1:8080"

// guidesOfOperators are about the machine of the service, on which it listens at guideAddress.
var guidesOfOperators = []string{"deploying", "operating", "releases", "scaling"}

// guideRow matches a row of the table of guides: the name of a client or of a guide, and for whom it is.
var guideRow = regexp.MustCompile(`(?m)^\| \[[^]]*\]\((?:\.\./sdk/(\w+)/README|([\w-]+))\.md\) \| (.*) \|$`)

// renderGuides renders the guides in the order of their README. It is called once for each build.
func (s *Site) renderGuides() (list []*guidePage, err error) {
	index, err := docs.Files.ReadFile("README.md")
	for _, row := range guideRow.FindAllStringSubmatch(string(index), -1) {
		g := &guidePage{Name: row[1] + row[2], For: strings.ReplaceAll(row[3], "`", ""), file: guidesFolder + "/" + row[2] + ".md"}
		if row[1] != "" {
			g.file = "site/sdk/" + row[1] + "/README.md"
		}
		list = append(list, g)
	}
	for _, g := range list {
		text, err := docs.Files.ReadFile(g.Name + ".md")
		if !strings.HasPrefix(g.file, guidesFolder) {
			text, err = sdk.Readme(g.Name)
		}
		if err != nil {
			return nil, err
		}
		rendered, err := mdrender.Render(text, func(address string) string { return s.guideLink(path.Dir(g.file), address, list) })
		if err != nil {
			return nil, fmt.Errorf("guide %s: %w", g.file, err)
		}
		g.Guide = *rendered
	}
	return list, err
}

// guideLink returns the page that a link in a guide leads to, or "" if there is none:
// project files that are not pages are not linked.
func (s *Site) guideLink(folder, address string, guides []*guidePage) string {
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
	if g := first(guides, func(g *guidePage) bool { return g.file == file }); g != nil {
		return s.to(g.Path()) + anchor
	}
	if within, ok := strings.CutPrefix(file, "content/"); ok {
		if page := textfmt.WebURL(s.Build.Manifest.Repository.View(within)); page != "" {
			return page + anchor
		}
	}
	return ""
}

func (r *request) docs() (*page, error) {
	all, err := r.guides()
	fields := textfmt.WebURL(r.Build.Manifest.Repository.View("README.md")) // URL of the documentation of the content files, or ""
	return &page{Template: "docs", Title: "Docs", Data: map[string]any{"Guides": all, "Fields": fields, "Schema": "/data/" + r.Build.Manifest.ID + "/entity.schema.json"},
		Description: "The API reference, the guides, and how scores are calculated."}, err
}

// guide renders a guide. Its examples use the service that shows it, if that is known.
func (r *request) guide() (*page, error) {
	all, err := r.guides()
	if err != nil {
		return nil, err
	}
	name, titles := r.args["guide"], map[string]string{"scoring": "How scores are calculated"}
	for _, g := range all {
		titles[g.Name] = g.Title
	}
	g := first(all, func(g *guidePage) bool { return g.Name == name })
	if g == nil {
		return r.missing("Guide not found", "", near(name, slices.Sorted(maps.Keys(titles)), func(n string) link {
			return link{Name: titles[n], To: guidePath(n)}
		})...), nil
	}
	shown, base := *g, map[bool]string{false: r.Base, true: r.API}[r.Static]
	if base != "" && !slices.Contains(guidesOfOperators, name) {
		shown.Lead = strings.ReplaceAll(shown.Lead, guideAddress, base)
		shown.HTML = strings.NewReplacer(guideAddress, html.EscapeString(base), "https://index.example.org", html.EscapeString(base)).Replace(shown.HTML)
	}
	shown.Body = template.HTML(shown.HTML) //nolint:gosec // package mdrender drops HTML in the text
	return &page{Template: "guide", Title: shown.Title, Description: shown.Lead, Data: &shown, Scripts: []string{"code.js"}}, nil
}

// APIDocsPath is the path of the API reference; the paths of its files start with it.
// Only an edge has it.
const APIDocsPath = "/docs/api"

// Operation is an operation of the API.
type Operation struct {
	Method, Path, Summary string
}

// APIDocs renders the API reference: Swagger UI for the description at /api/openapi, and
// a list of the operations for browsers without JavaScript. Only an edge has it.
func (s *Site) APIDocs(q Request, operations []Operation) (*Answer, error) {
	r := &request{Site: s, Request: q}
	files := map[string]string{}
	for file, name := range site.APIDocsFiles() {
		files[file] = s.to(APIDocsPath + "/" + name)
	}
	return r.render(&page{Template: "apidocs", Title: "API reference", Sheet: layeredSheet, Data: map[string]any{"Files": files, "Operations": operations},
		Description: "Every operation of the " + s.Build.Manifest.Title + " API, with a console for trying it out."})
}

// scoringPage explains the scoring formula of the build.
type scoringPage struct {
	*score.Formula
	Site *Site
}

func (r *request) scoring() (*page, error) {
	return &page{Template: "scoring", Title: "How scores are calculated", Data: &scoringPage{r.Formula, r.Site},
		Description: "The formula behind every score: the dimensions, weights and figures of this build."}, nil
}

// weighted is a dimension of a type or a measure of a dimension, with its share of their weights.
type weighted struct {
	Name      string
	Dimension *score.Dimension
	Measure   score.Measure
	Weight    float64
	Share     string
}

// shared fills in the shares.
func shared(list []weighted) []weighted {
	all := math.SmallestNonzeroFloat64
	for _, w := range list {
		all += w.Weight
	}
	for i, w := range list {
		list[i].Share = textfmt.Percent(w.Weight / all)
	}
	return list
}

// Dimensions returns the dimensions of a type, those with the most weight first.
func (*scoringPage) Dimensions(f *score.TypeFormula) (list []weighted) {
	for _, name := range score.DimensionNames {
		if d := f.Dimensions[name]; d != nil {
			list = append(list, weighted{Name: name, Dimension: d, Weight: d.Weight})
		}
	}
	slices.SortStableFunc(list, func(a, b weighted) int { return cmp.Compare(b.Weight, a.Weight) })
	return shared(list)
}

// Measures returns the measures of a dimension.
func (d *scoringPage) Measures(of *score.Dimension) []weighted {
	return shared(each(of.Measures, func(m score.Measure) weighted {
		return weighted{Name: measureName(&m, d.Site.label), Measure: m, Weight: m.Weight}
	}))
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
		return "the sum of " + strings.ReplaceAll(measureName(&m, d.Site.label), " + ", " and ") + " or, without any of them, as stated"
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
	"adoption":   "How widely it is used.",
	"quality":    "How well it performs.",
	"freshness":  "How recently it changed: the value fades with age.",
	"citations":  "How much other work builds on it.",
	"engagement": "How many people work on it or with it.",
}

// meaning describes a dimension, unless the kind gives it a title, and so a meaning, of its own.
func (s *Site) meaning(kind, dimension string) string {
	if k := s.kinds().Kind(kind); k != nil && k.Dimensions[dimension] != "" {
		return ""
	}
	return dimensionMeanings[dimension]
}

// scores returns the scores that the formula of the build calculates for entities of the
// given types, starting with the composite. Pages leave out dimensions that the formula
// does not have.
func (s *Site) scores(types ...string) []string {
	return slices.DeleteFunc(slices.Clone(record.ScoreNames), func(name string) bool {
		return name != "composite" && !slices.ContainsFunc(types, func(t string) bool {
			f := s.Formula.Types[t]
			return f != nil && f.Dimensions[name] != nil
		})
	})
}
