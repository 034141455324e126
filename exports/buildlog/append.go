package buildlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// maxAttempts limits how often Append starts again because another publisher was faster.
const maxAttempts = 100

// Append appends a statement to a log and returns the signed statement, with its position. A log
// is created if there is none. If the log already ends with a statement about the same manifests,
// for example because the publisher was killed after Append, Append returns that statement.
//
// Several publishers may append at the same time, and each may be killed at any time. A
// publisher claims the next position by creating its file in claims, which only one can do.
// Everything else follows from the claims: tiles and checkpoints of a size are the same bytes,
// whoever writes them. So a publisher that finds a position claimed finishes the other's work and
// tries the next one. Claims are never removed; otherwise, a publisher that was suspended for
// long could claim an old position again.
func Append(ctx context.Context, to Storage, signer note.Signer, verifier note.Verifier, s Statement) (*Statement, []byte, error) {
	s.Origin = signer.Name()
	for range maxAttempts {
		c, _, tag, err := ReadCheckpoint(ctx, to, verifier)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		if c.Size > 0 {
			last, signed, err := ReadStatement(ctx, to, verifier, c.Size-1)
			if err != nil {
				return nil, nil, err
			}
			if last.sameBuild(&s) {
				return last, signed, nil
			}
		}
		claimed, signed, err := claim(ctx, to, signer, verifier, s, c.Size)
		if err != nil {
			return nil, nil, err
		}
		err = extend(ctx, to, signer, c, tag, claimed.Text())
		if err != nil && !errors.Is(err, ErrConflict) {
			return nil, nil, err
		}
		if err == nil && claimed.sameBuild(&s) {
			return claimed, signed, nil
		}
		// Another publisher made or finished the claim, and may have continued from there.
		if claimed.sameBuild(&s) {
			if c, _, _, err = ReadCheckpoint(ctx, to, verifier); err != nil {
				return nil, nil, err
			}
			if c.Size > claimed.Position {
				return claimed, signed, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("other publishers were faster %d times; try again", maxAttempts)
}

// sameBuild reports whether two statements are about the same build with the same index.
func (s *Statement) sameBuild(other *Statement) bool {
	return s.Build == other.Build && s.Manifest == other.Manifest && s.Index == other.Index
}

// claim claims a position for a statement. If the position has been claimed, claim returns the
// statement to which it belongs.
func claim(ctx context.Context, to Storage, signer note.Signer, verifier note.Verifier, s Statement, position int64) (*Statement, []byte, error) {
	s.Position = position
	signed, err := s.Sign(signer)
	if err != nil {
		return nil, nil, err
	}
	err = to.Replace(ctx, claimPath(position), signed, "")
	if errors.Is(err, ErrConflict) {
		return ReadStatement(ctx, to, verifier, position)
	}
	return &s, signed, err
}

// extend writes the tiles and the checkpoint of a log with one more entry.
func extend(ctx context.Context, to Storage, signer note.Signer, c Checkpoint, tag, entry string) error {
	previous := hashes(ctx, to, c.Tree())
	added, err := tlog.StoredHashes(c.Size, []byte(entry), previous)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	stored := tlog.StoredHashCount(c.Size)
	all := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		list := make([]tlog.Hash, len(indexes))
		var old, places []int64
		for i, at := range indexes {
			if at >= stored {
				list[i] = added[at-stored]
			} else {
				old, places = append(old, at), append(places, int64(i))
			}
		}
		read, err := previous.ReadHashes(old)
		for i := range read {
			list[places[i]] = read[i]
		}
		return list, err
	})
	for _, t := range tlog.NewTiles(tileHeight, c.Size, c.Size+1) {
		data, err := tlog.ReadTileData(t, all)
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if err := to.Write(ctx, tilePath(t), data); err != nil {
			return err
		}
	}
	if err := extendEntries(ctx, to, c.Size, entry); err != nil {
		return err
	}
	root, err := tlog.TreeHash(c.Size+1, all)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	next := Checkpoint{Origin: signer.Name(), Size: c.Size + 1, Root: root}
	signed, err := note.Sign(&note.Note{Text: next.Text()}, signer)
	if err != nil {
		return err
	}
	return to.Replace(ctx, checkpointPath, signed, tag)
}

// extendEntries writes the last tile of entries of a log with one more entry.
func extendEntries(ctx context.Context, to Storage, size int64, entry string) error {
	var entries []string
	t := entryTile(size + 1)
	if t.W > 1 {
		var err error
		if entries, err = readEntries(ctx, to, entryTile(size)); err != nil {
			return err
		}
	}
	return to.Write(ctx, tilePath(t), encodeEntries(append(entries, entry)))
}

func claimPath(position int64) string { return fmt.Sprintf("claims/%d", position) }

// ReadSigned returns the signed note at a position. It verifies nothing.
func ReadSigned(ctx context.Context, from Reader, position int64) ([]byte, error) {
	signed, _, err := from.Read(ctx, claimPath(position), maxNoteLen)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return signed, nil
}

// ReadStatement returns the statement at a position and the signed note that contains it, which must
// be signed with the verifier's key. It does not check that the log contains the statement.
func ReadStatement(ctx context.Context, from Reader, verifier note.Verifier, position int64) (*Statement, []byte, error) {
	signed, err := ReadSigned(ctx, from, position)
	if err != nil {
		return nil, nil, err
	}
	s, err := OpenStatement(signed, verifier)
	if err == nil && s.Position != position {
		err = fmt.Errorf("the statement is about position %d", s.Position)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", claimPath(position), err)
	}
	return s, signed, nil
}
