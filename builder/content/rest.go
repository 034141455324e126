package content

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// core are the members of entity files that no index declares.
var core = map[string]bool{"name": true, "formerly": true, "status": true, "provider": true, "description": true, "category": true,
	"version": true, "license": true, "pricingModel": true, "url": true, "links": true, "ids": true, "tags": true, "capabilities": true,
	"addedDate": true, "lastUpdated": true, "lifecycle": true, "signals": true, "sources": true, "offersRead": true, "offers": true}

// restOf returns what a file says in members that the index does not declare, or not in this form.
func restOf(e *record.Entity, fields map[string]any) (rest record.Rest) {
	declared := e.Declared()
	add := func(path string, value any) {
		text := rawJSON(value)
		if f := declared.Field(path); text == nil || f != nil && bytes.Equal(text, f.AppendJSON(nil, e.Values.Get(path))) {
			return
		}
		rest = append(rest, record.RestValue{Path: strings.Clone(path), JSON: text})
	}
	for name, value := range fields {
		members, nested := value.(map[string]any)
		switch {
		case core[name]:
		case nested:
			for member, v := range members {
				add(name+"."+member, v)
			}
		default:
			add(name, value)
		}
	}
	signals, _ := fields["signals"].(map[string]any)
	for name, v := range signals {
		if s, ok := v.(map[string]any); ok && name != "benchmarks" && declared.Signal(name) == nil {
			add("signals."+name, s["value"])
		}
	}
	links, _ := fields["links"].(map[string]any)
	for name, v := range links {
		if !slices.ContainsFunc(declared.Links, func(l kinds.Link) bool { return l.Name == name }) {
			add("links."+name, v)
		}
	}
	slices.SortFunc(rest, func(a, b record.RestValue) int { return strings.Compare(a.Path, b.Path) })
	return rest
}

// rawJSON returns a value of a file in the form in which records have such values, or nil for null.
func rawJSON(value any) []byte {
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		return jsonenc.AppendString(nil, strings.TrimSpace(v))
	case int64:
		return jsonenc.AppendNumber(nil, float64(v))
	case float64:
		return jsonenc.AppendNumber(nil, v)
	case []any:
		list := []byte("[")
		for i, item := range v {
			list = append(jsonenc.AppendComma(list, i), rawJSON(item)...)
		}
		return append(list, ']')
	}
	b, _ := json.Marshal(value) // booleans and mappings of such values
	return b
}

// ParsePast reads an entity file of an earlier commit, which was valid for what the index declared then:
// what it does not declare now, and values of another type, are left out. incomplete reports whether anything
// was.
func ParsePast(declared *kinds.Set, path, typ, slug string, data []byte) (e *record.Entity, incomplete bool, problems yamldoc.Problems) {
	if e, problems = ParseEntity(declared, path, typ, slug, data); e != nil {
		return e, false, problems
	}
	whole, ok := yamldoc.Parse(path, data, yamldoc.TextFields...).Fields()
	if !ok {
		return nil, false, problems
	}
	fields := maps.Clone(whole)
	dropUndeclared(declared, declared.Kind(typ), fields)
	const attempts = 3 // the first finds values of another type, the second what depended on them
	for range attempts {
		d := yamldoc.New(path)
		d.Value = fields
		schema.Of(declared, "entity").Check(d)
		e = decodeEntity(declared, typ, slug, fields)
		checkEntity(d, e, fields)
		if n, _ := d.Problems.Count(); n == 0 {
			e.Rest = restOf(e, whole)
			return e, true, nil
		}
		if !dropFaulty(d.Problems, fields) {
			break
		}
	}
	return nil, false, problems
}

// dropUndeclared removes the members of a file that the index does not declare, or not for its kind.
func dropUndeclared(declared *kinds.Set, kind *kinds.Kind, fields map[string]any) {
	for name := range fields {
		if core[name] {
			continue
		}
		i := slices.IndexFunc(kind.Fields, func(f *kinds.Field) bool { return f.Name == name })
		if i < 0 {
			delete(fields, name)
			continue
		}
		if members, ok := fields[name].(map[string]any); ok {
			fields[name] = keep(members, func(member string) bool {
				return slices.ContainsFunc(kind.Fields[i].Parts, func(p *kinds.Field) bool { return p.Name == member })
			})
		}
	}
	if signals, ok := fields["signals"].(map[string]any); ok {
		fields["signals"] = keep(signals, func(name string) bool {
			return kind.HasSignal(name) || name == "benchmarks" && kind.HasBlock(kinds.Results)
		})
	}
	if links, ok := fields["links"].(map[string]any); ok {
		fields["links"] = keep(links, func(name string) bool {
			return slices.ContainsFunc(declared.Links, func(l kinds.Link) bool { return l.Name == name })
		})
	}
	for block, names := range blockMembers {
		for _, name := range names {
			if !kind.HasBlock(block) {
				delete(fields, name)
			}
		}
	}
	if model, ok := fields["pricingModel"].(string); ok && !slices.Contains(declared.PricingModels, model) {
		delete(fields, "pricingModel")
	}
}

// keep returns the members with some names.
func keep(members map[string]any, wanted func(name string) bool) map[string]any {
	kept := map[string]any{}
	for name, v := range members {
		if wanted(name) {
			kept[name] = v
		}
	}
	return kept
}

// dropFaulty removes the declared fields and signals with errors, and reports whether there were any.
func dropFaulty(problems yamldoc.Problems, fields map[string]any) (dropped bool) {
	for _, p := range problems {
		if p.Severity != yamldoc.Error {
			continue
		}
		path := strings.FieldsFunc(p.Field, func(r rune) bool { return r == '.' || r == '[' })
		if len(path) == 0 {
			continue
		}
		if !core[path[0]] && fields[path[0]] != nil {
			delete(fields, path[0])
			dropped = true
		}
		signals, _ := fields["signals"].(map[string]any)
		if path[0] == "signals" && len(path) > 1 && path[1] != "benchmarks" && signals[path[1]] != nil {
			fields["signals"] = keep(signals, func(name string) bool { return name != path[1] })
			dropped = true
		}
	}
	return dropped
}
