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

// firstPass is the result of the first pass through the input.
type firstPass struct {
	rows   int
	unused []string  // columns that the mapping does not use
	plain  claims    // by slug
	final  claims    // by slug, or by clashSlug if the slug clashes
	inputs []float64 // input prices, in dollars for a million tokens
}

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

// proposal contains the type and the slugs proposed for one row.
type proposal struct {
	row         int
	typ         string
	slug, clash string
	digest      digest
	inputs      []float64
}

// slugOf returns the final slug of a row.
func (s *firstPass) slugOf(typ, slug, clash string) string {
	if clash != "" && s.plain[typ+"/"+slug].other != 0 {
		return clash
	}
	return slug
}

// scan reads the input once. If the mapping uses columns that the input does not have, scan
// returns a problem for each of them as yamldoc.Problems.
func (j *job) scan(ctx context.Context) (*firstPass, error) {
	seen, err := j.declared()
	if err != nil {
		return nil, err
	}
	s := &firstPass{plain: claims{}, final: claims{}}
	var proposals []proposal
	err = j.rows(ctx, func(list []*row) error {
		for _, r := range list {
			if object, ok := r.inputRecord.(jsonRecord); ok {
				seen.addObject("", object)
			}
			w, ok, err := j.propose(r)
			if err != nil {
				return err
			}
			s.inputs = append(s.inputs, w.inputs...)
			if ok {
				proposals = append(proposals, w)
				s.plain.add(w.typ+"/"+w.slug, w.row, w.digest)
			}
		}
		s.rows += len(list)
		if j.Progress != nil {
			j.Progress("read", s.rows)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, w := range proposals {
		s.final.add(w.typ+"/"+s.slugOf(w.typ, w.slug, w.clash), w.row, w.digest)
	}
	if problems := j.unknownColumns(seen); s.rows > 0 && len(problems) > 0 {
		return nil, problems
	}
	s.unused = seen.without(j.mapping)
	return s, j.wrongUnit(s.inputs)
}

// propose returns the type and the slugs of a row; ok is false if the row is skipped or has no
// type or slug.
func (j *job) propose(r *row) (w proposal, ok bool, err error) {
	if r.wrong != "" || !j.drafter.all(j.mapping.Where, r) {
		return proposal{}, false, nil
	}
	d := j.drafter.draft(r)
	w = proposal{row: r.number, typ: d.typ, slug: d.slug, clash: d.clashSlug, inputs: d.inputs}
	w.digest, err = d.digest()
	return w, d.typ != "" && d.slug != "", err
}

// columns is the set of column names in the input. The entries of a list share the name of
// the list.
type columns map[string]bool

// maxColumns limits the memory used if the keys of objects are data instead of column names.
const maxColumns = 10000

// declared returns the columns that the file declares. If the mapping uses a column that is
// not declared, it returns an error before any row is read.
func (j *job) declared() (columns, error) {
	in, err := open(j.Input, j.mapping.Input.Delimiter)
	if err != nil {
		return nil, err
	}
	names := in.header()
	if err := in.Close(); err != nil {
		return nil, err
	}
	seen := columns{}
	for _, name := range names {
		seen[name] = true
	}
	if problems := j.unknownColumns(seen); names != nil && len(problems) > 0 {
		return nil, problems
	}
	return seen, nil
}

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

// known reports whether a column exists. The name links.0.url refers to url in the entries of
// links.
func (c columns) known(name string) bool { return c[name] || c[withoutNumbers(name)] }

func withoutNumbers(name string) string {
	parts := strings.Split(name, ".")
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return strings.Trim(p, "0123456789") == "" }), ".")
}

// unknownColumns returns problems for columns that the mapping uses but the input does not
// have.
func (j *job) unknownColumns(seen columns) (problems yamldoc.Problems) {
	names := slices.Sorted(maps.Keys(seen))
	for _, use := range j.mapping.Columns() {
		if use.Optional || seen.known(use.Column) {
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
	if len(names) != 1 {
		return ""
	}
	for _, d := range []string{";", "\t", "|"} {
		if strings.Contains(names[0], d) {
			return d
		}
	}
	return ""
}

// without lists the columns of which a mapping does not use any part.
func (c columns) without(m *mapping.Mapping) (unused []string) {
	used := map[string]bool{}
	for _, use := range m.Columns() {
		for _, name := range []string{use.Column, withoutNumbers(use.Column)} {
			used[name] = true
			for i := range name {
				if name[i] == '.' {
					used[name[:i]] = true // the enclosing object
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		outer, _, inner := cutLast(name)
		if name == "" || used[name] || inner && !used[outer] && c[outer] {
			continue // skip columns without a name, and those whose enclosing object is listed
		}
		unused = append(unused, name)
	}
	return unused
}

func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}
