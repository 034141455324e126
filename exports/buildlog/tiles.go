package buildlog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Reader reads the files of a log.
type Reader interface {
	// Read returns a file and a tag of its version. It returns an error that wraps
	// fs.ErrNotExist if the file does not exist, and another error if it is longer than limit
	// bytes.
	Read(ctx context.Context, name string, limit int64) (data []byte, tag string, err error)
}

// Storage reads and writes the files of a log.
type Storage interface {
	Reader
	// Write creates or replaces a file.
	Write(ctx context.Context, name string, data []byte) error
	// Replace replaces the version of a file that has the tag, or creates the file if tag is
	// "". It returns an error that wraps ErrConflict if the file has another version, or
	// exists.
	Replace(ctx context.Context, name string, data []byte, tag string) error
}

// ErrConflict means that somebody else has written a file in the meantime.
var ErrConflict = errors.New("was changed by another publisher")

// tileHeight is the height of all tiles in the format tlog-tiles.
const tileHeight = 8

// maxEntryLen limits the length of an entry: the format stores it in 16 bits.
const maxEntryLen = 1<<16 - 1

// tilePath returns the name of the file of a tile. The package tlog names tiles as the Go
// checksum database does, with the height as the first element and the level "data" for entries.
func tilePath(t tlog.Tile) string {
	path := strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", tileHeight))
	if rest, ok := strings.CutPrefix(path, "data/"); ok {
		path = "entries/" + rest
	}
	return "tile/" + path
}

// tileReader reads the tiles of a log. tlog checks what it returns.
type tileReader struct {
	ctx  context.Context
	from Reader
}

func (r tileReader) Height() int { return tileHeight }

func (r tileReader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	list := make([][]byte, len(tiles))
	for i, t := range tiles {
		size := int64(t.W) * tlog.HashSize
		data, _, err := r.from.Read(r.ctx, tilePath(t), size)
		if err == nil && int64(len(data)) != size {
			err = fmt.Errorf("%s has %d bytes instead of %d", tilePath(t), len(data), size)
		}
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		list[i] = data
	}
	return list, nil
}

func (r tileReader) SaveTiles([]tlog.Tile, [][]byte) {}

// hashes returns a reader of the hashes of a tree. The reader checks that they belong to the
// tree.
func hashes(ctx context.Context, from Reader, tree tlog.Tree) tlog.HashReader {
	tiles := tlog.TileHashReader(tree, tileReader{ctx, from})
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		if len(indexes) == 0 {
			return nil, nil // tlog would panic for an empty tree
		}
		return tiles.ReadHashes(indexes)
	})
}

// entryTile returns the tile that contains the last entry of a log of the given size.
func entryTile(size int64) tlog.Tile {
	last := size - 1
	return tlog.Tile{H: tileHeight, L: -1, N: last >> tileHeight, W: int(last&(1<<tileHeight-1)) + 1}
}

// readEntries returns the entries in a tile.
func readEntries(ctx context.Context, from Reader, t tlog.Tile) (entries []string, err error) {
	data, _, err := from.Read(ctx, tilePath(t), int64(t.W)*(2+maxEntryLen))
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	for len(data) > 0 {
		if len(data) < 2 || len(data)-2 < int(binary.BigEndian.Uint16(data)) {
			return nil, fmt.Errorf("%s is truncated after %d entries", tilePath(t), len(entries))
		}
		n := 2 + int(binary.BigEndian.Uint16(data))
		entries, data = append(entries, string(data[2:n])), data[n:]
	}
	if len(entries) != t.W {
		return nil, fmt.Errorf("%s has %d entries instead of %d", tilePath(t), len(entries), t.W)
	}
	return entries, nil
}

// encodeEntries returns the file of a tile with entries.
func encodeEntries(entries []string) (data []byte) {
	for _, e := range entries {
		data = append(binary.BigEndian.AppendUint16(data, uint16(len(e))), e...)
	}
	return data
}
