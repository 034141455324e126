package collect

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/builder/content/schema"
	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// movedName is the name under which a guard stops an identifier that moved.
const movedName = "moved"

// checkNames returns an error unless each entry of a list names a value, as type/slug:name.
func checkNames(list []string) error {
	for _, text := range list {
		entity, name, ok := strings.Cut(text, ":")
		if !ok || entity != "*" && !strings.Contains(entity, "/") || name == "" {
			return fmt.Errorf("%q does not name a value; use type/slug:name, such as tool/pytorch:stars", text)
		}
	}
	return nil
}

// among reports whether a list names a value; * is any entity or value. The name offers stands for all offers,
// and that of an offer for its prices and limits.
func among(list []string, e *record.Entity, name string) bool {
	return slices.ContainsFunc(list, func(text string) bool {
		entity, own, _ := strings.Cut(text, ":")
		return (entity == "*" || entity == e.Key()) && (own == "*" || own == name || strings.HasPrefix(name, own+"."))
	})
}

// refused returns why collect.yaml refuses a value, or "".
func (r *run) refused(e *record.Entity, name string) string {
	if among(r.config.Guards.Refuse, e, name) {
		return refusedReason
	}
	return ""
}

const refusedReason = "it is listed in guards.refuse in collect.yaml"

// edit changes fields of a file, and may look at all that it has.
type edit func(file, fields map[string]any)

func (r *run) edit(e *record.Entity, change edit) { r.edits[e] = append(r.edits[e], change) }

// judge lets the values and results of all answers pass the guards, and counts what became of each.
func (r *run) judge() {
	scales := r.scales()
	decided := map[string]bool{} // entity and result: of two sources with the same result, the first counts
	for _, a := range r.asks {
		g := r.suspect(a)
		for _, t := range a.targets {
			answer, ok := a.used[t.id]
			if !ok || answer.Gone {
				continue
			}
			if answer.Moved != "" && ids.Canonical(a.Name, answer.Moved) != ids.Canonical(a.Name, t.id) {
				reason := "the " + a.Title + " repository is now " + answer.Moved + "; accept " + movedName + " to follow it"
				if !r.settle(a, t.entity, Change{Entity: t.entity.Key(), Name: movedName, Source: a.Name, Old: t.id, New: answer.Moved, Date: answer.Day, reason: reason}) {
					continue
				}
				r.edit(t.entity, func(_, fields map[string]any) { follow(t.entity, a.Name, t.id, answer.Moved, fields) })
			}
			r.judgeAnswer(a, t, &answer, g)
			for _, b := range answer.Results {
				if key := t.entity.Key() + ":" + b.Identity(); !decided[key] && hasColumn(a.columns, ResultsColumn) {
					decided[key] = true
					r.judgeResult(a, t, b, answer.Day, scales)
				}
			}
		}
	}
}

func (r *run) judgeAnswer(a *asking, t target, answer *Answer, g suspicions) {
	noRelease := false // a guard stopped it
	for _, v := range answer.Values {
		if !t.owns[v.Name] || v.Name == kinds.OutputSignal && !hasOutputTokens(t.entity) {
			continue
		}
		held, same, day := r.held(t.entity, v, answer.Day)
		c := Change{Entity: t.entity.Key(), Name: v.Name, Source: a.Name, Old: held, New: r.plain(v), Date: answer.Day, figure: r.isSignal(v.Name) || v.Name == "version"}
		if r.isSignal(v.Name) {
			c.OldDate = day
		}
		written := false
		if c.reason = wrong(r.content.Kinds, v, answer.Day, r.today); c.reason != "" {
			r.stop(a, &c)
		} else if r.current(a, same, day, answer.Day) {
			continue
		} else {
			if c.reason = g.broken(t, v); !same {
				c.reason = cmp.Or(r.refused(t.entity, v.Name), g.of(t, answer, v, held), r.guard(t.entity, v, answer))
			}
			if c.reason == "" && v.Name == "version" && noRelease {
				c.reason = "lastRelease in the same answer was stopped"
			}
			written = r.settle(a, t.entity, c)
		}
		switch {
		case !written:
			noRelease = noRelease || v.Name == "lastRelease"
			continue
		case same:
			a.report.Redated++
		}
		r.edit(t.entity, func(_, fields map[string]any) { r.set(fields, v, answer.Day) })
	}
}

// current reports whether a file stays as it is, and counts why: what it has was read later, or is the same and was
// read not long before. A day in the file is "" if it is unknown.
func (r *run) current(a *asking, same bool, held, day string) bool {
	switch {
	case held > day:
		a.report.Older++
	case same && held != "" && age(held, day) < r.minDays:
		a.report.Unchanged++
	default:
		return false
	}
	return true
}

// settle reports whether changes that belong together are written, and counts them: a person must have
// accepted each that has a reason not to.
func (r *run) settle(a *asking, e *record.Entity, changes ...Change) bool {
	if r.stopAny(a, e, changes) {
		return false
	}
	for _, c := range changes {
		if c.reason != "" {
			r.report.Accepted = append(r.report.Accepted, c.stopped())
		}
		if c.Old != c.New {
			a.report.Changed++
			r.report.Changes = append(r.report.Changes, c)
		}
	}
	return true
}

// stopAny stops the changes that have a reason and that nobody accepted, and reports whether there are any.
func (r *run) stopAny(a *asking, e *record.Entity, changes []Change) (stopped bool) {
	for _, c := range changes {
		if c.reason != "" && !among(r.Accept, e, c.Name) {
			r.stop(a, &c)
			stopped = true
		}
	}
	return stopped
}

func (r *run) stop(a *asking, c *Change) {
	a.report.Stopped++
	r.report.Stopped = append(r.report.Stopped, c.stopped())
}

func (r *run) plain(v Value) any {
	if r.isCount(v.Name) {
		return v.Number
	}
	return v.Text
}

// held returns the value in a file or nil, whether it is the same, and its day. If it has no day and is the same, that is the
// day on which it was found.
func (r *run) held(e *record.Entity, v Value, found string) (held any, same bool, day string) {
	f, known := e.Signals.Fact(v.Name)
	switch {
	case r.isCount(v.Name) && known:
		return f.Number, f.Number == v.Number, f.Date
	case r.isSignal(v.Name) && known:
		return f.Day, f.Day == v.Text, f.Date
	case r.isSignal(v.Name):
		return nil, false, ""
	}
	text := heldText(e, v.Name)
	if text != "" {
		held = text
	}
	release, _ := e.Signals.Fact("lastRelease")
	switch same = strings.EqualFold(text, v.Text) || v.Name == "license" && sameLicense(text, v.Text); {
	case same:
		day = found
	case v.Name == "version":
		day = release.Date
	}
	return held, same, day
}

func heldText(e *record.Entity, name string) string {
	end := record.Lifecycle{}
	if e.Lifecycle != nil {
		end = *e.Lifecycle
	}
	return map[string]string{"license": e.License, "version": e.Version, "status": e.Status, "lifecycle.deprecated": end.Deprecated, "lifecycle.retires": end.Retires}[name]
}

func isEnd(name string) bool { return strings.HasPrefix(name, "lifecycle.") }

// sameLicense allows for GitHub and old packages, which do not tell GPL-3.0-only from GPL-3.0-or-later.
func sameLicense(held, found string) bool { return held == found+"-only" || held == found+"-or-later" }

// wrong returns the reason a value can never be written, or "".
func wrong(declared *kinds.Set, v Value, day, today string) string {
	if reason := wrongReading(v.Source, day, today); reason != "" {
		return reason
	}
	s := declared.Signal(v.Name)
	switch {
	case s != nil && !s.IsDay():
		if v.Number < 0 || v.Number != math.Trunc(v.Number) || v.Number > 1<<53 || math.IsNaN(v.Number) {
			return "it is not a whole number"
		}
	case s != nil || isEnd(v.Name):
		if _, err := time.Parse(time.DateOnly[:min(len(v.Text), 10)], v.Text); err != nil || len(v.Text) != 10 && !(s != nil && s.Type == kinds.Month && len(v.Text) == 7) {
			return "it is not a date"
		}
	case v.Text == "" || len(v.Text) > 200:
		return "it is empty or too long"
	case v.Name == "license" && schema.License(v.Text) != v.Text:
		return "it is not an SPDX licence expression"
	}
	return ""
}

// wrongReading returns what is wrong with where and when something was read, or "".
func wrongReading(source, day, today string) string {
	if u, err := url.Parse(source); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "its source is not a web address"
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil || day > today {
		return "it was read on " + strconv.Quote(day) + ", which is in the future or not a date"
	}
	return ""
}

// hasOutputTokens is false for models that give embeddings, of which sources state the number of dimensions.
func hasOutputTokens(e *record.Entity) bool {
	out := e.FieldValues(kinds.OutputModality)
	return !slices.Contains(out, "embedding") && !slices.Contains(out, "score")
}

// guard returns the reason a person must look at a change, or "", from the entity alone.
func (r *run) guard(e *record.Entity, v Value, answer *Answer) string {
	f, known := e.Signals.Fact(v.Name)
	n := min(len(v.Text), len(f.Day))
	b := r.bounds(v.Name)
	switch count := r.isCount(v.Name); {
	case v.Name == "license" && e.License != "":
		return "the licence changed from " + e.License
	case v.Name == "status":
		return v.Note + "; accept status to mark it as " + v.Text
	case isEnd(v.Name) && heldText(e, v.Name) != "":
		return "the announced day changed from " + heldText(e, v.Name)
	case !r.isSignal(v.Name):
	case !count && v.Text > answer.Day:
		return "the date is after the day it was read, " + answer.Day
	case v.Name == "released":
		if known && v.Text[:n] != f.Day[:n] {
			return "the release date changed from " + f.Day
		}
	case !count:
		if known && v.Text[:n] < f.Day[:n] {
			return "the date is earlier than the previous one, " + f.Day
		}
	case v.Name == "archived" && v.Number == 1:
		return "the repository was archived"
	case !known || max(f.Number, v.Number) < r.config.Guards.Least:
	case v.Number < f.Number*(1-b.Fall/100):
		return fmt.Sprintf("fell from %s by more than %s%%", number(f.Number), number(b.Fall))
	case b.Rise > 0 && v.Number >= f.Number*b.Rise:
		return fmt.Sprintf("rose from %s by a factor of at least %s", number(f.Number), number(b.Rise))
	}
	return ""
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
