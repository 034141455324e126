package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is one measurement.
type row struct {
	Part  string  `json:"part"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Count int     `json:"count,omitempty"` // number of queries, requests or runs

	Yardstick      string   `json:"yardstick,omitempty"`
	YardstickValue *float64 `json:"yardstickValue,omitempty"`
	YardstickCount int      `json:"yardstickCount,omitempty"`
	Ratio          *float64 `json:"ratio,omitempty"` // value / yardstick

	Mark string `json:"mark,omitempty"`
	Met  *bool  `json:"met,omitempty"`

	Note    string   `json:"note,omitempty"`
	Profile string   `json:"profile,omitempty"` // the file
	Top     []string `json:"top,omitempty"`     // the top functions in the profile

	explain *profileRun
}

// against adds the value of the yardstick.
func (r row) against(name string, value float64, count int) row {
	ratio := r.Value / value
	r.Yardstick, r.YardstickValue, r.YardstickCount = name, &value, count
	if !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		r.Ratio = &ratio
	}
	return r
}

// atMost sets an upper target for the value.
func (r row) atMost(limit float64) row {
	met := r.Value <= limit
	r.Mark, r.Met = fmt.Sprintf("≤ %g %s", limit, r.Unit), &met
	return r
}

// atLeast sets a lower target for the value.
func (r row) atLeast(limit float64) row {
	met := r.Value >= limit
	r.Mark, r.Met = strings.TrimSpace(fmt.Sprintf("≥ %g %s", limit, r.Unit)), &met
	return r
}

// timesAtMost sets an upper target for the ratio.
func (r row) timesAtMost(limit float64) row {
	met := r.Ratio != nil && *r.Ratio <= limit
	r.Mark, r.Met = fmt.Sprintf("≤ %.3g × %s", limit, r.Yardstick), &met
	return r
}

// explained sets the run to profile if the target is missed.
func (r row) explained(p *profileRun) row {
	r.explain = p
	return r
}

// shortfall describes how far a value is from its target.
func (r *row) shortfall() string {
	s := fmt.Sprintf("%s %s", number(r.Value), r.Unit)
	if r.Ratio != nil && strings.Contains(r.Mark, "×") {
		s = fmt.Sprintf("%.3f × %s", *r.Ratio, r.Yardstick)
	}
	return strings.TrimSpace(s) + ", target " + r.Mark
}

func (r *row) missed() bool { return r.Met != nil && !*r.Met }

// report prints the table, the missed targets with profiles, and the JSON lines.
func (b *bench) report(w io.Writer) (failed error) {
	m := b.machine()
	fmt.Fprintf(w, "%d entities on %d cores of %s, %s, %s; %d queries per class, seed %d\n",
		m.Entities, m.Cores, m.CPU, m.Platform, m.Go, m.Queries, m.Seed)
	if m.Others != nil {
		fmt.Fprintf(w, "other programs used %.1f%% of the processor time during the run\n", 100**m.Others)
	}
	for _, l := range b.skipped {
		fmt.Fprintln(w, "NOT MEASURED:", l)
	}
	fmt.Fprintln(w)
	if err := printTable(w, b.rows); err != nil {
		return err
	}
	printNotes(w, b.rows)
	printMissed(w, b.rows)
	out := w
	if b.jsonFile != "-" {
		f, err := os.Create(b.jsonFile)
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, f.Close()) }()
		out = f
	} else {
		fmt.Fprintln(w)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return err
	}
	for _, r := range b.rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func printTable(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "part\twhat\tkindex\tyardstick\t\tratio\ttarget\tmet")
	for _, r := range rows {
		other, ratio, met := "", "", ""
		if r.YardstickValue != nil {
			other = number(*r.YardstickValue) + " " + r.Unit
		}
		if r.Ratio != nil {
			ratio = fmt.Sprintf("%.3f", *r.Ratio)
		}
		if r.Met != nil {
			met = map[bool]string{true: "yes", false: "NO"}[*r.Met]
		}
		fmt.Fprintf(t, "%s\t%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n", r.Part, r.Name, number(r.Value), r.Unit, other, r.Yardstick, ratio, r.Mark, met)
	}
	return t.Flush()
}

// number formats a value with three significant digits.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// printNotes prints each note once, together with the rows to which it applies.
func printNotes(w io.Writer, rows []row) {
	var notes []string
	of := map[string][]string{}
	for _, r := range rows {
		if r.Note == "" {
			continue
		}
		if of[r.Note] == nil {
			notes = append(notes, r.Note)
		}
		of[r.Note] = append(of[r.Note], r.Name)
	}
	for _, n := range notes {
		fmt.Fprintf(w, "\n%s: %s\n", strings.Join(of[n], ", "), n)
	}
}

func printMissed(w io.Writer, rows []row) {
	marks := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Met == nil })
	missed := slices.DeleteFunc(slices.Clone(marks), func(r row) bool { return !r.missed() })
	fmt.Fprintf(w, "\n%d of %d targets met\n", len(marks)-len(missed), len(marks))
	printed := map[string]bool{}
	for _, r := range missed {
		fmt.Fprintf(w, "\nmissed: %s %s: %s\n", r.Part, r.Name, r.shortfall())
		if r.Profile == "" {
			continue
		}
		fmt.Fprintln(w, "  profile:", r.Profile)
		if !printed[r.Profile] {
			fmt.Fprintln(w, "  "+strings.Join(r.Top, "\n  "))
		}
		printed[r.Profile] = true
	}
}
