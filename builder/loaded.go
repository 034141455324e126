package builder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"kindex/builder/changelog"
	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/gitlog"
	"kindex/exports/kinds"
	"kindex/exports/score"
)

// Loaded contains a folder's content and the formula for scoring it.
type Loaded struct {
	*content.Content
	Formula *score.Formula
}

// LoadContent reads and checks a content folder the way a build does, including the scoring
// file. progress may be nil.
func LoadContent(dir string, progress func(done, total int)) (*Loaded, yamldoc.Problems, error) {
	return LoadFolder(content.Open(dir), progress)
}

// LoadFolder is like LoadContent, for a folder that is read repeatedly.
func LoadFolder(f *content.Folder, progress func(done, total int)) (*Loaded, yamldoc.Problems, error) {
	c, problems, err := f.Load(progress)
	if err != nil {
		return nil, nil, err
	}
	l := &Loaded{Content: c}
	if c.Scoring != nil {
		l.Formula, err = parseFormula(c.Kinds, c.ScoringFile, c.Scoring)
	} else {
		l.Formula, err = defaultFormula(c.Kinds)
	}
	var wrong yamldoc.Problems
	if errors.As(err, &wrong) {
		return l, problems.With(wrong), nil
	}
	if err != nil {
		return l, problems, err
	}
	return l, problems.With(l.resolveBoards()), nil
}

// Measures returns the measures that the content defines: those of its scoring file and of its boards.
func (l *Loaded) Measures() (list []score.Measure) {
	var formulas []*score.TypeFormula
	if l.Scoring != nil {
		formulas = slices.Collect(maps.Values(l.Formula.Types))
	}
	for _, b := range l.Boards {
		formulas = append(formulas, b.Formula)
	}
	for _, f := range formulas {
		if f == nil {
			continue // of a board with the formula of its type
		}
		for _, d := range f.Dimensions {
			list = append(list, d.Measures...)
		}
	}
	return list
}

func defaultFormula(declared *kinds.Set) (*score.Formula, error) {
	const path = "the built-in scoring file"
	asJSON, problems := content.ParseScoring(kinds.Default(), path, score.Default)
	if len(problems) > 0 {
		return nil, problems
	}
	f, err := parseFormula(kinds.Default(), content.RootFile{Path: path, Text: score.Default}, asJSON)
	if err == nil {
		f.Restrict(declared)
	}
	return f, err
}

// parseFormula reads a scoring file. It returns errors in the file as yamldoc.Problems.
func parseFormula(declared *kinds.Set, file content.RootFile, asJSON []byte) (*score.Formula, error) {
	f, mistakes, err := score.Parse(declared, asJSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	var problems yamldoc.Problems
	for _, m := range mistakes {
		problems = append(problems, file.Problem(m.Message, m.Path...))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return f, nil
}

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
