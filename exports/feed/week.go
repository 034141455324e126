package feed

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"kindex/exports/record"
)

// weekNames is the number of movers that the title of a week names.
const weekNames = 3

// movers is a list of movers with its heading.
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

// weekItem describes a week in words.
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

// weekTitle names the first few movers.
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

// weekLists returns the movers by score, then those by each signal.
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
