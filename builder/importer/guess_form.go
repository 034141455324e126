package importer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

func doubts(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "; ")
}

// misfits counts the values that a conversion refuses. doubt names the first one.
func misfits(values []string, wrong func(string) string) (bad int, doubt string) {
	for _, s := range values {
		if why := wrong(s); why != "" {
			if bad++; bad == 1 {
				doubt = yamldoc.Quote(s) + " " + why
			}
		}
	}
	if bad > 0 && bad < len(values) {
		doubt += fmt.Sprintf(" (%d of %d cells)", bad, len(values))
	}
	return bad, doubt
}

// few reports whether the bad ones among some values are exceptions: at most one in ten, or a single one.
func few(bad, all int) bool { return bad == 0 || bad*10 <= all || bad == 1 && all > 2 }

var pairForm = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[\w.-]+$`)

// form returns a value for a field as YAML, and what is doubtful about it.
func (g *guesser) form(path string, c *column) (form, doubt string) {
	kind, f := g.formAt(path), g.kinds.Field(path)
	isSlug, isEnum := f != nil && f.Words() == kinds.Slug, f != nil && f.Words() == kinds.Enum
	choose := func(values []string) (more, doubt string) {
		return g.choices(values, f.Values, f.Titles, "value ("+strings.Join(f.Values, ", ")+")")
	}
	more := ""
	switch {
	case strings.HasPrefix(kind, "list"):
		values := c.values
		if !c.list {
			var how string
			if how, doubt = listSeparator(c.values, kind == "list" && (f == nil || isSlug || isEnum)); how != "" {
				more, values = ", list: "+scalar(how), splitAll(values, how)
			}
		}
		switch {
		case isEnum:
			replaced, unlisted := choose(values)
			more, doubt = more+replaced, doubts(doubt, unlisted)
		case kind == "list" && (f == nil || isSlug):
			more += ", as: slug"
		}
	case c.list:
		more, doubt = ", take: first", "the values are lists, of which the first entry is used"
	case path == "category":
		more, doubt = g.choices(c.values, g.categories, g.titles, "category")
	case isEnum && slices.ContainsFunc(c.values, func(v string) bool { return !slices.Contains(f.Values, v) }):
		more, doubt = choose(c.values)
	case path == "pricingModel", isSlug:
		more = ", as: slug"
		_, doubt = misfits(c.values, joined)
	case path == "links.repository" && pairForm.MatchString(c.values[0]) && !strings.ContainsAny(c.name, "{}"):
		return "{template: " + scalar("https://github.com/{"+c.name+"}") + "}", ""
	case kind == "number":
		more, doubt = g.numbers(path, c, false)
	case dates[kind].layouts != nil:
		more, doubt = g.days(kind, c)
	case kind == "answer":
		more, doubt = g.answers(c)
	default:
		_, doubt = misfits(c.values, func(s string) string {
			out, wrong := g.convert(kind, s)
			if wrong == "" && (kind == "size" || kind == "duration") && f.Accept(out) == nil {
				wrong = "is not a " + kind
			}
			return wrong
		})
	}
	if f != nil {
		doubt = strings.TrimPrefix(doubt+noneYet(g.folder, f, g.typ, c.name), "; ")
	}
	if more == "" {
		return scalar(c.name), doubt
	}
	return "{column: " + scalar(c.name) + more + "}", doubt
}

// formAt returns the form of a field or of the value of a signal.
func (g *guesser) formAt(path string) string {
	p := schema.Of(g.kinds, "entity").Part
	for name := range strings.SplitSeq(path, ".") {
		p = p.Member(name)
	}
	if strings.HasPrefix(path, "signals.") {
		p = p.Member("value")
	}
	return formOf(p, g.kinds.Field(path))
}

// noneYet says how to make the entities that a field refers to if there is none of their kind, or returns "".
func noneYet(folder *content.Workspace, f *kinds.Field, rows any, column string) string {
	if f.Words() != kinds.Reference || len(f.Kinds) != 1 || f.Kinds[0] == rows || folder.Has(f.Kinds[0]) {
		return ""
	}
	how := "import or write those first"
	if !f.IsList() {
		how = fmt.Sprintf("import this file first with the type %s and the name in %s", f.Kinds[0], scalar(column))
	}
	return fmt.Sprintf("; there is no %s yet: %s", f.Kinds[0], how)
}

// separators are the texts that usually separate the entries of a list.
var separators = []string{"|", ";", ",", "/"}

// listSeparator returns what splits most of the texts. A slash is common in names, so it separates only what becomes slugs.
func listSeparator(values []string, slugs bool) (how, doubt string) {
	count, first := map[string]int{}, map[string]string{} // by separator
	best := ""
	for _, separator := range separators {
		for _, s := range values {
			if strings.Contains(s, separator) && (separator != "/" || slugs && best == "") {
				count[separator]++
				first[separator] = cmp.Or(first[separator], s)
			}
		}
		if count[separator] > count[best] {
			best = separator
		}
	}
	switch {
	case best == "":
		return "", ""
	case values[0][0] == '[':
		return "python", ""
	case best == "/":
		doubt = yamldoc.Quote(first[best]) + " is read as a list"
	}
	for _, other := range separators {
		if other != best && count[other] > 0 {
			doubt = doubts(doubt, fmt.Sprintf("%s contains %q too (%d of %d cells)", yamldoc.Quote(first[other]), other, count[other], len(values)))
		}
	}
	return best, doubt
}

func splitAll(values []string, how string) (entries []string) {
	for _, s := range values {
		list, _ := splitList(s, how)
		for _, entry := range list {
			if entry = oneLine(entry); entry != "" {
				entries = append(entries, entry)
			}
		}
	}
	return entries
}

// joined returns a doubt if a text that becomes a slug seems to be a list.
func joined(text string) string {
	if i := strings.IndexAny(text, strings.Join(separators, "")); i >= 0 {
		return fmt.Sprintf("becomes the one value %s; if it is a list, split it with list: %q", content.Slugify(text), text[i:i+1])
	}
	return ""
}

// settleDecimal guesses the decimal separator, if numbers in the chosen columns cannot be read without.
func (g *guesser) settleDecimal() {
	count, first := map[string]int{}, map[string]string{} // by separator
	needed := false
	for _, c := range g.chosen {
		if form := g.formAt(c.path); form != "number" && form != "size" && form != "duration" {
			continue
		}
		for _, s := range c.values {
			for _, number := range numberText.FindAllString(s, -1) {
				_, wrong := g.number(number)
				needed = needed || wrong != ""
				if decimal := decimalOf(number); decimal != "" {
					count[decimal]++
					first[decimal] = cmp.Or(first[decimal], s)
				}
			}
		}
	}
	best, other := ".", ","
	if count[","] > count["."] {
		best, other = other, best
	}
	if needed && count[best] > count[other] {
		if g.decimal = best; count[other] > 0 {
			g.mixed = yamldoc.Quote(first[other]) + " has another decimal separator than most numbers"
		}
	}
}

// numbers returns the conversion of numbers, each of them both ends of a range if isRange is set.
func (g *guesser) numbers(path string, c *column, isRange bool) (more, doubt string) {
	var units []string
	read := func(s string) (wrong string) {
		ends := []string{oneLine(withoutUnits(s, units))}
		if units != nil && unitsOf(ends[0], "") != nil {
			return "is not just a number in " + strings.Join(units, " ")
		}
		if isRange {
			ends, _ = splitList(ends[0], "range")
		}
		for _, end := range ends {
			if _, why := g.number(end); wrong == "" {
				wrong = why
			}
		}
		return wrong
	}
	declared := ""
	if f := g.kinds.Field(path); f != nil {
		declared = f.Unit
	} else if s := g.kinds.Signal(strings.TrimPrefix(path, "signals.")); s != nil {
		declared = s.Unit
	}
	if units = mostUnits(c.values, declared, read); units != nil {
		more = ", " + unitForm(units)
		switch unit := strings.Join(units, ""); {
		case declared == "":
			doubt = "the field has no unit in kinds.yaml"
		case unit != declared && !strings.HasPrefix(declared, unit+"/") && !strings.HasPrefix(declared, unit+" ") && !strings.HasSuffix(declared, " "+unit):
			doubt = "the unit of the field is " + declared
		}
	}
	_, wrong := misfits(c.values, read)
	return more, doubts(doubt, wrong)
}

// mostUnits returns the units that most cells have that cannot be read without, or nil if few have any.
func mostUnits(values []string, declared string, read func(string) string) (units []string) {
	count, all, numbers := map[string]int{}, 0, 0
	for _, s := range values {
		if numberText.MatchString(s) {
			numbers++
		}
		list := unitsOf(s, declared)
		if list == nil || read(s) == "" && !slices.Contains(list, declared) {
			continue
		}
		all++
		key := unitForm(list)
		if count[key]++; count[key] > count[unitForm(units)] {
			units = list
		}
	}
	if n := count[unitForm(units)]; 2*n < all || 4*n < numbers && !slices.Contains(units, declared) {
		return nil
	}
	return units
}

// days returns the conversion that reads most values as days.
func (g *guesser) days(kind string, c *column) (more, doubt string) {
	least := len(c.values)
	for _, as := range []string{kind, "dmy", "mdy"} {
		bad, why := misfits(c.values, func(s string) string { _, wrong := g.convert(as, s); return wrong })
		switch {
		case as == kind:
			doubt = why
			if few(bad, len(c.values)) {
				return "", why
			}
		case bad < least && few(bad, len(c.values)):
			least, more, doubt = bad, ", as: "+as, why
		case bad == least && more != "":
			doubt = doubts("days and months could be the other way round: mdy", doubt)
		}
	}
	return more, doubt
}

// answerWords maps words to true or false.
var answerWords = func() map[string]string {
	table := map[string]string{}
	for answer, words := range map[string]string{
		"true":  "true yes y 1 x ✓ ✔ ☑ ✅ on t ja j wahr oui o vrai sí si s sì sim verdadero vero da tak д да evet kyllä joo igen 是 はい",
		"false": "false no n 0 ✗ ✘ ☐ ❌ off f nein falsch non faux não nao falso nee nej nei ne nie н нет hayır ei nem 否 いいえ",
	} {
		for word := range strings.FieldsSeq(words) {
			table[word] = answer
		}
	}
	return table
}()

// answers returns the conversion of words for true and false. If only true is written, empty cells are false.
func (g *guesser) answers(c *column) (more, doubt string) {
	words := distinct(c.values)
	meaning := map[string]string{}
	for _, word := range words {
		meaning[word] = answerWords[strings.ToLower(word)]
	}
	if len(words) == 2 {
		a, b := words[0], words[1]
		if other := map[string]string{"true": "false", "false": "true"}; meaning[a] != meaning[b] {
			meaning[a], meaning[b] = cmp.Or(meaning[a], other[meaning[b]]), cmp.Or(meaning[b], other[meaning[a]])
		} else { // both unknown, or the same
			meaning[a], meaning[b] = "true", "false"
			doubt = fmt.Sprintf("which of %s and %s is true is a guess", yamldoc.Quote(a), yamldoc.Quote(b))
		}
	}
	var table []string
	for _, word := range words {
		if _, wrong := g.convert("answer", word); wrong != "" && meaning[word] != "" && len(table) < 10 {
			table = append(table, scalar(word)+`: "`+meaning[word]+`"`)
		}
	}
	if table != nil {
		more = ", values: {" + strings.Join(table, ", ") + "}"
	}
	_, wrong := misfits(c.values, func(s string) string {
		_, why := g.convert("answer", cmp.Or(meaning[s], s))
		return why
	})
	if empty := g.Rows - len(c.values); len(words) == 1 && meaning[words[0]] == "true" && empty > 0 && !c.list {
		more += ", default: false"
		doubt = "empty cells mean false; remove default if they are unknown"
	}
	return more, doubts(doubt, wrong)
}

func distinct(values []string) (list []string) {
	for _, s := range values {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// choices returns the conversion of texts to some allowed words: to slugs, with replacements for titles of the
// words and for what is similar to one of them. what says what the others are not.
func (g *guesser) choices(values, allowed []string, titles map[string]string, what string) (more, doubt string) {
	var replaced, unlisted []string
	for _, value := range slices.Sorted(slices.Values(distinct(values))) {
		slug := content.Slugify(value)
		if len(allowed) == 0 || slices.Contains(allowed, slug) || len(value) > 200 || len(replaced) == 100 {
			continue
		}
		if i := slices.IndexFunc(allowed, func(word string) bool { return record.FoldName(titles[word]) == record.FoldName(value) }); i >= 0 && slug != "" {
			replaced = append(replaced, scalar(value)+": "+scalar(allowed[i]))
		} else if near := didyoumean.Name(slug, allowed); near != "" {
			replaced = append(replaced, scalar(value)+": "+scalar(near))
			doubt = "the replacements are the most similar ones"
		} else {
			unlisted = append(unlisted, yamldoc.Quote(value))
		}
	}
	if unlisted != nil {
		if more := len(unlisted) - 8; more > 1 {
			unlisted = append(unlisted[:7], fmt.Sprintf("%s and %d more", unlisted[7], more))
		}
		doubt = doubts(doubt, "no such "+what+": "+strings.Join(unlisted, ", "))
	}
	if replaced != nil {
		more = ", values: {" + strings.Join(replaced, ", ") + "}"
	}
	return more + ", as: slug", doubt
}
