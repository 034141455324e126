package main

import (
	"strconv"
	"strings"

	"kindex/exports/record"
)

// appendYAML writes an entity the way people write entity files.
func appendYAML(b []byte, e *record.Entity) []byte {
	b = appendField(b, "name", scalar(e.Name))
	if e.Status != record.Active {
		b = appendField(b, "status", e.Status)
	}
	b = appendField(b, "formerly", list(e.Formerly))
	b = appendField(b, "provider", scalar(e.Provider))
	b = appendField(b, "description", scalar(e.Description))
	b = appendField(b, "category", scalar(e.Category))
	b = appendField(b, "version", scalar(e.Version))
	b = appendField(b, "license", scalar(e.License))
	b = appendField(b, "pricingModel", scalar(e.PricingModel))
	b = appendField(b, "url", scalar(e.URL))
	if len(e.Links) > 0 {
		b = append(b, "links:\n"...)
	}
	for _, l := range e.Links {
		b = appendField(b, "  "+l.Name, scalar(l.URL))
	}
	b = appendField(b, "tags", list(e.Tags))
	b = appendField(b, "capabilities", list(e.Capabilities))
	b = appendField(b, "addedDate", e.AddedDate)
	b = appendField(b, "lastUpdated", e.LastUpdated)
	if len(e.IDs) > 0 {
		b = append(b, "ids:\n"...)
	}
	for _, id := range e.IDs {
		b = appendField(b, "  "+id.Namespace, scalar(id.Value))
	}
	b = appendModel(b, e.Model)
	return appendSignals(b, e.Signals)
}

func appendSignals(b []byte, s record.Signals) []byte {
	if len(s.Facts)+len(s.Benchmarks) > 0 {
		b = append(b, "signals:\n"...)
	}
	for _, f := range s.Facts {
		value := f.Day
		if value == "" {
			value = strconv.FormatInt(int64(f.Number), 10)
		}
		b = appendField(b, "  "+f.Name, flow("value", value, "date", f.Date, "source", scalar(f.Source)))
	}
	if len(s.Benchmarks) > 0 {
		b = append(b, "  benchmarks:\n"...)
	}
	for _, m := range s.Benchmarks {
		value := strconv.FormatFloat(m.Value, 'f', -1, 64)
		b = append(b, "    - "+flow("name", scalar(m.FoldedName()), "value", value, "date", m.Date, "source", scalar(m.Source))+"\n"...)
	}
	return b
}

// appendField writes a line, or nothing if the value is absent.
func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, '\n')
}

// flow writes names and values on one line, omitting absent values.
func flow(pairs ...string) string {
	var fields []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fields = append(fields, pairs[i]+": "+pairs[i+1])
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func list(items []string) string {
	if len(items) == 0 {
		return ""
	}
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = scalar(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// scalar returns a string as a YAML scalar, quoted if it could otherwise be parsed
// as something else.
func scalar(s string) string {
	if s == "" || plain(s) {
		return s
	}
	return strconv.Quote(s) // its escapes are valid in YAML
}

// plain reports whether a string can be written without quotes. It is stricter than
// YAML, because unnecessary quotes do no harm.
func plain(s string) bool {
	if c := s[0] | 0x20; c < 'a' || c > 'z' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("._/-+", c) >= 0:
		case c == ' ' && i+1 < len(s):
		case c == ':' && strings.HasPrefix(s[i:], "://"):
		default:
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}
