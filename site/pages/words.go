package pages

import (
	"html/template"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kindex/exports/feed"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Longest texts of an entity, in characters: whoever writes a name of ten thousand
// makes no page of a megabyte.
const (
	longName    = 120
	longLine    = 240  // a description in a list
	longText    = 4000 // a description on its own page
	longAddress = 2000
)

// functions are what templates call. Everything that an entity says goes through
// name, line or text.
func (s *Site) functions() template.FuncMap {
	return template.FuncMap{
		"to":       s.to,
		"api":      s.api,
		"served":   s.served,
		"static":   func() bool { return s.Static },
		"asset":    s.asset,
		"category": func(slug string) string { return name(s.categoryTitle(slug)) },
		"entity":   entityPath,
		"name":     name,
		"line":     func(t string) string { return cut(clean(t), longLine) },
		"text":     func(t string) string { return cut(clean(t), longText) },
		"web":      web,
		"host":     host,
		"count":    count,
		"compact":  compact,
		"day":      day,
		"moment":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"on":       func(t time.Time) string { return day(t.UTC().Format(time.DateOnly)) },
		"bar":      bar,
		"plural":   plural,
		"label":    label,
		"add":      func(a, b int) int { return a + b },
		"upper":    upper,
		"formula":  s.formulaAddress,
		"snippet":  func(name, text string) snippet { return snippet{name, text} },
	}
}

func (s *Site) categoryTitle(slug string) string {
	if t := s.titles[slug]; t != "" {
		return t
	}
	return slug
}

// name is a name, or another short text, on one line.
func name(s string) string { return cut(clean(s), longName) }

// clean is a text on one line without hidden characters.
func clean(s string) string { return safetext.OneLine(s) }

func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// web is an address that a link may have, "" for any but http and https.
func web(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > longAddress {
		return ""
	}
	return u.String()
}

// host is the part of an address that people know it by.
func host(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return cut(clean(strings.TrimPrefix(u.Hostname(), "www.")), 60)
}

// count writes a number with its thousands set apart.
func count(n any) string {
	var x float64
	switch n := n.(type) {
	case int:
		x = float64(n)
	case int64:
		x = float64(n)
	case uint64:
		x = float64(n)
	case float64:
		x = n
	}
	digits, fraction, isPart := strings.Cut(strconv.FormatFloat(math.Abs(x), 'f', -1, 64), ".")
	var b strings.Builder
	if x < 0 {
		b.WriteString("−")
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	if isPart {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// compact writes a number with three digits that mean something: 29.8M.
func compact(x float64) string {
	for _, u := range []struct {
		from float64
		sign string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(x) < u.from {
			continue
		}
		v := x / u.from
		if u.sign == "k" {
			v = x / 1e3
		}
		places := 1
		if math.Abs(v) >= 99.95 {
			places = 0
		}
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', places, 64), ".0") + u.sign
	}
	return count(x)
}

// day writes YYYY-MM-DD, or YYYY-MM, as people read it. What is none stays.
func day(s string) string {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Format("2 Jan 2006")
	}
	if t, err := time.Parse("2006-01", s); err == nil {
		return t.Format("Jan 2006")
	}
	return clean(s)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// labels are the words that pages alone have for names of the interface.
var labels = map[string]string{
	"addedDate": "Added", "lastUpdated": "Updated", "modelCard": "Model card",
	"open-source": "Open source", "open-weights": "Open weights", "usage-based": "Usage-based",
}

// label is what people call a field, a score, a signal or one of their values.
func label(name string) string {
	if l := labels[name]; l != "" {
		return l
	}
	if w := feed.DisplayName(name); w != "" {
		return upper(w)
	}
	return upper(clean(name))
}

// bar draws a score from 0 to 100 as a bar; the number stands beside it.
func bar(s record.Score) template.HTML {
	b := `<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="bar-track" width="100" height="4" rx="2"/>`
	if s.Known() {
		b += `<rect class="bar-fill" width="` + s.String() + `" height="4" rx="2"/>`
	}
	return template.HTML(b + `</svg>`) //nolint:gosec // nothing but a number
}
