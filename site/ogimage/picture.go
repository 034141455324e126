// Package ogimage draws the preview images of links to the website (Open Graph,
// https://ogp.me).
package ogimage

import (
	"bytes"
	"image/png"

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

// PNG draws a card. The same card always yields the same bytes. Any content is valid.
func PNG(c Card) ([]byte, error) {
	p := newPainter()
	p.draw(&c)
	var out bytes.Buffer
	err := png.Encode(&out, p.paletted())
	return out.Bytes(), err
}
