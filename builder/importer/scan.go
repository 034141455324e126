package importer

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/didyoumean"
)

// claims has the first row that claims each address (type/slug), and the first other one with different content,
// or nil.
type claims map[string]*claim

type claim struct {
	*row
	other *row
}

// add adds a row that has a type and a slug.
func (c claims) add(key string, r *row) {
	if held := c[key]; r.draft.Type == "" || r.draft.Slug == "" {
		return
	} else if held == nil {
		c[key] = &claim{row: r}
	} else if held.other == nil && !reflect.DeepEqual(held.draft.Fields, r.draft.Fields) {
		held.other = r
	}
}

// read reads the input, and drafts what the mapping makes of its rows. If the mapping uses columns that
// the input does not have, it returns a problem for each of them as yamldoc.Problems.
func (j *job) read(ctx context.Context) error {
	in, err := open(j.Input, j.Data, j.mapping.Input.Delimiter)
	if err != nil {
		return err
	}
	seen, plain := columns{}, claims{} // plain by the slugs that clash
	var inputs []float64               // input prices, in dollars for a million tokens
	j.header = in.names
	for r, err := range in.rows {
		if err != nil {
			return fmt.Errorf("%s: %w", j.Input, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		j.rows = append(j.rows, r)
		j.progress("read", r)
		if j.header == nil {
			seen.addObject("", r.fields)
		}
		if r.wrong == "" && j.drafter.all(j.mapping.Where, r.fields) {
			r.draft = j.drafter.draft(r.fields)
			inputs = append(inputs, r.draft.inputs...)
			plain.add(r.draft.Type+"/"+r.draft.Slug, r)
		}
	}
	j.claims = claims{}
	for _, r := range j.rows {
		if d := r.draft; d != nil {
			if d.final = d.Slug; d.clashSlug != "" && plain[d.key()] != nil && plain[d.key()].other != nil {
				d.final = d.clashSlug
			}
			j.claims.add(d.key(), r)
		}
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
