package store

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The text files of a table consist of pieces, one for each shard of its rows. Each piece was
// compressed on its own, so any part of a text can be recreated from a compressed file without
// decompressing what comes before it. The shards file of a table lists the pieces. The sections of that file are
//
//	0–2   SHA-256 of the pieces of each of the TextFormats
//	3–5   their lengths (u64)
//	6–8   the lengths of these pieces compressed with zstd; empty if the table has no such file
//	9     SHA-256 of the inputs of each shard, see bulk.Table.Inputs; may be empty
//	10    the number of shards (u64) in each row group of the Parquet file
const (
	ShardSums       = 0
	ShardLengths    = 3
	ShardCompressed = 6
	ShardInputs     = 9
	ShardGroups     = 10
	ShardSections   = 11
)

// TextFormats are the formats in which the files of a table are text. A file has the name of its
// format as its extension.
var TextFormats = []string{"json", "jsonl", "csv"}

// LargeTable is the size in bytes of the JSONL file of a table above which the table is large.
// A large table has no compressed variant of its JSON file, and its text files are not stored. They remain in the manifest, and Open recreates them from the compressed files.
const LargeTable = 16 << 20

// ShardsFile returns the path of the shards file of a table. The files of the table are named base
// and an extension.
func ShardsFile(base string) string { return "lookup/" + base + ".shards.bin" }

// Compressed reports whether the text file of a table in a format has compressed variants.
func Compressed(large bool, format string) bool { return !large || format != "json" }

// find returns the entry of a file in a list that is sorted by path.
func find(files []File, path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return files[i], true
}

// splitText splits the path of a text file of a table into the name of the table and the format.
func splitText(path string) (base, format string, ok bool) {
	base, format, _ = strings.Cut(path, ".")
	return base, format, !strings.Contains(base, "/") && slices.Contains(TextFormats, format)
}

// Unstored reports whether a file is one of the text files of a large table, which need not be
// stored because they can be recreated from others. files are those of the manifest, sorted by path.
func Unstored(files []File, path string) bool {
	base, _, _ := splitText(path)
	_, array := find(files, base+".json.zst")
	return IsTable(files, path) && !array
}

// IsTable reports whether a file is one of the text files of a table, without compression.
func IsTable(files []File, path string) bool {
	base, _, ok := splitText(path)
	if !ok {
		return false
	}
	_, sharded := find(files, ShardsFile(base))
	return sharded
}

// MaxPiece limits the length of a piece in bytes. It bounds the memory that reading takes.
const MaxPiece = 64 << 20

// readEnds returns where each piece of a file ends. The lengths are in a section of the shards
// file r, and their sum must be size.
func readEnds(r io.ReaderAt, section int, size int64) ([]int64, error) {
	head := make([]byte, 8+8*ShardSections)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, err
	}
	at, n := int64(len(head)), uint64(0)
	for i := range section + 1 {
		at = (at + int64(n) + 7) &^ 7
		if n = binary.LittleEndian.Uint64(head[8+8*i:]); n > MaxPiece {
			return nil, fmt.Errorf("section %d has %d bytes", i, n)
		}
	}
	lengths := make([]byte, n)
	if _, err := r.ReadAt(lengths, at); err != nil {
		return nil, err
	}
	ends, end := make([]int64, 0, n/8), int64(0)
	for ; len(lengths) >= 8; lengths = lengths[8:] {
		length := binary.LittleEndian.Uint64(lengths)
		if length > MaxPiece {
			return nil, fmt.Errorf("a piece of section %d has %d bytes", section, length)
		}
		end += int64(length)
		ends = append(ends, end)
	}
	if end != size {
		return nil, fmt.Errorf("the pieces of section %d have %d bytes, not %d", section, end, size)
	}
	return ends, nil
}
