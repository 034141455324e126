package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder"
	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/exports/board"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

func boardsCommand() *cobra.Command {
	var asOf cli.AsOf
	c := &cobra.Command{
		Use: "boards [DIR]", Short: "Print the top ten of each board of a content folder",
		Long: `Boards ranks the boards of boards.yaml as a build does, and prints the top ten of each. A
board with fewer than eight ranked entities is not published.`,
		Example: `  kindex boards
  kindex boards content --json --as-of 2026-07-01`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := cmp.Or(strings.Join(args, ""), "content")
			l, err := loadContent(dir)
			if err != nil {
				return err
			}
			list := []boardReport{}
			for _, b := range l.RankBoards(asOf.Time()) {
				list = append(list, newBoardReport(&b))
			}
			return cli.Print(cmd, list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintf(w, "%s: no boards.yaml\n", dir)
				}
				for i := range list {
					if i > 0 {
						fmt.Fprintln(w)
					}
					list[i].print(w)
				}
			})
		},
	}
	cli.AsOfFlag(c.Flags(), &asOf, "")
	cli.JSONFlag(c)
	return c
}

// boardReport describes a board. --json prints it.
type boardReport struct {
	Slug      string                 `json:"slug"`
	Title     string                 `json:"title"`
	Type      string                 `json:"type"`
	Count     int                    `json:"count"` // ranked entities
	Published bool                   `json:"published"`
	Needs     jsonenc.OptionalString `json:"needs"`
	FiguresOf board.Span             `json:"figuresOf"`
	Top       []boardPlace           `json:"top"`
}

// boardPlace is an entity in the top of a board.
type boardPlace struct {
	Rank       int          `json:"rank"`
	Entity     string       `json:"entity"` // type/slug
	Name       string       `json:"name"`
	BoardScore record.Score `json:"boardScore"`
}

func newBoardReport(b *builder.RankedBoard) boardReport {
	r := boardReport{Slug: b.Slug, Title: b.Title, Type: b.Type, Count: len(b.Entries), Published: b.Published(),
		Needs: jsonenc.OptionalString(b.Needs.Sentence()), FiguresOf: b.FiguresOf(), Top: []boardPlace{}}
	for i, entry := range b.Entries[:min(10, len(b.Entries))] {
		e := b.Catalogue.Entity(entry.Ordinal)
		r.Top = append(r.Top, boardPlace{i + 1, e.Key(), e.Name, entry.Score})
	}
	return r
}

func (r *boardReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s", r.Slug, safetext.OneLine(r.Title), plural.Count(r.Count, "entity", "entities"))
	if !r.Published {
		fmt.Fprintf(w, "; not published: a board needs %d", board.MinEntries)
	}
	fmt.Fprintln(w)
	if r.Needs != "" {
		fmt.Fprintln(w, r.Needs)
	}
	if r.FiguresOf.Newest != "" {
		fmt.Fprintf(w, "Figures from %s to %s.\n", r.FiguresOf.Oldest, r.FiguresOf.Newest)
	}
	for _, p := range r.Top {
		fmt.Fprintf(w, "%4d. %5s  %s  %s\n", p.Rank, p.BoardScore, p.Entity, safetext.OneLine(p.Name))
	}
}
