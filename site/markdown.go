package site

import (
	"bytes"
	"net/url"
	"strings"
)

// Markdown is a document in CommonMark with GitHub's tables. It consists of blocks separated by empty lines,
// of text that [Text], [Block], [Link] and [Autolink] have escaped.
type Markdown struct{ bytes.Buffer }

// Line writes a block that consists of one line.
func (w *Markdown) Line(s string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(s + "\n")
}

// List writes a bulleted list, unless it is empty.
func (w *Markdown) List(items []string) {
	if len(items) > 0 {
		w.Line("- " + strings.Join(items, "\n- "))
	}
}

// Table writes a section with a table, unless it is empty.
func (w *Markdown) Table(heading string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	w.Line("## " + heading)
	w.Line("| " + strings.Join(head, " | ") + " |")
	w.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, r := range rows {
		w.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
}

// Section writes a section with a list, unless it is empty.
func (w *Markdown) Section(heading string, items []string) {
	if len(items) > 0 {
		w.Line("## " + heading)
		w.List(items)
	}
}

// MarkdownURL returns the URL of an entity's Markdown page.
func MarkdownURL(base, typ, slug string) string {
	return base + "/api/entity/" + url.PathEscape(typ) + "/" + url.PathEscape(slug) + ".md"
}
