package importer

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/builder/content"
	"kindex/exports/didyoumean"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Proposal is a proposed mapping.
type Proposal struct {
	Mapping []byte   // YAML
	Unsure  []string // what a person should look at
	Unused  []string // the columns that the mapping does not use
	Rows    int      // the number of rows that were read
}

// Guess proposes a mapping for a file, from the names of its columns and the values in its first 1,000 rows.
// dir is the content folder, whose categories are proposed; it need not exist. typ is a kind, or "" to guess it from
// the columns. The mapping is valid unless no column seems to have a name, but Unsure lists what is doubtful.
func Guess(file, dir, typ string) (*Proposal, error) {
	folder, err := content.OpenWorkspace(dir)
	if err != nil {
		return nil, err
	}
	g := &guesser{kinds: folder.Kinds, folder: folder, file: file, typ: typ, index: map[string]*column{}, lines: map[string]string{}, titles: map[string]string{}}
	for _, c := range folder.Categories() {
		g.categories = append(g.categories, c.Slug)
		g.titles[c.Slug] = c.Title
	}
	if names := g.kinds.Names(); len(names) == 1 && g.typ == "" {
		g.typ = names[0]
	}
	if err := g.read(0); err != nil {
		return nil, err
	}
	if g.Rows == 0 {
		return nil, fmt.Errorf("%s has no readable rows%s", g.file, g.wrong)
	}
	g.choose(g.targets())
	g.settleDecimal()
	for _, c := range g.chosen {
		g.add(c)
	}
	for _, name := range []string{"name", "description", "category"} {
		if !slices.ContainsFunc(g.chosen, func(c choice) bool { return c.path == name }) {
			g.Unsure = append(g.Unsure, name+" is required, but no column seems to contain it; all rows are refused until the mapping says where it comes from")
		}
	}
	g.write()
	for _, c := range g.columns {
		if !c.used {
			g.Unused = append(g.Unused, c.name)
		}
	}
	return &g.Proposal, nil
}

// guesser chooses the columns of a mapping.
type guesser struct {
	evaluator
	kinds  *kinds.Set
	folder *content.Workspace
	file   string
	typ    string // "" until it is known
	Proposal
	columns    []*column
	index      map[string]*column // by name
	chosen     []choice
	delimiter  string
	unknown    []string // texts that mean that a value is unknown
	categories []string
	titles     map[string]string // of categories
	lines      map[string]string // of each section of the mapping
	mixed      string            // what is doubtful about the decimal separator
	wrong      string            // the reason that the first unreadable row cannot be read
}

// column contains the values of a column in the first rows.
type column struct {
	name       string
	list, used bool
	values     []string
}

// choice is a column that has been chosen for a field.
type choice struct {
	*column
	path, doubt string
}

func (g *guesser) read(delimiter rune) error {
	in, err := open(g.file, nil, delimiter)
	if err != nil {
		return err
	}
	if g.delimiter == "" {
		if g.delimiter = otherDelimiter(in.names); g.delimiter != "" {
			return g.read([]rune(g.delimiter)[0])
		}
	}
	for _, name := range in.names {
		g.note(name, nil)
	}
	const maxRows = 1000
	for r, err := range in.rows {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", g.file, err)
		case r.Reasons == nil:
			g.Rows++
			g.note("", map[string]any(r.fields))
		case g.wrong == "":
			g.wrong = fmt.Sprintf("; line %d %s", r.Line, r.Reasons[0].Message)
		}
		if g.Rows == maxRows {
			break
		}
	}
	return nil
}

// unknownWords are texts that mean that a value is unknown, whatever the column.
var unknownWords = []string{"n/a", "#n/a", "-", "--", "–", "—", "?", "unknown", "tbd", "unbekannt", "k.a.", "k. a.", "inconnu", "desconocido"}

// note notes a value, and the members of an object, except long values and columns whose names cannot be written.
func (g *guesser) note(name string, v any) {
	if inner, ok := v.(map[string]any); ok {
		for _, member := range slices.Sorted(maps.Keys(inner)) {
			g.note(strings.TrimPrefix(name+"."+member, "."), inner[member])
		}
		return
	}
	c := g.index[name]
	if c == nil {
		if name == "" || name != strings.TrimSpace(name) || !utf8.ValidString(name) || len(name) > 200 || safetext.Contains(name) || len(g.columns) == maxColumns {
			return
		}
		c = &column{name: name}
		g.columns, g.index[name] = append(g.columns, c), c
	}
	if r, wrong := new(evaluator).column("", object{"": v}); wrong == "" {
		c.list = c.list || r.list
		for _, item := range r.items {
			switch text := textOf(item); {
			case slices.Contains(unknownWords, strings.ToLower(text)):
				if !slices.Contains(g.unknown, text) {
					g.unknown = append(g.unknown, text)
				}
			case len(text) < 2000 && utf8.ValidString(text):
				c.values = append(c.values, text)
			}
		}
	}
}

// hasBothEnds reports whether a column that was chosen for the lower end of a range has the upper one, too.
func (g *guesser) hasBothEnds(path string, c *column) bool {
	return isEnd(g.kinds.Field(path)) && slices.ContainsFunc(c.values, func(s string) bool {
		return rangeText.MatchString(withoutUnits(s, unitsOf(s, "")))
	})
}

func (g *guesser) add(c choice) {
	section, name, nested := strings.Cut(c.path, ".")
	if !nested {
		section, name = "fields", c.path
	}
	if name == kinds.FromPart && g.hasBothEnds(c.path, c.column) {
		more, doubt := g.numbers(c.path, c.column, true)
		both := "{column: " + scalar(c.name) + more + ", list: range, take: "
		g.lines[section] += g.line("  "+kinds.FromPart, both+"first}", doubts(c.doubt, doubt)) + g.line("  "+kinds.ToPart, both+"last}", "")
	} else {
		form, doubt := g.form(c.path, c.column)
		if section == "signals" && form[0] == '{' {
			form = "{value: " + form + "}"
		}
		g.lines[section] += g.line("  "+name, form, doubts(c.doubt, doubt))
	}
	if f := g.kinds.Field(c.path); f != nil && g.typ == "" && len(g.kinds.Listing(f)) == 1 {
		g.typ = g.kinds.Listing(f)[0].Name
	}
}

// line returns a line of the mapping, and records what is unsure about it.
func (g *guesser) line(name, form, doubt string) string {
	if doubt == "" {
		return name + ": " + form + "\n"
	}
	g.Unsure = append(g.Unsure, strings.TrimSpace(name)+": "+doubt)
	return name + ": " + form + "   # check: " + oneLine(doubt) + "\n"
}

func (g *guesser) write() {
	typ := ""
	if names := g.kinds.Names(); g.typ == "" {
		g.typ, typ = names[len(names)-1], "no column says which of these the entries are: "+strings.Join(names, ", ")+"; --type sets it"
	}
	text := "# A proposed mapping for " + oneLine(filepath.Base(g.file)) + ". Lines marked \"check\" are guesses.\n" +
		"#\n# The list must be credited: fill in where it comes from, and uncomment the line.\n" +
		"# source: {name: , url: , license: , date: }   # date: the day on which the figures were read\n" +
		g.line("type", "{constant: "+g.typ+"}", typ)
	text += g.input()
	sections := []string{"fields", "links", "ids"}
	for _, f := range g.kinds.Fields {
		sections = append(sections, f.Name) // if it is a group
	}
	for _, section := range append(sections, "signals") {
		if g.lines[section] != "" {
			text += section + ":\n" + g.lines[section]
		}
	}
	g.Mapping = []byte(text)
}

// input returns the line that describes the input file, or "".
func (g *guesser) input() string {
	var parts []string
	if g.delimiter != "" {
		parts = append(parts, "delimiter: "+strings.ReplaceAll(scalar(g.delimiter), `"\t"`, "tab"))
	}
	if g.decimal != "" {
		parts = append(parts, "decimal: "+scalar(g.decimal))
	}
	if g.unknown != nil {
		parts = append(parts, "missing: "+scalars(g.unknown))
	}
	if parts == nil {
		return ""
	}
	return g.line("input", "{"+strings.Join(parts, ", ")+"}", g.mixed)
}

// plainScalar matches texts that YAML reads as strings without quotes, apart from a few words.
var plainScalar = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// scalar returns a text as a YAML scalar. JSON strings are YAML scalars.
func scalar(text string) string {
	if plainScalar.MatchString(text) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"}, strings.ToLower(text)) {
		return text
	}
	return string(jsonenc.AppendString(nil, text))
}

func scalars(list []string) string {
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = scalar(text)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

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
		if g.typ == "" || g.typ == k.Name {
			names += " " + normal(k.Name) + " " + normal(k.Title)
		}
	}
	list = append(list, names)
	for _, f := range kinds.Stated(g.kinds.Leaves()) {
		if k := g.kinds.Kind(g.typ); k == nil || k.Has(f) {
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
		if k := g.kinds.Kind(g.typ); k == nil || k.HasSignal(s.Name) {
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
