package kinds

import (
	"fmt"
	"slices"
	"strings"

	"kindex/exports/didyoumean"
)

// What declarations cannot be named. This package is below those with the tables of routes, records and columns:
// tests of edge and site/pages compare the lists with them.

// Members are the names of a record's own members, of what is computed, and of what lists add. No field can
// have one of them.
var Members = []string{"type", "slug", "name", "provider", "description", "category", "version", "pricingModel", "license", "url",
	"tags", "capabilities", "scores", "composite", "adoption", "quality", "freshness", "citations", "engagement", "addedDate",
	"lastUpdated", "status", "links", "signals", "ids", "formerly", "sources", "lifecycle", "maintenance", "maintenanceAsOf", "price",
	"offerCount", "offers", "offersRead", "retires", "replacedBy", "rank", "benchmarks", "boardScore", "relevance",
	"highlights", "kind", "growth", "amends", "build", "previousRank", "delta", "trend", "similarity", "reasons", ContextSignal, "priceInput", "priceOutput", "priceBlended"}

// Parameters are the names of parameters of the API and of pages that mean something else than a declared
// field. No filter can have one of them.
var Parameters = []string{"at", "addedSince", "board", "by", "cached", "cacheWrite", "cacheWrite1h", "capability", "category", "characters", "context", "csv", "cursor", "entity",
	"event", "facets", "field", "fields", "figures", "format", "id", "images", "input", "inputAudio", "inputImage", "kind", "letter", "license", "limit", "maintenance",
	"maxInput", "maxOutput", "maxPrice", "minContext", "minScore", "mode", "model", "name", "offset", "order", "output", "outputAudio", "page", "pages",
	"pricingModel", "provider", "q", "reasoning", "requests", "retiresBefore", "seconds", "signal", "since", "sort", "status", "tag", "type", "until",
	"updatedSince", "view", "window"}

// Paths are the first parts of the website's addresses that lead to something else than a kind. Neither the
// name nor the plural of a kind can be one of them.
var Paths = []string{"all", "api", "assets", "auth", "badge", "capabilities", "categories", "changes", "compare", "data", "developer", "docs",
	"favicon.ico", "feed", "healthz", "leaderboards", "mcp", "og", "preview", "prices", "quality", "quality-and-price", "robots.txt",
	"search", "sitemap", "submit", "tags", "trending"}

// Scores are the names of a record's scores.
var Scores = []string{"composite", "adoption", "quality", "freshness", "citations", "engagement"}

// checker collects mistakes.
type checker struct {
	*Set
	mistakes []error
}

func (c *checker) add(key bool, suggestion string, path []string, format string, args ...any) {
	c.mistakes = append(c.mistakes, &Error{path, key, fmt.Sprintf(format, args...), suggestion})
}

// check returns the mistakes in a set that Parse has indexed.
func (s *Set) check() []error {
	c := &checker{Set: s}
	if len(s.Kinds) == 0 {
		c.add(false, "", []string{"kinds"}, "is missing; declare at least one kind that has the fields and signals")
	}
	c.names()
	for _, f := range s.Fields {
		path := []string{"fields", f.Name}
		if slices.Contains(Members, f.Name) {
			c.add(true, "", path, "%s is reserved, since every entry has it or it is computed; choose another name (site/docs/own-index.md lists the reserved ones)", quoted(f.Name))
		}
		c.field(f, path)
		for _, part := range f.Parts {
			if f.Type == Group && !f.Dated {
				c.field(part, append(path, "parts", part.Name))
			}
		}
	}
	for _, x := range s.Signals {
		if x.Name == "benchmarks" {
			c.add(true, "", []string{"signals", x.Name}, "is the list of results; choose another name")
		}
		if x.Grows && x.Steady {
			c.add(true, "", []string{"signals", x.Name, "steady"}, "contradicts grows; remove one of them")
		}
	}
	for _, k := range s.Kinds {
		c.kind(k)
	}
	return c.mistakes
}

// names refuses two fields with one column or one filter.
func (c *checker) names() {
	columns, filters := map[string]string{}, map[string]string{}
	for _, l := range c.Links {
		columns["link"+upper(l.Name)] = "the link " + l.Name
	}
	for _, x := range c.Signals {
		columns["signal"+upper(x.Name)], columns["signal"+upper(x.Name)+"Date"] = "the signal "+x.Name, "the signal "+x.Name
	}
	for _, f := range c.leaves {
		path := f.Declaration()
		if other := columns[f.Column()]; other != "" {
			c.add(true, "", path, "has the column %s, as %s has", f.Column(), other)
		}
		columns[f.Column()] = f.Path
		if !f.Filter && !f.Sort || slices.Contains(Members, f.Name) && f.Group == nil { // a reserved name is one mistake
			continue
		}
		names := []string{f.SortKey()}
		if low, high := f.Limits(); low+high != "" {
			names = append(names, low, high)
		}
		for _, name := range names {
			other := filters[name]
			onlySort := name == f.SortKey() && (f.Query != name || (f.IsNumber() || f.IsDay()) && name != "context")
			switch {
			case name == "" || f.Group != nil && f.Group.Type == Range && name == f.SortKey():
			case slices.Contains(Parameters, name) && !onlySort:
				c.add(false, "", path, "has the filter %s, which is another parameter of the API; choose another query (site/docs/own-index.md lists the reserved ones)", name)
			case other != "":
				c.add(false, "", path, "has the filter %s, as %s has; choose another query", name, other)
			}
			filters[name] = f.Path
		}
	}
}

// Declaration returns the path of a leaf's declaration in kinds.yaml.
func (f *Field) Declaration() []string {
	if f.Group == nil {
		return []string{"fields", f.Name}
	}
	if f.Group.Dated || f.Group.Type == Range {
		return []string{"fields", f.Group.Name}
	}
	return []string{"fields", f.Group.Name, "parts", f.Name}
}

// field checks what the schema cannot: whether the keys of a field belong to its type.
func (c *checker) field(f *Field, path []string) {
	of := f
	if f.Dated {
		of = f.Parts[0]
	}
	misplaced := func(wrong bool, key, belongs string) {
		if wrong {
			c.add(true, "", append(path[:len(path):len(path)], key), "has no effect on a field of the type %s; %s", of.Type, belongs)
		}
	}
	missing := func(wrong bool, key string) {
		if wrong {
			c.add(true, "", path, "has no %s, which the type %s needs", key, of.Type)
		}
	}
	misplaced(of.Of != "" && of.Type != List, "of", "it is for lists")
	missing(of.Of == "" && of.Type == List, "of")
	misplaced(of.Values != nil && of.Words() != Enum, "values", "they are for enums and lists of enum")
	missing(of.Values == nil && of.Words() == Enum, "values")
	missing(of.Parts == nil && of.Type == Group, "parts")
	misplaced(of.Parts != nil && of.Type != Group && of.Type != Range, "parts", "they are for groups")
	misplaced(of.Vocabulary != "" && of.Words() != Slug, "vocabulary", "it is for slugs and lists of them")
	misplaced(of.Kinds != nil && of.Words() != Reference, "kinds", "they are for references")
	misplaced(of.Inverse != "" && of.Words() != Reference, "inverse", "it is for references")
	misplaced((of.Minimum != nil || of.Maximum != nil) && !of.IsNumber() && of.Type != Range, "minimum", "limits are for numbers")
	misplaced(of.Sort && (of.IsList() || of.Type == Group), "sort", "lists and groups have no order")
	misplaced(of.Filter && of.Type == Group, "filter", "filter by its parts")
	misplaced(of.Page && of.Words() != Text && of.Words() != Slug && of.Words() != Enum, "page", "it is for texts, slugs, enums and lists of them")
	if of.Page {
		c.page(of, append(path[:len(path):len(path)], "page"))
	}
	if f.Group != nil && (f.IsGroup() || f.Dated) {
		c.add(false, "", append(path, "type"), "is a group within a group; groups have one level")
	}
	if of.Minimum != nil && of.Maximum != nil && *of.Minimum > *of.Maximum {
		c.add(false, "", append(path, "minimum"), "is above the maximum")
	}
	for i, kind := range of.Kinds {
		if c.Kind(kind) == nil {
			c.add(false, didyoumean.Name(kind, c.Names()), append(path, "kinds", fmt.Sprint(i)), "%s is not one of the kinds: %s", quoted(kind), strings.Join(c.Names(), ", "))
		}
	}
	if f.Signal != "" && c.Signal(f.Signal) == nil {
		c.add(false, didyoumean.Name(f.Signal, c.SignalNames()), append(path, "signal"), "%s is not declared under signals", quoted(f.Signal))
	}
	c.computed(f, path)
	if f.AtMost != "" && (f.Group == nil || !slices.ContainsFunc(f.Group.Parts, func(p *Field) bool { return p.Name == f.AtMost && p != f && p.IsNumber() })) {
		c.add(false, "", append(path, "atMost"), "%s is not the name of another number in the same group", quoted(f.AtMost))
	}
}

// computed checks what a field is computed from.
func (c *checker) computed(f *Field, path []string) {
	from := append(path[:len(path):len(path)], "computedFrom")
	switch source := c.Field(f.ComputedFrom); {
	case f.ComputedFrom == "" && f.Times != 0:
		c.add(true, "", append(path[:len(path):len(path)], "times"), "has no effect without computedFrom, the number that it multiplies")
	case f.ComputedFrom == "":
	case !f.IsNumber() || f.Dated || f.Group != nil && (f.Group.Type == Range || f.Group.Dated):
		c.add(true, "", from, "is for numbers without a date of their own; this field has the type %s", f.Type)
	case f.Times <= 0:
		c.add(true, "", path, "has no times, the factor that computedFrom needs")
	case source == nil || !source.IsNumber() || source.ComputedFrom != "":
		var known []string
		for _, x := range Stated(c.leaves) {
			if x.IsNumber() {
				known = append(known, x.Path)
			}
		}
		c.oneOf(known, f.ComputedFrom, from, "a number that files state")
	}
}

// page checks that the values of a field can have pages, at addresses that nothing else has.
func (c *checker) page(f *Field, path []string) {
	slug := f.Slug()
	switch i := slices.IndexFunc(c.Kinds, func(k *Kind) bool { return k.Name == slug || k.Slug() == slug }); {
	case !f.Filter:
		c.add(true, "", path, "needs filter: true, since the page of a value is a filtered list")
	case i >= 0:
		c.add(true, "", path, "/%s/ is the address of the kind %s; choose another name of the field or of the kind", slug, c.Kinds[i].Name)
	case slug == "providers" || slices.Contains(Paths, slug):
		c.add(true, "", path, "/%s/ is an address of the website; choose another name of the field", slug)
	}
}

func (c *checker) kind(k *Kind) {
	path := []string{"kinds", k.Name}
	switch {
	case slices.Contains(Paths, k.Name):
		c.add(true, "", path, "/%s/ is an address of the website; choose another name", k.Name)
	case k.Name == "full":
		c.add(true, "", path, "entities_full is the table of all kinds; choose another name")
	}
	plural := append(path[:2:2], "plural")
	switch slug := k.Slug(); {
	case slug == "":
		c.add(false, "", plural, "needs a letter from a to z or a digit, for the address of its list")
	case slices.Contains(Paths, slug):
		c.add(false, "", plural, "/%s/ is an address of the website; choose another plural", slug)
	default:
		for _, other := range c.Kinds {
			if other != k && (other.Slug() == slug || other.Name == slug) {
				c.add(false, "", plural, "/%s/ is also the address of the kind %s", slug, other.Name)
			}
		}
	}
	known := c.Shown(k)
	for list, names := range map[string][]string{"card": k.Card, "columns": k.Columns} {
		for i, name := range names {
			c.oneOf(known, name, append(path[:2:2], list, fmt.Sprint(i)), "a fact of this kind")
		}
	}
	for name := range k.Dimensions {
		if !slices.Contains(Scores, name) {
			c.add(true, didyoumean.Name(name, Scores), append(path[:2:2], "dimensions", name), "is not a score; expected one of: %s", strings.Join(Scores, ", "))
		}
	}
	for i, name := range k.Blocks {
		c.oneOf(Blocks, name, append(path[:2:2], "blocks", fmt.Sprint(i)), "a block")
	}
}

// oneOf refuses a name that is not known.
func (c *checker) oneOf(known []string, name string, path []string, what string) {
	if !slices.Contains(known, name) {
		c.add(false, didyoumean.Name(name, known), path, "%s is not %s; expected one of: %s", quoted(name), what, strings.Join(known, ", "))
	}
}

// coreFacts are the facts that cards and columns of every kind can show.
var coreFacts = []string{"board", "provider", "category", "version", "pricingModel", "license", "url", "tags", "capabilities", "composite", "addedDate", "lastUpdated", "status"}

// Shown lists the names that the card and the columns of a kind can have: members of every record, fields,
// parts of groups by their paths, signals, and what its blocks compute.
func (s *Set) Shown(k *Kind) []string {
	list := slices.Clone(coreFacts)
	for _, f := range k.Fields {
		list = append(list, f.Name)
		for _, part := range f.Parts {
			list = append(list, part.Path)
		}
	}
	for _, x := range k.Signals {
		list = append(list, x.Name)
	}
	if k.HasBlock(Offers) {
		list = append(list, "price", "input", "output", "offers")
	}
	if k.HasBlock(Maintenance) {
		list = append(list, "maintenance")
	}
	if k.HasBlock(Lifecycle) {
		list = append(list, "retires")
	}
	return list
}

// SignalNames returns the names of the signals, sorted.
func (s *Set) SignalNames() (names []string) {
	for _, x := range s.Signals {
		names = append(names, x.Name)
	}
	return names
}

func quoted(name string) string { return fmt.Sprintf("%.60q", name) }

func slugOf(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}
