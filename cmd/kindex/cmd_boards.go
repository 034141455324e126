package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
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

type boardsOptions struct {
	asOf        cli.AsOf
	sensitivity bool
}

func boardsCommand() *cobra.Command {
	var o boardsOptions
	c := &cobra.Command{
		Use: "boards [DIR]", Short: "Print the top ten of each board of a content folder",
		Long: `Boards ranks the boards of boards.yaml as a build does, and prints the top ten of each. A
board with fewer than eight ranked entities is not published. --sensitivity also prints
which entities enter and leave if one weight is lowered or raised by a fifth.`,
		Example: `  kindex boards
  kindex boards content --sensitivity
  kindex boards content --json --as-of 2026-07-01`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBoards(cmd, cmp.Or(strings.Join(args, ""), "content"), o)
		},
	}
	f := c.Flags()
	cli.AsOfFlag(f, &o.asOf, "")
	f.BoolVar(&o.sensitivity, "sensitivity", false, "also print what changes if each weight moves by a fifth")
	cli.JSONFlag(c)
	return c
}

func runBoards(cmd *cobra.Command, dir string, o boardsOptions) error {
	l, err := loadContent(dir)
	if err != nil {
		return err
	}
	ranked, err := l.RankBoards(o.asOf.Time())
	list := make([]boardReport, len(ranked))
	for i := 0; i < len(list) && err == nil; i++ {
		list[i], err = newBoardReport(&ranked[i], o)
	}
	if err != nil {
		return err
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
}

// boardReport describes a board. --json prints it.
type boardReport struct {
	Slug        string                 `json:"slug"`
	Title       string                 `json:"title"`
	Type        string                 `json:"type"`
	Count       int                    `json:"count"` // ranked entities
	Published   bool                   `json:"published"`
	Needs       jsonenc.OptionalString `json:"needs"`
	FiguresOf   board.Span             `json:"figuresOf"`
	Top         []boardPlace           `json:"top"`
	Sensitivity *[]builder.Shift       `json:"sensitivity,omitempty"` // nil unless asked for
}

// boardPlace is an entity in the top of a board.
type boardPlace struct {
	Rank       int          `json:"rank"`
	Entity     string       `json:"entity"` // type/slug
	Name       string       `json:"name"`
	BoardScore record.Score `json:"boardScore"`
}

func newBoardReport(b *builder.RankedBoard, o boardsOptions) (boardReport, error) {
	r := boardReport{Slug: b.Slug, Title: b.Title, Type: b.Type, Count: len(b.Entries), Published: len(b.Entries) >= board.MinEntries,
		Needs: jsonenc.OptionalString(b.Needs.Sentence()), FiguresOf: board.FiguresOf(b.Entries), Top: []boardPlace{}}
	for i, entry := range b.Entries[:min(builder.TopLength, len(b.Entries))] {
		e := b.Entities[entry.Ordinal]
		r.Top = append(r.Top, boardPlace{i + 1, e.Key(), e.Name, entry.Score})
	}
	if !o.sensitivity {
		return r, nil
	}
	shifts, err := b.Sensitivity(o.asOf.Time())
	shifts = append([]builder.Shift{}, shifts...)
	r.Sensitivity = &shifts
	return r, err
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
	if r.Sensitivity == nil || len(*r.Sensitivity) == 0 {
		return
	}
	fmt.Fprintln(w, "If a weight changes:")
	for _, s := range *r.Sensitivity {
		fmt.Fprintf(w, "  %s × %s: %s\n", safetext.OneLine(s.Weight), strconv.FormatFloat(s.Factor, 'g', -1, 64), changes(&s))
	}
}

// changes says what changes in the top.
func changes(s *builder.Shift) string {
	var parts []string
	if len(s.Enters) > 0 {
		parts = append(parts, "enters: "+strings.Join(s.Enters, ", "))
	}
	if len(s.Leaves) > 0 {
		parts = append(parts, "leaves: "+strings.Join(s.Leaves, ", "))
	}
	if m := s.Largest; m != nil {
		parts = append(parts, fmt.Sprintf("largest move: %s from %d to %d", m.Entity, m.From, m.To))
	}
	if len(parts) == 0 {
		return "no change"
	}
	return strings.Join(parts, "; ")
}
