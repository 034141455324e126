// Package ogimage draws the preview images of links to the website (Open Graph,
// https://ogp.me).
package ogimage

import (
	"bytes"
	"cmp"
	"fmt"
	"image/png"
	"sync"

	"kindex/exports/record"
)

// Width and Height are the size of every image, in pixels: the aspect ratio 1.91:1,
// which chats and feeds show uncropped.
const Width, Height = 1200, 630

// Card is the content of an image. Its strings can contain anything and be of any length;
// empty strings are left out.
//
// The fonts have Latin, Greek and Cyrillic letters. Letters of other scripts become "…", and
// symbols such as emoji are dropped. A string that would lose more than a third of its
// characters is not drawn. For a Name, Fallback is drawn instead.
type Card struct {
	Site     string // title of the index
	Kind     string // "Tool", "Model", or "" for the image of the index
	Name     string // at most two lines
	Provider string // left out if it equals the name
	Category string // its title

	// Fallback is the key of an entity (type/slug) or the URL of the index. It is also shown
	// in the footer.
	Fallback string

	Description  string       // at most three lines
	Score        record.Score // shown as "not ranked" if unknown
	Board        string       // the title of its own board, if it is on one
	Rank, Ranked int          // the rank on that board and the number of entities on it
	AsOf         string       // the day of the score, YYYY-MM-DD

	// Parts are the dimensions of an entity's score, or the leaders of the index. At most
	// MaxParts of them are drawn, each as a bar.
	Parts []Part
}

// Part is a bar: a name, and a score that may be unknown.
type Part struct {
	Name  string
	Score record.Score
}

// MaxParts is the maximum number of bars.
const MaxParts = 5

// painters reuses canvases, faces and buffers: a face is not safe for concurrent use, and
// a canvas has 756,000 bytes.
var painters = sync.Pool{New: func() any { return newPainter() }}

// PNG draws a card. The same card always yields the same bytes, at most 40,000 of them. Any
// content is valid. PNG may be called concurrently.
func PNG(c Card) ([]byte, error) {
	if err := fontsError(); err != nil {
		return nil, fmt.Errorf("reading the image fonts: %w", err)
	}
	p := painters.Get().(*painter)
	defer painters.Put(p)
	p.clear()
	p.draw(&c)
	var out bytes.Buffer
	out.Grow(32 << 10)
	encoder := png.Encoder{CompressionLevel: png.DefaultCompression, BufferPool: &p.buffers}
	for _, shades := range []int{steps, 5, 1} {
		if shades == steps && p.changes() > maxChanges {
			continue // encoding takes most of the time
		}
		p.coarsen(shades)
		out.Reset()
		if err := encoder.Encode(&out, p.canvas); err != nil {
			return nil, fmt.Errorf("encoding the image of %s: %w", cmp.Or(c.Fallback, c.Name), err)
		}
		if out.Len() <= maxBytes {
			break
		}
	}
	return out.Bytes(), nil
}

// maxBytes is the maximum size of an image. Typical images have about 25,000 bytes.
// Images full of different letters, which have more than maxChanges changes, are drawn
// with fewer shades. The limit was found by experiment: typical images have 20,000 to
// 40,000 changes.
const (
	maxBytes   = 40_000
	maxChanges = 53_000
)

// buffers lets the encoder reuse the painter's buffer.
type buffers struct{ kept *png.EncoderBuffer }

func (b *buffers) Get() *png.EncoderBuffer  { return b.kept }
func (b *buffers) Put(e *png.EncoderBuffer) { b.kept = e }
