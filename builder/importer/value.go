package importer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
	"kindex/exports/safetext"
)

// result is a value in one row: nothing, one item or a list. Items are strings,
// json.Number, int64 or float64.
type result struct {
	items []any
	list  bool
}

func (r result) none() bool { return len(r.items) == 0 }

func one(item any) result { return result{items: []any{item}} }

// text joins the items.
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
	missing map[string]bool
}

// of evaluates a value for one record. Any error is a *Reason.
func (e *evaluator) of(v *mapping.Value, rec inputRecord) (result, error) {
	if v == nil || !e.all(v.When, rec) {
		return result{}, nil
	}
	r, err := e.source(v, rec)
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

func (e *evaluator) source(v *mapping.Value, rec inputRecord) (r result, err error) {
	switch {
	case v.Column != "":
		return e.column(v.Column, rec)
	case v.Constant != nil:
		return constant(v.Constant), nil
	case v.Template != nil:
		return e.template(v.Template, rec)
	case v.First != nil:
		for _, inner := range v.First {
			if r, err = e.of(inner, rec); err != nil || !r.none() {
				return r, err
			}
		}
		return r, nil
	}
	r.list = true
	for _, inner := range v.All {
		more, err := e.of(inner, rec)
		if err != nil {
			return result{}, err
		}
		r.items = append(r.items, more.items...)
	}
	return r, nil
}

func constant(v any) result {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	r := result{list: ok}
	for _, item := range list {
		if b, isBool := item.(bool); isBool {
			item = strconv.FormatBool(b)
		}
		r.items = append(r.items, item)
	}
	return r
}

// column reads a column. It trims strings and removes line breaks and hidden characters, since
// every string of an entity must be on a single line and completely visible.
func (e *evaluator) column(name string, rec inputRecord) (result, error) {
	v := rec.lookup(name)
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	r := result{list: isList}
	for _, item := range list {
		switch v := item.(type) {
		case nil:
			continue
		case string:
			item = oneLine(v)
		case bool:
			item = strconv.FormatBool(v)
		case json.Number:
		case map[string]any:
			return result{}, &Reason{Column: name, Message: "is an object; use one of its values, such as " + name + "." + firstName(v)}
		default:
			return result{}, &Reason{Column: name, Message: "is a list of lists, which no field accepts"}
		}
		if item != "" && !e.missing[textOf(item)] {
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

// trackedRecord is a record that adds a warning for each column read that contains hidden
// characters.
type trackedRecord struct {
	inputRecord
	warnings []Reason
}

func (w *trackedRecord) lookup(column string) any {
	v := w.inputRecord.lookup(column)
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		s, _ := item.(string)
		for _, r := range safetext.Hidden(s) {
			if r == '\t' || r == '\n' || r == '\r' || r == utf8.RuneError {
				continue
			}
			reason := Reason{Column: column, Message: "the hidden character " + safetext.Describe(r) + " was removed"}
			if !slices.Contains(w.warnings, reason) {
				w.warnings = append(w.warnings, reason)
			}
		}
	}
	return v
}

func firstName(m map[string]any) string {
	first := ""
	for name := range m {
		if first == "" || name < first {
			first = name
		}
	}
	return first
}

// template evaluates a template. The result has no value if one of the template's columns has
// none.
func (e *evaluator) template(parts []mapping.TemplatePart, rec inputRecord) (result, error) {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Literal)
		if part.Column == "" {
			continue
		}
		r, err := e.column(part.Column, rec)
		if err != nil || r.none() {
			return result{}, err
		}
		b.WriteString(r.text())
	}
	return one(b.String()), nil
}

// transform applies the transformations of a value, in the documented order.
func (e *evaluator) transform(v *mapping.Value, r result) (result, error) {
	fail := func(item any, message string) (result, error) {
		return result{}, &Reason{Column: columnOf(v), Value: textOf(item), Message: yamldoc.Quote(textOf(item)) + " " + message}
	}
	if v.List != "" && !r.list {
		items := []any{}
		for _, item := range r.items {
			entries, wrong := splitList(textOf(item), v.List)
			if wrong != "" {
				return fail(item, wrong)
			}
			for _, entry := range entries {
				if entry = oneLine(entry); entry != "" && !e.missing[entry] {
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
		if item = replaced(v.Table, item); item == "" {
			continue
		}
		out, wrong := e.convert(v.As, item)
		if wrong != "" {
			return fail(item, wrong)
		}
		if !r.list || !slices.Contains(items, out) {
			items = append(items, out)
		}
	}
	return result{items: items, list: r.list}, nil
}

func replaced(table map[string]string, item any) any {
	if to, ok := table[textOf(item)]; ok {
		return to
	}
	if to, ok := table["*"]; ok {
		return to
	}
	return item
}

// columnOf returns the columns of a value, for messages.
func columnOf(v *mapping.Value) string {
	names := []string{}
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if v == nil {
		return ""
	}
	add(v.Column)
	for _, part := range v.Template {
		add(part.Column)
	}
	for _, inner := range slices.Concat(v.First, v.All) {
		for name := range strings.SplitSeq(columnOf(inner), ", ") {
			add(name)
		}
	}
	return strings.Join(names, ", ")
}

// all reports whether a record meets all conditions.
func (e *evaluator) all(conditions []mapping.Condition, rec inputRecord) bool {
	return !slices.ContainsFunc(conditions, func(c mapping.Condition) bool { return !e.meets(c, rec) })
}

func (e *evaluator) meets(c mapping.Condition, rec inputRecord) bool {
	r, err := e.column(c.Column, rec)
	if c.Empty != nil {
		return *c.Empty == (err == nil && r.none()) // an object is not empty
	}
	among := func(want []any) bool {
		return slices.ContainsFunc(r.items, func(item any) bool {
			return slices.ContainsFunc(want, func(w any) bool { return e.equal(textOf(item), w) })
		})
	}
	if c.Is != nil {
		return among(c.Is)
	}
	return !among(c.Not)
}

// equal reports whether a string in the input equals a value in the mapping. True equals true,
// and 5.0 equals 5.
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
