package feed

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/dustin/go-humanize"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// refreshURN is the start of the ID of a refresh.
const refreshURN = "urn:kindex:refresh:"

// What happened to the entities of a refresh.
const (
	FiguresRead   = "Figures of %s entries were read"
	DetailsEdited = "%s entries were edited"
)

// refreshNames is the number of movements in the title of a refresh.
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

// more tells how many changes are not described.
func more(r *Refresh) string {
	if n := r.Count - len(r.Moves); n > 0 {
		return fmt.Sprintf("And %s more. ", humanize.Comma(int64(n)))
	}
	return ""
}
