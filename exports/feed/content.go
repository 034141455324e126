package feed

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"kindex/exports/record"
	"kindex/exports/worddiff"
)

// Limits for the content of an item: the maximum number of characters in a string and of
// items in a list.
const (
	leadLength = 600
	textLength = 240
	listLength = 30
	shownSHA   = 10
	// Longer texts are not compared word by word.
	comparedLength = 4000 // bytes
	wordContext    = 8    // words before and after a difference
)

// layout escapes everything inserted into it. URLs are escaped as URLs.
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

// Line describes the change to one field in words: its old and new value or, for a
// list, a note and items. All members are plain text. Words is set for long texts that have
// much in common: it contains what differs between the complete values, with some context.
type Line struct {
	Label    string
	About    string // the key of the entity that the label names, or "" if it names a field
	Old, New *Value
	Words    []worddiff.Part
	Note     string
	Items    []string
}

// Value is a value in words. Address is set if the value is a URL.
type Value struct{ Text, Address string }

// Summary describes a change in words, for feeds and pages. All members are plain
// text of bounded length without control characters or directional marks.
type Summary struct {
	Title string // what happened to which entity
	Lead  string // the description of a created or deleted entity
	Lines []Line // the changed fields, or the main facts about a created or deleted entity
}

// Summarize describes a change in words. words names what it is about.
func Summarize(c *record.Change, words Words) Summary {
	rows := changedRows(c, words)
	s := Summary{Title: sentence(c, rows)}
	for i := range rows {
		r := &rows[i]
		switch {
		case !isWholeEntity(c):
			s.Lines = append(s.Lines, r.difference())
		case r.field == "description":
			s.Lead = shorten(r.side(c.Event).text, leadLength)
		case r.isFact(c.Event):
			s.Lines = append(s.Lines, r.fact(c.Event))
		}
	}
	return s
}

func contentOf(s Summary, origin string) (string, error) {
	var b strings.Builder
	err := layout.Execute(&b, struct {
		Summary
		Origin string
	}{s, origin})
	return b.String(), err
}

func (r *row) side(event string) *value {
	if event == record.Deleted {
		return &r.old
	}
	return &r.new
}

// isFact reports whether a field of a created or deleted entity is shown: not its
// name, which is in the title, nor links, dates and scores.
func (r *row) isFact(event string) bool {
	v := r.side(event)
	switch r.field {
	case "name", "slug", "addedDate", "lastUpdated":
		return false
	case "status":
		return v.text != record.Active
	case "scores.composite":
		return v.isSet()
	}
	group := record.FieldGroup(r.field)
	return v.isSet() && group != "links" && group != "scores"
}

func (r *row) fact(event string) Line {
	v := r.side(event)
	l := Line{Label: r.label}
	switch {
	case v.text != "":
		l.New = show(shorten(v.text, textLength), v.text)
	case len(v.list) > 0:
		l.New = &Value{Text: joinTexts(v.list)}
	default:
		for _, b := range v.results {
			l.Items = append(l.Items, b.name+": "+b.value)
		}
		l.Items = truncateList(l.Items)
	}
	return l
}

func (r *row) difference() Line {
	l := Line{Label: r.label}
	switch {
	case r.note != "":
		l.Note = r.note
	case r.isList():
		l.Note = r.listNote()
	case r.isBenchmarks():
		moves := r.benchmarkChanges()
		for _, m := range moves {
			l.Items = append(l.Items, m.String())
		}
		l.Items = truncateList(l.Items)
		if len(moves) == 0 {
			l.Note = "reordered"
		}
	default:
		before, after := r.old.plain(), r.new.plain()
		short, other := shortenPair(before, after, textLength)
		l.Old, l.New = show(short, before), show(other, after)
		if len(before) <= comparedLength && len(after) <= comparedLength {
			l.Words = worddiff.Shorten(worddiff.Parts(before, after), wordContext)
		}
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
	added, removed := r.listDiff()
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "added "+joinTexts(added))
	}
	if len(removed) > 0 {
		parts = append(parts, "removed "+joinTexts(removed))
	}
	if len(parts) == 0 {
		return "reordered"
	}
	return strings.Join(parts, "; ")
}

func (m benchmarkChange) String() string {
	switch {
	case m.old == "":
		return m.name + ": " + m.new + " (added)"
	case m.new == "":
		return m.name + ": " + m.old + " (removed)"
	}
	return m.name + ": " + m.old + " → " + m.new
}

func (v *value) plain() string {
	if v.text != "" || len(v.results) == 0 {
		return v.text + joinTexts(v.list)
	}
	var parts []string
	for _, b := range v.results {
		parts = append(parts, b.name+" "+b.value)
	}
	return joinTexts(parts)
}

func show(text, full string) *Value {
	switch {
	case full == "":
		return nil
	case isAddress(full):
		return &Value{Text: text, Address: full}
	}
	return &Value{Text: text}
}

func joinTexts(list []string) string {
	short := make([]string, len(list))
	for i, s := range list {
		short[i] = shorten(s, textLength)
	}
	return strings.Join(truncateList(short), ", ")
}

// truncateList replaces the end of a very long list with the number of remaining
// items.
func truncateList(list []string) []string {
	if len(list) <= listLength {
		return list
	}
	return append(list[:listLength:listLength], fmt.Sprintf("and %d more", len(list)-listLength))
}

// origin describes where a change comes from, such as its author and commit. It
// returns "" outside git.
func origin(c *record.Change) string {
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
