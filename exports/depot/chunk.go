package depot

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
)

// Chunks are cut as in FastCDC (Xia et al., USENIX ATC 2016): a hash of the last 64 bytes rolls
// over the data, and a chunk ends where some of its bits are 0. So an edit changes the chunks
// around it, but none after them.
const (
	minChunk = 1 << 10
	maxChunk = 32 << 10
	// A chunk ends after a byte with probability 2^-12; its length is about minChunk + 4 KiB.
	// Larger chunks need a smaller map, but in a build where 1 % of the entities have changed, chunks of
	// 8 KiB have a quarter more bytes that are new.
	cutMask = (1<<12 - 1) << 40
)

// gear has a random number for each byte. They are part of the layout: with others, builds would
// share no chunks with earlier ones.
var gear = func() (table [256]uint64) {
	for i := range table {
		sum := sha256.Sum256([]byte{'g', 'e', 'a', 'r', byte(i)})
		table[i] = binary.LittleEndian.Uint64(sum[:])
	}
	return table
}()

// cut returns the length of the first chunk of data, which must have at least maxChunk bytes
// unless it ends with the file.
func cut(data []byte) int {
	end := min(len(data), maxChunk)
	var h uint64
	for i := min(minChunk, end); i < end; i++ {
		if h = h<<1 + gear[data[i]]; h&cutMask == 0 {
			return i + 1
		}
	}
	return end
}

// chunkID identifies a chunk: the first 16 bytes of its SHA-256. Whether a file is right is
// decided by the whole hash of the file.
type chunkID [16]byte

func idOf(chunk []byte) chunkID {
	sum := sha256.Sum256(chunk)
	return chunkID(sum[:16])
}

// eachChunk calls yield with the chunks of r, which are valid until it returns, and adds all data
// to sum.
func eachChunk(r io.Reader, sum hash.Hash, yield func(chunk []byte)) error {
	buf := make([]byte, 0, 1<<20)
	for eof := false; !eof || len(buf) > 0; {
		for !eof && len(buf) < maxChunk {
			n, err := r.Read(buf[len(buf):cap(buf)])
			sum.Write(buf[len(buf) : len(buf)+n])
			buf = buf[:len(buf)+n]
			if eof = err == io.EOF; err != nil && !eof {
				return err
			}
		}
		rest := buf
		for len(rest) >= maxChunk || eof && len(rest) > 0 {
			n := cut(rest)
			yield(rest[:n])
			rest = rest[n:]
		}
		buf = buf[:copy(buf[:cap(buf)], rest)]
	}
	return nil
}
