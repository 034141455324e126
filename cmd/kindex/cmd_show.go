package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/score"
	"kindex/site/textfmt"
)

func showCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "show TYPE/SLUG", Short: "Show an entity and how its score is calculated",
		Long: `Show prints an entity, its cheapest offers, its ranks on boards, and how its score is
calculated. A slug without a type will do if only one type has it.`,
		Example: "  kindex show tool/pytorch\n  kindex show model/gpt-5 --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.WithBuild(dir, func(b *exports.Build) error { return runShow(cmd, b, args[0]) })
		},
		ValidArgsFunction: completeKey(&dir),
	}
	dirFlag(c.Flags(), &dir)
	cli.JSONFlag(c)
	return c
}

func runShow(cmd *cobra.Command, b *exports.Build, key string) error {
	typ, slug, err := splitKey(b, key)
	if err != nil {
		return err
	}
	ordinal, _, ok := b.Find(typ, slug)
	if !ok {
		return unknownKey(b, key)
	}
	w := cmd.OutOrStdout()
	if cli.AsJSON(cmd) {
		_, err := fmt.Fprintf(w, "%s\n", b.Record(ordinal))
		return err
	}
	e := b.Entity(ordinal)
	formula, err := b.Formula()
	if err != nil {
		return err
	}
	asOf, err := time.Parse(time.RFC3339, b.Manifest.AsOf)
	if err != nil {
		return err
	}
	boards, err := board.Open(b, formula, asOf)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n%s\n\n", cli.Paint(w, color.Bold, e.Name), safetext.Escape(e.Description))
	cli.PrintTable(cmd, factsOf(e))
	printOffers(w, pricing.On(e.Offers, asOf.Format(time.DateOnly)))
	space := "\n"
	for _, own := range boards.Published() {
		ranking := boards.Now(own)
		if rank, _, ok := ranking.Find(ordinal); ok {
			fmt.Fprintf(w, "%srank %d of %d in %s\n", space, rank, len(ranking.Entries), safetext.Escape(own.Title))
			space = ""
		}
	}
	if formula.Types[e.Type] != nil {
		printScore(w, formula.Explain(e, asOf))
	}
	return nil
}

// factsOf returns what is known of an entity: the fields that every kind has, those that its kind declares, and
// its links and signals.
func factsOf(e *record.Entity) (rows [][]string) {
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{"  " + name, value})
		}
	}
	for _, f := range [][2]string{{"address", e.Key()}, {"provider", e.Provider}, {"category", e.Category}, {"status", e.Status},
		{"version", e.Version}, {"license", e.License}, {"pricing", e.PricingModel}, {"url", e.URL},
		{"tags", strings.Join(e.Tags, ", ")}, {"can", strings.Join(e.Capabilities, ", ")}} {
		add(f[0], f[1])
	}
	for _, f := range e.Declared().Leaves() {
		if text := textfmt.Value(f, e.Values.Get(f.Path)); text != "" {
			add(f.Path, strings.TrimSpace(text+" "+f.UnitShown()))
		}
	}
	for _, l := range e.Links {
		add(l.Name, l.URL)
	}
	for _, x := range e.Signals.Facts {
		signal := e.Declared().Signal(x.Name)
		value := strings.TrimSpace(humanize.Commaf(x.Number) + " " + signal.Unit)
		if signal.IsDay() {
			value = x.Day
		}
		add(x.Name, value+readOn(x.Date))
	}
	for _, b := range e.Signals.Benchmarks[:min(len(e.Signals.Benchmarks), shownResults)] {
		add("result", fmt.Sprintf("%s: %s", b.FoldedName(), humanize.Commaf(b.Value))+readOn(b.Date))
	}
	if n := len(e.Signals.Benchmarks) - shownResults; n > 0 {
		add("", "and "+plural.Count(n, "more result", "more results"))
	}
	return rows
}

func readOn(date string) string {
	if date == "" {
		return ""
	}
	return ", read " + date
}

// How many offers and results of an entity are shown; kindex show --json has them all.
const (
	shownOffers  = 5
	shownResults = 20
)

func printOffers(w io.Writer, offers []record.Offer) {
	offers = slices.SortedStableFunc(slices.Values(offers), func(a, b record.Offer) int {
		x, y := blended(&a), blended(&b)
		return cmp.Or(record.CompareBools(a.Deprecated, b.Deprecated), record.CompareBools(!x.Known(), !y.Known()), cmp.Compare(x.Micros(), y.Micros()))
	})
	for i := range offers[:min(len(offers), shownOffers)] {
		o := &offers[i]
		fmt.Fprintf(w, "  offer %s\n", safetext.Escape(o.ID+" at "+o.Provider+": "+pricing.OfferWords(o)))
	}
	if n := len(offers) - shownOffers; n > 0 {
		fmt.Fprintf(w, "  and %s\n", plural.Count(n, "more offer", "more offers"))
	}
}

func blended(o *record.Offer) record.Price {
	return pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])
}

func printScore(w io.Writer, x *score.Explanation) {
	fmt.Fprintln(w)
	if !x.Ranked {
		fmt.Fprintf(w, "not ranked: %s\n", safetext.Escape(*x.Reason))
	} else {
		fmt.Fprintf(w, "composite %s of 100 (formula %s, as of %s, data for %.0f%% of the weight)\n",
			x.Composite, x.FormulaVersion, x.AsOf[:10], 100*x.Coverage)
	}
	if x.Cap != nil {
		fmt.Fprintf(w, "capped at %g because it is deprecated; without the cap: %.1f\n", *x.Cap, *x.Uncapped)
	}
	for _, d := range x.Dimensions {
		value := d.Score.String()
		if value == "" {
			value = fmt.Sprintf("unknown, counts as %g", d.Prior)
			if d.Coverage > 0 {
				value += fmt.Sprintf(", data for %.0f%% of its weight, %.0f%% needed", 100*d.Coverage, 100*d.MinimumCoverage)
			}
		}
		fmt.Fprintf(w, "  %-11s %s (weight %g)\n", d.Name, value, d.Weight)
		for _, m := range d.Measures {
			fmt.Fprintf(w, "    %s\n", safetext.Escape(measureLine(m, d)))
		}
	}
}

func measureLine(m score.MeasureValue, d score.DimensionScore) string {
	prior := ""
	if d.Value != nil {
		prior = fmt.Sprintf(", counts as %g", d.Prior)
	}
	if m.State == score.Missing {
		return m.Name + ": unknown" + prior
	}
	number, err := json.Marshal(m.Value)
	if err != nil {
		number = []byte("?")
	}
	name := m.Name
	if m.Result != nil {
		name = "benchmark: " + *m.Result
	}
	line := fmt.Sprintf("%s: %s", name, strings.Trim(string(number), `"`))
	if m.Score != nil {
		line += fmt.Sprintf(" → %.1f", *m.Score)
	} else {
		line += " (" + m.State + ", not counted)" + prior
	}
	if m.Date != nil {
		line += ", read " + *m.Date
	}
	if m.Source != nil {
		line += ", " + *m.Source
	}
	for _, p := range m.Parts {
		line += fmt.Sprintf("; %s %g", p.Signal, p.Value)
	}
	return line
}
