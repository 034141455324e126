package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"kindex/builder/diff"
	"kindex/exports/record"
)

// wide is how long a line of a change may be before old and new stand below
// each other.
const wide = 100

// writeText prints the comparison for a terminal.
func (d *Report) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s → %s, scores as of %s\n", printable(d.From.String()), printable(d.To.String()), d.AsOf[:10])
	fmt.Fprintln(w, paint(w, color.Bold, d.countWords())+"; "+d.totalWords())
	for _, n := range d.Notes {
		fmt.Fprintln(w, "note: "+printable(n))
	}
	warn := func(text string) { fmt.Fprintln(w, paint(w, color.FgYellow, "warning:"), text) }
	if text := d.refusalWords(); text != "" {
		warn(text)
	}
	for _, text := range d.duplicateLines(func(key string) string { return key }, quoted) {
		warn(text)
	}
	d.writeEntities(w)
	if text := d.movedWords(); text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	d.writeRoot(w)
}

func (d *Report) writeEntities(w io.Writer) {
	rows := make([][]string, len(d.Entities))
	var width [5]int
	for i := range d.Entities {
		e := &d.Entities[i]
		rows[i] = []string{eventWord(e), e.Key(), move(e.Composite.Old.String(), e.Composite.New.String()),
			"all " + move(rankWords(e.Ranks.All.Old), rankWords(e.Ranks.All.New)),
			categoryRankWords(e, func(rank, category string) string { return category + " " + rank })}
		for k, cell := range rows[i] {
			width[k] = max(width[k], utf8.RuneCountInString(cell))
		}
	}
	for i := range d.Entities {
		e := &d.Entities[i]
		for k, cell := range rows[i] {
			rows[i][k] = cell + strings.Repeat(" ", width[k]-utf8.RuneCountInString(cell))
		}
		rows[i][0] = paint(w, eventColor(e.Event), rows[i][0])
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

func writeDetails(w io.Writer, e *diff.Entity) {
	if e.FormerSlug != "" {
		fmt.Fprintf(w, "  was %s/%s\n", e.Type, e.FormerSlug)
	}
	if e.LeadsTo != "" {
		fmt.Fprintf(w, "  its address leads to %s\n", e.LeadsTo)
	}
	if text := touchedWords(e); text != "" {
		fmt.Fprintf(w, "  %s\n", text)
	}
	writeFields(w, e.Fields)
}

// writeFields prints fields below each other, their values aligned.
func writeFields(w io.Writer, fields []diff.Field) {
	var lines []line
	width := 0
	for _, f := range fields {
		if f.Name == "slug" || f.Name == "scores.composite" {
			continue // said already
		}
		width = max(width, len(f.Name))
		lines = append(lines, linesOf(f)...)
	}
	for i, l := range lines {
		name := l.field
		if i > 0 && lines[i-1].field == name {
			name = ""
		}
		prefix := fmt.Sprintf("  %-*s  ", width, name)
		switch text := move(l.old, l.new); {
		case l.old == "":
			fmt.Fprintln(w, prefix+"+ "+l.new)
		case l.new == "":
			fmt.Fprintln(w, prefix+"- "+l.old)
		case utf8.RuneCountInString(text) <= wide:
			fmt.Fprintln(w, prefix+text)
		default:
			fmt.Fprintf(w, "%s- %s\n%*s+ %s\n", prefix, l.old, len(prefix), "", l.new)
		}
	}
}

// writeRoot prints what differs in the files for the whole index.
func (d *Report) writeRoot(w io.Writer) {
	if f := d.Formula; f != nil {
		fmt.Fprintln(w)
		for _, text := range formulaWords(f, quoted) {
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
