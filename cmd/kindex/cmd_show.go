package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/score"
)

type showOptions struct {
	dir  string
	json bool
}

func showCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use: "show TYPE/SLUG", Short: "Show an entity and how its score is calculated",
		Long: "Show prints an entity, and how its score is calculated. A slug without a type will do if only one\n" +
			"type has it.",
		Example: "  kindex show tool/pytorch\n  kindex show model/gpt-5 --json",
		RunE:    func(cmd *cobra.Command, args []string) error { return runShow(cmd.OutOrStdout(), o, args[0]) },

		ValidArgsFunction: completeKey(&o.dir),
	}
	dirFlag(c.Flags(), &o.dir)
	c.Flags().BoolVar(&o.json, "json", false, "print the record as the API returns it")
	return c
}

func runShow(w io.Writer, o showOptions, key string) error {
	return withBuild(o.dir, func(b *exports.Build) error {
		typ, slug, err := splitKey(b, key)
		if err != nil {
			return err
		}
		ordinal, _, ok := b.Find(typ, slug)
		if !ok {
			return unknownKey(b, key)
		}
		if o.json {
			_, err := fmt.Fprintf(w, "%s\n", b.Record(ordinal))
			return err
		}
		e := b.Entity(ordinal)
		x, err := explain(b, e)
		if err != nil {
			return err
		}
		printEntity(w, e)
		printScore(w, x)
		return nil
	})
}

// explain shows step by step how the score of a record is calculated.
func explain(b *exports.Build, e *record.Entity) (*score.Explanation, error) {
	f, err := b.Formula()
	if err != nil {
		return nil, err
	}
	asOf, err := time.Parse(time.RFC3339, b.Manifest.AsOf)
	if err != nil {
		return nil, err
	}
	return f.Explain(e, asOf), nil
}

func printEntity(w io.Writer, e *record.Entity) {
	fmt.Fprintln(w, cli.Paint(w, color.Bold, e.Name))
	fmt.Fprintln(w, safetext.Escape(e.Description))
	fmt.Fprintln(w)
	for _, f := range []struct{ name, value string }{
		{"address", e.Key()}, {"provider", e.Provider}, {"category", e.Category}, {"status", e.Status},
		{"version", e.Version}, {"license", e.License}, {"pricing", e.PricingModel}, {"url", e.URL},
		{"tags", strings.Join(e.Tags, ", ")}, {"can", strings.Join(e.Capabilities, ", ")},
	} {
		if f.value != "" {
			fmt.Fprintf(w, "  %-10s %s\n", f.name, safetext.Escape(f.value))
		}
	}
	for _, l := range e.Links {
		fmt.Fprintf(w, "  %-10s %s\n", l.Name, safetext.Escape(l.URL))
	}
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

// measureLine describes a measure of a dimension.
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
