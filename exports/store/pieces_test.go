package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/packed"
)

// TestManySlowReaders reads a text that is not stored with many readers in turn, and counts the
// memory that they take.
func TestManySlowReaders(t *testing.T) {
	suite.InTest(t)
	const shards, readers = 20, 50
	var text, compressed []byte
	sections := make([][]byte, ShardSections)
	for i := range shards {
		piece := bytes.Repeat(fmt.Appendf(nil, "{\"line\":%d}\n", i), 1000+i)
		out, err := Compress("zstd", piece)
		if err != nil {
			t.Fatal(err)
		}
		text, compressed = append(text, piece...), append(compressed, out...)
		sections[ShardLengths+1] = binary.LittleEndian.AppendUint64(sections[ShardLengths+1], uint64(len(piece)))
		sections[ShardCompressed+1] = binary.LittleEndian.AppendUint64(sections[ShardCompressed+1], uint64(len(out)))
	}
	list := packed.PackSections(sections...)
	files := []File{{Path: "t.jsonl", Size: int64(len(text))}, {Path: "t.jsonl.zst", Size: int64(len(compressed))}, {Path: ShardsFile("t"), Size: int64(len(list))}}
	files[0], files[1], files[2] = files[2], files[0], files[1] // sorted
	stored := func(f File) (io.ReaderAt, error) {
		switch f.Path {
		case "t.jsonl.zst":
			return bytes.NewReader(compressed), nil
		case ShardsFile("t"):
			return bytes.NewReader(list), nil
		}
		return nil, fs.ErrNotExist
	}
	limit := pieces.limit
	pieces.limit = 100_000 // room for eight pieces
	defer func() { pieces.limit = limit }()
	var open [readers]*Content
	var got [readers][]byte
	for i := range open {
		c, err := OpenWith(stored, "t.jsonl", files, files[1])
		if err != nil {
			t.Fatal(err)
		}
		open[i] = c
	}
	for done := false; !done; {
		for i, c := range open {
			part := make([]byte, 10_007)
			n, err := io.ReadFull(c, part)
			got[i] = append(got[i], part[:n]...)
			done = err != nil
			if pieces.size > pieces.limit {
				t.Fatalf("%d pieces with %d bytes are kept", pieces.recent.Len(), pieces.size)
			}
		}
	}
	for i, c := range open {
		if !bytes.Equal(got[i], text) {
			t.Errorf("reader %d read something else", i)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if pieces.size != 0 || pieces.recent.Len() != 0 {
		t.Errorf("%d pieces with %d bytes are left", pieces.recent.Len(), pieces.size)
	}
}
