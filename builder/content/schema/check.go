package schema

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Check adds a problem for each violation of the schema, and for faults in strings that a schema cannot detect. It
// truncates lists to the lengths that the schema allows, so that later checks have bounded input.
func (s *Schema) Check(d *yamldoc.Document) {
	c := checker{d: d, path: make([]string, 0, yamldoc.MaxDepth), Schema: s}
	c.check(s.Part, d.Value)
}

// checker walks through a document.
type checker struct {
	*Schema
	d    *yamldoc.Document
	path []string // of the current value
}

func (c *checker) add(format string, args ...any) {
	c.d.Fail(c.path, fmt.Sprintf(format, args...))
}

// at returns the path of a part of the current value.
func (c *checker) at(steps ...string) []string {
	return append(c.path[:len(c.path):len(c.path)], steps...)
}

// check adds the problems of the current value. The result is the value, or the start of a list that is too long.
func (c *checker) check(p *Part, value any) any {
	if p.Types != nil && !slices.ContainsFunc(p.Types, func(name string) bool { return slices.Contains(typesOf(value), name) }) {
		c.add("%s", p.wrongType(value))
		return value
	}
	if text, isText := value.(string); p.Enum != nil && !(isText && slices.Contains(p.Enum, text)) {
		c.d.AddAt(c.path, false, yamldoc.Problem{Message: yamldoc.Quote(value) + " is not one of " + joined(p.Enum), Suggestion: didyoumean.Name(text, p.Enum)})
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		c.mapping(p, v)
	case []any:
		return c.list(p, v)
	case string:
		c.text(p, v)
	case int64:
		if p.Pattern == PeriodPattern { // a year
			c.text(p, strconv.FormatInt(v, 10))
		} else {
			c.number(p, float64(v), v)
		}
	case float64:
		c.number(p, v, v)
	}
	return value
}

// inner is check for a member or an entry.
func (c *checker) inner(step string, p *Part, value any, required bool) any {
	c.path = append(c.path, step)
	switch {
	case value != nil || slices.Contains(p.Types, "null"):
		value = c.check(p, value)
	case c.d.Reported(c.path...): // it only looks missing
	case required:
		c.add("has no value; add one")
	default:
		kind := "field"
		if _, err := strconv.Atoi(step); err == nil {
			kind = "entry"
		}
		c.add("has no value; add one or remove the %s", kind)
	}
	c.path = c.path[:len(c.path)-1]
	return value
}

func (c *checker) mapping(p *Part, fields map[string]any) {
	if len(fields) < p.MinProperties {
		c.add("must not be empty")
	}
	if p.MaxProperties > 0 && len(fields) > p.MaxProperties {
		c.add("does not match the schema (maxProperties)")
	}
	for _, name := range p.Required {
		if _, there := fields[name]; !there {
			c.d.AddAt(c.path, false, yamldoc.Problem{Field: yamldoc.FieldName(c.at(name)), Message: "is missing"})
		}
	}
	for name, others := range p.DependentRequired {
		for _, other := range others {
			_, there := fields[name]
			if _, both := fields[other]; there && !both {
				c.d.AddAt(c.at(name), true, yamldoc.Problem{Message: fmt.Sprintf("has no effect without %s; add %[1]s or remove this field", other)})
			}
		}
	}
	for name, value := range fields {
		member := cmp.Or(p.Members.Of[name], p.Others.Part)
		if member == nil {
			c.unknown(p, name)
			continue
		}
		if member == p.Others.Part && c.hidden(c.at(name), name, true) && p.PropertyNames != nil {
			c.name(p.PropertyNames, name)
		}
		fields[name] = c.inner(name, member, value, slices.Contains(p.Required, name))
	}
}

// name adds a problem with the name of a declaration.
func (c *checker) name(p *Part, name string) {
	switch n := utf8.RuneCountInString(name); {
	case !p.match.MatchString(name):
		c.d.AddAt(c.at(name), true, yamldoc.Problem{Message: yamldoc.Quote(name) + patternHint(p.Pattern)})
	case n > p.MaxLength:
		c.d.AddAt(c.at(name), true, yamldoc.Problem{Message: fmt.Sprintf("has %d characters; at most %d are allowed", n, p.MaxLength)})
	}
}

func (c *checker) list(p *Part, list []any) []any {
	if len(list) == 0 && p.MinItems > 0 {
		c.add("must not be empty")
	} else if len(list) < p.MinItems {
		c.add("has 1 entry; at least %d are needed", p.MinItems) // no schema needs more than two
	}
	if p.MaxItems > 0 && len(list) > p.MaxItems {
		c.add("has %d entries; at most %d are allowed", len(list), p.MaxItems)
		list = list[:p.MaxItems]
	}
	seen := map[string]bool{}
	for i, item := range list {
		step := strconv.Itoa(i)
		if p.UniqueItems && len(list) > 1 {
			c.unique(seen, item, step)
		} else if tier, ok := item.(map[string]any); ok && p == c.Defs["tiers"] && tier["over"] != nil {
			c.unique(seen, tier["over"], step, "over")
		}
		list[i] = c.inner(step, p.Entry(), item, false)
	}
	return list
}

// unique adds a problem if a list has a value twice: its entry or, with a second step, a part of it that identifies it.
func (c *checker) unique(seen map[string]bool, value any, steps ...string) {
	key := fmt.Sprint(value)
	if seen[key] {
		c.d.Fail(c.at(steps...), yamldoc.Quote(value)+" is given twice")
	}
	seen[key] = true
}

func (c *checker) number(p *Part, n float64, value any) {
	before := len(c.d.Problems)
	limit := func(bound *float64, wrong func(n, bound float64) bool, text string) {
		if bound != nil && wrong(n, *bound) {
			c.add("%s%s%s", decimal(value), text, decimal(*bound))
		}
	}
	limit(p.Minimum, func(n, bound float64) bool { return n < bound }, " is below ")
	limit(p.Maximum, func(n, bound float64) bool { return n > bound }, " is above ")
	limit(p.ExclusiveMinimum, func(n, bound float64) bool { return n <= bound }, " is not greater than ")
	if c.Name == "entity" && p == c.Defs["price"] && len(c.d.Problems) == before {
		c.price(n)
	}
}

// price adds a price of an offer that has too many decimals, or that is 0 but not free.
func (c *checker) price(dollars float64) {
	switch _, exact, err := record.TakePrice(dollars); {
	case err != nil && record.PerMillion(slices.Index(record.PriceNames, c.path[len(c.path)-1])):
		c.add("%s; prices are per million tokens", err)
	case err != nil:
		c.add("%s", err)
	case !exact:
		c.add("%s has more than six decimals; round it", strconv.FormatFloat(dollars, 'f', -1, 64))
	case dollars == 0 && yamldoc.ValueAt(c.d.Value, []string{"offers", c.path[1], "free"}) != true:
		c.add("is 0; remove it if the price is unknown, or add free: true if the source says that it is free")
	}
}

func (c *checker) text(p *Part, text string) {
	before := len(c.d.Problems)
	n, matches := utf8.RuneCountInString(text), p.match == nil || p.match.MatchString(text)
	if n < p.MinLength || text == "" && !matches {
		c.add("must not be empty")
	}
	if p.MaxLength > 0 && n > p.MaxLength {
		c.add("has %d characters; at most %d are allowed", n, p.MaxLength)
	}
	if text != "" && !matches {
		c.add("%s%s", yamldoc.Quote(text), patternHint(p.Pattern))
	}
	if len(c.d.Problems) == before && !c.d.Reported(c.path...) && c.hidden(c.path, text, false) {
		c.meaning(p.Pattern, text)
	}
}

// hidden adds a problem for the first hidden character in a string or, if key is set, in a field name, and reports
// whether there is none. In a file, only an escape sequence in quotes can produce one.
func (c *checker) hidden(path []string, s string, key bool) (ok bool) {
	for at, r := range safetext.Hidden(s) {
		message := fmt.Sprintf("contains the hidden character %s at position %d; remove it", safetext.Describe(r), utf8.RuneCountInString(s[:at])+1)
		c.d.AddAt(path, key, yamldoc.Problem{Message: message})
		return false
	}
	return true
}

func (c *checker) unknown(p *Part, name string) {
	problem, path := p.unknownField(c.path, name), c.at(name)
	at := strings.Join(path, ".")
	for _, f := range c.declared.Leaves() { // a group without stated parts is unknown, too
		if c.Name == "entity" && f.ComputedFrom != "" && (f.Path == at || f.Group != nil && f.Group.Name == at) {
			problem = yamldoc.Problem{Message: "is computed from " + f.ComputedFrom + "; remove it"}
		}
	}
	c.d.AddAt(path, true, problem)
}

func (p *Part) unknownField(at []string, field string, more ...string) yamldoc.Problem {
	known := slices.Sorted(slices.Values(append(p.known(), more...)))
	problem := yamldoc.Problem{Message: "unknown field; expected one of: " + joined(known),
		Suggestion: cmp.Or(p.within(field), didyoumean.Name(field, known))}
	if strings.Trim(field, "0123456789") == "" && len(at) > 0 {
		problem.Field = yamldoc.FieldName(at) + "." + yamldoc.Quote(field) // without quotes it would look like a list entry
		problem.Message += "; write numbers without commas"
	}
	return problem
}

// within finds a mapping in p that has the given field, and returns the path of the field.
func (p *Part) within(field string) string {
	for _, name := range p.known() {
		if p.Members.Of[name].Members.Of[field] != nil {
			return name + "." + field
		}
	}
	return ""
}

// typeNames are the types of values in messages, in their order.
var typeNames = []struct{ name, words string }{{"null", "null"}, {"boolean", "true or false"}, {"number", "a number"},
	{"integer", "a whole number"}, {"string", "text"}, {"array", "a list"}, {"object", "a set of fields"}}

// typesOf lists the types of a value, the one for messages first.
func typesOf(value any) []string {
	switch v := value.(type) {
	case nil:
		return []string{"null"}
	case string:
		return []string{"string"}
	case bool:
		return []string{"boolean"}
	case []any:
		return []string{"array"}
	case map[string]any:
		return []string{"object"}
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return []string{"infinity"}
		} else if v != math.Trunc(v) {
			return []string{"number"}
		}
	}
	return []string{"number", "integer"}
}

// wrongType describes a value that has the wrong type, and states the expected type.
func (p *Part) wrongType(value any) string {
	var want []string
	for _, t := range typeNames {
		if slices.Contains(p.Types, t.name) {
			want = append(want, t.words)
		}
	}
	message, got := "must be "+strings.Join(want, " or "), typesOf(value)[0]
	wants := func(name string) bool { return slices.Contains(p.Types, name) }
	switch {
	case wants("string") && got != "object" && got != "array":
		if p.IsDate() || slices.Contains(urlPatterns, p.Pattern) {
			return yamldoc.Quote(value) + patternHint(p.Pattern)
		}
		return message + "; put it in quotes"
	case got == "number" && wants("integer"):
		return yamldoc.Quote(value) + " is not a whole number"
	case got == "string" && (wants("integer") || wants("number")):
		return message + ", not the text " + yamldoc.Quote(value) + "; write plain decimal digits without quotes"
	case wants("object") && len(p.Members.Of) == 0:
		message += `, one "name: …" line per entry`
	case wants("object"):
		message += " (" + joined(p.known()) + ")"
	case wants("array"):
		message += ` ([…], or one "- …" line per entry)`
	}
	for _, t := range typeNames {
		if t.name == got {
			message += ", not " + t.words
		}
	}
	return message
}

// decimal formats a number, without an exponent if it is a whole number of a length that people read.
func decimal(value any) string {
	if x, ok := value.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1<<127 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

func joined(names []string) string { return strings.Join(names, ", ") }
