package submission

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// amends is the field of a submission that names the entity it corrects, as type/slug.
const amends = "amends"

// correction converts the fields of a correction to a draft. Fields that are missing stay
// as they are; null removes a field. The values that change must be valid together with those
// that stay, and figures need a source.
func (p *parser) correction(fields map[string]any, in Index) (*Draft, error) {
	before, err := p.amended(fields, in)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return nil, p.err()
	}
	old, err := values(before)
	if err != nil { // its texts cannot be written as they are
		p.problem(amends, fmt.Sprintf("%s cannot be corrected here; change its file in a pull request (%v)", before.Key(), err), "")
		return nil, p.err()
	}
	now, changes, err := yamlfmt.Apply(p.kinds, old, p.fields)
	var wrong *yamlfmt.FieldError
	if errors.As(err, &wrong) {
		p.problem(wrong.Field, wrong.Message, "")
		return nil, p.err()
	}
	if err != nil {
		return nil, err
	}
	d := &Draft{Before: before, Changes: changes}
	p.sources(old, changes)
	if len(changes) == 0 && len(p.problems) == 0 {
		p.problem(amends, "changes nothing, because "+before.Key()+" already has these values; include at least one new value", "")
		return nil, &InvalidError{Problems: p.problems, Unchanged: true}
	}
	return p.draft(d, before.Type, before.Slug, now, in)
}

func values(e *record.Entity) (map[string]any, error) {
	data, err := File(e)
	if err != nil {
		return nil, err
	}
	return content.Fields(data)
}

// amended returns the entity that a correction names, or nil, with a problem, if there is none.
func (p *parser) amended(fields map[string]any, in Index) (*record.Entity, error) {
	key, _ := fields[amends].(string)
	typ, slug, _ := strings.Cut(key, "/")
	if p.kinds.Kind(typ) == nil || !content.ValidSlug(slug) {
		p.problem(amends, "must name an entity by type and slug, such as tool/example", "")
		return nil, nil
	}
	e, err := in.FindAuthored(typ, slug)
	if err != nil {
		return nil, err
	}
	if e == nil {
		p.problem(amends, "the index has no "+key, in.Near(typ, slug))
		return nil, nil
	}
	for _, f := range [...]struct{ name, value string }{{"type", e.Type}, {"slug", e.Slug}} {
		if given, ok := fields[f.name]; ok && given != f.value {
			p.problem(f.name, "cannot be corrected here, because it is part of the address; leave it out", f.value)
		}
	}
	return e, nil
}

// sources adds a problem for each figure without a source: a correction without one could not
// be checked by a reviewer.
func (p *parser) sources(old, changes map[string]any) {
	missing := func(value any, path ...string) {
		if members, ok := value.(map[string]any); ok && members["source"] == nil {
			p.problem(yamldoc.FieldName(append(path, "source")), "is missing; state the page on which the figure can be checked", "")
		}
	}
	listed := func(before, now any, path ...string) {
		had, _ := before.([]any)
		list, _ := now.([]any)
		for i, item := range list {
			if !slices.ContainsFunc(had, func(b any) bool { return reflect.DeepEqual(b, item) }) {
				missing(item, append(path, strconv.Itoa(i))...)
			}
		}
	}
	was, _ := old["signals"].(map[string]any)
	signals, _ := changes["signals"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(signals)) {
		if name == "benchmarks" {
			listed(was[name], signals[name], "signals", name)
			continue
		}
		missing(signals[name], "signals", name)
	}
	if read, _ := changes["offersRead"].(map[string]any); read["source"] == nil {
		listed(old["offers"], changes["offers"], "offers")
	}
}

// Corrected reports whether an entity, as its file states it, has all values of a correction.
func Corrected(e *record.Entity, changes map[string]any) (bool, error) {
	old, err := values(e)
	if err != nil {
		return false, err
	}
	_, missing, err := yamlfmt.Apply(e.Declared(), old, changes)
	return err == nil && len(missing) == 0, err
}

// Describe returns the changes of a correction as text: the new values as in a file, and the names
// of the fields that are removed. It returns "" if there are none.
func Describe(changes map[string]any) (string, error) {
	set, removed := map[string]any{}, []string(nil)
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		members, nested := changes[name].(map[string]any)
		if !nested {
			if set[name] = changes[name]; changes[name] == nil {
				delete(set, name)
				removed = append(removed, name)
			}
			continue
		}
		kept := map[string]any{}
		for _, member := range slices.Sorted(maps.Keys(members)) {
			if members[member] == nil {
				removed = append(removed, yamldoc.FieldName([]string{name, member}))
				continue
			}
			kept[member] = members[member]
		}
		if len(kept) > 0 {
			set[name] = kept
		}
	}
	var text strings.Builder
	if len(removed) > 0 {
		text.WriteString("# removed: " + strings.Join(removed, ", ") + "\n")
	}
	if len(set) == 0 {
		return text.String(), nil
	}
	data, err := yamlfmt.Compose(kinds.Default(), set)
	text.Write(data)
	return text.String(), err
}
