package collect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/record"
)

// ResultsColumn is the name of benchmark results in Columns, collect.yaml and --accept. A single
// result is ResultsColumn, a dot and its folded name.
const ResultsColumn = "benchmarks"

// judgeResult lets a benchmark result pass the guards. One that stays the same keeps its date and source: they
// say when it was published.
func (r *run) judgeResult(a *asking, t target, b record.Benchmark, day string, scales map[string]float64) {
	list := t.entity.Signals.Benchmarks
	var held *record.Benchmark
	if i := slices.IndexFunc(list, func(o record.Benchmark) bool { return o.Identity() == b.Identity() }); i >= 0 {
		held = &list[i]
	}
	b.Date = cmp.Or(b.Date, day)
	c := Change{Entity: t.entity.Key(), Name: ResultsColumn + "." + b.FoldedName(), Source: a.Name, New: b.Value, Date: b.Date}
	if held != nil {
		c.Old, c.OldDate = held.Value, held.Date
		same, day := rounded(held.Value, b.Value) || rounded(b.Value, held.Value), held.Date
		if same {
			day = b.Date
		}
		if r.current(a, same, day, b.Date) {
			return
		}
	}
	c.reason = cmp.Or(wrongReading(b.Source, b.Date, r.today), r.refused(t.entity, c.Name), r.suspectResult(held, &b, scales))
	if r.settle(a, t.entity, c) {
		r.edit(t.entity, func(file, fields map[string]any) { setResult(&b, file, fields) })
	}
}

// rounded reports whether a figure is another one, rounded or not.
func rounded(short, long float64) bool {
	for digits := range 4 {
		if strconv.FormatFloat(long, 'f', digits, 64) == strconv.FormatFloat(short, 'f', digits, 64) && number(short) == number(math.Round(short*math.Pow10(digits))/math.Pow10(digits)) {
			return true
		}
	}
	return short == long
}

const (
	// maxScale is how many times as large or as small as the median of all models a result may be:
	// a list that changes from percent to shares is a hundredth.
	maxScale = 10
	// minScale is the number of models with a result at which its scale is known.
	minScale = 5
)

func (r *run) suspectResult(held, b *record.Benchmark, scales map[string]float64) string {
	median, known := scales[b.FoldedName()]
	fall := r.bounds(ResultsColumn).Fall
	switch {
	case known && median > 0 && (b.Value > median*maxScale || b.Value*maxScale < median):
		return fmt.Sprintf("it is far from %s, the median of other models", number(median))
	case held == nil:
		return ""
	case b.Value < held.Value*(1-fall/100) || b.Value*(1-fall/100) > held.Value:
		return fmt.Sprintf("it changed from %s by more than %s%%", number(held.Value), number(fall))
	}
	return ""
}

// scales returns the medians of the benchmark results in the content, by folded name.
func (r *run) scales() map[string]float64 {
	all := map[string][]float64{}
	for _, e := range r.content.Entities {
		for _, b := range e.Signals.Benchmarks {
			all[b.FoldedName()] = append(all[b.FoldedName()], b.Value)
		}
	}
	medians := map[string]float64{}
	for name, values := range all {
		if slices.Sort(values); len(values) >= minScale {
			medians[name] = values[len(values)/2]
		}
	}
	return medians
}

// setResult sets a benchmark result. Others, and the order of the file, are kept.
func setResult(b *record.Benchmark, file, fields map[string]any) {
	signals, _ := fields["signals"].(map[string]any)
	list, ok := signals[ResultsColumn].([]any)
	if !ok {
		held, _ := yamldoc.ValueAt(file, []string{"signals", ResultsColumn}).([]any)
		list = slices.Clone(held)
	}
	i := slices.IndexFunc(list, func(item any) bool {
		old := ResultOf(item)
		return old.Identity() == b.Identity()
	})
	if i < 0 {
		i, list = len(list), append(list, nil)
	}
	result, _ := json.Marshal(b) // it has texts and finite numbers
	list[i] = fileForm(result)
	member(fields, "signals", ResultsColumn, list)
}

// ResultOf returns the benchmark result with the members of an item, as files have it.
func ResultOf(item any) (b record.Benchmark) {
	data, _ := json.Marshal(item) // what is no text is left out
	_ = json.Unmarshal(data, &b)
	return b
}

// fileForm returns the members of a JSON object that are known, as files have them.
func fileForm(data []byte) map[string]any {
	var all map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	_ = dec.Decode(&all) // it was made from a value
	fields := map[string]any{}
	for name, v := range all {
		list, _ := v.([]any)
		members, _ := v.(map[string]any)
		if _, number := v.(json.Number); number || v == true || len(list)+len(members) > 0 || yamldoc.Text(v) != "" {
			fields[strings.ToLower(name[:1])+name[1:]] = v
		}
	}
	return fields
}
