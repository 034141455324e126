package site

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"kindex/exports/ids"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// Page is the data for an entity's Markdown page.
type Page struct {
	Entity   *record.Entity
	Category string // the title of its category
	Base     string // the URL of the service, without a trailing slash
	// Providers are the providers of offers, and Namespace returns a namespace of
	// identifiers, or nil if it is unknown. If Namespace is nil, only the built-in
	// ones are known.
	Providers pricing.Providers
	Namespace func(name string) *ids.Namespace
	Files     bool // the links lead to a static site, which has files instead of an API
	Build     string
	AsOf      string // the day of the scores, YYYY-MM-DD
	Past      bool   // the entity is shown as of an earlier day
	Board     string // title of its own board, if it is on one
	Rank      int    // rank on that board
	Ranked    int    // number of entities on that board
	Unranked  string // why there is no composite score, or "" if there is one
	Formula   string // the version of the formula
	Scores    []Dimension

	Alternatives []Similar // do the same job; best first
	Related      []Similar // are used with the entity or are about the same subject; most similar first

	Changes []*record.Change // newest first
	Total   int              // number of all changes
}

// Dimension is the score of a dimension with its measures.
type Dimension struct {
	Name     string
	Score    record.Score
	Weight   float64 // weight within the composite
	Measures []Measure
}

// Measure is the score of one signal or benchmark.
type Measure struct {
	Name  string
	State string   // counted, missing, stale or future
	Score *float64 // 0 to 100, nil unless counted
}

// Similar is a similar entity.
type Similar struct {
	Type, Slug, Name string
	Similarity       float64 // 0 to 1
	Reasons          []string
}

// Markdown renders a page in CommonMark with GitHub's tables. All text from the entity is
// escaped.
func Markdown(p *Page) []byte {
	w := &markdown{}
	e := p.Entity
	w.line("# " + cmp.Or(text(e.Name), text(e.Slug)))
	if s := block(e.Description); s != "" {
		w.line(s)
	}
	w.facts(p)
	w.offers(p)
	w.scores(p)
	w.signals(e)
	w.similar(p, "Alternatives", p.Alternatives)
	w.similar(p, "Related", p.Related)
	w.changes(p)
	w.more(p)
	return w.Bytes()
}

// markdown writes blocks separated by empty lines.
type markdown struct{ bytes.Buffer }

// line writes a block that consists of one line.
func (w *markdown) line(s string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(s + "\n")
}

// list writes a bulleted list.
func (w *markdown) list(items []string) {
	if len(items) > 0 {
		w.line("- " + strings.Join(items, "\n- "))
	}
}

// table writes a table.
func (w *markdown) table(head []string, rows [][]string) {
	w.line("| " + strings.Join(head, " | ") + " |")
	w.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, r := range rows {
		w.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
}

func (w *markdown) facts(p *Page) {
	e := p.Entity
	var items []string
	add := func(name, value string) {
		if value != "" {
			items = append(items, name+": "+value)
		}
	}
	add("Type", text(e.Type))
	if e.Status != record.Active {
		add("Status", text(e.Status))
	}
	p.lifecycle(add)
	add("Provider", text(e.Provider))
	add("Category", text(p.Category))
	add("Version", dated(text(e.Version), e.VersionRead()))
	p.model(add)
	add("Pricing", text(e.PricingModel))
	add("License", text(e.License))
	add("Address", address(e.URL))
	add("Tags", texts(e.Tags))
	add("Capabilities", texts(e.Capabilities))
	for _, l := range e.Links {
		add(text(strings.ToUpper(l.Name[:min(1, len(l.Name))])+l.Name[min(1, len(l.Name)):]), address(l.URL))
	}
	p.ids(add)
	add("In the index since", text(e.AddedDate))
	add("Entry last changed", text(e.LastUpdated))
	w.list(items)
}

func (w *markdown) scores(p *Page) {
	w.line("## Scores")
	composite := p.Entity.Scores.Composite
	switch {
	case !composite.Known():
		w.line("No composite score" + on(p.AsOf) + ": " + text(p.Unranked) + ".")
	case p.Board != "":
		w.line(fmt.Sprintf("%s of 100%s, rank %d of %d in %s.", composite, on(p.AsOf), p.Rank, p.Ranked, text(p.Board)))
	default:
		w.line(fmt.Sprintf("%s of 100%s.", composite, on(p.AsOf)))
	}
	var rows [][]string
	for _, d := range p.Scores {
		rows = append(rows, []string{text(d.Name), known(d.Score), number(d.Weight), measures(d.Measures)})
	}
	if len(rows) > 0 {
		w.table([]string{"Score", "0 to 100", "Weight", "From"}, rows)
	}
}

// on returns the as-of day for use in a sentence.
func on(day string) string { return " as of " + text(day) }

func known(s record.Score) string {
	if !s.Known() {
		return "unknown"
	}
	return s.String()
}

// measures lists the known measures and states how many are missing.
func measures(list []Measure) string {
	var words []string
	missing := 0
	for _, m := range list {
		switch {
		case m.Score != nil:
			words = append(words, text(m.Name)+" "+strconv.FormatFloat(*m.Score, 'f', 1, 64))
		case m.State == "missing":
			missing++
		default:
			words = append(words, text(m.Name)+" ("+text(m.State)+")")
		}
	}
	if missing > 0 {
		words = append(words, fmt.Sprintf("%d missing", missing))
	}
	return strings.Join(words, ", ")
}

func (w *markdown) signals(e *record.Entity) {
	var rows [][]string
	for _, f := range e.Signals.Facts {
		value := f.Day
		if value == "" {
			value = number(f.Number)
		}
		unit := ""
		if t := e.Declared().Signal(f.Name); t != nil {
			unit = t.Unit
		}
		rows = append(rows, []string{text(f.Name), text(value), text(unit), text(f.Date), address(f.Source)})
	}
	if len(rows) > 0 {
		w.line("## Facts")
		w.table([]string{"Fact", "Value", "Unit", "Observed", "Source"}, rows)
	}
	rows = nil
	for _, b := range e.Signals.Benchmarks {
		rows = append(rows, []string{text(b.FoldedName()), number(b.Value), text(b.Date), address(b.Source)})
	}
	if len(rows) > 0 {
		w.line("## Benchmarks")
		w.table([]string{"Benchmark", "Result", "Observed", "Source"}, rows)
	}
}

func (w *markdown) similar(p *Page, heading string, list []Similar) {
	var items []string
	for _, s := range list {
		to := Address(p.Base, s.Type, s.Slug)
		if p.Files {
			to = beside(p.Base, s.Type, s.Slug, "entity.md")
		}
		item := link(s.Name, to)
		if reasons := texts(s.Reasons); reasons != "" {
			item += ": " + reasons
		}
		items = append(items, item)
	}
	if len(items) > 0 {
		w.line("## " + heading)
		w.list(items)
	}
}

func (w *markdown) changes(p *Page) {
	var items []string
	for _, c := range p.Changes {
		item := c.Timestamp.UTC().Format("2006-01-02") + ": " + text(strings.TrimPrefix(c.Event, "entity."))
		if c.Event == record.Updated {
			var fields []string
			for _, f := range c.Fields {
				fields = append(fields, fieldChange(f))
			}
			item += " " + strings.Join(fields, ", ")
		}
		items = append(items, item)
	}
	if len(items) == 0 {
		return
	}
	w.line("## Changes")
	if p.Total > len(items) {
		w.line(fmt.Sprintf("The latest %d of %d changes.", len(items), p.Total))
	}
	w.list(items)
}

// maxValueLen is the maximum length, in characters, of a changed value that is shown.
const maxValueLen = 60

// fieldChange describes the change to a field, with its values if they are short.
func fieldChange(f record.FieldChange) string {
	if c, ok := pricing.DescribeChange(f); ok {
		return offerChange(&c)
	}
	before, after := string(f.Old), string(f.New)
	if len(before) > maxValueLen || len(after) > maxValueLen {
		return text(f.Field)
	}
	return text(f.Field) + " from " + text(before) + " to " + text(after)
}

// more writes the links to other formats.
func (w *markdown) more(p *Page) {
	e := p.Entity
	api := p.Base + "/api/entity/" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.Slug)
	w.line("## More")
	items := []string{link("JSON", api), link("how the scores are calculated", api+"/score"), link("similar entities", api+"/similar"),
		link("all changes", api+"/changelog")}
	if p.Files {
		items = []string{link("JSON", beside(p.Base, e.Type, e.Slug, "entity.json")), link("all changes", beside(p.Base, e.Type, e.Slug, "history.json"))}
	}
	if p.Past {
		items[0] = link("JSON", api+"?at="+url.QueryEscape(p.AsOf))
	}
	w.list(items)
	w.line(fmt.Sprintf("Build %s, formula %s.", text(p.Build), text(p.Formula)))
}

// Address returns the URL of an entity's Markdown page.
func Address(base, typ, slug string) string {
	return base + "/api/entity/" + url.PathEscape(typ) + "/" + url.PathEscape(slug) + ".md"
}

// beside returns the URL of a file next to an entity's page on a static site.
func beside(base, typ, slug, file string) string {
	return base + "/" + url.PathEscape(typ) + "/" + url.PathEscape(slug) + "/" + file
}

// number formats a number for people.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func texts(list []string) string {
	var words []string
	for _, s := range list {
		if s = text(s); s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, ", ")
}
