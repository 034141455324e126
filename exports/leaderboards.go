package exports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

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
	var out bytes.Buffer
	for i, l := range list {
		out.WriteString(beforeName(i == 0) + l.Name + afterName)
		if err := l.write(&out); err != nil {
			return err
		}
	}
	out.WriteString(afterLast)
	return w.Add(LeaderboardsFile, out.Bytes())
}

const (
	afterName = `":`
	afterLast = "}\n"
)

func beforeName(first bool) string {
	if first {
		return `{"`
	}
	return `,"`
}

func (l *Leaderboard) write(w io.Writer) error {
	enc, err := table.NewEncoder("json", w, l.Columns)
	if err != nil {
		return err
	}
	for _, r := range l.Rows {
		if err := enc.Write(r); err != nil {
			return err
		}
	}
	return enc.Close()
}

// StoredLeaderboard is a leaderboard in a build: an array in JSON, and its SHA-256 in hexadecimal.
type StoredLeaderboard struct {
	JSON   []byte
	SHA256 string
}

// Leaderboard returns the leaderboard of a category, of a board, or of all entities. ok is false if
// there is none with the name. It must not be used after the build is closed.
func (b *Build) Leaderboard(name string) (l StoredLeaderboard, ok bool) {
	l, ok = b.leaderboards[name]
	return l, ok
}

// openLeaderboards finds the leaderboards in their file, if the build has one.
func (b *Build) openLeaderboards() error {
	b.leaderboards = map[string]StoredLeaderboard{}
	rest := b.files[LeaderboardsFile]
	for len(rest) > len(afterLast) {
		begins := beforeName(len(b.leaderboards) == 0)
		name, array, named := bytes.Cut(rest, []byte(afterName))
		end := len("[]\n")
		if !bytes.HasPrefix(array, []byte("[]\n")) {
			// A line break within a text is escaped, so this is the end.
			end = bytes.Index(array, []byte("\n]\n")) + len("\n]\n")
		}
		if !named || !bytes.HasPrefix(name, []byte(begins)) || end < len("[]\n") || end > len(array) {
			break
		}
		sum := sha256.Sum256(array[:end])
		b.leaderboards[string(name[len(begins):])] = StoredLeaderboard{array[:end:end], hex.EncodeToString(sum[:])}
		rest = array[end:]
	}
	if string(rest) != afterLast && b.files[LeaderboardsFile] != nil {
		return fmt.Errorf("%s: leaderboard %d does not end, or has no name", LeaderboardsFile, len(b.leaderboards)+1)
	}
	return nil
}
