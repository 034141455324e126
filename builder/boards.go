package builder

import (
	"errors"

	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
)

// resolveBoards prepares the boards for ranking.
func (l *Loaded) resolveBoards() (problems yamldoc.Problems) {
	for i, b := range l.Boards {
		var wrong *board.Error
		if err := b.Resolve(l.Formula); errors.As(err, &wrong) {
			problems = append(problems, l.BoardsFile.Problem(i, wrong.Path, wrong.Message))
		} else if err != nil {
			problems = append(problems, l.BoardsFile.Problem(i, nil, err.Error()))
		}
	}
	return problems
}
