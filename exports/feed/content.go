package feed

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"kindex/exports"
)

// Limits of the content of an item: characters of a text, items of a list.
const (
	leadLength = 600
	textLength = 240
	listLength = 30
	shownSHA   = 10
)

// layout escapes everything that it is given, addresses as addresses.
var layout = template.Must(template.New("content").Parse(`
{{- define "value"}}{{if .Address}}<a href="{{.Address}}">{{.Text}}</a>{{else}}{{.Text}}{{end}}{{end -}}
{{- with .Lead}}<p>{{.}}</p>{{end -}}
{{- with .Lines}}<ul>
{{- range .}}<li>{{.Label}}:
	{{- with .Old}} {{template "value" .}}{{end -}}
	{{- if and .Old .New}} →{{end -}}
	{{- with .New}} {{template "value" .}}{{end -}}
	{{- with .Note}} {{.}}{{end -}}
	{{- with .Items}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end -}}
</li>{{end -}}
</ul>{{end -}}
{{- with .Origin}}<p>{{.}}</p>{{end -}}`))

// line is a row of the list, ready for the layout.
type line struct {
	Label    string
	Old, New *shown
	Note     string
	Items    []string
}

// shown is a value; Address is set where it is one.
type shown struct{ Text, Address string }

// content is the body of an item in HTML: an entity that came or went with the
// main facts, an updated one with every field before and after.
func content(c *exports.Change, rows []row) (string, error) {
	var page struct {
		Lead   string
		Lines  []line
		Origin string
	}
	page.Origin = origin(c)
	for i := range rows {
		r := &rows[i]
		switch {
		case !whole(c):
			page.Lines = append(page.Lines, r.difference())
		case r.field == "description":
			page.Lead = shorten(r.side(c.Event).text, leadLength)
		case r.isFact(c.Event):
			page.Lines = append(page.Lines, r.fact(c.Event))
		}
	}
	var b strings.Builder
	if err := layout.Execute(&b, page); err != nil {
		return "", err
	}
	return b.String(), nil
}

// side is the value of an entity that came, or went.
func (r *row) side(event string) *value {
	if event == exports.Deleted {
		return &r.old
	}
	return &r.new
}

// isFact tells what is said of an entity that came or went: not its name, which
// is the title, nor all links, dates and scores.
func (r *row) isFact(event string) bool {
	v := r.side(event)
	switch r.field {
	case "name", "slug", "addedDate", "lastUpdated":
		return false
	case "status":
		return v.text != exports.Active
	case "scores.composite":
		return v.set()
	}
	group := exports.FieldGroup(r.field)
	return v.set() && group != "links" && group != "scores"
}

func (r *row) fact(event string) line {
	v := r.side(event)
	l := line{Label: r.label}
	switch {
	case v.text != "":
		l.New = show(shorten(v.text, textLength), v.text)
	case len(v.list) > 0:
		l.New = &shown{Text: joined(v.list)}
	default:
		for _, b := range v.results {
			l.Items = append(l.Items, b.name+": "+b.value)
		}
		l.Items = capped(l.Items)
	}
	return l
}

// difference shows a field before and after.
func (r *row) difference() line {
	l := line{Label: r.label}
	switch {
	case r.listed():
		l.Note = r.listNote()
	case r.measured():
		moves := r.moves()
		for _, m := range moves {
			l.Items = append(l.Items, m.String())
		}
		l.Items = capped(l.Items)
		if len(moves) == 0 {
			l.Note = "in another order"
		}
	default:
		before, after := r.old.plain(), r.new.plain()
		short, other := shortenPair(before, after, textLength)
		l.Old, l.New = show(short, before), show(other, after)
		switch {
		case before == "" && after != "":
			l.Note = "(added)"
		case after == "" && before != "":
			l.Note = "(removed)"
		}
	}
	return l
}

func (r *row) listNote() string {
	added, removed := r.lists()
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "added "+joined(added))
	}
	if len(removed) > 0 {
		parts = append(parts, "removed "+joined(removed))
	}
	if len(parts) == 0 {
		return "in another order"
	}
	return strings.Join(parts, "; ")
}

func (m move) String() string {
	switch {
	case m.old == "":
		return m.name + ": " + m.new + " (added)"
	case m.new == "":
		return m.name + ": " + m.old + " (removed)"
	}
	return m.name + ": " + m.old + " → " + m.new
}

// plain is a value of any shape as one text.
func (v *value) plain() string {
	if v.text != "" || len(v.results) == 0 {
		return v.text + joined(v.list)
	}
	var parts []string
	for _, b := range v.results {
		parts = append(parts, b.name+" "+b.value)
	}
	return joined(parts)
}

func show(text, full string) *shown {
	switch {
	case full == "":
		return nil
	case isAddress(full):
		return &shown{Text: text, Address: full}
	}
	return &shown{Text: text}
}

func joined(list []string) string {
	short := make([]string, len(list))
	for i, s := range list {
		short[i] = shorten(s, textLength)
	}
	return strings.Join(capped(short), ", ")
}

// capped replaces the end of a very long list by how many there were.
func capped(list []string) []string {
	if len(list) <= listLength {
		return list
	}
	return append(list[:listLength:listLength], fmt.Sprintf("and %d more", len(list)-listLength))
}

// origin says where a change comes from, "" outside git.
func origin(c *exports.Change) string {
	var parts []string
	who := clean(c.Author)
	if sha := clean(c.Commit); sha != "" {
		sha = string([]rune(sha)[:min(shownSHA, utf8.RuneCountInString(sha))])
		if who != "" {
			sha += " by " + who
		}
		parts = append(parts, "Commit "+sha)
	} else if who != "" {
		parts = append(parts, "By "+who)
	}
	if c.PullRequest > 0 {
		parts = append(parts, fmt.Sprintf("pull request #%d", c.PullRequest))
	}
	return strings.Join(parts, ", ")
}
