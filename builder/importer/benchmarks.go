package importer

import (
	"strconv"
	"strings"

	"kindex/builder/importer/mapping"
)

// benchmark is a benchmark result. Its name may still be the same as that of another result.
type benchmark struct {
	fields  map[string]any
	details []string
}

func (dr *drafter) benchmarks(d *draft, rec inputRecord) {
	var found []benchmark
	for _, columns := range dr.m.Benchmarks {
		scopes, err := scopesOf(columns.Each, rec)
		if err != nil {
			d.refuse("signals.benchmarks", err)
		}
		for _, scope := range scopes {
			if b, ok := dr.benchmark(d, columns, scope); ok {
				found = append(found, b)
			}
		}
	}
	if len(found) == 0 {
		return
	}
	times := map[string]int{}
	for _, b := range found {
		times[b.key()]++
	}
	list := make([]any, len(found))
	for i, b := range found {
		if times[b.key()] > 1 && len(b.details) > 0 {
			b.fields["name"] = textOf(b.fields["name"]) + " (" + strings.Join(b.details, ", ") + ")"
		}
		list[i] = b.fields
	}
	d.set([]string{"signals", "benchmarks"}, list)
}

// key returns everything that distinguishes a result from others, except its details.
func (b *benchmark) key() string {
	var key strings.Builder
	for _, name := range []string{"name", "metric", "harness", "variant", "dataset", "version", "by", "publisher"} {
		key.WriteString(textOf(b.fields[name]) + "\x00")
	}
	return key.String()
}

// entries returns the objects in a list that the row contains.
func entries(column string, rec inputRecord) (out []inputRecord, err error) {
	v := rec.lookup(column)
	list, ok := v.([]any)
	if v != nil && !ok {
		return nil, &Reason{Column: column, Message: "is not a list"}
	}
	for i, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, &Reason{Column: column + "." + strconv.Itoa(i), Message: "is not an object"}
		}
		out = append(out, jsonRecord(object))
	}
	return out, nil
}

// benchmark creates one result; ok is false if it has no name or no value.
func (dr *drafter) benchmark(d *draft, columns mapping.BenchmarkColumns, rec inputRecord) (b benchmark, ok bool) {
	b.fields = map[string]any{}
	for _, t := range columns.Fields {
		name := t.Path[len(t.Path)-1]
		item, given, err := dr.single(t.Value, map[string]string{"value": "number", "date": "day"}[name], rec)
		if err != nil {
			d.refuse("signals.benchmarks", err)
			return b, false
		}
		if given && name != "value" {
			item = textOf(item)
		}
		if given {
			b.fields[name] = item
		}
	}
	if b.fields["name"] == nil || b.fields["value"] == nil {
		return b, false
	}
	for _, name := range columns.Details {
		r, err := dr.column(name, rec)
		if err != nil {
			d.refuse("signals.benchmarks", err)
			return b, false
		}
		if !r.none() {
			b.details = append(b.details, r.text())
		}
	}
	return b, true
}
