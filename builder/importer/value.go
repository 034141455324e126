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

// evaluator evaluates the values of a mapping.
type evaluator struct {
	decimal string
	missing []string
	joined  string // the latest text that became a slug although it seems to be a list, or ""
}

// of evaluates a value for one row. Any error is a *Reason.
func (e *evaluator) of(v *mapping.Value, o object) (result, error) {
	if v == nil || !e.all(v.When, o) {
		return result{}, nil
	}
	r, err := e.source(v, o)
	if err != nil {
		return result{}, err
	}
	if r, err = e.transform(v, r); err != nil {
		return result{}, err
	}
	if r.none() && v.Default != nil {
		return constant(v.Default), nil
	}
	return r, nil
}

func (e *evaluator) source(v *mapping.Value, o object) (r result, err error) {
	switch {
	case v.Column != "":
		return e.column(v.Column, o)
	case v.Constant != nil:
		return constant(v.Constant), nil
	case v.Template != nil:
		return e.template(v.Template, o)
	case v.First != nil:
		for _, inner := range v.First {
			if r, err = e.of(inner, o); err != nil || !r.none() {
				return r, err
			}
		}
		return r, nil
	}
	r.list = true
	for _, inner := range v.All {
		more, err := e.of(inner, o)
		if err != nil {
			return result{}, err
		}
		r.items = append(r.items, more.items...)
	}
	return r, nil
}

func constant(v any) result {
	if list, ok := v.([]any); ok {
		return result{items: list, list: true}
	}
	return one(v)
}

// column reads a column, without line breaks and hidden characters: every string of an entity is one visible line.
func (e *evaluator) column(name string, o object) (result, error) {
	r := constant(o.lookup(name))
	items := r.items
	r.items = nil
	for _, item := range items {
		switch v := item.(type) {
		case nil:
			continue
		case string:
			item = oneLine(v)
		case map[string]any:
			return result{}, &Reason{Column: name, Message: "is an object; use one of its values, such as " + name + "." + strings.Join(slices.Sorted(maps.Keys(v))[:min(1, len(v))], "")}
		case []any:
			return result{}, &Reason{Column: name, Message: "is a list of lists, which no field accepts"}
		}
		if item != "" && !slices.Contains(e.missing, textOf(item)) {
			r.items = append(r.items, item)
		}
	}
	return r, nil
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
func (e *evaluator) template(parts []mapping.TemplatePart, o object) (result, error) {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Literal)
		if part.Column == "" {
			continue
		}
		r, err := e.column(part.Column, o)
		if err != nil || r.none() {
			return result{}, err
		}
		b.WriteString(r.text())
	}
	return one(b.String()), nil
}

func (e *evaluator) transform(v *mapping.Value, r result) (result, error) {
	if v.Unit != nil {
		r.items = slices.Clone(r.items)
		for i, item := range r.items {
			if text, ok := item.(string); ok {
				r.items[i] = oneLine(withoutUnits(text, v.Unit))
			}
		}
	}
	if v.List != "" && !r.list {
		items := []any{}
		for _, item := range r.items {
			entries, wrong := splitList(textOf(item), v.List)
			if wrong != "" {
				return result{}, refusal(v, item, wrong)
			}
			for _, entry := range entries {
				if entry = oneLine(entry); entry != "" && !slices.Contains(e.missing, entry) {
					items = append(items, entry)
				}
			}
		}
		r = result{items: items, list: true}
	}
	switch {
	case r.none():
	case v.Take == "first":
		r = one(r.items[0])
	case v.Take == "last":
		r = one(r.items[len(r.items)-1])
	}
	var items []any
	for _, item := range r.items {
		if to, ok := v.Table[textOf(item)]; ok {
			item = to
		} else if to, ok := v.Table["*"]; ok {
			item = to
		}
		if item == "" {
			continue
		}
		out, wrong := e.convert(v.As, item)
		if wrong != "" {
			return result{}, refusal(v, item, wrong)
		}
		if v.As == "slug" && joined(textOf(item)) != "" {
			e.joined = textOf(item)
		}
		if !r.list || !slices.Contains(items, out) {
			items = append(items, out)
		}
	}
	return result{items: items, list: r.list}, nil
}

func refusal(v *mapping.Value, item any, wrong string) *Reason {
	return &Reason{Column: columnOf(v), Value: textOf(item), Message: yamldoc.Quote(textOf(item)) + " " + wrong}
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
	r, err := e.column(c.Column, o)
	if c.Empty != nil {
		return *c.Empty == (err == nil && r.none()) // an object is not empty
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

func hidden(columns []string, o object) (warnings []Reason) {
	for _, column := range columns {
		for _, item := range constant(o.lookup(column)).items {
			s, _ := item.(string)
			for _, r := range safetext.Hidden(s) {
				warning := Reason{Column: column, Message: "the hidden character " + safetext.Describe(r) + " was removed"}
				if !strings.ContainsRune("\t\n\r\ufffd", r) && !slices.Contains(warnings, warning) {
					warnings = append(warnings, warning)
				}
			}
		}
	}
	return warnings
}
