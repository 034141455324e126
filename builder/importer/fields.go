package importer

import (
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/importer/mapping"
)

// The fields whose values are not strings. Identifiers are strings or lists of strings.
var (
	listFields   = []string{"tags", "capabilities", "formerly", "reasoningEfforts", "modalities.input", "modalities.output"}
	dateFields   = []string{"addedDate", "lastUpdated", "lifecycle.deprecated", "lifecycle.retires", "offersRead.date"}
	numberFields = []string{"parameters.total", "parameters.active"}
	answerFields = []string{"openWeights", "reasoning"}
)

// field returns a field in the form used in files, or nil if it has no value.
func (dr *drafter) field(t mapping.Target, rec inputRecord) (any, error) {
	name := yamldoc.FieldName(t.Path)
	switch {
	case t.Path[0] == "signals":
		return dr.number(t.Value, t.Path[1], rec)
	case slices.Contains(numberFields, name):
		item, _, err := dr.single(t.Value, "number", rec)
		return item, err
	case slices.Contains(answerFields, name):
		return dr.answer(t.Value, rec)
	case t.Path[0] == "ids" || slices.Contains(listFields, name):
		return dr.texts(t.Value, t.Path[0] == "ids", rec)
	}
	as := ""
	if slices.Contains(dateFields, name) {
		as = "date"
	}
	text, err := dr.text(t.Value, as, rec)
	if err != nil || text == "" {
		return nil, err
	}
	return text, nil
}

// texts returns a list of strings or, if short is set, a list of one string as that string.
func (dr *drafter) texts(v *mapping.Value, short bool, rec inputRecord) (any, error) {
	r, err := dr.of(v, rec)
	if err != nil || r.none() {
		return nil, err
	}
	if short && len(r.items) == 1 {
		return textOf(r.items[0]), nil
	}
	list := make([]any, len(r.items))
	for i, item := range r.items {
		list[i] = textOf(item)
	}
	return list, nil
}

// answer returns true or false, or nil if there is no value.
func (dr *drafter) answer(v *mapping.Value, rec inputRecord) (any, error) {
	item, ok, err := dr.single(v, "", rec)
	if !ok || err != nil {
		return nil, err
	}
	switch text := textOf(item); strings.ToLower(text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return nil, &Reason{Column: columnOf(v), Value: text, Message: yamldoc.Quote(text) + ` is not true or false; set values: {"yes": "true", "no": "false"}`}
	}
}
