package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"kindex/exports/safetext"
	"strings"
)

// change is one change to an entity.
type change struct {
	ID     string       `json:"id"`
	Event  string       `json:"event"`
	Time   string       `json:"timestamp"`
	Entity string       `json:"entity"`
	Name   string       `json:"name"`
	Fields []fieldDelta `json:"changes,omitempty"`
}

type fieldDelta struct {
	Field string `json:"field"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// changeList is the result of the tool changes_since.
type changeList struct {
	Total      int      `json:"total"`
	Results    []change `json:"results"`
	NextOffset *int     `json:"nextOffset,omitempty"`
}

// maxShown is the maximum number of characters shown of an old or new value, and maxEncoded the
// maximum length of a list or an object that is shown whole.
const (
	maxShown   = 160
	maxEncoded = 1000
)

func (t *tools) changesSince(ctx context.Context, v values) (any, string, error) {
	q := params(v, t.args("changes_since"), "since", "until", "event", "type", "category", "limit", "offset")
	var p page
	if _, err := askFor(ctx, t.api, "/api/changelog", q, &p); err != nil {
		return nil, "", err
	}
	l := changeList{Total: p.Count, Results: []change{}}
	for _, raw := range p.Data {
		c, err := readChange(raw, v.yes("full"))
		if err != nil {
			return nil, "", err
		}
		l.Results = append(l.Results, c)
	}
	if next := v.offset() + len(p.Data); p.NextCursor != nil && len(p.Data) > 0 {
		l.NextOffset = &next
	}
	return l, l.text(v.text("since")), nil
}

// readChange decodes a change and, unless full is set, shortens it: it omits the fields of a new
// or deleted entity, and keeps only the beginning of long strings.
func readChange(raw json.RawMessage, full bool) (change, error) {
	var in struct {
		ID, Event, Timestamp string
		Entity               struct{ Type, Slug, Name string }
		Changes              []fieldDelta
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return change{}, fmt.Errorf("cannot read a change: %w", err)
	}
	c := change{ID: in.ID, Event: in.Event, Time: in.Timestamp, Entity: in.Entity.Type + "/" + in.Entity.Slug, Name: in.Entity.Name}
	if !full && in.Event != "entity.updated" {
		return c, nil
	}
	for _, f := range in.Changes {
		if !full {
			f.Old, f.New = beginning(f.Field, f.Old), beginning(f.Field, f.New)
		}
		c.Fields = append(c.Fields, f)
	}
	return c, nil
}

// beginning shortens a long string, an offer and any other long value.
func beginning(field string, v any) any {
	switch v := v.(type) {
	case string:
		return safetext.Shorten(v, maxShown)
	case map[string]any:
		if strings.HasPrefix(field, "offers.") {
			return offerTerms(v)
		}
	case []any:
	default:
		return v
	}
	if text, err := json.Marshal(v); err == nil && len(text) > maxEncoded {
		return safetext.Shorten(string(text), maxShown)
	}
	return v
}

// offerTerms returns the members of an offer that are known, without its source.
func offerTerms(o map[string]any) map[string]any {
	terms := map[string]any{}
	for name, v := range o {
		list, isList := v.([]any)
		object, isObject := v.(map[string]any)
		if v != nil && v != false && name != "source" && !(isList && len(list) == 0) && !(isObject && len(object) == 0) {
			terms[name] = v
		}
	}
	return terms
}

func (l *changeList) text(since string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s since %s, newest first.\n", counted(l.Total, "change", "changes"), since)
	for _, c := range l.Results {
		fmt.Fprintf(&b, "%s %s %s – %s\n", c.Time, strings.TrimPrefix(c.Event, "entity."), c.Entity, quoted(c.Name))
		for _, f := range c.Fields {
			fmt.Fprintf(&b, "   %s: %s → %s\n", oneLine(f.Field), value(f.Old), value(f.New))
		}
	}
	if l.NextOffset != nil {
		fmt.Fprintf(&b, "More available: call again with offset %d.\n", *l.NextOffset)
	}
	return b.String()
}

// value formats an old or new value of a field.
func value(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case string:
		return quoted(v)
	case float64:
		return number64(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return quoted(string(b))
}
