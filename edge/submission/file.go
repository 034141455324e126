package submission

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// Sketch returns the file of an incomplete submission, with only its valid fields, as a
// preview while the form is being filled in. It returns nil if no field is valid. The
// problems are those that Parse found.
func Sketch(declared *kinds.Set, fields map[string]any, problems []yamldoc.Problem) []byte {
	right := map[string]any{}
	for name, value := range fields {
		if !slices.Contains(addressFields, name) && schema.UnknownEntityField(declared, name) == nil {
			right[name] = value
		}
	}
	for _, p := range problems {
		root, within := p.Field, ""
		if i := strings.IndexAny(root, ".["); i >= 0 {
			root, within = root[:i], strings.TrimPrefix(root[i:], ".")
		}
		set, nested := right[root].(map[string]any)
		switch {
		case root == "":
			return nil // the problem is about the whole submission
		case nested && set[within] != nil:
			set = maps.Clone(set)
			delete(set, within)
			right[root] = set
		default:
			delete(right, root)
		}
		if nested && len(set) == 0 {
			delete(right, root)
		}
	}
	if len(right) == 0 {
		return nil
	}
	data, err := yamlfmt.Compose(declared, right)
	if err != nil {
		return nil // the problems already include the value that cannot be written
	}
	return data
}

// File returns the file, in canonical form, of an entity that Build.Authored returned. It has
// no comments because builds do not keep them.
func File(e *record.Entity) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(e.AppendJSON(nil)))
	d.UseNumber()
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return nil, err
	}
	for _, name := range append([]string{"scores", "maintenance", "maintenanceAsOf", "price", "offerCount"}, addressFields...) {
		delete(fields, name)
	}
	statedIDs(fields, e)
	if fields["status"] == record.Active {
		delete(fields, "status") // this is the default
	}
	if len(e.Formerly) > 0 {
		fields["formerly"] = e.Formerly
	}
	dropUnknown(fields)
	return yamlfmt.Compose(e.Declared(), fields)
}

// statedIDs removes the identifiers that follow from links, and writes single ones as text.
func statedIDs(fields map[string]any, e *record.Entity) {
	all, _ := fields["ids"].(map[string]any)
	for _, id := range record.LinkedIDs(e.Links) {
		if slices.Equal(e.IDsIn(id.Namespace), []string{id.Value}) {
			delete(all, id.Namespace)
		}
	}
	for namespace, v := range all {
		if list, _ := v.([]any); len(list) == 1 {
			all[namespace] = list[0]
		}
	}
}

// dropUnknown removes the nulls and empty values with which a record represents fields
// without a value.
func dropUnknown(set map[string]any) {
	for name, value := range set {
		switch v := value.(type) {
		case nil:
			delete(set, name)
		case map[string]any:
			if dropUnknown(v); len(v) == 0 {
				delete(set, name)
			}
		case []any:
			for _, item := range v {
				if inner, ok := item.(map[string]any); ok {
					dropUnknown(inner)
				}
			}
			if len(v) == 0 {
				delete(set, name)
			}
		}
	}
}
