package feed

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"kindex/exports/record"
)

// Limits for the parts of a title, in characters.
const (
	titleName  = 120
	titleValue = 40
	titleItems = 4 // list items; longer lists are only counted
)

func sentence(c *record.Change, rows []row) string {
	name := shorten(cmp.Or(clean(c.Name), clean(c.Slug), clean(c.ID)), titleName)
	switch {
	case c.Event == record.Created:
		return name + " was added"
	case c.Event == record.Deleted:
		return name + " was deleted"
	case len(rows) == 0:
		return name + " was updated"
	}
	first, rest := &rows[0], len(rows)-1+rows[len(rows)-1].omitted
	switch {
	case first.field == "status" && first.new.text != "":
		return name + " " + statusPhrase(first.old.text, first.new.text) + otherFields("; ", rest, " changed")
	case first.field == "name" && first.old.text != "" && first.new.text != "":
		if len(rows) > 1 && rows[1].field == "slug" {
			rest-- // the new slug is part of the renaming
		}
		return shorten(first.old.text, titleName) + " was renamed " + shorten(first.new.text, titleName) +
			otherFields("; ", rest, " changed")
	}
	return name + ": " + first.headline() + otherFields(" and ", rest, "")
}

// statusPhrase describes a status change. It mentions that an entity is no longer
// withdrawn even if it is now deprecated.
func statusPhrase(before, after string) string {
	switch {
	case after == record.Active:
		return "is active again"
	case before == record.Withdrawn:
		return "is " + shorten(after, titleValue) + ", no longer withdrawn"
	}
	return "was " + shorten(after, titleValue)
}

func otherFields(before string, n int, after string) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return before + "1 more field" + after
	}
	return fmt.Sprintf("%s%d more fields%s", before, n, after)
}

func (r *row) headline() string {
	switch {
	case r.isList():
		added, removed := r.listDiff()
		return r.label + " " + listDelta(added, removed)
	case r.isBenchmarks():
		return benchmarksHeadline(r.benchmarkChanges())
	case !r.old.isSet():
		return added(r.label, r.new.text)
	case !r.new.isSet():
		return r.label + " removed"
	case fitsTitle(r.old.text) && fitsTitle(r.new.text):
		return r.label + " " + r.old.text + " → " + r.new.text
	}
	return "new " + r.label
}

func added(label, text string) string {
	if fitsTitle(text) {
		return label + " " + text + " added"
	}
	return label + " added"
}

func fitsTitle(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= titleValue && !isAddress(s)
}

// listDelta lists the added and removed items as "+this −that", or only counts them
// if they are too long.
func listDelta(added, removed []string) string {
	if len(added)+len(removed) == 0 {
		return "reordered"
	}
	var parts []string
	for _, s := range added {
		parts = append(parts, "+"+s)
	}
	for _, s := range removed {
		parts = append(parts, "−"+s)
	}
	if text := strings.Join(parts, " "); len(parts) <= titleItems && utf8.RuneCountInString(text) <= 2*titleValue {
		return text
	}
	return counted(len(added), 0, len(removed))
}

func benchmarksHeadline(moves []benchmarkChange) string {
	if len(moves) == 0 {
		return "benchmarks reordered"
	}
	if m := moves[0]; len(moves) == 1 && fitsTitle(m.name) {
		switch {
		case m.old == "":
			return "benchmark " + m.name + " " + m.new + " added"
		case m.new == "":
			return "benchmark " + m.name + " removed"
		}
		return "benchmark " + m.name + " " + m.old + " → " + m.new
	}
	var added, changed, removed int
	for _, m := range moves {
		switch {
		case m.old == "":
			added++
		case m.new == "":
			removed++
		default:
			changed++
		}
	}
	return "benchmarks " + counted(added, changed, removed)
}

func counted(added, changed, removed int) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{added, "added"}, {changed, "changed"}, {removed, "removed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
