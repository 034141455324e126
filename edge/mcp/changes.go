package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"kindex/exports/safetext"
)

// fieldDelta is a change of one field.
type fieldDelta struct {
	Field string `json:"field"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// maxShown is the maximum number of characters shown of an old or new value, and maxEncoded the
// maximum length of a list or an object that is shown whole.
const (
	maxShown   = 160
	maxEncoded = 1000
)

func (t *tools) changesSince(ctx context.Context, v values) (any, error) {
	q := params(v, "since", "until", "event", "type", "category", "limit", "offset")
	l, _, err := t.page(ctx, v, "/api/changelog", q, func(e entity) facts { return change(e, v.yes("full")) })
	return l, err
}

// change returns a change from the API. Unless full is set, it omits the fields of a new or deleted
// entity, and shortens long values.
func change(e entity, full bool) facts {
	of := get[entity](e, "entity")
	c := facts{"id": e["id"], "event": e["event"], "timestamp": e["timestamp"], "entity": of.key(), "name": of["name"]}
	if !full && get[string](e, "event") != "entity.updated" {
		return c
	}
	fields := get[[]fieldDelta](e, "changes")
	for i := range fields {
		if f := &fields[i]; !full {
			f.Old, f.New = beginning(f.Field, f.Old), beginning(f.Field, f.New)
		}
	}
	if len(fields) > 0 {
		c["changes"] = fields
	}
	return c
}

// beginning shortens a long string, an offer and any other long value.
func beginning(field string, v any) any {
	switch v := v.(type) {
	case string:
		return safetext.Shorten(v, maxShown)
	case map[string]any:
		if strings.HasPrefix(field, "offers.") { // the terms that are known are enough
			maps.DeleteFunc(v, func(name string, term any) bool { return name == "source" || term == false || known(term) == nil })
			return v
		}
	}
	if text, err := json.Marshal(v); err == nil && len(text) > maxEncoded {
		return safetext.Shorten(string(text), maxShown)
	}
	return v
}
