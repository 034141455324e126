package importer

import (
	"maps"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// guessTargets lists core fields, and other names of columns that they can come from. A name can also come
// from a column that is called like a kind. Declared fields and signals are found by their names and titles.
var guessTargets = []string{
	"description summary about", "category topic", "provider vendor company organization author publisher maker", "version",
	"license licence", "pricingModel pricing", "url homepage website link", "tags labels keywords", "links.repository repo github",
	"links.documentation docs", "links.paper", "links.modelCard", "ids.pypi", "ids.npm", "ids.huggingface",
}

// targets returns the fields for which Guess looks for a column, each with the names of such columns.
func (g *guesser) targets() (list []string) {
	names := "name name title project"
	for _, k := range g.kinds.Kinds {
		if g.Type == "" || g.Type == k.Name {
			names += " " + normal(k.Name) + " " + normal(k.Title)
		}
	}
	list = append(list, names)
	for _, f := range kinds.Stated(g.kinds.Leaves()) {
		if k := g.kinds.Kind(g.Type); k == nil || k.Has(f) {
			names := []string{f.Path, normal(f.Path), normal(f.Title), normal(f.Title + f.Unit), normal(f.Query)}
			if isEnd(f) {
				for word := range strings.FieldsSeq(ends[f.Name]) {
					names = append(names, normal(f.Group.Title+word), normal(word+f.Group.Title), normal(f.Group.Name+word), normal(word+f.Group.Name))
				}
				if f.Name == kinds.FromPart { // a column with one number, or with both
					names = append(names, normal(f.Group.Title), normal(f.Group.Name))
				}
			}
			list = append(list, strings.Join(names, " "))
		}
	}
	for _, s := range g.kinds.Signals {
		if k := g.kinds.Kind(g.Type); k == nil || k.HasSignal(s.Name) {
			list = append(list, strings.Join([]string{"signals." + s.Name, normal(s.Name), normal(s.Title), normal(s.Title + s.Unit)}, " "))
		}
	}
	for _, t := range guessTargets {
		path, names, _ := strings.Cut(t, " ")
		list = append(list, path+" "+normal(path[strings.LastIndexByte(path, '.')+1:])+" "+names)
	}
	return list
}

// ends are words that the names of columns with an end of a range contain.
var ends = map[string]string{kinds.FromPart: "from min minimum low lowest start", kinds.ToPart: "to max maximum high highest end"}

func isEnd(f *kinds.Field) bool { return f != nil && f.Group != nil && f.Group.Type == kinds.Range }

// choose chooses a column for each target, by one of its names or else by a similar one.
func (g *guesser) choose(targets []string) {
	paths := map[string]string{} // by name
	chosen := map[string]bool{}
	try := func(path string, c *column, doubt string) {
		if path != "" && !chosen[path] && !c.used && len(c.values) > 0 {
			chosen[path], c.used = true, true
			if before, isFrom := strings.CutSuffix(path, "."+kinds.FromPart); isFrom && g.hasBothEnds(path, c) {
				chosen[before+"."+kinds.ToPart] = true
			}
			g.chosen = append(g.chosen, choice{c, path, doubt})
		}
	}
	for _, t := range targets {
		path, names, _ := strings.Cut(t, " ")
		for _, name := range strings.Fields(names) {
			paths[name] = path
			for _, c := range g.columns {
				last := normal(c.name[strings.LastIndexByte(c.name, '.')+1:])
				if normal(c.name) == name || last == name && path != "name" { // the name of a maker is not that of the entity
					try(path, c, "")
				}
			}
		}
	}
	for _, c := range g.columns {
		maps.DeleteFunc(paths, func(_, path string) bool { return chosen[path] })
		near := nearName(c.name, slices.Sorted(maps.Keys(paths)))
		try(paths[near], c, "chosen because its name is similar to "+near)
	}
	for _, name := range []string{"category", "description"} {
		if c := g.byValues(name); c != nil {
			try(name, c, "chosen because of its values")
		}
	}
}

// nearName returns the known name that a name contains as a word, is similar to or begins, or "".
func nearName(name string, known []string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '.' })
	for _, word := range slices.Backward(words) {
		if word = normal(word); len(words) > 1 && len(word) > 3 && slices.Contains(known, word) {
			return word
		}
	}
	if near := didyoumean.Name(normal(name), known); near != "" {
		return near
	}
	for _, word := range words {
		word = normal(word)
		if i := slices.IndexFunc(known, func(name string) bool { return strings.HasPrefix(name, word) }); i >= 0 && len(word) >= 5 {
			return known[i]
		}
	}
	return ""
}

// require records which required fields have no column.
func (g *guesser) require() {
	for _, name := range []string{"name", "description", "category"} {
		if !slices.ContainsFunc(g.chosen, func(c choice) bool { return c.path == name }) {
			g.Unsure = append(g.Unsure, name+" is required, but no column seems to contain it; all rows are refused until the mapping says where it comes from")
		}
	}
}

// byValues returns a column that mostly has known categories or, for a description, the longest texts, or nil.
func (g *guesser) byValues(name string) (best *column) {
	longest := 20 // letters of a sentence, on average
	for _, c := range g.columns {
		if c.used || len(c.values) == 0 {
			continue
		}
		all := strings.Join(c.values, "")
		switch average := len(all) / len(c.values); {
		case name == "category":
			known := func(v string) bool { return slices.Contains(g.categories, content.Slugify(v)) }
			if unknown := slices.DeleteFunc(slices.Clone(c.values), known); 2*len(unknown) < len(c.values) {
				return c
			}
		case average > longest && strings.Count(all, " ") > 2*len(c.values):
			best, longest = c, average
		}
	}
	return best
}

// normal reduces a name to lower-case letters and digits.
func normal(name string) string { return strings.Trim(record.FoldName(name), "#+") }
