package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/plural"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// fieldLine is one line of a field change: a removed value, an added one, or both.
type fieldLine struct {
	field    string
	old, new string // "" if there is none
}

// linesOf describes a change to a field. For lists, only removed and added items are listed.
func linesOf(f record.FieldChange) []fieldLine {
	if c, ok := pricing.DescribeChange(f); ok {
		return []fieldLine{{safetext.Printable(c.Label()), safetext.Printable(c.Old), safetext.Printable(c.New)}}
	}
	var old, new []any
	if json.Unmarshal(f.Old, &old) == nil && json.Unmarshal(f.New, &new) == nil && old != nil && new != nil {
		if lines := listChanges(f.Field, old, new); len(lines) > 0 {
			return lines
		}
	}
	return []fieldLine{{f.Field, valueText(f.Old), valueText(f.New)}}
}

// listChanges lists the removed and added items of a list. It returns nothing if only the
// order differs.
func listChanges(field string, old, new []any) (lines []fieldLine) {
	a, b := itemTexts(old), itemTexts(new)
	for _, s := range a {
		if !slices.Contains(b, s) {
			lines = append(lines, fieldLine{field: field, old: s})
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			lines = append(lines, fieldLine{field: field, new: s})
		}
	}
	return lines
}

// valueText formats a JSON value in human-readable form. The result is on one line and
// contains no terminal control characters. It is "" for null.
func valueText(data json.RawMessage) string {
	var v any
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return safetext.Quote(string(data))
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return safetext.Quote(v)
	case []any:
		return strings.Join(itemTexts(v), ", ")
	}
	return safetext.Printable(string(data))
}

// itemTexts formats the items of a list. A benchmark is shown as its name and value.
func itemTexts(list []any) []string {
	words := make([]string, len(list))
	for i, item := range list {
		switch item := item.(type) {
		case string:
			words[i] = safetext.Printable(item)
		case map[string]any:
			words[i] = safetext.Quote(fmt.Sprint(item["name"]))
			if value, ok := item["value"]; ok {
				words[i] += " " + numberText(value)
			} else if data, err := json.Marshal(item); err == nil {
				words[i] = safetext.Printable(string(data))
			}
		}
	}
	return words
}

func numberText(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// arrow returns two values with an arrow between them, or a single value if they are equal.
func arrow(old, new string) string {
	old, new = cmp.Or(old, "–"), cmp.Or(new, "–")
	if old == new {
		return new
	}
	return old + " → " + new
}

func rankText(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// categoryRankText returns the old and new ranks of an entity in its category. If the
// category has changed, it names both categories. place formats a rank with its category.
func categoryRankText(e *Entity, place func(rank, category string) string) string {
	old, now := rankText(e.Ranks.Category.Old), rankText(e.Ranks.Category.New)
	for _, f := range e.Fields {
		var left string
		if f.Field == "category" && json.Unmarshal(f.Old, &left) == nil && left != "" && left != e.Category {
			return place(arrow(old, old), left) + " → " + place(arrow(now, now), e.Category)
		}
	}
	return place(arrow(old, now), e.Category)
}

// eventName returns an event without its prefix.
func eventName(e *Entity) string {
	if e.FormerSlug != "" {
		return "renamed"
	}
	return strings.TrimPrefix(e.Event, "entity.")
}

// touchedText describes the differences that do not count as a change; it returns "" if there
// are none.
func touchedText(e *Entity) string {
	var parts, signals []string
	for _, name := range e.Touched {
		if name == "formerly" {
			parts = append(parts, "earlier slugs changed")
		} else {
			signals = append(signals, name)
		}
	}
	if len(signals) > 0 {
		parts = append(parts, "new date or source for "+strings.Join(signals, ", "))
	}
	return strings.Join(parts, "; ")
}

func (d *Report) countText() string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{d.Counts.Created, "created"}, {d.Counts.Updated, "updated"}, {d.Counts.Deleted, "deleted"}, {d.Counts.Touched, "touched"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if d.Formula != nil {
		parts = append(parts, "formula changed")
	}
	if n := len(d.Categories); n > 0 {
		parts = append(parts, plural.Count(n, "category", "categories")+" changed")
	}
	if len(d.Index) > 0 {
		parts = append(parts, "index.yaml changed")
	}
	if len(parts) == 0 {
		// The workflow that kindex init writes searches for these words.
		return "nothing changes"
	}
	return strings.Join(parts, ", ")
}

func (d *Report) totalText() string {
	return fmt.Sprintf("entities %s, ranked %s", arrow(strconv.Itoa(d.Before.Entities), strconv.Itoa(d.After.Entities)),
		arrow(strconv.Itoa(d.Before.Ranked), strconv.Itoa(d.After.Ranked)))
}

// refusalText returns a warning if a build would be refused, otherwise "".
func (d *Report) refusalText() string {
	if !d.Shrink.Refused {
		return ""
	}
	return fmt.Sprintf("%d of %s would be deleted, more than %.0f%%: the build would be refused without --allow-shrink.",
		d.Shrink.Deleted, plural.Count(d.Shrink.Of, "entity", "entities"), 100*MaxShrink)
}

// maxPairs is the maximum number of possible duplicates printed for one entity.
const maxPairs = 3

// DuplicateLines lists the possible duplicates of each new entity. mark formats strings from
// files, and key formats the keys of entities.
func (d *Report) DuplicateLines(key, mark func(string) string) (lines []string) {
	for i := 0; i < len(d.Duplicates); {
		e, n := d.Duplicates[i].Entity, 0
		for ; i < len(d.Duplicates) && d.Duplicates[i].Entity == e; i++ {
			if n++; n <= maxPairs {
				lines = append(lines, fmt.Sprintf("%s may be a duplicate of %s: %s", key(e), key(d.Duplicates[i].Other), d.Duplicates[i].text(mark)))
			}
		}
		if n > maxPairs {
			lines = append(lines, fmt.Sprintf("%s may also be a duplicate of %s", key(e), plural.Count(n-maxPairs, "other", "others")))
		}
	}
	return lines
}

// formulaTexts describes the effect of a formula change; mark formats strings from files.
func formulaTexts(f *Formula, mark func(string) string) []string {
	lines := []string{fmt.Sprintf("The scoring formula changes from version %s to %s.", mark(f.Old), mark(f.New))}
	if f.SameVersion {
		lines = []string{fmt.Sprintf("The scoring formula changes, but its version is still %s; give it a new version.", mark(f.New))}
	}
	text := fmt.Sprintf("The new formula changes the composite score of %d of %s", f.Moved, plural.Count(f.Scored, "scored entity", "scored entities"))
	if f.FromNull > 0 || f.ToNull > 0 {
		text += fmt.Sprintf("; %d gain one, %d lose theirs", f.FromNull, f.ToNull)
	}
	return append(lines, text+".")
}
