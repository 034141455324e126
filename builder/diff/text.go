package diff

import (
	"fmt"
	"io"
	"strings"
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
	if text := d.movedText(); text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	d.writeRoot(w)
}

func (d *Report) writeEntities(w io.Writer, paint Painter) {
	rows := make([][]string, len(d.Entities))
	var width [5]int
	for i := range d.Entities {
		e := &d.Entities[i]
		rows[i] = []string{eventName(e), e.Key(), arrow(e.Composite.Old.String(), e.Composite.New.String()),
			"all " + arrow(rankText(e.Ranks.All.Old), rankText(e.Ranks.All.New)),
			categoryRankText(e, func(rank, category string) string { return category + " " + rank })}
		for k, cell := range rows[i] {
			width[k] = max(width[k], utf8.RuneCountInString(cell))
		}
	}
	for i := range d.Entities {
		e := &d.Entities[i]
		for k, cell := range rows[i] {
			rows[i][k] = cell + strings.Repeat(" ", width[k]-utf8.RuneCountInString(cell))
		}
		rows[i][0] = paint(eventColor(e.Event), rows[i][0])
		fmt.Fprintf(w, "\n%s\n", strings.TrimRight(strings.Join(rows[i], "  "), " "))
		writeDetails(w, e)
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
	if e.FormerSlug != "" {
		fmt.Fprintf(w, "  was %s/%s\n", e.Type, e.FormerSlug)
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
func writeFields(w io.Writer, fields []Field) {
	var lines []fieldLine
	width := 0
	for _, f := range fields {
		if f.Name == "slug" || f.Name == "scores.composite" {
			continue // already printed
		}
		lines = append(lines, linesOf(f)...)
	}
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l.field))
	}
	for i, l := range lines {
		name := l.field
		if i > 0 && lines[i-1].field == name {
			name = ""
		}
		prefix := fmt.Sprintf("  %-*s  ", width, name)
		switch text := arrow(l.old, l.new); {
		case l.old == "":
			fmt.Fprintln(w, prefix+"+ "+l.new)
		case l.new == "":
			fmt.Fprintln(w, prefix+"- "+l.old)
		case utf8.RuneCountInString(text) <= maxLineWidth:
			fmt.Fprintln(w, prefix+text)
		default:
			if words := wordDiff(l.old, l.new); words != "" {
				fmt.Fprintln(w, prefix+words)
				break
			}
			fmt.Fprintf(w, "%s- %s\n%*s+ %s\n", prefix, l.old, width+4, "", l.new)
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

// writeRoot prints the changes to the root files.
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
