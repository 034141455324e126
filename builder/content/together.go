package content

import (
	"fmt"

	"kindex/exports"
	"kindex/exports/nearest"
)

// checkTogether finds what is wrong between files: categories that nobody
// declared, earlier slugs claimed twice, names given twice.
func (c *Content) checkTogether(files []*file) Problems {
	var problems Problems
	at := map[string]string{} // key → file
	for _, s := range files {
		at[s.typ+"/"+s.slug] = s.shown
	}
	complain := func(i int, severity Severity, path []string, message, suggestion string) {
		s := files[i]
		line, col := 1, 1
		if data, err := readFile(s.path); err == nil {
			line, col = parseDocument(s.shown, data, "version").locate(path, false)
		}
		problems = append(problems, Problem{File: s.shown, Line: line, Column: col, Severity: severity,
			Field: FieldName(path), Message: message, Suggestion: suggestion})
	}
	declared := map[string]bool{}
	var slugs []string
	for _, cat := range c.Categories {
		declared[cat.Slug] = true
		slugs = append(slugs, cat.Slug)
	}
	former, names := map[string]string{}, map[string]string{}
	for i, r := range files {
		e := r.entity
		if e == nil {
			continue
		}
		if e.Category == exports.AllBoard {
			complain(i, Error, []string{"category"}, shown(e.Category)+reserved, "")
		} else if len(declared) > 0 && !declared[e.Category] && ValidSlug(e.Category) {
			complain(i, Error, []string{"category"}, shown(e.Category)+" is not in categories.yaml", nearest.Name(e.Category, slugs))
		}
		for j, old := range e.Formerly {
			key, path := e.Type+"/"+old, []string{"formerly", fmt.Sprint(j)}
			if file, ok := at[key]; ok && old != e.Slug {
				complain(i, Error, path, shown(old)+" is the slug of "+file, "")
			} else if file, ok := former[key]; ok && file != r.shown {
				complain(i, Error, path, shown(old)+" is claimed by "+file+" too", "")
			}
			former[key] = r.shown
		}
		if e.Name == "" {
			continue
		}
		name := e.Type + "/" + exports.Fold(e.Name)
		if file, ok := names[name]; ok {
			complain(i, Warning, []string{"name"}, shown(e.Name)+" is the name of "+file+" too", "")
		} else {
			names[name] = r.shown
		}
	}
	return problems
}
