package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

type historyOptions struct {
	dir   string
	since time.Time
	limit int
}

func historyCommand() *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use: "history [TYPE/SLUG]", Short: "Show changes, newest first",
		Long: `History shows the changes to an entity, or to the whole index, in the published build:
the fields with their old and new values, the time in UTC, the commit and its author. A
deleted or renamed entity has its history under every address that it ever had.`,
		Example: "  kindex history\n  kindex history tool/pytorch\n  kindex history --since 2026-07-01 --limit 0 --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.WithBuild(o.dir, func(b *exports.Build) error { return runHistory(cmd, b, o, strings.Join(args, "")) })
		},
		ValidArgsFunction: completeKey(&o.dir),
	}
	f := c.Flags()
	dirFlag(f, &o.dir)
	cli.Var(f, &o.since, "since", "day", "", "only changes on or after this day, YYYY-MM-DD", cli.ParseDay)
	f.IntVar(&o.limit, "limit", 20, "how many changes to show, 0 for all")
	cli.AtLeast(f, &o.limit, "limit", 0)
	cli.JSONFlag(c)
	return c
}

func runHistory(cmd *cobra.Command, b *exports.Build, o historyOptions, key string) error {
	places, err := changesToShow(b, key)
	if err != nil {
		return err
	}
	a := b.History()
	first := a.ChangesSince(o.since)
	var shown []int
	for i := len(places) - 1; i >= 0 && int(places[i]) >= first && (o.limit == 0 || len(shown) < o.limit); i-- {
		shown = append(shown, int(places[i]))
	}
	if cli.AsJSON(cmd) {
		lines := make([]json.RawMessage, len(shown))
		for k, i := range shown {
			lines[k] = a.ChangeLine(i)
		}
		return cli.PrintJSONLines(cmd.OutOrStdout(), lines)
	}
	w := bufio.NewWriter(cmd.OutOrStdout())
	defer w.Flush() // run reports write errors
	for _, i := range shown {
		printChange(w, b, i)
	}
	if len(shown) == 0 {
		fmt.Fprintln(w, "no changes")
	}
	return nil
}

// changesToShow returns the changes to one entity or to all entities, oldest first.
func changesToShow(b *exports.Build, key string) ([]uint32, error) {
	a := b.History()
	if key == "" {
		all := make([]uint32, a.Changes())
		for i := range all {
			all[i] = uint32(i)
		}
		return all, nil
	}
	typ, slug, err := splitKey(b, key)
	if err != nil {
		return nil, err
	}
	version, ok := a.Last(typ, slug)
	if o, _, exists := b.Find(typ, slug); exists {
		if version, ok = a.NewestOf(o); !ok {
			return nil, nil // not committed yet
		}
	}
	if !ok {
		return nil, unknownKey(b, key)
	}
	return a.EntityChanges(version), nil
}

func printChange(w io.Writer, b *exports.Build, i int) {
	c := b.History().Change(i)
	fmt.Fprintf(w, "%s  %s %s (%s)\n", c.Timestamp.Format("2006-01-02 15:04"), strings.TrimPrefix(c.Event, "entity."), c.Key(), safetext.Escape(c.Name))
	if c.Commit != "" {
		fmt.Fprintf(w, "  commit %s by %s", c.Commit[:12], safetext.Escape(c.Author))
		if c.PullRequest > 0 {
			fmt.Fprintf(w, ", pull request #%d", c.PullRequest)
		}
		fmt.Fprintln(w)
	}
	for _, f := range c.Fields {
		declared := b.Kinds().Field(f.Field)
		name, old, now := f.Field, formatValue(declared, f.Old), formatValue(declared, f.New)
		if offer, ok := pricing.DescribeChange(f); ok {
			name, old, now = safetext.Escape(offer.Label()), safetext.Escape(offer.Old), safetext.Escape(offer.New)
		}
		switch {
		case c.Event == record.Deleted: // every field is gone
		case old == "":
			fmt.Fprintf(w, "  %s: %s\n", name, now)
		default:
			fmt.Fprintf(w, "  %s: %s → %s\n", name, old, cmp.Or(now, "none"))
		}
	}
	fmt.Fprintln(w)
}

// formatValue formats a JSON value of a field, or of nil if it is not a declared one, for a terminal: it removes quotes
// from strings, joins lists, and adds units to numbers. For null, it returns "".
func formatValue(f *kinds.Field, value []byte) string {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return safetext.Escape(string(value))
	}
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		if f != nil {
			return f.FormatUnit(v)
		}
	case string:
		return safetext.Escape(v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = fmt.Sprint(x)
			if result, isResult := x.(map[string]any); isResult { // of a benchmark
				value, _ := result["value"].(float64)
				parts[i] = fmt.Sprintf("%v %s", result["name"], jsonenc.AppendNumber(nil, value))
			}
		}
		return safetext.Escape(strings.Join(parts, ", "))
	}
	return safetext.Escape(string(value))
}
