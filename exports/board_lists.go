package exports

import (
	"encoding/binary"
	"fmt"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// BoardEntry is an entity on a board of boards.yaml.
type BoardEntry struct {
	Ordinal uint32
	Score   record.Score // on the board; always known
	// Oldest and Newest are the DayNumbers of the oldest and the newest figure in the score,
	// record.NoDate if no figure has a date.
	Oldest, Newest int32
}

// BoardData is the content of a board: its entries now and on an earlier day, best first.
type BoardData struct {
	Entries  []BoardEntry
	Previous []BoardEntry // ordinals in the snapshot of BoardsData.PreviousDay
}

// BoardsData holds the boards of a build.
type BoardsData struct {
	Definitions []byte // content of BoardsFile
	PreviousDay string // YYYY-MM-DD; "" if the build has no snapshot to compare with
	Boards      []BoardData
}

// The sections of a list of entries in lookup/boards.bin. The first section of the file is
// the day of the previous lists; two lists follow for each board.
const boardSections = 4

// WriteBoards writes the boards. It must not be called if the content has none.
func (w *Writer) WriteBoards(d *BoardsData) error {
	parts := [][]byte{[]byte(d.PreviousDay)}
	for _, b := range d.Boards {
		parts = append(append(parts, packEntries(b.Entries)...), packEntries(b.Previous)...)
	}
	if err := w.Add(BoardsFile, d.Definitions); err != nil {
		return err
	}
	return w.Add(boardsFile, packed.PackSections(parts...))
}

func packEntries(list []BoardEntry) [][]byte {
	parts := make([][]byte, boardSections)
	for _, e := range list {
		parts[0] = binary.LittleEndian.AppendUint32(parts[0], e.Ordinal)
		parts[1] = binary.LittleEndian.AppendUint16(parts[1], uint16(e.Score.Code()))
		parts[2] = binary.LittleEndian.AppendUint32(parts[2], uint32(e.Oldest))
		parts[3] = binary.LittleEndian.AppendUint32(parts[3], uint32(e.Newest))
	}
	return parts
}

// boardLists holds the lists of a build's boards.
type boardLists struct {
	previousDay string
	lists       [][][]byte // two for each board, each with boardSections
}

// openBoards opens the boards of a build that has some.
func (b *Build) openBoards(s *packed.SectionReader) {
	file := b.files[boardsFile]
	if len(file) < 8 {
		s.Check(boardsFile, file == nil)
		return
	}
	n := packed.Uint64At(file, 0)
	if n > uint64(len(file)) {
		s.Fail(boardsFile, packed.ErrSections)
		return
	}
	parts := s.Open(boardsFile, int(n))
	if s.Err() != nil {
		return
	}
	s.Check(boardsFile, n%(2*boardSections) == 1)
	b.boards.previousDay = string(parts[0])
	for parts = parts[1:]; len(parts) >= boardSections; parts = parts[boardSections:] {
		entries := len(parts[0]) / 4
		s.Check(boardsFile, len(parts[0]) == 4*entries && len(parts[1]) == 2*entries && len(parts[2]) == 4*entries && len(parts[3]) == 4*entries)
		b.boards.lists = append(b.boards.lists, parts[:boardSections])
	}
}

// Boards returns the number of boards in the build, in the order of BoardsFile.
func (b *Build) Boards() int { return len(b.boards.lists) / 2 }

// BoardEntries returns the entries of board i, best first. They do not contain edits.
func (b *Build) BoardEntries(i int) ([]BoardEntry, error) {
	return b.boards.entries(2*i, b.Len())
}

// PreviousBoardEntries returns the entries that board i had on an earlier day, best first,
// with ordinals in the snapshot of that day. The day is "" if the build does not have them.
func (b *Build) PreviousBoardEntries(i int) (day string, list []BoardEntry, err error) {
	if b.boards.previousDay == "" {
		return "", nil, nil
	}
	s, ok := b.archive.Snapshot(b.boards.previousDay)
	if !ok || s.Day != b.boards.previousDay {
		return "", nil, fmt.Errorf("%s: there is no snapshot of %q", boardsFile, b.boards.previousDay)
	}
	list, err = b.boards.entries(2*i+1, s.Len())
	return s.Day, list, err
}

// entries decodes a list whose ordinals are below limit.
func (l *boardLists) entries(i, limit int) ([]BoardEntry, error) {
	parts := l.lists[i]
	list := make([]BoardEntry, len(parts[0])/4)
	for j := range list {
		score := int16(binary.LittleEndian.Uint16(parts[1][2*j:]))
		list[j] = BoardEntry{Ordinal: packed.Uint32s(parts[0]).At(j), Score: record.ScoreFromCode(score),
			Oldest: int32(packed.Uint32s(parts[2]).At(j)), Newest: int32(packed.Uint32s(parts[3]).At(j))}
		if int(list[j].Ordinal) >= limit || score < 0 || score > 1000 {
			return nil, fmt.Errorf("%s: list %d has an invalid entry", boardsFile, i)
		}
	}
	return list, nil
}
