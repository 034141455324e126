package exports

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
)

func checkChanges(t *testing.T, p *madeHistory, b *Build) {
	r := b.History()
	data, _ := b.ReadFile(ChangelogFile + ".jsonl.gz")
	lines := strings.Split(strings.TrimSuffix(unzipped(t, string(data)), "\n"), "\n")
	for i, want := range p.changes {
		line := r.ChangeLine(i)
		if string(line) != lines[i] || !bytes.Equal(line, want.AppendJSON(nil)) {
			t.Fatalf("change %d is %s\nwant %s", i, line, want.AppendJSON(nil))
		}
		got, err := r.Change(i)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("change %d, %v:\ngot  %+v\nwant %+v", i, err, got, want)
		}
		if at, ok := r.FindChange(want.ID); !ok || at != i || !r.ChangeTime(i).Equal(want.Timestamp) || int32(r.ChangeVersion(i)) != p.versionOf(i) {
			t.Fatalf("change %s is %d, %v, want %d", want.ID, at, ok, i)
		}
		if _, ok := r.FindChange(strings.ToUpper(want.ID[:23]) + "g"); ok {
			t.Error("an invalid id was found")
		}
	}
	for _, id := range []string{"", "00", strings.Repeat("0", 24), strings.Repeat("f", 24), strings.Repeat("F", 24), p.changes[0].ID + "00"} {
		if i, ok := r.FindChange(id); ok {
			t.Errorf("%q is change %d", id, i)
		}
	}
	for range 200 {
		moment := time.Unix(historyStart-10+p.rng.Int64N(p.now-historyStart+20), p.rng.Int64N(2))
		want := slices.IndexFunc(p.changes, func(c *record.Change) bool { return !c.Timestamp.Before(moment) })
		if want < 0 {
			want = len(p.changes)
		}
		if got := r.ChangesSince(moment); got != want {
			t.Fatalf("since %s: %d, want %d", moment, got, want)
		}
	}
	checkSelectChanges(t, p, r)
	for v := range p.versions {
		var want []uint32
		for _, x := range p.lines[p.lineOf[v]] {
			if c := p.versions[x].Change; c >= 0 {
				want = append(want, uint32(c))
			}
		}
		wantOrdinals(t, fmt.Sprint("changes of version ", v), r.EntityChanges(v), want)
	}
}

// changeValues returns the values by which a change must be found.
func (p *madeHistory) changeValues(i int) map[string][]string {
	c := p.changes[i]
	values := map[string][]string{"type": {c.Type}, "event": {c.Event}}
	if e := p.entities[p.versionOf(i)]; e != nil {
		values["category"] = []string{e.Category}
	}
	for _, f := range c.Fields {
		group, _, nested := strings.Cut(f.Field, ".")
		if values["field"] = append(values["field"], f.Field); nested && !slices.Contains(values["field"], group) {
			values["field"] = append(values["field"], group)
		}
	}
	return values
}

func checkSelectChanges(t *testing.T, p *madeHistory, r *history.Archive) {
	known := map[string][]string{}
	var values []map[string][]string
	for i := range p.changes {
		values = append(values, p.changeValues(i))
		for field, list := range values[i] {
			known[field] = append(known[field], list...)
		}
	}
	for field, list := range known {
		slices.Sort(list)
		known[field] = slices.Compact(list)
		if got := r.ChangeValues(field); !slices.Equal(got, known[field]) {
			t.Errorf("values of %s: %q, want %q", field, got, known[field])
		}
	}
	if !slices.Contains(known["field"], "signals.stars") || !slices.Contains(known["field"], "signals") || len(r.ChangeValues("fiel")) != 0 {
		t.Errorf("fields %q", known["field"])
	}
	hits := 0
	for range 400 {
		f := history.ChangeFilter{From: p.rng.IntN(len(p.changes)+20) - 10, To: p.rng.IntN(len(p.changes) + 20)}
		for _, one := range []struct {
			field string
			list  *[]string
		}{{"event", &f.Event}, {"type", &f.Type}, {"category", &f.Category}, {"field", &f.Field}} {
			for p.rng.IntN(3) == 0 {
				*one.list = append(*one.list, pick(p.rng, 0.1, known[one.field]...))
			}
		}
		var want []uint32
		for i := max(0, f.From); i < min(f.To, len(p.changes)); i++ {
			fits := func(field string, list []string) bool {
				return len(list) == 0 || slices.ContainsFunc(list, func(v string) bool { return slices.Contains(values[i][field], v) })
			}
			if fits("event", f.Event) && fits("type", f.Type) && fits("category", f.Category) && fits("field", f.Field) {
				want = append(want, uint32(i))
			}
		}
		got := r.SelectChanges(f)
		wantOrdinals(t, fmt.Sprintf("%+v", f), got.ToArray(), want)
		got.AddRange(0, uint64(len(p.changes))) // the caller owns the set and may modify it
		if len(want) > 0 {
			hits++
		}
	}
	if hits < 80 {
		t.Errorf("only %d filters chose anything", hits)
	}
}

// TestChangelogFormats reads back the changelog as CSV.
func TestChangelogFormats(t *testing.T) {
	p, b := archived(t, 55, 30, 30)
	packed, _ := b.ReadFile(ChangelogFile + ".csv.gz")
	table := unzipped(t, string(packed))
	if rows := strings.Count(table, "\r\n"); rows < len(p.changes)+1 || !strings.Contains(table, p.changes[7].ID) {
		t.Errorf("%d rows of CSV", rows)
	}
}
