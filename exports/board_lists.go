package exports

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kindex/exports/record"
)

// BoardEntry is an entity on a board of boards.yaml.
type BoardEntry struct {
	Ordinal uint32       `json:"ordinal"`
	Score   record.Score `json:"score"` // on the board; always known
	// Oldest and Newest are the DayNumbers of the oldest and the newest figure in the score,
	// record.NoDate if no figure has a date.
	Oldest int32 `json:"oldest"`
	Newest int32 `json:"newest"`
}

// WriteBoards writes the definitions of boards and the entries of each, best first. It must not be called
// if the content has no boards.
func (w *Writer) WriteBoards(definitions []byte, entries [][]BoardEntry) error {
	data, err := json.Marshal(entries)
	return errors.Join(err, w.Add(BoardsFile, definitions), w.Add(boardsFile, append(data, '\n')))
}

// openBoards reads the boards of a build that has some.
func (b *Build) openBoards() error {
	if err := b.readJSON(boardsFile, &b.boards); err != nil {
		return err
	}
	for i, list := range b.boards {
		if slices.ContainsFunc(list, func(e BoardEntry) bool { return int(e.Ordinal) >= b.Len() || !e.Score.Known() }) {
			return fmt.Errorf("%s: list %d has an invalid entry", boardsFile, i)
		}
	}
	return nil
}

// Boards returns the number of boards in the build, in the order of BoardsFile.
func (b *Build) Boards() int { return len(b.boards) }

// BoardEntries returns the entries of board i, best first. They do not contain edits. The caller owns the
// list.
func (b *Build) BoardEntries(i int) []BoardEntry { return slices.Clone(b.boards[i]) }
