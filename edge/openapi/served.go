package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
	"kindex/exports/where"

	"github.com/goccy/go-yaml"
)

// Served returns the description, in YAML, of a service whose index has these declarations: with its kinds,
// the members of its records, its columns, filters, sort keys and signals, and without the operations of
// blocks that no kind has. It takes a large part of a second.
func Served(declared *kinds.Set) ([]byte, error) {
	base := kinds.Default()
	if reflect.DeepEqual(declared.FieldsJSON(), base.FieldsJSON()) && slices.Equal(declared.Names(), base.Names()) &&
		reflect.DeepEqual(declared.SignalsJSON(), base.SignalsJSON()) && reflect.DeepEqual(declared.Links, base.Links) &&
		slices.Equal(declared.PricingModels, base.PricingModels) {
		return YAML, nil
	}
	root, err := decode(YAML)
	if err != nil {
		return nil, fmt.Errorf("the embedded description: %w", err)
	}
	s := &served{root: root, schemas: root.at("components", "schemas"), base: base, declared: declared, same: map[string]bool{}}
	for _, f := range base.FieldsJSON() {
		i := slices.IndexFunc(declared.FieldsJSON(), func(g kinds.FieldJSON) bool { return g.Name == f.Name })
		s.same[f.Name] = i >= 0 && reflect.DeepEqual(declared.FieldsJSON()[i], f)
	}
	s.records()
	s.columns()
	s.signals()
	s.filters()
	s.lists()
	s.operations()
	s.changes()
	s.texts()
	s.examples()
	s.prune()
	return yaml.Marshal(root)
}

// served turns the description of an index with the kinds of base into that of another one.
type served struct {
	root, schemas  *object
	base, declared *kinds.Set
	same           map[string]bool // the fields of base that are declared alike
}

// rename replaces the names before, of base, in list by the names after. The others keep their places; new
// ones follow the name that precedes them in after.
func rename(list, before, after []string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(name string) bool {
		return slices.Contains(before, name) && !slices.Contains(after, name)
	})
	at := 0
	for _, name := range after {
		if i := slices.Index(list, name); i >= 0 {
			at = i + 1
			continue
		}
		list = slices.Insert(list, at, name)
		at++
	}
	return list
}

func contains(list, part []string) bool {
	return !slices.ContainsFunc(part, func(name string) bool { return !slices.Contains(list, name) })
}

func textsOf(v any) []string {
	list, _ := v.([]any)
	return each(list, func(item any) string {
		text, _ := item.(string)
		return text
	})
}

// each returns what of returns for each element of a list.
func each[T, U any](list []T, of func(T) U) []U {
	all := make([]U, len(list))
	for i, x := range list {
		all[i] = of(x)
	}
	return all
}

// records gives schemas of records and submissions the declared members.
func (s *served) records() {
	own := fieldNames(s.base)
	for _, name := range s.schemas.names {
		schema := s.schemas.at(name)
		properties := schema.at("properties")
		if properties == nil || !contains(properties.names, own) {
			continue
		}
		submitted := !slices.Contains(properties.names, "scores")
		before, after := members(s.base, submitted), members(s.declared, submitted)
		if offers := slices.Contains(properties.names, "offers"); !submitted && !offers {
			after = slices.DeleteFunc(after, func(name string) bool { return name == "offers" })
		}
		if required := textsOf(schema.get("required")); contains(required, own) {
			schema.put("required", anyOf(rename(required, before, slices.DeleteFunc(slices.Clone(after), func(name string) bool {
				return name == "offers" && !slices.Contains(required, name)
			}))))
		}
		properties.names = rename(properties.names, before, after)
		for _, f := range s.declared.Fields {
			if !s.same[f.Name] {
				properties.members[f.Name] = valueSchema(f, submitted)
			}
		}
	}
	links := newObject()
	for _, l := range s.declared.Links {
		links.put(l.Name, newObject("type", "string", "format", "uri", "description", l.Description))
	}
	s.schemas.at("Links").put("properties", links)
}

// members returns the members of a record or a submission that depend on the declarations.
func members(declared *kinds.Set, submitted bool) []string {
	if !submitted {
		return record.RecordFields(declared)
	}
	list := fieldNames(declared)
	if declared.HasBlock(kinds.Lifecycle) {
		list = append(list, "lifecycle")
	}
	if declared.HasBlock(kinds.Offers) {
		list = append(list, "offersRead", "offers")
	}
	return list
}

func fieldNames(declared *kinds.Set) []string {
	return each(declared.Fields, func(f *kinds.Field) string { return f.Name })
}

// columns gives the rows of the complete table its columns.
func (s *served) columns() {
	properties := newObject()
	known := s.schemas.at("NarrowedExportedEntity", "properties")
	unchanged := table.FullColumns(s.base)
	for _, c := range table.FullColumns(s.declared) {
		schema := known.get(c.Name)
		if schema == nil || !slices.ContainsFunc(unchanged, func(u table.Column) bool { return u.Name == c.Name && u.Kind == c.Kind }) {
			schema = columnSchema(c)
		}
		properties.put(c.Name, schema)
	}
	s.schemas.at("NarrowedExportedEntity").put("properties", properties)
}

// signals gives records and submissions the declared signals.
func (s *served) signals() {
	for _, schema := range []*object{s.schemas.at("Signals"), s.schemas.at("SubmittedSignals")} {
		before := schema.at("properties")
		count, occasion := before.get("stars"), before.get("created")
		properties := newObject()
		for _, x := range s.declared.Signals {
			switch {
			case x.IsDay():
				properties.put(x.Name, occasion)
			case x.Type == kinds.Number:
				properties.put(x.Name, s.decimal(count))
			default:
				properties.put(x.Name, count)
			}
		}
		if s.declared.HasBlock(kinds.Results) {
			properties.put("benchmarks", before.get("benchmarks"))
		}
		schema.put("properties", properties)
		about := "Measured facts, each with the day it was observed and its source. Unknown facts are omitted."
		for _, x := range s.declared.Signals {
			about += fmt.Sprintf(" `%s`: %s.", x.Name, strings.TrimSuffix(x.Description, "."))
		}
		schema.put("description", about)
	}
	growth := newObject()
	for _, x := range s.declared.Signals {
		if x.Varies() {
			growth.put(x.Name, newObject("$ref", "#/components/schemas/GrowthOverTime"))
		}
	}
	s.schemas.at("SignalGrowth").put("properties", growth)
}

// decimal returns a copy of the schema of a count whose value is any number.
func (s *served) decimal(count any) *object {
	ref, _ := count.(*object)
	o := s.schemas.at(strings.TrimPrefix(ref.text("$ref"), "#/components/schemas/")).clone()
	properties := o.at("properties").clone()
	properties.put("value", newObject("type", "number", "description", "The value."))
	o.put("description", "A figure, with the day it was observed and its source.")
	o.put("properties", properties)
	return o
}

// filters gives operations that have filters the declared ones.
func (s *served) filters() {
	parametersOf := s.root.at("components", "parameters")
	before, after := where.Filters(s.base), where.Filters(s.declared)
	var added []any
	changed := map[string]bool{}
	for _, f := range s.declared.Leaves() {
		for _, p := range parameters(f) {
			name := p.text("name")
			if s.same[strings.Split(f.Path, ".")[0]] {
				continue
			}
			changed[name] = true
			parametersOf.put("Declared_"+name, p)
			added = append(added, newObject("$ref", "#/components/parameters/Declared_"+name))
		}
	}
	walk(s.root.at("paths"), func(operation *object) {
		list, _ := operation.get("parameters").([]any)
		var kept []any
		selects := false
		for _, p := range list {
			ref, _ := p.(*object)
			component := strings.TrimPrefix(ref.text("$ref"), "#/components/parameters/")
			name := parametersOf.at(component).text("name")
			if component == "SignalFilter" {
				selects = true
				kept = append(kept, added...)
				if len(s.declared.Signals) == 0 {
					continue
				}
			}
			if slices.Contains(before, name) && (changed[name] || !slices.Contains(after, name)) {
				continue
			}
			kept = append(kept, p)
		}
		if selects {
			operation.put("parameters", kept)
		}
	})
}

// lists replaces the lists of names that a value can be one of.
func (s *served) lists() {
	columnNames := func(set *kinds.Set) []string {
		return each(table.FullColumns(set), func(c table.Column) string { return c.Name })
	}
	s.schemas.at("EntityType").put("enum", anyOf(s.declared.Names()))
	facets := s.schemas.at("Facets", "properties")
	for _, name := range view.FilterFields(s.declared) {
		if facets.get(name) == nil {
			facets.put(name, newObject("type", "array", "description", "Values of `"+name+"`.", "maxItems", 20, "items", newObject("$ref", "#/components/schemas/FacetCount")))
		}
	}
	facets.keep(func(name string, _ any) bool { return slices.Contains(view.FilterFields(s.declared), name) })
	names := []func(*kinds.Set) []string{record.RecordFields, record.ChangeFields, columnNames, (*kinds.Set).SignalNames,
		view.SortKeys, view.FilterFields, (*kinds.Set).Growing, func(set *kinds.Set) []string { return set.PricingModels }}
	walk(s.root, func(o *object) {
		list := textsOf(o.get("enum"))
		for _, of := range names {
			if before := of(s.base); len(list) > 0 && contains(list, before) {
				nullable := list[len(list)-1] == ""
				values := anyOf(rename(list, before, of(s.declared)))
				if nullable {
					values[len(values)-1] = nil
				}
				o.put("enum", values)
				return
			}
		}
	})
}

// blockOperations are the operations that only make sense with a block.
var blockOperations = map[string]string{"listOffers": kinds.Offers, "getCost": kinds.Offers, "exportOffers": kinds.Offers, "exportBenchmarks": kinds.Results}

// has reports whether an index has an operation.
func has(declared *kinds.Set, operationID string) bool {
	block := blockOperations[operationID]
	return block == "" || declared.HasBlock(block)
}

func (s *served) operations() {
	tags := map[string]bool{}
	paths := s.root.at("paths")
	paths.keep(func(_ string, item any) bool {
		item.(*object).keep(func(_ string, operation any) bool {
			o, ok := operation.(*object)
			if ok && !has(s.declared, o.text("operationId")) {
				return false
			}
			for _, tag := range textsOf(o.get("tags")) {
				tags[tag] = true
			}
			return true
		})
		return len(item.(*object).names) > 0
	})
	list, _ := s.root.get("tags").([]any)
	s.root.put("tags", slices.DeleteFunc(list, func(tag any) bool { return !tags[tag.(*object).text("name")] }))
}

// changes drops the values of changes that only blocks have which no kind has, and gives keys of entities the kinds.
func (s *served) changes() {
	only := map[string]string{"Benchmark": kinds.Results, "Offer": kinds.Offers, "Tiers": kinds.Offers}
	keys := "^(" + strings.Join(s.base.Names(), "|") + ")/"
	walk(s.root, func(o *object) {
		if rest, ok := strings.CutPrefix(o.text("pattern"), keys); ok {
			o.put("pattern", "^("+strings.Join(s.declared.Names(), "|")+")/"+rest)
		}
		list, _ := o.get("anyOf").([]any)
		if len(list) == 0 {
			return
		}
		o.put("anyOf", slices.DeleteFunc(list, func(choice any) bool {
			c, _ := choice.(*object)
			name := strings.TrimPrefix(c.text("$ref")+c.at("items").text("$ref"), "#/components/schemas/")
			return only[name] != "" && !s.declared.HasBlock(only[name])
		}))
	})
}

// texts changes what names columns or entities that the index lacks.
func (s *served) texts() {
	walk(s.root.at("paths", "/api/entities"), func(o *object) {
		if o.text("name") == "sort" {
			o.put("description", "The field, score or signal to sort by.")
		}
	})
	for _, o := range []*object{s.root.at("info"), s.root.at("paths", "/api/resolve", "get")} {
		o.put("description", strings.NewReplacer("tool/pytorch", "TYPE/SLUG", "pypi:pytorch", "NAMESPACE:ID", "https://github.com/pytorch/pytorch",
			"https://github.com/OWNER/NAME", "gradient+boosting", "WORDS").Replace(o.text("description")))
	}
	if !slices.Equal(s.declared.Names(), s.base.Names()) {
		o := s.schemas.at("NewSubmission")
		o.put("required", anyOf(slices.DeleteFunc(textsOf(o.get("required")), func(name string) bool { return name == "url" })))
		o.put("description", strings.TrimSpace(o.text("description"))+" `url` is required if entities of the type have one.\n")
	}
	o := s.root.at("paths", "/api/search", "get")
	o.put("description", strings.ReplaceAll(o.text("description"), "pytorch -torchvision", "red -glossy"))
}

// examples drops those that name entities the index cannot have, and those of records, which have other
// members.
func (s *served) examples() {
	names := s.declared.Names()
	alike := slices.Contains(names, "tool") && slices.Contains(names, "model")
	walk(s.root, func(o *object) {
		if alike && o.get("schema") != nil && o.get("in") != nil {
			return // a parameter
		}
		if o.get("properties") != nil || o.get("operationId") != nil || o.get("schema") != nil {
			o.keep(func(name string, _ any) bool { return name != "example" && name != "examples" })
		}
		if !alike && (o.get("type") != nil || o.get("$ref") != nil) {
			o.keep(func(name string, _ any) bool { return name != "example" })
		}
	})
}

// prune drops the components that nothing refers to.
func (s *served) prune() {
	components := s.root.at("components")
	for dropped := true; dropped; {
		dropped = false
		used := map[string]bool{}
		walk(s.root, func(o *object) { used[o.text("$ref")] = true })
		for _, kind := range components.names {
			if kind == "securitySchemes" {
				continue
			}
			components.at(kind).keep(func(name string, _ any) bool {
				if used["#/components/"+kind+"/"+name] {
					return true
				}
				dropped = true
				return false
			})
		}
	}
}
