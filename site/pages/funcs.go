package pages

import (
	"html/template"
	"time"

	"kindex/exports/safetext"
	"kindex/site/chart"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// functions returns the functions of the templates. Every text of an entity must go
// through name, line or text.
func (s *Site) functions() template.FuncMap {
	return template.FuncMap{
		"to":       s.to,
		"api":      s.api,
		"served":   s.served,
		"static":   func() bool { return s.Static },
		"asset":    s.asset,
		"category": func(slug string) string { return textfmt.Name(s.categoryTitle(slug)) },
		"entity":   siteurl.Entity,
		"name":     textfmt.Name,
		"line":     func(t string) string { return textfmt.Truncate(safetext.OneLine(t), textfmt.MaxLineLen) },
		"text":     func(t string) string { return textfmt.Truncate(safetext.OneLine(t), textfmt.MaxTextLen) },
		"web":      textfmt.WebURL,
		"host":     textfmt.Host,
		"count":    textfmt.Count,
		"compact":  textfmt.Compact,
		"day":      textfmt.Day,
		"moment":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"on":       func(t time.Time) string { return textfmt.Day(t.UTC().Format(time.DateOnly)) },
		"bar":      chart.Bar,
		"plural":   textfmt.Plural,
		"label":    textfmt.Label,
		"meaning":  func(dimension string) string { return dimensionMeanings[dimension] },
		"add":      func(a, b int) int { return a + b },
		"upper":    textfmt.Capitalize,
		"formula":  s.formulaAddress,
		"snippet":  func(name, text string) snippet { return snippet{name, text} },
	}
}
