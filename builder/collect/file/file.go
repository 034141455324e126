// Package file makes a CSV or JSONL list a source of figures. A mapping, as for kindex import,
// says which column is which signal. A row belongs to the entity with one of its identifiers
// (ids or links in the mapping) or, if the row has none, with its slug.
package file

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"kindex/builder/collect"
	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/builder/importer"
	"kindex/builder/importer/mapping"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Source implements collect.Source.
type Source struct {
	name, title string
	rows        map[string]collect.Answer // by key
	columns     []collect.Column
	day         string // on which the figures were read, unless a row states its own
	page        string // the source of figures, unless a row states its own
	// Unread is the number of rows that could not be read, and Reason is why the first of them
	// could not.
	Unread int
	Reason string
}

// Open reads a list. date is the day on which its figures were read, if neither the mapping nor
// the rows state one.
func Open(ctx context.Context, name, path, mapped, date string) (*Source, error) {
	s := &Source{name: name, title: "the list " + name, day: date, rows: map[string]collect.Answer{}}
	if err := s.readMapping(mapped); err != nil {
		return nil, err
	}
	err := importer.ReadDrafts(ctx, importer.Options{Input: path, Mapping: mapped, Date: date}, func(d *importer.Draft) error {
		if len(d.Reasons) > 0 {
			if s.Unread++; s.Unread == 1 {
				s.Reason = fmt.Sprintf("row %d: %s", d.Row, d.Reasons[0].Message)
			}
		}
		if d.Type == "" || d.Slug == "" {
			return nil
		}
		s.add(d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// readMapping reads which columns the list has, whether or not they have values.
func (s *Source) readMapping(path string) error {
	data, err := os.ReadFile(path) //nolint:gosec // the operator names the file, or it is inside the repository
	if err != nil {
		return err
	}
	m, problems := mapping.Parse(filepath.ToSlash(path), data)
	if m == nil {
		return problems
	}
	if m.Source != nil {
		s.day, s.page = cmp.Or(s.day, m.Source.Date), m.Source.URL
	}
	for _, t := range m.Targets {
		name := t.Path[len(t.Path)-1]
		if t.Path[0] == "signals" || len(t.Path) == 1 && (name == "license" || name == "version") {
			s.columns = append(s.columns, collect.Column{Name: name, Always: always[name]})
		}
	}
	return nil
}

// always lists the signals that every code repository has. A row that has some of them but not all
// was read when the host did not answer.
var always = map[string]bool{"stars": true, "forks": true, "lastCommit": true}

func (s *Source) add(d *importer.Draft) {
	keys := keysOf(d)
	a := collect.Answer{Beside: d.Unused, Day: s.day}
	signals, _ := d.Fields["signals"].(map[string]any)
	for _, t := range kinds.Default().Signals {
		fact, ok := signals[t.Name].(map[string]any)
		if !ok {
			continue
		}
		v := collect.Value{Name: t.Name, Source: cmp.Or(yamldoc.Text(fact["source"]), s.page)}
		if !t.IsDay() {
			x, err := strconv.ParseFloat(fmt.Sprint(fact["value"]), 64)
			if err != nil {
				continue
			}
			v.Number = x
		} else {
			v.Text = yamldoc.Text(fact["value"])
		}
		a.Add(v)
		if day := yamldoc.Text(fact["date"]); day != "" {
			a.Day = day
		}
	}
	if sourceOf(a) == "" {
		s.keep(keys, a) // a row without figures says nothing
		return
	}
	if text := schema.License(yamldoc.Text(d.Fields["license"])); text != "" { // lists also have words such as Other
		a.Add(collect.Value{Name: "license", Text: text, Source: sourceOf(a)})
	}
	if text := yamldoc.Text(d.Fields["version"]); text != "" {
		a.Add(collect.Value{Name: "version", Text: text, Source: sourceOf(a)})
	}
	s.keep(keys, a)
}

// keep stores a row under its keys. Of several rows for one thing, the first one counts.
func (s *Source) keep(keys []string, a collect.Answer) {
	for _, key := range keys {
		if _, twice := s.rows[key]; !twice {
			a.ID = key
			s.rows[key] = a
		}
	}
}

// sourceOf returns the source of the signals of a row, which is also that of its fields.
func sourceOf(a collect.Answer) string {
	for _, v := range a.Values {
		if v.Source != "" {
			return v.Source
		}
	}
	return ""
}

// keysOf returns the keys under which a row is found: its identifiers, those in its links
// included, or its slug if it has none.
func keysOf(d *importer.Draft) (keys []string) {
	links, _ := d.Fields["links"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(links)) {
		for _, id := range record.LinkedIDs([]record.Link{{Name: name, URL: yamldoc.Text(links[name])}}) {
			keys = append(keys, key(d.Type, id.Namespace, id.Value))
		}
	}
	stated, _ := d.Fields["ids"].(map[string]any)
	for _, namespace := range ids.Names() {
		list, _ := stated[namespace].([]any)
		if text, ok := stated[namespace].(string); ok {
			list = []any{text}
		}
		for _, v := range list {
			if text, ok := v.(string); ok {
				keys = append(keys, key(d.Type, namespace, text))
			}
		}
	}
	if len(keys) == 0 {
		keys = append(keys, d.Type+"/"+d.Slug)
	}
	return keys
}

func key(typ, namespace, value string) string {
	return typ + " " + namespace + ":" + ids.Canonical(namespace, value)
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	return collect.Info{Name: s.name, Title: s.title, Batch: 1 << 20, Columns: s.columns}
}

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	for _, id := range e.IDs {
		if k := key(e.Type, id.Namespace, id.Value); s.has(k) {
			return k
		}
	}
	if s.has(e.Key()) {
		return e.Key()
	}
	return ""
}

func (s *Source) has(key string) bool {
	_, ok := s.rows[key]
	return ok
}

// Ask implements collect.Source.
func (s *Source) Ask(_ context.Context, _ collect.Client, keys []string) ([]collect.Answer, error) {
	var out []collect.Answer
	for _, k := range keys {
		if a, ok := s.rows[k]; ok {
			out = append(out, a)
		}
	}
	return out, nil
}
