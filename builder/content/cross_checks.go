package content

import (
	"slices"
	"strconv"

	"kindex/builder/content/yamldoc"
	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// claims indexes the values that must be unique across files. With this index, the cost of
// checking an edited file against all others depends only on the edited file.
type claims struct {
	names, former, categories, ids map[string][]*file
}

func newClaims() claims {
	return claims{map[string][]*file{}, map[string][]*file{}, map[string][]*file{}, map[string][]*file{}}
}

// each calls yield for every value that a file claims.
func (c *claims) each(r *file, yield func(in map[string][]*file, key string)) {
	e := r.entity
	if e == nil {
		return
	}
	yield(c.categories, e.Category)
	if e.Name != "" {
		yield(c.names, nameKey(e))
	}
	seen := map[string]bool{}
	for _, id := range ownIDs(e) {
		if key := idKey(e, id); !seen[key] {
			seen[key] = true
			yield(c.ids, key)
		}
	}
	for _, old := range e.Formerly {
		if !seen[old] {
			seen[old] = true
			yield(c.former, e.Type+"/"+old)
		}
	}
}

func (c *claims) add(r *file) {
	c.each(r, func(in map[string][]*file, key string) { in[key] = append(in[key], r) })
}

func (c *claims) remove(r *file) {
	c.each(r, func(in map[string][]*file, key string) {
		if left := slices.DeleteFunc(in[key], func(x *file) bool { return x == r }); len(left) > 0 {
			in[key] = left
		} else {
			delete(in, key)
		}
	})
}

// crossCheck finds problems between files: undeclared categories, earlier slugs claimed
// twice, and duplicate names.
func (f *Folder) crossCheck(c *Content) (problems yamldoc.Problems) {
	complain := func(r *file, severity yamldoc.Severity, path []string, message, suggestion string) {
		line, col := 1, 1
		if data, err := readFile(r.path); err == nil {
			line, col = yamldoc.Parse(r.shown, data, yamldoc.TextFields...).Locate(path, false)
		}
		problems = append(problems, yamldoc.Problem{File: r.shown, Line: line, Column: col, Severity: severity,
			Field: yamldoc.FieldName(path), Message: message, Suggestion: suggestion})
	}
	for category, list := range f.claims.categories {
		if message, suggestion := wrongCategory(category, c.Categories); message != "" {
			for _, r := range list {
				complain(r, yamldoc.Error, []string{"category"}, message, suggestion)
			}
		}
	}
	if words := newVocabulary(c.Vocabulary); words != nil {
		for _, r := range f.order {
			if r.entity == nil { // it cannot be read
				continue
			}
			words.check(r.entity, func(path []string, message, suggestion string) { complain(r, yamldoc.Error, path, message, suggestion) })
		}
	}
	for key, list := range f.claims.former {
		slices.SortFunc(list, compareFiles)
		for i, r := range list {
			old := key[len(r.typ)+1:]
			path := []string{"formerly", indexStep(slices.Index(r.entity.Formerly, old))}
			if owner := f.files[key+".yaml"]; owner != nil && owner != r {
				complain(r, yamldoc.Error, path, slugTaken(old, owner.shown), "")
			} else if i > 0 {
				complain(r, yamldoc.Error, path, slugClaimed(old, list[i-1].shown), "")
			}
		}
	}
	for _, list := range f.claims.names {
		if len(list) < 2 {
			continue
		}
		slices.SortFunc(list, compareFiles)
		for _, r := range list[1:] {
			complain(r, yamldoc.Warning, []string{"name"}, nameTaken(r.entity.Name, list[0].shown), "")
		}
	}
	for _, r := range f.order {
		message := lookAlike(r.entity, func(typ, name string) string {
			list := f.claims.names[nameKey(&record.Entity{Type: typ, Name: name})]
			if len(list) == 0 {
				return ""
			}
			return list[0].shown
		})
		if message != "" {
			complain(r, yamldoc.Warning, []string{"name"}, message, "")
		}
	}
	f.crossCheckFacts(c, complain)
	return problems
}

// wrongCategory returns the reason an entity cannot be in a category, or "". declared
// contains the categories from categories.yaml.
func wrongCategory(category string, declared []Category) (message, suggestion string) {
	if category == exports.AllBoard {
		return yamldoc.Quote(category) + reservedSlug, ""
	}
	is := func(c Category) bool { return c.Slug == category }
	if slices.ContainsFunc(declared, is) || !ValidSlug(category) {
		return "", ""
	}
	if device := DeviceName(category); device != "" {
		return yamldoc.Quote(category) + device, ""
	}
	if len(declared) == 0 {
		return "", ""
	}
	var slugs []string
	for _, c := range declared {
		if slices.Contains(c.Formerly, category) {
			return yamldoc.Quote(category) + " is the former slug of a category", c.Slug
		}
		slugs = append(slugs, c.Slug)
	}
	return yamldoc.Quote(category) + " is not in categories.yaml", didyoumean.Name(category, slugs)
}

func slugTaken(old, by string) string   { return yamldoc.Quote(old) + " is the slug of " + by }
func slugClaimed(old, by string) string { return yamldoc.Quote(old) + " is also claimed by " + by }
func nameTaken(name, by string) string  { return yamldoc.Quote(name) + " is also the name of " + by }

func idTaken(id record.ID, by string) string {
	return yamldoc.Quote(id.Value) + " is also an identifier of " + by
}

func nameKey(e *record.Entity) string { return e.Type + "/" + record.Fold(e.Name) }

// indexStep formats a list index as one element of a document path.
func indexStep(i int) string { return strconv.Itoa(i) }
