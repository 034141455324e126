package feed

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

const weekNames = 3

type movers struct {
	Heading string
	Lines   []moverLine
}

// moverLine is one mover. Address is its page, or "" if it has no link.
type moverLine struct{ Name, Address, Move string }

var weekLayout = template.Must(template.New("week").Parse(`
{{- range .}}<p>{{.Heading}}</p><ul>
{{- range .Lines}}<li>{{if .Address}}<a href="{{.Address}}">{{.Name}}</a>{{else}}{{.Name}}{{end}}: {{.Move}}</li>{{end -}}
</ul>{{end -}}`))

func (f *Feed) weekItem(w *record.Week) (item, error) {
	if err := checkTime(w.End); err != nil {
		return item{}, err
	}
	var html strings.Builder
	if err := weekLayout.Execute(&html, f.weekLists(w)); err != nil {
		return item{}, err
	}
	i := item{id: weekURN + url.PathEscape(w.ID), title: weekTitle(w), content: html.String(), published: truncateToSecond(w.End)}
	if base := f.base(); base != "" {
		i.link = base + "/changes/?since=" + w.Start().Format(time.DateOnly) + "&until=" + w.End.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	return i, nil
}

func weekTitle(w *record.Week) string {
	var names []string
	seen := map[record.Mover]bool{}
	add := func(m record.Mover) {
		if !seen[m] {
			seen[m] = true
			names = append(names, shorten(moverName(m), titleValue))
		}
	}
	for _, m := range w.Scores {
		add(m.Mover)
	}
	for _, m := range w.Figures {
		add(m.Mover)
	}
	year, week := w.Number()
	title := fmt.Sprintf("Movers of week %d, %d", week, year)
	switch n := len(names); {
	case n == 0:
		return title
	case n > weekNames:
		return fmt.Sprintf("%s: %s and %d more", title, strings.Join(names[:weekNames], ", "), n-weekNames)
	case n > 1:
		return title + ": " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return title + ": " + names[0]
}

func moverName(m record.Mover) string { return cmp.Or(clean(m.Name), clean(m.Slug)) }

func (f *Feed) weekLists(w *record.Week) (lists []movers) {
	line := func(m record.Mover, move string) moverLine {
		l := moverLine{Name: shorten(moverName(m), titleName), Move: move}
		if address := f.entityLink(m.Type, m.Slug); isAddress(address) {
			l.Address = address
		}
		return l
	}
	if len(w.Scores) > 0 {
		list := movers{Heading: "Largest gains in score"}
		for _, m := range w.Scores {
			move := "score " + m.Previous.String() + " → " + m.Score.String()
			if m.PreviousRank > 0 && m.Rank > 0 {
				move += fmt.Sprintf(", rank %s → %s", humanize.Comma(int64(m.PreviousRank)), humanize.Comma(int64(m.Rank)))
			}
			list.Lines = append(list.Lines, line(m.Mover, move))
		}
		lists = append(lists, list)
	}
	last := ""
	for _, m := range w.Figures {
		if m.Signal != last {
			last = m.Signal
			lists = append(lists, movers{Heading: "Largest growth in " + f.Words.label("signals."+m.Signal)})
		}
		list := &lists[len(lists)-1]
		list.Lines = append(list.Lines, line(m.Mover, humanize.Commaf(m.Previous)+" → "+humanize.Commaf(m.Value)))
	}
	return lists
}

const refreshURN = "urn:kindex:refresh:"

// What happened to the entities of a refresh.
const (
	FiguresRead   = "Figures of %s entries were read"
	DetailsEdited = "%s entries were edited"
)

const refreshNames = 3

// Refresh is the changes of one commit that make a single entry, because each of them alone is no news.
type Refresh struct {
	ID    string // of the oldest change
	Count int    // number of changes
	Title string // FiguresRead or DetailsEdited, unless they are alike
	Alike bool   // they change the same fields of entities of one kind, which the title names
	Moves []*record.Change
}

// RefreshPath returns the path of the list of a refresh on the website.
func RefreshPath(id string) string { return "/changes/refresh-" + url.PathEscape(id) + "/" }

// SummarizeRefresh describes a refresh in words: one line for each of its movements, which are named
// after the entities.
func SummarizeRefresh(r *Refresh, words Words) Summary {
	var s Summary
	if count := humanize.Comma(int64(r.Count)); r.Alike {
		s.Title = alike(r, words, count)
	} else {
		s.Title = fmt.Sprintf(r.Title, count)
	}
	var first []string
	for i, c := range r.Moves {
		rows := changedRows(c, words)
		if len(rows) == 0 {
			continue
		}
		row := &rows[0]
		name := shorten(clean(c.Name), titleName)
		if i < refreshNames && !r.Alike {
			first = append(first, shorten(name, titleValue)+" "+row.headline())
		}
		line := row.difference()
		if line.About, line.Label = c.Key(), name+", "+line.Label; r.Alike && len(rows) == 1 {
			line.Label = name // the title names the field
		}
		s.Lines = append(s.Lines, line)
	}
	if len(first) > 0 {
		s.Title += ": " + strings.Join(first, "; ")
	}
	return s
}

// alike returns the title of changes of the same fields, such as “Self-hosted set on 30 tools”.
func alike(r *Refresh, words Words, count string) string {
	var labels []string
	verb, what := "removed from", "entries"
	for _, c := range r.Moves {
		labels = nil
		for _, row := range changedRows(c, words) {
			if labels = append(labels, row.label); row.new.isSet() {
				verb = "set on"
			}
		}
		if k := cmp.Or(words.Kinds, kinds.Default()).Kind(c.Type); k != nil {
			what = kinds.InSentence(k.Plural)
		}
	}
	if more := len(labels) - titleItems; more > 0 {
		labels = append(labels[:titleItems:titleItems], fmt.Sprintf("%d more fields", more))
	}
	title := []rune(strings.Join(labels, ", ") + " " + verb + " " + count + " " + what)
	return strings.ToUpper(string(title[:1])) + string(title[1:])
}

func more(r *Refresh) string {
	if n := r.Count - len(r.Moves); n > 0 {
		return fmt.Sprintf("And %s more. ", humanize.Comma(int64(n)))
	}
	return ""
}
