package importer

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"kindex/builder/importer/mapping"
)

// Draft is what a mapping makes of one row.
type Draft struct {
	Row, Line  int
	Type, Slug string         // "" if the row has none
	Fields     map[string]any // in the form used in files
	// Unused has the numbers in columns that the mapping does not use, by column.
	Unused  map[string]float64
	Reasons []Reason // the reasons parts of the row are not in Fields
}

// ReadDrafts calls yield for each row of Input that where selects, in order. It writes nothing,
// and does not check whether the drafts would be valid files. Problems of the mapping are
// returned as yamldoc.Problems. Of the options, it uses Input, Mapping and Date.
func ReadDrafts(ctx context.Context, o Options, yield func(Draft) error) error {
	if err := o.Check(); err != nil {
		return err
	}
	data, err := os.ReadFile(o.Mapping)
	if err != nil {
		return err
	}
	m, problems := mapping.Parse(filepath.ToSlash(o.Mapping), data)
	if m == nil {
		return problems
	}
	j := &job{Options: o, mapping: m, drafter: newDrafter(m, o.Date)}
	if j.firstPass, err = j.scan(ctx); err != nil {
		return err
	}
	return j.rows(ctx, func(list []*row) error {
		for _, r := range list {
			if r.wrong != "" {
				if err := yield(Draft{Row: r.number, Line: r.line, Reasons: []Reason{{Message: r.wrong}}}); err != nil {
					return err
				}
				continue
			}
			if !j.drafter.all(m.Where, r) {
				continue
			}
			d := j.drafter.draft(r)
			if err := yield(Draft{Row: r.number, Line: r.line, Type: d.typ, Slug: d.slug, Fields: d.fields, Reasons: d.reasons, Unused: j.unusedNumbers(r)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// unusedNumbers returns the numbers in columns that the mapping does not use.
func (j *job) unusedNumbers(r *row) map[string]float64 {
	out := map[string]float64{}
	for _, name := range j.firstPass.unused {
		text := ""
		switch v := r.lookup(name).(type) {
		case string:
			text = strings.TrimSpace(v)
		case json.Number:
			text = v.String()
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			out[name] = x
		}
	}
	return out
}
