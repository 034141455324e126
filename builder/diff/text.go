package diff

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/fatih/color"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/worddiff"
)

// maxLineWidth is the maximum width of a line that shows both the old and the new value.
// Longer lines are split.
const maxLineWidth = 100

// Painter escapes a string for a terminal and, if colors are enabled, adds a color or style.
type Painter func(attribute color.Attribute, text string) string

// WriteText prints the comparison for a terminal.
func (d *Report) WriteText(w io.Writer, paint Painter) {
	fmt.Fprintf(w, "%s → %s, scores as of %s\n", safetext.Printable(d.From.String()), safetext.Printable(d.To.String()), d.AsOf[:10])
	fmt.Fprintln(w, paint(color.Bold, d.countText())+"; "+d.totalText())
	for _, n := range d.Notes {
		fmt.Fprintln(w, "note: "+safetext.Printable(n))
	}
	warn := func(text string) { fmt.Fprintln(w, paint(color.FgYellow, "warning:"), text) }
	if text := d.refusalText(); text != "" {
		warn(text)
	}
	for _, text := range d.DuplicateLines(func(key string) string { return key }, safetext.Quote) {
		warn(text)
	}
	d.writeEntities(w, paint)
	d.writeRoot(w)
}

func (d *Report) writeEntities(w io.Writer, paint Painter) {
	var rows strings.Builder
	table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	for i := range d.Entities {
		e := &d.Entities[i]
		fmt.Fprintf(table, "%s\t%s\t%s\tall %s\t%s\n", paint(eventColor(e.Event), eventName(e)), e.Key(), arrow(e.Composite.Old.String(), e.Composite.New.String()),
			arrow(rankText(e.Ranks.All.Old), rankText(e.Ranks.All.New)),
			categoryRankText(e, func(rank, category string) string { return category + " " + rank }))
	}
	table.Flush()
	for i, row := range slices.Collect(strings.Lines(rows.String())) {
		fmt.Fprintf(w, "\n%s", row)
		writeDetails(w, &d.Entities[i])
	}
}

func eventColor(event string) color.Attribute {
	switch event {
	case record.Created:
		return color.FgGreen
	case record.Deleted:
		return color.FgRed
	}
	return color.FgCyan
}

func writeDetails(w io.Writer, e *Entity) {
	if e.former != "" {
		fmt.Fprintf(w, "  was %s\n", e.former)
	}
	if e.LeadsTo != "" {
		fmt.Fprintf(w, "  its address redirects to %s\n", e.LeadsTo)
	}
	if text := touchedText(e); text != "" {
		fmt.Fprintf(w, "  %s\n", text)
	}
	writeFields(w, e.Fields)
}

// writeFields prints one field per line, with aligned values.
func writeFields(w io.Writer, fields []record.FieldChange) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	before := ""
	for _, f := range fields {
		if f.Field == "type" || f.Field == "slug" || f.Field == "scores.composite" {
			continue // already printed
		}
		for _, l := range linesOf(f) {
			text := arrow(l.old, l.new)
			switch {
			case l.old == "":
				text = "+ " + l.new
			case l.new == "":
				text = "- " + l.old
			case utf8.RuneCountInString(text) > maxLineWidth:
				text = cmp.Or(wordDiff(l.old, l.new), "- "+l.old+"\n  \t+ "+l.new)
			}
			name := l.field
			if name == before {
				name = ""
			}
			fmt.Fprintf(table, "  %s\t%s\n", name, text)
			before = l.field
		}
	}
}

// wordContext is the number of words shown before and after a difference.
const wordContext = 8

// wordDiff marks the words that differ between two long values as git diff --word-diff does. It
// returns "" if the values are easier to read one after the other.
func wordDiff(old, new string) string {
	var list []string
	for _, p := range worddiff.Shorten(worddiff.Parts(old, new), wordContext) {
		switch p.Kind {
		case worddiff.Deleted:
			list = append(list, "[-"+p.Text+"-]")
		case worddiff.Inserted:
			list = append(list, "{+"+p.Text+"+}")
		case worddiff.Same:
			list = append(list, p.Text)
		}
	}
	return strings.Join(list, " ")
}

func (d *Report) writeRoot(w io.Writer) {
	if f := d.Formula; f != nil {
		fmt.Fprintln(w)
		for _, text := range formulaTexts(f, safetext.Quote) {
			fmt.Fprintln(w, text)
		}
		for _, m := range f.Largest {
			fmt.Fprintf(w, "  %+6.1f  %s → %s  %s\n", m.New.Float()-m.Old.Float(), m.Old, m.New, m.Key())
		}
	}
	for _, c := range d.Categories {
		fmt.Fprintf(w, "\ncategory %s %s\n", strings.TrimPrefix(c.Event, "category."), c.Slug)
		writeFields(w, c.Fields)
	}
	if len(d.Index) > 0 {
		fmt.Fprintln(w, "\nindex.yaml")
		writeFields(w, d.Index)
	}
}
