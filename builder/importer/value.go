package importer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/safetext"
)

// result is a value in one row: nothing, one item or a list. Items are strings, json.Number, bool, int64 or float64.
type result struct {
	items []any
	list  bool
}

func (r result) none() bool { return len(r.items) == 0 }

func one(item any) result { return result{items: []any{item}} }

func (r result) text() string {
	texts := make([]string, len(r.items))
	for i, item := range r.items {
		texts[i] = textOf(item)
	}
	return strings.Join(texts, ", ")
}

func textOf(item any) string {
	switch v := item.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(item)
}

// evaluator evaluates the values of a mapping, one after the other.
type evaluator struct {
	decimal string
	missing []string

	wrong    *Reason // why the latest value could not be read, or nil
	joined   string  // the latest text that became a slug although it seems to be a list, or ""
	warnings []Reason
}

// refuse records why the latest value cannot be read, unless something else was wrong before.
func (e *evaluator) refuse(v *mapping.Value, item any, wrong string) {
	if e.wrong == nil {
		e.wrong = &Reason{Column: columnOf(v), Value: textOf(item), Message: yamldoc.Quote(textOf(item)) + " " + wrong}
	}
}

// of evaluates a value for one row.
func (e *evaluator) of(v *mapping.Value, o object) result {
	if v == nil || !e.all(v.When, o) {
		return result{}
	}
	r := e.transform(v, e.source(v, o))
	if r.none() && v.Default != nil {
		return constant(v.Default)
	}
	return r
}

func (e *evaluator) source(v *mapping.Value, o object) (r result) {
	switch {
	case v.Column != "":
		return e.known(v.Column, o)
	case v.Constant != nil:
		return constant(v.Constant)
	case v.Template != nil:
		return e.template(v.Template, o)
	}
	for _, inner := range slices.Concat(v.First, v.All) {
		more := e.of(inner, o)
		if v.First != nil && !more.none() {
			return more
		}
		r.items = append(r.items, more.items...)
	}
	r.list = v.All != nil
	return r
}

func constant(v any) result {
	if list, ok := v.([]any); ok {
		return result{items: list, list: true}
	}
	return one(v)
}

// known returns a column that a value needs.
func (e *evaluator) known(column string, o object) result {
	r, wrong := e.column(column, o)
	if wrong != "" && e.wrong == nil {
		e.wrong = &Reason{Column: column, Message: wrong}
	}
	return r
}

// column reads a column, without line breaks and hidden characters: every string of an entity is one visible line.
func (e *evaluator) column(name string, o object) (r result, wrong string) {
	all := constant(o.lookup(name))
	r.list = all.list
	for _, item := range all.items {
		switch v := item.(type) {
		case nil:
			continue
		case string:
			e.warn(name, v)
			item = oneLine(v)
		case map[string]any:
			return result{}, "is an object; use one of its values, such as " + name + "." + strings.Join(slices.Sorted(maps.Keys(v))[:min(1, len(v))], "")
		case []any:
			return result{}, "is a list of lists, which no field accepts"
		}
		if item != "" && !slices.Contains(e.missing, textOf(item)) {
			r.items = append(r.items, item)
		}
	}
	return r, ""
}

// warn records the hidden characters in a column.
func (e *evaluator) warn(column, text string) {
	for _, r := range safetext.Hidden(text) {
		warning := Reason{Column: column, Message: "the hidden character " + safetext.Describe(r) + " was removed"}
		if !strings.ContainsRune("\t\n\r\ufffd", r) && !slices.Contains(e.warnings, warning) {
			e.warnings = append(e.warnings, warning)
		}
	}
}

func oneLine(s string) string {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, "\r\n\t") {
		s = strings.Join(strings.Fields(s), " ")
	}
	if !utf8.ValidString(s) {
		return s // the row will be refused
	}
	return strings.TrimSpace(safetext.Strip(s))
}

// template evaluates a template. It has no value if one of its columns has none.
func (e *evaluator) template(parts []mapping.TemplatePart, o object) result {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Literal)
		if part.Column == "" {
			continue
		}
		r := e.known(part.Column, o)
		if r.none() {
			return result{}
		}
		b.WriteString(r.text())
	}
	return one(b.String())
}

func (e *evaluator) transform(v *mapping.Value, r result) (out result) {
	items := e.entries(v, r)
	out.list = r.list || v.List != ""
	if n := len(items); n > 0 && v.Take != "" {
		out.list = false
		items = map[string][]any{"first": items[:1], "last": items[n-1:]}[v.Take]
	}
	for _, item := range items {
		to, ok := v.Table[textOf(item)]
		if !ok {
			to, ok = v.Table["*"]
		}
		if ok {
			item = to
		}
		if item == "" {
			continue
		}
		fine, wrong := e.convert(v.As, item)
		if wrong != "" {
			e.refuse(v, item, wrong)
		}
		if v.As == "slug" && joined(textOf(item)) != "" {
			e.joined = textOf(item)
		}
		if !out.list || !slices.Contains(out.items, fine) {
			out.items = append(out.items, fine)
		}
	}
	return out
}

// entries returns items without their units and, for texts that are lists, the entries of these.
func (e *evaluator) entries(v *mapping.Value, r result) (items []any) {
	for _, item := range r.items {
		if text, ok := item.(string); ok && v.Unit != nil {
			item = oneLine(withoutUnits(text, v.Unit))
		}
		if v.List == "" || r.list {
			items = append(items, item)
			continue
		}
		list, wrong := splitList(textOf(item), v.List)
		if wrong != "" {
			e.refuse(v, item, wrong)
		}
		for _, entry := range list {
			if entry = oneLine(entry); entry != "" && !slices.Contains(e.missing, entry) {
				items = append(items, entry)
			}
		}
	}
	return items
}

// columnOf returns the columns of a value, for messages.
func columnOf(v *mapping.Value) string {
	if v == nil {
		return ""
	}
	names := []string{v.Column}
	for _, part := range v.Template {
		names = append(names, part.Column)
	}
	for _, inner := range slices.Concat(v.First, v.All) {
		names = append(names, strings.Split(columnOf(inner), ", ")...)
	}
	return strings.Join(slices.DeleteFunc(distinct(names), func(name string) bool { return name == "" }), ", ")
}

func (e *evaluator) all(conditions []mapping.Condition, o object) bool {
	return !slices.ContainsFunc(conditions, func(c mapping.Condition) bool { return !e.meets(c, o) })
}

func (e *evaluator) meets(c mapping.Condition, o object) bool {
	r, wrong := e.column(c.Column, o)
	if c.Empty != nil {
		return *c.Empty == (wrong == "" && r.none()) // an object is not empty
	}
	among := slices.ContainsFunc(r.items, func(item any) bool {
		return slices.ContainsFunc(slices.Concat(c.Is, c.Not), func(w any) bool { return e.equal(textOf(item), w) })
	})
	return among == (c.Is != nil)
}

// equal reports whether a string in the input equals a value in the mapping: 5.0 is 5.
func (e *evaluator) equal(text string, want any) bool {
	switch want := want.(type) {
	case string:
		return text == want
	case bool:
		return strings.EqualFold(text, strconv.FormatBool(want))
	}
	n, wrong := exactNumber(text)
	return wrong == "" && textOf(n) == textOf(want)
}
