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

// ParsePast reads an entity file of an earlier commit, without what the index does not declare now and values of another
// type. incomplete reports whether anything was left out.
func ParsePast(declared *kinds.Set, path, typ, slug string, data []byte) (e *record.Entity, incomplete bool, problems yamldoc.Problems) {
	if e, problems = ParseEntity(declared, path, typ, slug, data); e != nil {
		return e, false, problems
	}
	whole, ok := yamldoc.Parse(path, data).Fields()
	if !ok {
		return nil, false, problems
	}
	fields := maps.Clone(whole)
	const attempts = 4 // each finds what depended on values that the one before has left out
	for range attempts {
		d := yamldoc.New(path)
		e = entityOf(declared, typ, slug, d, fields)
		if !d.Problems.HasErrors() {
			e.Rest = restOf(e, whole)
			return e, true, nil
		}
		if !dropFaulty(declared.Kind(typ), d.Problems, fields) {
			break
		}
	}
	return nil, false, problems
}

// dropFaulty removes what an index would have to declare for a kind, and what has errors, and reports whether there was any.
func dropFaulty(kind *kinds.Kind, problems yamldoc.Problems, fields map[string]any) (dropped bool) {
	for _, p := range problems {
		for name, value := range fields {
			if p.Severity != yamldoc.Error || !concerns(p, name) {
				continue
			}
			members, nested := value.(map[string]any)
			rest := map[string]any{}
			for member, v := range members {
				if !concerns(p, name, member) || name == "signals" && member == "benchmarks" && kind.HasBlock(kinds.Results) {
					rest[member] = v
				}
			}
			declaredHere := core[name] && name != "signals" && name != "links"
			switch {
			case nested && !declaredHere && len(rest) < len(members):
				fields[name], dropped = rest, true
			case !core[name], name == "pricingModel", ofBlock(name) && !hasMember(kind, name):
				delete(fields, name)
				dropped = true
			}
		}
	}
	return dropped
}

// ofBlock reports whether only kinds with a certain block have a member.
func ofBlock(name string) bool {
	return slices.ContainsFunc(kinds.Blocks, func(block string) bool { return slices.Contains(schema.BlockMembers[block], name) })
}

// concerns reports whether a problem is with the value at a path, or within it.
func concerns(p yamldoc.Problem, path ...string) bool {
	rest, ok := strings.CutPrefix(p.Field, yamldoc.FieldName(path))
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
