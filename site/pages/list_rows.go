package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// maxLinks is the number of references that a cell of a list names.
const maxLinks = 5

// rowWriter writes HTML. A template would take longer than all the rest of the page.
type rowWriter []byte

// add writes HTML with values. Text of an entity is escaped, and loses characters that would change the text around it.
func (w *rowWriter) add(format string, values ...any) {
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = template.HTMLEscapeString(safetext.OneLine(s))
		}
	}
	*w = fmt.Appendf(*w, format, values...)
}

// row writes a row.
func (w *rowWriter) row(r *request, l *listing, it *item) {
	name := textfmt.Name(cmp.Or(it.Name, it.Slug))
	w.add(`<tr data-key="%s">`, it.Key())
	if l.Pick {
		w.add(`<td class="b-pick"><input type="checkbox" form="pick" name="e" value="%s" aria-label="Compare %s"></td>`, it.Key(), name)
	}
	if l.Ranked {
		w.add(`<td class="b-rank num">%d</td>`, it.Rank)
	}
	if l.Since != "" {
		w.add(`<td class="b-move %s num"><span aria-hidden="true">%s</span><span class="unseen">%s</span></td>`, it.moved.Class, it.moved.Sign, it.moved.Words)
	}
	w.add(`<th scope="row" class="b-name">`)
	if mark := r.mark(it.Type, it.Provider); it.to == "-" {
		w.add(`%s<bdi>%s</bdi>`, mark, name)
	} else {
		w.add(`<a href="%s">%s<bdi>%s</bdi></a>`, r.to(cmp.Or(it.to, pathOf(it.Entity))), mark, name)
	}
	if it.Status != "" && it.Status != record.Active {
		w.add(` <span class="flag flag-%s">%[1]s</span>`, it.Status)
	}
	if l.Offers {
		w.offer(r, it, name)
	} else if it.Provider != "" && it.Provider != it.Name && it.Provider != l.Heading {
		w.add(` <span class="b-about"><bdi>%s</bdi></span>`, textfmt.Name(it.Provider))
	}
	w.add("</th>\n")
	for _, c := range l.Columns[1:] {
		w.cell(r, c, c.cell(it), it.why)
	}
	w.add("</tr>\n")
}

// offer writes what a row of an offer says beside the name of the model.
func (w *rowWriter) offer(r *request, it *item, name string) {
	if it.offer.Deprecated {
		w.add(` <span class="flag flag-deprecated">deprecated</span>`)
	}
	w.add(` <span class="b-about"><bdi>%s</bdi> <code><bdi>%s</bdi></code>`, textfmt.Name(r.providerName(it.offer.Provider)), textfmt.Name(it.offer.ID))
	if !r.Static {
		w.add(` <a href="%s">Calculate<span class="unseen"> the cost of %s</span></a>`, r.to(pricesPath+"?"+singleQuery("calculate", it.Slug)+"#calculator"), name)
	}
	w.add(`</span>`)
}

// cell writes a cell.
func (w *rowWriter) cell(r *request, c *column, x cell, why string) {
	class, value, text := c.Class(), textfmt.Name(x.Text), textfmt.Name(x.Text)
	switch {
	case x.Text == "":
		class, value = class+" none", "-1"
	case c.Number:
		value = strconv.FormatInt(x.Raw, 10)
	}
	w.add(`<td class="%s"`, class)
	if x.Date == "" { // a day needs no name on a card
		w.add(` data-label="%s"`, cmp.Or(c.Short, c.Title))
	}
	if c.Score {
		w.add(` data-score="%s"`, c.Name)
	}
	w.add(` data-value="%s">`, value)
	switch {
	case x.Text == "":
		w.add(`<span aria-hidden="true">–</span><span class="unseen">unknown</span>`)
	case c.Score && why != "":
		w.add(`<a href="%s" title="How it is calculated">%s</a>`, r.to(why), text)
	case x.To != "" && c.Number: // the note names where the link leads
		w.add(`%s <a class="b-note" href="%s"><bdi>%s</bdi></a>`, text, r.to(x.To), textfmt.Name(x.Note))
	case x.Links != nil:
		for i, l := range x.Links[:min(maxLinks, len(x.Links))] {
			w.add(`%s<a href="%s"><bdi>%s</bdi></a>`, map[bool]string{true: ", "}[i > 0], r.to(l.To), l.Name)
		}
		if more := len(x.Links) - maxLinks; more > 0 {
			w.add(` <span class="b-note">and %d more</span>`, more)
		}
	default:
		if w.add(`<bdi>%s</bdi>`, text); x.Note != "" {
			w.add(` <span class="b-note"><bdi>%s</bdi></span>`, textfmt.Name(x.Note))
		}
	}
	if x.Out != "" && c.Name == "read" {
		w.add(` <a class="b-note" rel="nofollow noopener" href="%s">Source</a>`, x.Out)
	}
	if x.Bar.Known() {
		w.add("%s", chart.Bar(x.Bar))
	}
	w.add("</td>\n")
}
