package depot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"

	"kindex/exports/store"
)

// maxPack is the size of a pack in bytes, uncompressed; the last chunk may exceed it.
const maxPack = 16 << 20

// chunkMap says where the contents of a build's files are.
type chunkMap struct {
	packs  []pack
	chunks []chunk // by pack and offset
	files  []mapped
}

// pack is a blob of compressed chunks.
type pack struct {
	sum  [sha256.Size]byte // of the compressed bytes
	size int64             // compressed
	raw  int64             // uncompressed
}

// chunk is a part of a pack.
type chunk struct {
	id             chunkID
	pack           uint32
	offset, length uint32 // in the uncompressed pack
}

// mapped is a file: its chunks, or how to make it from another file.
type mapped struct {
	path   string
	chunks []uint32 // places in chunkMap.chunks
	from   *derivation
}

// derivation makes a file from another one.
type derivation struct {
	Path   string  `json:"path"`   // the other file
	As     string  `json:"as"`     // a content coding, or asArray
	Pieces []int64 `json:"pieces"` // lengths of the parts of the other file that are compressed separately
}

// mapHeader is the readable part of an encoded map.
type mapHeader struct {
	Packs []packHeader `json:"packs"`
	Files []fileHeader `json:"files"`
}

type packHeader struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Raw    int64  `json:"raw"`
	Chunks int    `json:"chunks"` // those that the build needs
}

type fileHeader struct {
	Path   string      `json:"path"`
	Chunks int         `json:"chunks"`
	From   *derivation `json:"from,omitempty"`
}

// encode returns the map as a zstd frame: the header as a line of JSON; for each pack its chunks,
// each as an ID, the number of bytes since the end of the one before, and its length; for each
// file its chunks, each as the difference from the place after the one before. The numbers are
// LEB128.
func (m *chunkMap) encode() []byte {
	h := mapHeader{Packs: make([]packHeader, len(m.packs)), Files: make([]fileHeader, len(m.files))}
	for i, p := range m.packs {
		h.Packs[i] = packHeader{SHA256: hex.EncodeToString(p.sum[:]), Size: p.size, Raw: p.raw}
	}
	for _, c := range m.chunks {
		h.Packs[c.pack].Chunks++
	}
	for i, f := range m.files {
		h.Files[i] = fileHeader{Path: f.path, Chunks: len(f.chunks), From: f.from}
	}
	out, err := json.Marshal(h)
	if err != nil {
		panic(err) // the header consists of numbers and strings
	}
	out = append(out, '\n')
	end := uint32(0)
	for i, c := range m.chunks {
		if i > 0 && m.chunks[i-1].pack != c.pack {
			end = 0
		}
		out = append(out, c.id[:]...)
		out = binary.AppendUvarint(out, uint64(c.offset-end))
		out = binary.AppendUvarint(out, uint64(c.length))
		end = c.offset + c.length
	}
	for _, f := range m.files {
		next := int64(0)
		for _, at := range f.chunks {
			out = binary.AppendVarint(out, int64(at)-next)
			next = int64(at) + 1
		}
	}
	if out, err = compress("zstd", out); err != nil {
		panic(err) // the coding is known
	}
	return out
}

// decodeMap decodes a map and checks that it describes exactly these files. The map may come from
// anybody; no other part of the package checks it again.
func decodeMap(data []byte, files []store.File) (*chunkMap, error) {
	limit, maxHeader := mapBounds(files)
	r, err := newDecoder(limit)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err = r.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("the map is damaged: %w", err)
	}
	if end := bytes.IndexByte(data, '\n'); uint64(max(end, 0)) > maxHeader {
		return nil, fmt.Errorf("the map is damaged: its header has %d bytes, for %d files", end, len(files))
	}
	m := new(chunkMap)
	if err := m.decode(data, files); err != nil {
		return nil, fmt.Errorf("the map is damaged: %w", err)
	}
	return m, nil
}

// mapBounds returns the maximum size of the map of these files, and of its header. The map may not be
// covered by a signature, but the sizes of the files are. The bounds are several times what publishing
// writes: a chunk has a few kilobytes on average, and takes some 20 bytes in the map.
func mapBounds(files []store.File) (size, header uint64) {
	total := uint64(0)
	for _, f := range files {
		total += uint64(max(f.Size, 0))
	}
	header = 64<<10 + 1024*uint64(len(files)) + total/1024
	return min(header+total/16, maxMap), header
}

// newDecoder returns a zstd decoder that refuses to return more than limit bytes.
func newDecoder(limit uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderMaxMemory(limit), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(2*maxPack))
}

func (m *chunkMap) decode(data []byte, files []store.File) error {
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	var h mapHeader
	if !ok {
		return errors.New("it has no header")
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	d := &mapDecoder{data: rest}
	m.packs = make([]pack, len(h.Packs))
	for i, p := range h.Packs {
		sum, err := hex.DecodeString(p.SHA256)
		if err != nil || len(sum) != sha256.Size || p.Size < 1 || p.Size > 2*maxPack || p.Raw < 1 || p.Raw > maxPack+maxChunk {
			return fmt.Errorf("pack %d is not valid", i)
		}
		m.packs[i] = pack{[sha256.Size]byte(sum), p.Size, p.Raw}
		end := uint64(0)
		for range p.Chunks {
			c := chunk{id: d.id(), pack: uint32(i)}
			at := end + d.number(uint64(p.Raw))
			length := d.number(maxChunk)
			if end = at + length; d.failed || length == 0 || end > uint64(p.Raw) {
				return fmt.Errorf("a chunk of pack %d is not valid", i)
			}
			c.offset, c.length = uint32(at), uint32(length)
			m.chunks = append(m.chunks, c)
		}
	}
	if len(m.chunks) > math.MaxInt32 {
		return errors.New("it has too many chunks")
	}
	return m.decodeFiles(d, h.Files, files)
}

// decodeFiles decodes the files' chunks.
func (m *chunkMap) decodeFiles(d *mapDecoder, headers []fileHeader, want []store.File) error {
	sizes := make(map[string]int64, len(want))
	for _, f := range want {
		sizes[f.Path] = f.Size
	}
	earlier := map[string]bool{} // the files from which others may be derived
	for _, f := range headers {
		size, ok := sizes[f.Path]
		if !ok {
			return fmt.Errorf("it lists %q, which the manifests do not list, or lists it twice", f.Path)
		}
		delete(sizes, f.Path)
		if f.From != nil {
			if !earlier[f.From.Path] || f.Chunks != 0 || !validDerivation(f.From) {
				return fmt.Errorf("%s cannot be recreated from %q", f.Path, f.From.Path)
			}
			m.files = append(m.files, mapped{path: f.Path, from: f.From})
			earlier[f.Path] = true
			continue
		}
		earlier[f.Path] = true
		list := mapped{path: f.Path}
		next := int64(0)
		for range f.Chunks {
			at := next + d.delta()
			if d.failed || at < 0 || at >= int64(len(m.chunks)) {
				return fmt.Errorf("a chunk of %s is not valid", f.Path)
			}
			list.chunks = append(list.chunks, uint32(at))
			size -= int64(m.chunks[at].length)
			next = at + 1
		}
		if size != 0 {
			return fmt.Errorf("the chunks of %s do not have its length", f.Path)
		}
		m.files = append(m.files, list)
	}
	if len(sizes) > 0 || len(d.data) > 0 {
		return fmt.Errorf("it lacks %d files, or does not end where it should", len(sizes))
	}
	return nil
}

// mapDecoder reads the values after the header.
type mapDecoder struct {
	data   []byte
	failed bool
}

func (d *mapDecoder) id() (id chunkID) {
	if len(d.data) < len(id) {
		d.failed = true
		return id
	}
	d.data = d.data[copy(id[:], d.data):]
	return id
}

// number reads a number of at most limit.
func (d *mapDecoder) number(limit uint64) uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 || n > limit {
		d.failed = true
		return 0
	}
	d.data = d.data[size:]
	return n
}

// delta reads a difference between places of chunks.
func (d *mapDecoder) delta() int64 {
	n, size := binary.Varint(d.data)
	if size <= 0 || n > math.MaxInt32 || n < -math.MaxInt32 {
		d.failed = true
		return 0
	}
	d.data = d.data[size:]
	return n
}
