package exports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kindex/exports/table"
)

// Leaderboard is a leaderboard that WriteLeaderboards writes.
type Leaderboard struct {
	Name    string // all, a category or a board
	Columns []table.Column
	Rows    []table.Row // best first
}

// WriteLeaderboards writes all leaderboards as one object, each as an array with a row on each line,
// as if it were a file of its own.
func (w *Writer) WriteLeaderboards(list []Leaderboard) error {
	out := bytes.NewBufferString("{")
	for i, l := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + l.Name + `":`)
		enc, err := table.NewEncoder("json", out, l.Columns)
		if err != nil {
			return err
		}
		for _, r := range l.Rows {
			err = errors.Join(err, enc.Write(r))
		}
		if err := errors.Join(err, enc.Close()); err != nil {
			return err
		}
	}
	out.WriteString("}\n")
	return w.Add(LeaderboardsFile, out.Bytes())
}

// Leaderboard returns the leaderboard of a category, of a board, or of all entities. ok is false if
// there is none with the name.
func (b *Build) Leaderboard(name string) (l StoredLeaderboard, ok bool) {
	l, ok = b.leaderboards[name]
	return l, ok
}

func (b *Build) openLeaderboards() error {
	b.leaderboards = map[string]StoredLeaderboard{}
	var arrays map[string]json.RawMessage
	if err := b.readJSON(LeaderboardsFile, &arrays); err != nil {
		return err
	}
	for name, array := range arrays {
		sum := sha256.Sum256(append(array, '\n'))
		b.leaderboards[name] = StoredLeaderboard{append(array, '\n'), hex.EncodeToString(sum[:])}
	}
	return nil
}

// WriteBoards writes the definitions of boards and the entries of each, best first. It must not be called
// if the content has no boards.
func (w *Writer) WriteBoards(definitions []byte, entries [][]BoardEntry) error {
	data, err := json.Marshal(entries)
	return errors.Join(err, w.Add(BoardsFile, definitions), w.Add(boardsFile, append(data, '\n')))
}

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
