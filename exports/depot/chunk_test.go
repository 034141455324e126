package depot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"kindex/builder/suite"
	"kindex/exports/store"
)

// chunksOf returns the chunks of data and checks that they are all of it.
func chunksOf(t *testing.T, data []byte) (ids []chunkID) {
	t.Helper()
	var all []byte
	sum := sha256.New()
	err := eachChunk(iotest.HalfReader(bytes.NewReader(data)), sum, func(c []byte) {
		if len(c) == 0 || len(c) > maxChunk {
			t.Fatalf("a chunk has %d bytes", len(c))
		}
		all = append(all, c...)
		ids = append(ids, idOf(c))
	})
	if want := sha256.Sum256(data); err != nil || !bytes.Equal(all, data) || !bytes.Equal(sum.Sum(nil), want[:]) {
		t.Fatalf("%d of %d bytes: %v", len(all), len(data), err)
	}
	return ids
}

// TestChunks checks that chunks are all of a file, have the expected length, and that an edit
// changes only those around it. The places where chunks end are part of the layout.
func TestChunks(t *testing.T) {
	rng := rand.New(rand.NewChaCha8([32]byte{1}))
	data := make([]byte, 4<<20)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	for _, n := range []int{0, 1, minChunk, maxChunk, maxChunk + 1, 1 << 20, 1<<20 + 1} {
		chunksOf(t, data[:n])
		chunksOf(t, make([]byte, n))
	}
	before := chunksOf(t, data)
	if average := len(data) / len(before); average < 4<<10 || average > 6<<10 {
		t.Errorf("chunks have %d bytes on average", average)
	}
	known := map[chunkID]bool{}
	for _, id := range before {
		known[id] = true
	}
	for range suite.Pick(10, 50) {
		at := rng.IntN(len(data))
		edited := append(append(bytes.Clone(data[:at]), "an edit"...), data[at+rng.IntN(min(20, len(data)-at)):]...)
		changed := 0
		for _, id := range chunksOf(t, edited) {
			if !known[id] {
				changed++
			}
		}
		if changed == 0 || changed > 4 {
			t.Errorf("an edit at %d changes %d chunks", at, changed)
		}
	}
	sum := sha256.New()
	for _, id := range before {
		sum.Write(id[:])
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != "4bb53295d3b713a1" {
		t.Errorf("chunks end elsewhere (%s): published builds would share nothing with new ones", got)
	}
}

// sampleMap returns a map and the files that it describes.
func sampleMap() (*chunkMap, []store.File) {
	m := &chunkMap{
		packs: []pack{{sum: sha256.Sum256([]byte("a")), size: 10, raw: 300}, {sum: sha256.Sum256([]byte("b")), size: 10, raw: 60}},
		chunks: []chunk{
			{id: idOf([]byte("1")), pack: 0, offset: 0, length: 100}, {id: idOf([]byte("2")), pack: 0, offset: 200, length: 100},
			{id: idOf([]byte("3")), pack: 1, offset: 10, length: 50},
		},
		files: []mapped{
			{path: "exports/a.jsonl", chunks: []uint32{0, 2, 1, 0}}, {path: "exports/empty"},
			{path: "exports/a.json", from: &derivation{Path: "exports/a.jsonl", As: asArray}},
			{path: "exports/a.json.zst", from: &derivation{Path: "exports/a.json", As: "zstd", Pieces: []int64{350}}},
		},
	}
	return m, []store.File{{Path: "exports/a.jsonl", Size: 350}, {Path: "exports/empty"}, {Path: "exports/a.json", Size: 9}, {Path: "exports/a.json.zst", Size: 9}}
}

// FuzzMap decodes maps from anybody: no input may panic, and whatever is accepted stays within
// its packs and describes the files.
func FuzzMap(f *testing.F) {
	m, files := sampleMap()
	r, err := newDecoder(maxMap)
	if err != nil {
		f.Fatal(err)
	}
	plain, err := r.DecodeAll(m.encode(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	for _, n := range []int{0, 10, len(plain) - 1} {
		f.Add(plain[:n])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m chunkMap
		if m.decode(data, files) != nil {
			return
		}
		if len(m.files) != len(files) {
			t.Fatalf("%d files", len(m.files))
		}
		for _, c := range m.chunks {
			if int64(c.offset)+int64(c.length) > m.packs[c.pack].raw || c.length > maxChunk {
				t.Fatalf("%+v of %+v", c, m.packs[c.pack])
			}
		}
		for i, file := range m.files {
			size := int64(0)
			for _, at := range file.chunks {
				size += int64(m.chunks[at].length)
			}
			for _, want := range files {
				if want.Path == file.path && file.from == nil && size != want.Size {
					t.Fatalf("file %d: %d bytes, want %d", i, size, want.Size)
				}
			}
		}
	})
}

// TestMap checks that a map survives encoding, and that files which do not match are refused.
func TestMap(t *testing.T) {
	m, files := sampleMap()
	data := m.encode()
	got, err := decodeMap(data, files)
	if err != nil || !bytes.Equal(got.encode(), data) {
		t.Fatalf("%+v %v", got, err)
	}
	if names, err := packNames(data); err != nil || len(names) != 2 || names[0] != blobName(m.packs[0].sum) {
		t.Errorf("%v %v", names, err)
	}
	for name, wrong := range map[string][]store.File{
		"one less":       files[1:],
		"one more":       append([]store.File{{Path: "exports/b"}}, files...),
		"another size":   append([]store.File{{Path: "exports/a.jsonl", Size: 351}}, files[1:]...),
		"another source": {files[0], files[1], files[3], {Path: "exports/b"}},
	} {
		if _, err := decodeMap(data, wrong); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		if _, err := decodeMap(damaged, files); err == nil && i > 20 { // the frame's header may say the same in another way
			t.Errorf("damage at %d was accepted", i)
		}
	}
}
