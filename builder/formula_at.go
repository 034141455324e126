package builder

import (
	"bytes"
	"context"
	"fmt"

	"kindex/builder/content"
	"kindex/builder/gitlog"
	"kindex/exports/score"
)

// formulas reads the scoring formulas of earlier commits.
type formulas struct {
	build    *build
	location *gitlog.Location // nil before the first call
	text     []byte           // the scoring file that was read last
	last     *score.Formula   // its formula, or nil if there is none
}

// at returns the formula in force at a commit, or nil if no build could have been made from that
// commit because its scoring file is invalid. If the repository lacks the commit, at returns the
// present formula.
func (f *formulas) at(ctx context.Context, commit string) (_ *score.Formula, err error) {
	if f.location == nil {
		if f.location, err = gitlog.FindLocation(ctx, f.build.Content); err != nil {
			return nil, err
		}
	}
	text, ok, err := f.location.File(ctx, commit, "scoring.yaml")
	switch {
	case err != nil:
		return nil, fmt.Errorf("scoring.yaml at %.12s: %w", commit, err)
	case !ok:
		f.build.report.Warnings = append(f.build.report.Warnings, fmt.Sprintf("warning: this clone lacks commit %.12s, so the movers of its week are "+
			"found with today's scoring formula; fetch the missing history: git fetch --unshallow", commit))
		return f.build.formula, nil
	case text == nil:
		return defaultFormula(f.build.content.Kinds)
	case f.text == nil || !bytes.Equal(text, f.text):
		f.text = text
		f.last = f.parse(commit)
	}
	return f.last, nil
}

// parse returns the formula in a scoring file, or nil if the file is invalid.
func (f *formulas) parse(commit string) *score.Formula {
	path := fmt.Sprintf("scoring.yaml at %.12s", commit)
	asJSON, problems := content.ParseScoring(f.build.content.Kinds, path, f.text)
	if n, _ := problems.Count(); n > 0 {
		return nil
	}
	formula, err := parseFormula(f.build.content.Kinds, path, f.text, asJSON)
	if err != nil {
		return nil
	}
	return formula
}

func (f *formulas) close() error {
	if f.location == nil {
		return nil
	}
	return f.location.Close()
}
