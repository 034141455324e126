// Package ogimage draws the pictures that links to the website show elsewhere (Open
// Graph): https://ogp.me.
package ogimage

import (
	"bytes"
	"cmp"
	"fmt"
	"image/png"
	"sync"

	"kindex/exports/record"
)

// Width and Height are the size of every picture, in pixels: the proportion of 1.91
// to 1 that chats and feeds show whole.
const Width, Height = 1200, 630

// Card is what a picture shows. Texts may hold anything and be of any length; what is
// empty is left out.
//
// The fonts know Latin, Greek and Cyrillic letters. Letters of other scripts leave a
// "…", symbols such as emoji leave nothing. Of a text that lacks more than a third of
// its characters nothing is drawn; in the place of such a Name stands Fallback.
type Card struct {
	Site     string // title of the index
	Kind     string // "Tool", "Model", or "" for the picture of the whole index
	Name     string // cut behind two lines
	Provider string // left out where it is the name
	Category string // its title

	// Fallback is the address within the index, type/slug; for the index, its own. It
	// stands at the foot too.
	Fallback string

	Description  string       // cut behind three lines
	Score        record.Score // null: "not ranked"
	Rank, Ranked int          // the place, and among how many; 0: unknown
	AsOf         string       // the day of the score, YYYY-MM-DD

	// Parts are drawn as bars; more than MaxParts are not. For an entity they are the
	// dimensions of its score, for the index its leaders.
	Parts []Part
}

// Part is one bar: a name, and a score that may be null.
type Part struct {
	Name  string
	Score record.Score
}

// MaxParts is how many bars a picture has room for.
const MaxParts = 5

// painters keep canvases, faces and buffers of pictures that are done: a face is not
// for concurrent use, and a canvas has 756,000 bytes.
var painters = sync.Pool{New: func() any { return newPainter() }}

// PNG draws a card. The same card makes the same bytes. Any number of goroutines may
// draw at a time. What the card holds is never an error. The picture has 40,000 bytes
// at most.
func PNG(c Card) ([]byte, error) {
	if err := fontsError(); err != nil {
		return nil, fmt.Errorf("the fonts of pictures cannot be read: %w", err)
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
			continue // encoding in vain takes most of the time
		}
		p.coarsen(shades)
		out.Reset()
		if err := encoder.Encode(&out, p.canvas); err != nil {
			return nil, fmt.Errorf("encoding the picture of %s: %w", cmp.Or(c.Fallback, c.Name), err)
		}
		if out.Len() <= maxBytes {
			break
		}
	}
	return out.Bytes(), nil
}

// maxBytes is how large a picture may be. Usual ones have about 25,000 bytes; one
// full of letters that never repeat is drawn with fewer shades. Those have more than
// maxChanges: found by trying, usual ones have 20,000 to 40,000.
const (
	maxBytes   = 40_000
	maxChanges = 53_000
)

// buffers hands the encoder the buffer that the painter used before.
type buffers struct{ kept *png.EncoderBuffer }

func (b *buffers) Get() *png.EncoderBuffer  { return b.kept }
func (b *buffers) Put(e *png.EncoderBuffer) { b.kept = e }
