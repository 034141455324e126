package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The views of get_entity.
const (
	summaryView = "summary"
	fullView    = "full"
	scoreView   = "score"
)

// oneEntity is the result of the tool get_entity: the entity or the explanation of its score.
type oneEntity struct {
	Entity *details     `json:"entity,omitempty"`
	Score  *explanation `json:"score,omitempty"`
	Note   string       `json:"note,omitempty"`
}

func (t *tools) getEntity(ctx context.Context, v values) (any, string, error) {
	id := v.text("entity")
	if v.text("view") == scoreView {
		if v.text("at") != "" {
			return nil, "", &argumentError{[]string{"at: the view score is available only for the present; omit at, or use the view summary"}}
		}
		return t.explainScore(ctx, id)
	}
	d, note, err := t.fetch(ctx, id, params(v, t.args("get_entity"), "at"), v.text("view") == fullView)
	if err != nil {
		return nil, "", err
	}
	return oneEntity{Entity: d, Note: note}, d.text() + note, nil
}

// fetch reads one entity. If its slug has changed, the note says so.
func (t *tools) fetch(ctx context.Context, id string, q url.Values, full bool) (*details, string, error) {
	var r entity
	a, err := askFor(ctx, t.api, "/api/entity/"+id, q, &r)
	if err != nil {
		return nil, "", err
	}
	d := r.details()
	if full {
		d.Links, d.Record = r.Links, a.body
	}
	note := ""
	if a.from != "" && d.ID != id {
		note = fmt.Sprintf("%s is now called %s.\n", id, d.ID)
	}
	return &d, note, nil
}

// explanation explains how a composite score is calculated.
type explanation struct {
	ID         string      `json:"id"`
	Composite  *float64    `json:"composite"`
	Ranked     bool        `json:"ranked"`
	Reason     string      `json:"reason,omitempty"` // why there is no composite score
	Formula    string      `json:"formulaVersion"`
	AsOf       string      `json:"asOf"`
	Cap        any         `json:"cap,omitempty"`
	Dimensions []dimension `json:"dimensions"`
}

type dimension struct {
	Name     string    `json:"name"`
	Score    *float64  `json:"score"`
	Weight   float64   `json:"weight"`
	Prior    float64   `json:"prior"`
	Coverage float64   `json:"coverage"`
	Measures []measure `json:"measures"`
}

type measure struct {
	Name   string   `json:"name"`
	State  string   `json:"state"`
	Score  *float64 `json:"score"`
	Value  any      `json:"value"`
	Date   *string  `json:"date"`
	Source *string  `json:"source"`
	Result *string  `json:"result,omitempty"`
}

func (t *tools) explainScore(ctx context.Context, id string) (any, string, error) {
	var e struct {
		Type, Slug, Name string
		explanation
		Why *string `json:"reason"`
	}
	a, err := askFor(ctx, t.api, "/api/entity/"+id+"/score", nil, &e)
	if err != nil {
		return nil, "", err
	}
	e.explanation.ID = e.Type + "/" + e.Slug
	if e.Why != nil {
		e.Reason = *e.Why
	}
	one := oneEntity{Score: &e.explanation}
	if a.from != "" && e.ID != id {
		one.Note = fmt.Sprintf("%s is now called %s.\n", id, e.ID)
	}
	return one, e.explanation.text(e.Name) + one.Note, nil
}

// text describes a score and its parts in words.
func (e *explanation) text(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): composite score %s with formula %s, as of %s", quoted(name), e.ID, plainScore(e.Composite), oneLine(e.Formula), e.AsOf)
	if e.Reason != "" {
		b.WriteString("; " + oneLine(e.Reason))
	}
	b.WriteString("\n")
	for _, d := range e.Dimensions {
		fmt.Fprintf(&b, "%s %s, weight %s, %d%% known\n", d.Name, plainScore(d.Score), number64(d.Weight), int(100*d.Coverage+0.5))
		for _, m := range d.Measures {
			if m.State == "missing" {
				fmt.Fprintf(&b, "- %s: unknown, counts as %s\n", m.Name, number64(d.Prior))
				continue
			}
			fmt.Fprintf(&b, "- %s: %s gives %s (%s)", m.Name, plain(m.Value), plainScore(rounded(m.Score)), m.State)
			if m.Date != nil {
				b.WriteString(", of " + *m.Date)
			}
			if m.Source != nil {
				b.WriteString(", from " + quoted(*m.Source))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func rounded(s *float64) *float64 {
	if s == nil {
		return nil
	}
	r := float64(int(*s*10+0.5)) / 10
	return &r
}

// comparison is the result of the tool compare.
type comparison struct {
	Entities []details `json:"entities"`
	Note     string    `json:"note,omitempty"`
}

// compare requests the entities one after the other, because the API cannot return several
// entities by name in one request.
func (t *tools) compare(ctx context.Context, v values) (any, string, error) {
	var c comparison
	for _, id := range v.list("entities") {
		d, note, err := t.fetch(ctx, id, nil, false)
		if err != nil {
			return nil, "", err
		}
		c.Entities = append(c.Entities, *d)
		c.Note += note
	}
	return c, c.table() + c.Note, nil
}

// table returns a Markdown table with the entities side by side and one fact per row.
func (c *comparison) table() string {
	var names []string
	cells := map[string][]string{}
	for i := range c.Entities {
		after := -1 // a new fact is inserted after the fact that precedes it in this entity
		for _, row := range c.Entities[i].rows() {
			at := slices.Index(names, row[0])
			if at < 0 {
				at = after + 1
				names = slices.Insert(names, at, row[0])
				cells[row[0]] = make([]string, len(c.Entities))
			}
			after = at
			cells[row[0]][i] = row[1]
		}
	}
	var b strings.Builder
	line := func(first string, rest []string) {
		b.WriteString("| " + first)
		for _, s := range rest {
			b.WriteString(" | " + cell(s))
		}
		b.WriteString(" |\n")
	}
	var heads, rules []string
	for _, d := range c.Entities {
		heads, rules = append(heads, quoted(d.Name)+" ("+d.ID+")"), append(rules, "---")
	}
	line("", heads)
	line("---", rules)
	for _, name := range names {
		line(cell(name), cells[name])
	}
	b.WriteByte('\n') // without it, the following lines would be part of the table
	for _, d := range c.Entities {
		fmt.Fprintf(&b, "- %s: %s\n", d.ID, quoted(d.Description))
	}
	return b.String()
}

// cellEscapes escapes characters that would end a table cell. It also escapes backslashes, since
// one in front of a vertical bar would cancel the bar's own backslash.
var cellEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`)

// cell escapes a string for use in a table cell.
func cell(s string) string {
	if s == "" {
		return "–"
	}
	return cellEscapes.Replace(oneLine(s))
}
