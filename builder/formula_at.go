package builder

import (
	"bytes"
	"context"
	"fmt"

	"kindex/builder/changelog"
	"kindex/builder/content"
	"kindex/builder/gitlog"
	"kindex/exports/score"
)

// formulaAt returns a function for the formula in force at a commit, which is nil if no build could have
// been made from that commit because its scoring file is invalid. If the repository lacks the commit, it
// is the present formula.
func (b *build) formulaAt(ctx context.Context, location *gitlog.Location) changelog.FormulaAt {
	var read []byte // the scoring file that was read last
	var last *score.Formula
	return func(commit string) (*score.Formula, error) {
		path := fmt.Sprintf("scoring.yaml at %.12s", commit)
		text, ok, err := location.File(ctx, commit, "scoring.yaml")
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case !ok:
			b.warn("warning: this clone lacks commit %.12s, so the movers of its week are "+
				"found with today's scoring formula; fetch the missing history: git fetch --unshallow", commit)
			return b.formula, nil
		case text == nil:
			return defaultFormula(b.content.Kinds)
		case read != nil && bytes.Equal(text, read):
			return last, nil
		}
		read, last = text, nil
		if asJSON, problems := content.ParseScoring(b.content.Kinds, path, text); !problems.HasErrors() {
			last, _ = parseFormula(b.content.Kinds, content.RootFile{Path: path, Text: text}, asJSON) // nil with an error
		}
		return last, nil
	}
}
