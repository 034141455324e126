package importer

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
)

// GuessOptions says for what Guess proposes a mapping.
type GuessOptions struct {
	Input   string
	Content string // the content folder, whose categories are proposed; it need not exist
	Type    string // "tool", "model", or "" to guess it from the columns
}

// Proposal is a proposed mapping.
type Proposal struct {
	Mapping []byte   // YAML
	Unsure  []string // what a person should look at, in the order of the mapping
	Unused  []string // the columns that the mapping does not use
	Rows    int      // the number of rows that were read
}

// maxGuessRows limits how many rows Guess reads.
const maxGuessRows = 1000

// Guess proposes a mapping from the columns of a file and the values in its first 1,000 rows. The
// mapping is valid unless no column seems to have a name, but only a person can know whether it
// is right: Unsure lists the doubts.
func Guess(o GuessOptions) (*Proposal, error) {
	g := &guesser{}
	columns, rows, err := readColumns(o.Input, 0)
	if err == nil && len(columns) == 1 {
		if g.delimiter = likelyDelimiter(columns[0].name); g.delimiter != 0 {
			columns, rows, err = readColumns(o.Input, g.delimiter)
		}
	}
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, fmt.Errorf("%s has no readable rows", o.Input)
	}
	for _, c := range columns {
		if !writable(c.name) {
			g.unsure = append(g.unsure, "column "+shown(c.name)+" cannot be used: its name contains hidden characters, or is too long")
			c.used = true
		}
	}
	g.columns, g.decimalComma = columns, hasDecimalComma(columns)
	for _, c := range columns {
		c.decimalComma = g.decimalComma
	}
	if g.categories, err = categoriesOf(o.Content); err != nil {
		return nil, err
	}
	g.chooseType(o.Type)
	for _, t := range guessTargets {
		if t.typ == "" || t.typ == g.typ {
			g.choose(t)
		}
	}
	g.chooseByContent()
	p := &Proposal{Mapping: g.yaml(filepath.Base(o.Input)), Unsure: g.unsure, Rows: rows}
	for _, c := range columns {
		if !c.used {
			p.Unused = append(p.Unused, c.name)
		}
	}
	return p, nil
}

// categoriesOf returns the slugs of the categories of a content folder, or nil if it has none.
func categoriesOf(folder string) (slugs []string, err error) {
	w, err := content.OpenWorkspace(folder)
	if err != nil {
		return nil, err
	}
	for _, c := range w.Categories() {
		slugs = append(slugs, c.Slug)
	}
	return slugs, nil
}

// likelyDelimiter returns the character that separates columns in a header that was taken for a
// single column, or 0.
func likelyDelimiter(header string) rune {
	for _, r := range ";\t|," {
		if strings.ContainsRune(header, r) {
			return r
		}
	}
	return 0
}

// readColumns reads the first rows of a file. delimiter is 0 if the name of the file determines
// it.
func readColumns(path string, delimiter rune) (columns []*column, rows int, err error) {
	in, err := open(path, delimiter)
	if err != nil {
		return nil, 0, err
	}
	columns, rows, err = columnsOf(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return columns, rows, nil
}

func columnsOf(in input) (columns []*column, rows int, err error) {
	byName := map[string]*column{}
	add := func(name string) *column {
		c := byName[name]
		if c == nil {
			c = newColumn(name)
			byName[name] = c
			columns = append(columns, c)
		}
		return c
	}
	for _, name := range in.header() {
		add(name)
	}
	for rows < maxGuessRows {
		r, err := in.next()
		if errors.Is(err, io.EOF) {
			return columns, rows, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if r.wrong != "" {
			continue
		}
		rows++
		if object, ok := r.inputRecord.(jsonRecord); ok {
			addMembers(add, "", object)
			continue
		}
		for _, c := range columns {
			c.add(r.lookup(c.name))
		}
	}
	return columns, rows, nil
}

// addMembers adds the values of a JSON object, and of the objects in it, in the order of their
// names.
func addMembers(add func(name string) *column, prefix string, object map[string]any) {
	for _, name := range sortedNames(object) {
		if inner, ok := object[name].(map[string]any); ok && prefix == "" {
			addMembers(add, name+".", inner)
			continue
		}
		add(prefix + name).add(object[name])
	}
}

// guesser chooses the columns of a mapping.
type guesser struct {
	columns    []*column
	delimiter  rune // 0 if the name of the file determines it
	categories []string

	decimalComma bool
	typ          string
	typeColumn   *column
	typeDoubt    string
	chosen       []choice
	unsure       []string
}

// choice is a field together with the column that it comes from.
type choice struct {
	path string // such as links.repository
	*column
	form  string // YAML
	doubt string // "" if the choice is clear
}

// chooseType chooses the type of the entities.
func (g *guesser) chooseType(typ string) {
	isType := func(s string) bool { return slices.Contains(record.Types, s) }
	for _, c := range g.columns {
		if typ == "" && (c.norm == "type" || c.norm == "kind") && c.most(isType) {
			g.typ, g.typeColumn, c.used = record.Types[len(record.Types)-1], c, true
			return
		}
	}
	if g.typ = typ; typ != "" {
		return
	}
	g.typ, g.typeDoubt = "tool", "no column says whether the entries are tools or models; --type sets it"
	for _, c := range g.columns {
		if slices.Contains(modelColumns, c.norm) || slices.Contains(modelColumns, c.last) {
			g.typ, g.typeDoubt = "model", "chosen because of the column "+shown(c.name)+"; --type sets it"
			return
		}
	}
}

// modelColumns lists the names of columns that only lists of models have.
var modelColumns = []string{"contextlength", "contextwindow", "contexttokens", "limitcontext", "parameters", "params",
	"modalities", "modalitiesinput", "inputmodalities", "modelname", "modelid", "openweights"}

// choose chooses the column for a target by its name, if there is one with suitable values.
func (g *guesser) choose(t guessTarget) {
	for _, name := range t.names {
		for _, c := range g.columns {
			nested := c.last == name && t.path != "name" // the name of a maker is not that of the entity
			if c.used || c.norm != name && !nested || c.filled() == 0 {
				continue
			}
			form, doubt, ok := t.form(g, c)
			if !ok {
				g.unsure = append(g.unsure, fmt.Sprintf("column %s is not used for %s: %s", shown(c.name), t.path, doubt))
				continue
			}
			g.take(t.path, c, form, doubt)
			return
		}
	}
}

func (g *guesser) take(path string, c *column, form, doubt string) {
	c.used = true
	g.chosen = append(g.chosen, choice{path, c, form, doubt})
}

func (g *guesser) has(path string) bool {
	return slices.ContainsFunc(g.chosen, func(c choice) bool { return c.path == path })
}

// chooseByContent chooses columns for the required fields by their values, if none has a fitting
// name.
func (g *guesser) chooseByContent() {
	if !g.has("name") {
		if c := g.best(func(c *column) float64 {
			if c.list || !c.distinct() || c.meanLen() > 60 || c.share(isAddress) > 0.5 || c.share(isPlainNumber) > 0.5 {
				return 0
			}
			return 1 / c.meanLen()
		}); c != nil {
			g.take("name", c, scalar(c.name), "chosen because its values are short and mostly unique")
		}
	}
	if !g.has("description") {
		if c := g.best(func(c *column) float64 {
			if c.list || c.most(isAddress) || c.meanLen() < 30 {
				return 0
			}
			return c.meanLen()
		}); c != nil {
			g.take("description", c, scalar(c.name), "chosen because its texts are the longest")
		}
	}
	g.chooseByForm()
	if repository := g.find("links.repository"); repository != nil && !g.has("url") {
		g.chosen = append(g.chosen, choice{"url", repository.column, repository.form, "no column has a website; this is the repository"})
	}
	for _, name := range []string{"name", "description", "category"} {
		if !g.has(name) {
			g.unsure = append(g.unsure, name+" is required, but no column seems to contain it; all rows are refused until the mapping says where it comes from")
		}
	}
}

// chooseByForm chooses columns whose values show what they are, in whatever language their names
// are: addresses, licences, and a few texts that repeat.
func (g *guesser) chooseByForm() {
	if !g.has("url") {
		if c := g.best(func(c *column) float64 {
			if c.list || !c.most(isAddress) || c.share(isRepository) > 0.5 || !c.distinct() {
				return 0
			}
			return 1
		}); c != nil {
			g.take("url", c, scalar(c.name), "chosen because its values are addresses")
		}
	}
	if isLicense := func(s string) bool { return schema.License(s) != "" }; !g.has("license") {
		if c := g.best(func(c *column) float64 {
			if c.list || c.share(isLicense) < 0.5 {
				return 0
			}
			return c.share(isLicense)
		}); c != nil {
			form, doubt, _ := licenseForm(g, c)
			g.take("license", c, form, strings.TrimSuffix("chosen because most values are licences; "+doubt, "; "))
		}
	}
	if !g.has("category") {
		if c := g.best(func(c *column) float64 {
			if c.list || len(c.counts) == c.total || c.meanLen() > 40 || c.share(isAddress)+c.share(isAnswer) > 0 || c.share(func(s string) bool { return strings.ContainsAny(s, "0123456789") }) > 0.2 {
				return 0
			}
			return c.share(func(s string) bool { return slices.Contains(g.categories, content.Slugify(s)) }) + 1/float64(len(c.counts)+1)
		}); c != nil {
			if form, doubt, ok := g.categoryForm(c); ok {
				g.take("category", c, form, strings.TrimSuffix("chosen because its values repeat; "+doubt, "; "))
			}
		}
	}
}

func (g *guesser) find(path string) *choice {
	if i := slices.IndexFunc(g.chosen, func(c choice) bool { return c.path == path }); i >= 0 {
		return &g.chosen[i]
	}
	return nil
}

// best returns the unused column with the highest mark, or nil if all marks are 0.
func (g *guesser) best(mark func(*column) float64) (best *column) {
	highest := 0.0
	for _, c := range g.columns {
		if c.used || c.filled() == 0 {
			continue
		}
		if m := mark(c); m > highest {
			best, highest = c, m
		}
	}
	return best
}

// categoryForm returns the value for the category: a slug, with replacements for values that are
// not categories of the content.
func (g *guesser) categoryForm(c *column) (form, doubt string, ok bool) {
	const maxCategories = 100
	if c.list || len(c.counts) > maxCategories {
		return "", fmt.Sprintf("it has more than %s, or its values are lists", plural.Count(maxCategories, "value", "values")), false
	}
	var replaced, missing []string
	for _, value := range c.sortedValues() {
		slug := content.Slugify(value)
		if len(g.categories) == 0 || slices.Contains(g.categories, slug) {
			continue
		}
		if near := didyoumean.Name(slug, g.categories); near != "" && writable(value) {
			replaced = append(replaced, scalar(value)+": "+near)
		} else {
			missing = append(missing, shown(value))
		}
	}
	form = "{column: " + scalar(c.name) + ", as: slug}"
	if len(replaced) > 0 {
		form = "{column: " + scalar(c.name) + ", values: {" + strings.Join(replaced, ", ") + "}, as: slug}"
		doubt = "the replacements are the most similar categories in the content folder"
	}
	if len(missing) > 0 {
		doubt = strings.TrimPrefix(doubt+"; ", "; ") + "no such category: " + listed(missing)
	}
	return form, doubt, true
}

// shown quotes a text from the file for a message.
func shown(text string) string { return yamldoc.Quote(text) }

// listed joins the first texts of a list.
func listed(texts []string) string {
	const most = 8
	if n := len(texts) - most; n > 0 {
		return strings.Join(texts[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(texts, ", ")
}
