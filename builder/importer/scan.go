package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/didyoumean"
)

// claims contains the rows that claim each address. It is keyed by type/slug.
type claims map[string]claim

type claim struct {
	digest digest
	first  int // row
	other  int // the first other row with different content, or 0 if there is none
}

func (c claims) add(key string, row int, d digest) {
	held, known := c[key]
	switch {
	case !known:
		c[key] = claim{digest: d, first: row}
	case held.digest != d && held.other == 0:
		held.other = row
		c[key] = held
	}
}

// slugOf returns the final slug of a row.
func (j *job) slugOf(typ, slug, clash string) string {
	if clash != "" && j.plain[typ+"/"+slug].other != 0 {
		return clash
	}
	return slug
}

// scan reads the input once. If the mapping uses columns that the input does not have, scan
// returns a problem for each of them as yamldoc.Problems.
func (j *job) scan(ctx context.Context) error {
	type proposal struct {
		row              int
		typ, slug, clash string
		digest           digest
	}
	var proposals []proposal
	var inputs []float64 // input prices, in dollars for a million tokens
	seen := columns{}
	j.plain, j.final = claims{}, claims{}
	err := j.rows(ctx, "read", func(r *row) error {
		if j.header == nil {
			seen.addObject("", r.fields)
		}
		if r.wrong != "" || !j.drafter.all(j.mapping.Where, r.fields) {
			return nil
		}
		d := j.drafter.draft(r.fields)
		inputs = append(inputs, d.inputs...)
		if d.Type != "" && d.Slug != "" {
			p := proposal{r.number, d.Type, d.Slug, d.clashSlug, d.digest()}
			proposals = append(proposals, p)
			j.plain.add(p.typ+"/"+p.slug, p.row, p.digest)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range proposals {
		j.final.add(p.typ+"/"+j.slugOf(p.typ, p.slug, p.clash), p.row, p.digest)
	}
	for _, name := range j.header {
		seen[name] = true
	}
	if problems := j.unknownColumns(seen); len(seen) > 0 && len(problems) > 0 {
		return problems
	}
	j.unused = seen.without(j.mapping)
	return j.wrongUnit(inputs)
}

// columns is the set of column names in the input. The entries of a list share the name of
// the list.
type columns map[string]bool

// maxColumns limits the memory used if the keys of objects are data instead of column names.
const maxColumns = 10000

func (c columns) addObject(prefix string, object map[string]any) {
	for name, v := range object {
		if len(c) < maxColumns {
			c[prefix+name] = true
		}
		c.addInner(prefix+name+".", v)
	}
}

func (c columns) addInner(prefix string, v any) {
	switch v := v.(type) {
	case map[string]any:
		c.addObject(prefix, v)
	case []any:
		for _, item := range v {
			c.addInner(prefix, item)
		}
	}
}

// withoutNumbers returns the name in columns of a column: links.0.url is links.url.
func withoutNumbers(name string) string {
	parts := strings.Split(name, ".")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return strings.Trim(p, "0123456789") == "" }), ".")
}

// unknownColumns returns problems for columns that the mapping uses but the input does not
// have.
func (j *job) unknownColumns(seen columns) (problems yamldoc.Problems) {
	names := slices.Sorted(maps.Keys(seen))
	for _, use := range j.mapping.Uses {
		if use.Optional || seen[use.Column] || seen[withoutNumbers(use.Column)] {
			continue
		}
		message := "no column " + yamldoc.Quote(use.Column) + " in " + j.Input
		suggestion := didyoumean.Name(use.Column, names)
		if delimiter := otherDelimiter(names); delimiter != "" {
			message += fmt.Sprintf("; its only column is %s: set the column separator in the mapping with input: {delimiter: %q}", yamldoc.Quote(names[0]), delimiter)
			suggestion = ""
		} else if len(names) > 0 && len(names) <= 40 {
			message += "; expected one of: " + strings.Join(names, ", ")
		}
		problems = append(problems, j.mapping.Problem(use.Location, message, suggestion))
	}
	return problems.With(nil)
}

// otherDelimiter guesses the column separator of a file that seems to have only one column. It
// returns "" if it finds none.
func otherDelimiter(names []string) string {
	for _, d := range []string{";", "\t", "|", ","} {
		if len(names) == 1 && strings.Contains(names[0], d) {
			return d
		}
	}
	return ""
}

// without lists the columns of which a mapping does not use any part. It lists the enclosing
// object of columns, unless the mapping uses another part of it.
func (c columns) without(m *mapping.Mapping) (unused []string) {
	used := map[string]bool{}
	for _, use := range m.Uses {
		for _, name := range []string{use.Column, withoutNumbers(use.Column)} {
			for used[name] = true; strings.Contains(name, "."); used[name] = true {
				name = outer(name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if in := outer(name); name != "" && !used[name] && (in == "" || used[in] || !c[in]) {
			unused = append(unused, name)
		}
	}
	return unused
}

// outer returns the name of the object that encloses a column, or "".
func outer(name string) string { return name[:max(0, strings.LastIndexByte(name, '.'))] }
