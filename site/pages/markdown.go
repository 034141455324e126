package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/record"
	"kindex/site"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// Limits for an entity shown as Markdown.
const (
	markdownOffers  = 40
	markdownResults = 100 // of a benchmark
	markdownChanges = 10  // the newest
)

// Markdown renders an entity as Markdown. base is the URL of the service, without a
// trailing slash.
func (s *Site) Markdown(o uint32, base string) ([]byte, error) {
	r := &request{Site: s, Request: Request{Base: base}}
	d, err := r.present(o)
	if err != nil {
		return nil, err
	}
	return r.markdown(d), nil
}

// MarkdownAt renders a version of an entity, as of the end of a day, as Markdown.
func (s *Site) MarkdownAt(e *record.Entity, version int, day time.Time, base string) []byte {
	r := &request{Site: s, Request: Request{Base: base}}
	return r.markdown(r.past(e, version, day))
}

// markdown renders the page of an entity, without charts.
func (r *request) markdown(d *entityPage) []byte {
	w := &site.Markdown{}
	w.Line("# " + cmp.Or(site.Text(d.Name), site.Text(d.Slug)))
	if text := site.Block(d.Description); text != "" {
		w.Line(text)
	}
	w.List(r.markdownFacts(d))
	r.markdownOffers(w, d.Market)
	r.markdownScore(w, d)
	figures := func(heading string, list []figure) {
		head := []string{"Name", "Value", "Observed", "Source"}
		measured := slices.ContainsFunc(list, func(f figure) bool { return f.To != "" })
		if measured {
			head = append(head, "How", "By")
		}
		w.Table(heading, head, each(list, func(f figure) []string {
			row := []string{r.markdownLinked([]link{{Name: f.Name, To: f.To}}), strings.TrimSpace(site.Text(f.Value) + " " + site.Text(f.Unit)), site.Text(f.Date), f.markdownSource()}
			if measured {
				row = append(row, site.Text(f.How), site.Text(f.By))
			}
			return row
		}))
	}
	figures("Figures", d.Signals)
	figures("Benchmarks", d.Results)
	if d.Measured != nil {
		left, omitted := markdownResults, d.Measured.Omitted
		for _, g := range d.Measured.Groups {
			n := min(left, len(g.Rows))
			figures(site.Text(joined("Results", g.Title, g.Note)), g.Rows[:n])
			left, omitted = left-n, omitted+len(g.Rows)-n
		}
		if omitted > 0 {
			w.Line(textfmt.Plural(omitted, "more result is", "more results are") + " in the file of all results.")
		}
	}
	similar := func(heading string, list []similarRow) {
		w.Section(heading, each(list, func(x similarRow) string {
			return site.Link(x.Name, r.markdownURL(x.Type, x.Slug)) + ": " + markdownWords(x.Reasons)
		}))
	}
	similar("Alternatives", d.Alternatives)
	similar("Related", d.Related)
	items := each(d.History.Changes[:min(markdownChanges, len(d.History.Changes))], func(c changeSummary) string {
		return c.Timestamp.UTC().Format(time.DateOnly) + ": " + site.Text(c.Summary.Title)
	})
	if n := d.History.Total; n > len(items) {
		items = append(items, textfmt.Count(n-len(items))+" more")
	}
	w.Section("Changes", items)
	w.Section("More", r.markdownLinks(d))
	id := r.Build.Manifest.ID
	if draft := r.Build.OverlayID(); draft != "" {
		id += "+" + draft
	}
	w.Line("Build " + site.Text(id) + ", formula " + site.Text(r.Formula.Version) + ".")
	return w.Bytes()
}

func markdownWords(list []string) string { return site.Text(strings.Join(list, ", ")) }

// markdownFacts returns what is known of an entity, each fact with a name.
func (r *request) markdownFacts(d *entityPage) (items []string) {
	add := func(name, value, note string) {
		if note = site.Text(note); note != "" {
			note = " (" + note + ")"
		}
		if value != "" {
			items = append(items, site.Block(name)+": "+value+note)
		}
	}
	add("Type", site.Text(d.Type), "")
	if d.Status != record.Active {
		add("Status", site.Text(d.Status), "")
	}
	for _, n := range d.Notices {
		add("Notice", site.Text(n.Strong+" "+n.Text), "")
		if n.Next != nil {
			typ, slug, _ := strings.Cut(d.Lifecycle.ReplacedBy, "/")
			add("Successor", site.Link(n.Next.Name, r.markdownURL(typ, slug)), "")
		}
		if n.Out != nil {
			add("Announcement", site.Autolink(n.Out.To), "")
		}
	}
	for _, f := range d.Facts {
		value := site.Text(f.Value())
		if len(f.Links) > 0 {
			value = r.markdownLinked(f.Links)
		}
		add(f.Name, value, f.Note)
	}
	for _, g := range d.Relations {
		for _, l := range g.Rows {
			add(g.Title, site.Link(l.Name, r.Abs(l.To)), "")
		}
	}
	for _, l := range d.Main {
		add(l.Name, site.Autolink(l.To), "")
	}
	for _, id := range d.Names {
		add(id.Name, site.Link(id.Note, id.To), "")
	}
	for i, list := range [][]link{d.Tags, d.Skills} {
		add([]string{"Tags", "Capabilities"}[i], markdownWords(each(list, func(l link) string { return l.Name })), "")
	}
	return items
}

func (r *request) markdownLinked(list []link) string {
	return strings.Join(each(list, func(l link) string {
		if l.To == "" {
			return site.Text(l.Name)
		}
		return site.Link(l.Name, r.Abs(l.To))
	}), ", ")
}

func (r *request) markdownOffers(w *site.Markdown, t *offerTable) {
	if t == nil {
		return
	}
	rows := each(slices.Concat(t.Rows, t.Rest), func(o offerRow) []string {
		more := o.More()
		if o.Deprecated {
			more = append([]string{record.Deprecated}, more...)
		}
		row := []string{o.Seller.Name, o.ID, o.Price("input"), o.Price("output"), o.Price("cacheRead"), o.Window(), strings.Join(more, "; "), o.Read.Date}
		return append(each(row, site.Text), o.Read.markdownSource())
	})
	w.Table("Prices, in US dollars per million tokens", []string{"Provider", "Model ID", "Input", "Output", "Cache read", "Context", "More", "Read", "Source"}, rows[:min(markdownOffers, len(rows))])
	if n := len(rows) - markdownOffers; n > 0 {
		w.Line(textfmt.Plural(n, "more offer is", "more offers are") + " in the JSON.")
	}
}

func (g *figure) markdownSource() string {
	return cmp.Or(site.Autolink(g.Address), site.Text(g.Source))
}

func (r *request) markdownScore(w *site.Markdown, d *entityPage) {
	if !d.Scored() {
		return
	}
	rows := each(d.Score.Parts, func(p dimension) []string {
		figures := each(p.Measures, func(m measure) string { return m.Name + " " + m.Value + " → " + cmp.Or(m.Score, m.State) })
		if n := len(p.Missing); n > 0 {
			figures = append(figures, strconv.Itoa(n)+" missing")
		}
		value := "unknown"
		if p.DimensionScore.Value != nil {
			value = p.Value
		}
		return []string{site.Text(p.Title), value, textfmt.Short(p.Weight), markdownWords(figures)}
	})
	w.Table("Score", []string{"Part", "0 to 100", "Weight", "From"}, rows)
	said := "No score"
	if d.Scores.Composite.Known() {
		said = d.Scores.Composite.String() + " of 100"
	}
	if said += " as of " + d.AsOf; d.Score.Reason != nil {
		said += ": " + *d.Score.Reason
	}
	if d.Standing != nil {
		said += ", " + standingWords(d.Standing)
	}
	w.Line(site.Text(said + "."))
}

// markdownURL returns the URL of the Markdown of an entity. A static site without an API has files instead.
func (r *request) markdownURL(typ, slug string) string {
	if !r.served() {
		return cmp.Or(r.Site.Base, strings.TrimSuffix(r.Root, "/")) + siteurl.Entity(typ, slug) + "entity.md"
	}
	return site.MarkdownURL(r.Base, typ, slug)
}

// markdownLinks returns links to other forms of an entity.
func (r *request) markdownLinks(d *entityPage) []string {
	all := strings.TrimSuffix(r.markdownURL(d.Type, d.Slug), ".md")
	if !r.served() {
		folder := strings.TrimSuffix(all, "entity")
		return []string{site.Link("JSON", all+".json"), site.Link("all changes", folder+"history.json")}
	}
	json := all
	if d.Day != "" {
		json += "?at=" + d.Day
	}
	links := []string{site.Link("JSON", json), site.Link("similar entities", all+"/similar"), site.Link("all changes", all+"/changelog")}
	if d.Scored() {
		links = slices.Insert(links, 1, site.Link("how the score is calculated", all+"/score"))
	}
	return links
}

// changesOf returns the changes to a record's entity, oldest first.
func (s *Site) changesOf(o uint32) []uint32 {
	newest, ok := s.Build.History().NewestOf(o)
	if !ok {
		return nil
	}
	return s.Build.History().EntityChanges(newest)
}

// entityMarkdown renders the Markdown file next to an entity's page. If there is no API,
// the file links to the other files next to it.
func (r *request) entityMarkdown() (*page, error) {
	return r.entityFile("/api/entity/%s.md", false, func(of *subject) ([]byte, string, error) {
		body, err := r.Site.Markdown(of.ordinal, r.API)
		return body, "text/markdown; charset=utf-8", err
	})
}
