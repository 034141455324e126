package buildlog

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const checkpointPath = "checkpoint"

// Checkpoint describes all entries of a log of one size (https://c2sp.org/tlog-checkpoint). The
// zero Checkpoint describes a log without entries.
type Checkpoint struct {
	Origin string
	Size   int64     // number of entries
	Root   tlog.Hash // root of the Merkle tree of the entries (RFC 6962)
}

// Tree returns the size and the root of the checkpoint.
func (c Checkpoint) Tree() tlog.Tree { return tlog.Tree{N: c.Size, Hash: c.Root} }

// Text returns the checkpoint as the text of a note.
func (c Checkpoint) Text() string { return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root) }

// String returns the checkpoint on one line.
func (c Checkpoint) String() string {
	return strings.ReplaceAll(strings.TrimSpace(c.Text()), "\n", " ")
}

// ParseCheckpoint is the inverse of Text. Like the format, it ignores further lines.
func ParseCheckpoint(text string) (c Checkpoint, err error) {
	origin, rest, _ := strings.Cut(text, "\n")
	var root string
	if _, err = fmt.Sscanf(rest, "%d\n%s\n", &c.Size, &root); err == nil {
		c.Root, err = tlog.ParseHash(root)
	}
	c.Origin = origin
	if err != nil || !strings.HasPrefix(text, c.Text()) || origin == "" || c.Size < 0 {
		return Checkpoint{}, fmt.Errorf("the text is not a checkpoint: expected the lines origin, size and root hash")
	}
	return c, nil
}

// ReadCheckpoint returns the current checkpoint of a log, the signed note that contains it, and the
// tag of its file, or an error that wraps fs.ErrNotExist if there is no log. The note must be signed
// with the verifier's key.
func ReadCheckpoint(ctx context.Context, from Reader, verifier note.Verifier) (c Checkpoint, signed []byte, tag string, err error) {
	if signed, tag, err = from.Read(ctx, checkpointPath, maxNoteLen); err != nil {
		return Checkpoint{}, nil, "", fmt.Errorf("read the log: %w", err)
	}
	if c, err = OpenCheckpoint(signed, verifier); err != nil {
		return Checkpoint{}, nil, "", fmt.Errorf("%s: %w", checkpointPath, err)
	}
	return c, signed, tag, nil
}

// OpenCheckpoint returns the checkpoint in a signed note. It returns an error unless the signature
// was made with the verifier's key.
func OpenCheckpoint(signed []byte, verifier note.Verifier) (c Checkpoint, err error) {
	text, err := open(signed, verifier)
	if err == nil {
		c, err = ParseCheckpoint(text)
	}
	if err == nil && c.Origin != verifier.Name() {
		err = fmt.Errorf("the checkpoint belongs to the log %s, not to %s", c.Origin, verifier.Name())
	}
	if err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// ForkError means that a log has shown two histories, neither of which continues the other.
type ForkError struct {
	Seen, Now Checkpoint
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("the log of builds was rewritten: its checkpoint does not continue the previous one\nprevious checkpoint: %s\ncurrent checkpoint:  %s", e.Seen, e.Now)
}

// CheckConsistency checks that a log continues, or is, the log that a checkpoint described
// earlier. It returns a *ForkError if it does not. A log that is shorter than before is no fork
// as long as the longer one continues it; CheckConsistency checks that too.
func CheckConsistency(ctx context.Context, from Reader, seen, now Checkpoint) error {
	older, newer := seen, now
	if older.Size > newer.Size {
		older, newer = newer, older
	}
	if older.Size == 0 {
		return nil
	}
	root, err := tlog.TreeHash(older.Size, hashes(ctx, from, newer.Tree()))
	if err != nil {
		return fmt.Errorf("check that the log continues %s: %w", older, err)
	}
	if root != older.Root {
		return &ForkError{Seen: seen, Now: now}
	}
	return nil
}

// CheckIncluded checks that a log has a statement at the statement's position.
func CheckIncluded(ctx context.Context, from Reader, c Checkpoint, s *Statement) error {
	if s.Position >= c.Size {
		return fmt.Errorf("the build %s is not in the log: it claims position %d, but the log has %d entries", s.Build, s.Position, c.Size)
	}
	list, err := hashes(ctx, from, c.Tree()).ReadHashes([]int64{tlog.StoredHashIndex(0, s.Position)})
	if err != nil {
		return fmt.Errorf("check that the build %s is in the log: %w", s.Build, err)
	}
	if list[0] != tlog.RecordHash([]byte(s.Text())) {
		return fmt.Errorf("the build %s is not in the log: position %d has another statement", s.Build, s.Position)
	}
	return nil
}

// Statements returns the statements at positions from, from+1, … of a log, at most n. All are
// checked against the checkpoint.
func Statements(ctx context.Context, r Reader, c Checkpoint, from int64, n int) ([]*Statement, error) {
	var list []*Statement
	for at := from; at < c.Size && len(list) < n; {
		t := entryTile(min(c.Size, (at>>tileHeight+1)<<tileHeight))
		entries, err := readEntries(ctx, r, t)
		if err != nil {
			return nil, err
		}
		for _, e := range entries[at-t.N<<tileHeight:] {
			if len(list) == n {
				break
			}
			s, err := ParseStatement(e)
			if err == nil && s.Position != at {
				err = fmt.Errorf("the statement at position %d claims position %d", at, s.Position)
			}
			if err == nil {
				err = CheckIncluded(ctx, r, c, s)
			}
			if err != nil {
				return nil, err
			}
			list = append(list, s)
			at++
		}
	}
	return list, nil
}
