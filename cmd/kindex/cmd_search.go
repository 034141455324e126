package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/indexes"
)

type searchOptions struct {
	dir, typ, category string
	limit              int
}

func searchCommand() *cobra.Command {
	var o searchOptions
	c := &cobra.Command{
		Use: "search WORDS...", Short: "Search the published build",
		Long: `Search finds entities by words in their names, topics and descriptions, with the same
engine as the API. It tolerates typos, and matches prefixes and the synonyms in
synonyms.yaml; words in quotes must match exactly, as a phrase. If nothing is found, it
lists similar names.`,
		Example: "  kindex search gradient boosting\n  kindex search '\"gradient boosting\" gpu'\n  kindex search pytrch --type tool --limit 3",
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args, " ")
			if strings.TrimSpace(text) == "" {
				return cli.Usage(errors.New("no search words given; see kindex search --help"))
			}
			return cli.WithBuild(o.dir, func(b *exports.Build) error { return runSearch(cmd, b, o, text) })
		},
	}
	f := c.Flags()
	dirFlag(f, &o.dir)
	f.StringVar(&o.typ, "type", "", "only this type")
	f.StringVar(&o.category, "category", "", "only this category")
	f.IntVar(&o.limit, "limit", 10, "maximum number of results")
	cli.AtLeast(f, &o.limit, "limit", 1)
	cli.JSONFlag(c)
	return c
}

func runSearch(cmd *cobra.Command, b *exports.Build, o searchOptions, text string) error {
	x, err := indexes.Open(o.dir, b)
	if err != nil {
		return err
	}
	f := view.Filter{Fields: map[string][][]string{}}
	for field, value := range map[string]string{"type": o.typ, "category": o.category} {
		if value != "" {
			if value, _ = b.Preferred(field, value); b.Bitmap(field, value) == nil {
				return cli.Usage(cli.UnknownName(field, value, b.Values(field)))
			}
			f.Fields[field] = [][]string{{value}}
		}
	}
	res := x.Search(text, b.Select(&f), nil, 0, o.limit)
	w := cmd.OutOrStdout()
	if cli.AsJSON(cmd) {
		records := make([]json.RawMessage, len(res.Hits))
		for i, h := range res.Hits {
			records[i] = b.Record(h.Ordinal)
		}
		return cli.PrintJSONLines(w, records)
	}
	for _, h := range res.Hits {
		printHit(w, b.Entity(h.Ordinal))
	}
	if len(res.Hits) == 0 {
		printNear(w, b, x, text)
		return nil
	}
	if len(res.Dropped) > 0 {
		fmt.Fprintf(w, "few have all words; some lack: %s\n", safetext.Escape(strings.Join(res.Dropped, ", ")))
	}
	fmt.Fprintf(w, "%d of %d found\n", len(res.Hits), res.Matches.GetCardinality())
	return nil
}

// printNear reports that nothing was found, and lists similar names.
func printNear(w io.Writer, b *exports.Build, x *indexes.Index, text string) {
	var near []string
	for _, o := range x.Alternatives(text, b.Select(&view.Filter{}), 5) {
		typ, slug := b.Key(o)
		near = append(near, typ+"/"+slug)
	}
	if len(near) == 0 {
		fmt.Fprintln(w, "nothing found, and no similar names")
		return
	}
	fmt.Fprintln(w, "nothing found; similar names: "+strings.Join(near, ", "))
}

func printHit(w io.Writer, e *record.Entity) {
	score := cmp.Or(e.Scores.Composite.String(), "-")
	if e.Status == record.Deprecated || e.Status == record.Withdrawn {
		score += "  " + e.Status
	}
	fmt.Fprintf(w, "%s  %s  %s\n  %s\n", cli.Paint(w, color.Bold, e.Name), e.Key(), score, safetext.Escape(e.Description))
}
